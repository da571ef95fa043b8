import type { Engine } from '../engine/engine.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { columnSlices, copyToWorkFile, parquet } from '../engine/sql.ts';

/**
 * Writes the rows that equal an earlier row in every source column: `row_number, first_row`. Candidates are found by hash and
 * compared text by text. Returns the path, or null and no file where there are none.
 */
export async function writeDuplicates(
  engine: Engine,
  rawPath: string,
  columns: readonly RawColumn[],
  path: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const raw = parquet(rawPath);
  if (!(await repeats(engine, `SELECT row_hash FROM ${raw}`, signal))) return null;
  const groups = `SELECT row_hash, min(row_number) AS first_row FROM ${raw} GROUP BY row_hash HAVING count(*) > 1`;
  const candidates = `SELECT row_number, first_row FROM ${raw} JOIN (${groups}) USING (row_hash) WHERE row_number > first_row`;
  return await engine.withTable(candidates, async (pairs) => {
    const left = async () => (await engine.first<{ count: number }>(`SELECT count(*) AS count FROM ${pairs}`))?.count ?? 0;
    for (const slice of columnSlices(columns)) {
      if ((await left()) === 0) return null;
      await dropUnequal(engine, { raw, pairs, names: slice.map(({ index }) => `c${index}`) }, signal);
    }
    if ((await left()) === 0) return null;
    await engine.run(copyToWorkFile(`SELECT row_number, first_row FROM ${pairs} ORDER BY row_number`, path), [], signal);
    return path;
  });
}

/** The numbers that a column, the one of a query, has more than once. */
const repeatedSql = (column: string): string => `SELECT mark FROM (${column}) hashes(mark) GROUP BY mark HAVING count(*) > 1`;

/** Whether a column of numbers has one of them twice. */
async function repeats(engine: Engine, column: string, signal?: AbortSignal): Promise<boolean> {
  const found = await engine.first<{ found: boolean }>(`SELECT EXISTS (${repeatedSql(column)}) AS found`, [], signal);
  return found?.found ?? false;
}

async function dropUnequal(
  engine: Engine,
  { raw, pairs, names }: { raw: string; pairs: string; names: readonly string[] },
  signal?: AbortSignal,
): Promise<void> {
  const differ = names.map((name) => `later.${name} IS DISTINCT FROM first.${name}`).join(' OR ');
  const rows = (of: string) =>
    `(SELECT row_number, ${names.join(', ')} FROM ${raw} WHERE row_number IN (SELECT ${of} FROM ${pairs}))`;
  await engine.run(
    `DELETE FROM ${pairs} WHERE row_number IN (SELECT pair.row_number FROM ${pairs} pair ` +
      `JOIN ${rows('row_number')} later ON later.row_number = pair.row_number ` +
      `JOIN ${rows('first_row')} first ON first.row_number = pair.first_row WHERE ${differ})`,
    [],
    signal,
  );
}

/**
 * Writes the rows whose loan id occurs in another row with different content: `row_number, other_row` (the first other row). Exact
 * duplicates are not included: they have their own finding. Where no two rows share an id, no file is written.
 */
export async function writeSharedIds(
  engine: Engine,
  typedPath: string,
  id: string,
  duplicatesPath: string | null,
  path: string,
  signal?: AbortSignal,
): Promise<{ rows: number; ids: number }> {
  const unique = duplicatesPath === null ? '' : ` AND row_number NOT IN (SELECT row_number FROM ${parquet(duplicatesPath)})`;
  const all = `SELECT row_number, ${id} AS id FROM ${parquet(typedPath)} WHERE ${id} IS NOT NULL${unique}`;
  // Hardly an id occurs twice: by their hashes the others are left out in a third of the time, and the few that are left are compared as texts.
  const hashes = `SELECT hash(id) FROM (${all})`;
  if (!(await repeats(engine, hashes, signal))) return { rows: 0, ids: 0 };
  const query =
    `WITH kept AS MATERIALIZED (SELECT row_number, id FROM (${all}) WHERE hash(id) IN (${repeatedSql(hashes)})), groups AS MATERIALIZED ` +
    '(SELECT id, min(row_number) AS first_row, list_sort(min(row_number, 2))[2] AS second_row FROM kept GROUP BY id HAVING count(*) > 1) ' +
    'SELECT kept.row_number, kept.id, CASE WHEN kept.row_number = first_row THEN second_row ELSE first_row END AS other_row ' +
    'FROM kept JOIN groups USING (id) ORDER BY kept.row_number';
  await engine.run(copyToWorkFile(query, path), [], signal);
  const counted = await engine.first<{ rows: number; ids: number }>(
    `SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM ${parquet(path)}`,
  );
  return counted ?? { rows: 0, ids: 0 };
}
