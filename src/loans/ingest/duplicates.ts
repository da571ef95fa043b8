import type { Engine } from '../engine/engine.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { copyToParquet, parquet } from '../engine/sql.ts';

/**
 * Writes the rows that equal an earlier row in every source column: `row_number, first_row`. Candidates are found by hash and
 * compared text by text. Returns their number.
 */
export async function writeDuplicates(
  engine: Engine,
  rawPath: string,
  columns: readonly RawColumn[],
  path: string,
  signal?: AbortSignal,
): Promise<number> {
  const groups = `SELECT row_hash, min(row_number) AS first_row FROM ${parquet(rawPath)} GROUP BY row_hash HAVING count(*) > 1`;
  const equal = columns.map(({ index }) => `later.c${index} IS NOT DISTINCT FROM first.c${index}`);
  const query =
    `WITH groups AS MATERIALIZED (${groups}), ` +
    `candidates AS MATERIALIZED (SELECT raw.*, groups.first_row FROM ${parquet(rawPath)} raw JOIN groups USING (row_hash)) ` +
    'SELECT later.row_number, later.first_row FROM candidates later JOIN candidates first ' +
    `ON first.row_number = later.first_row AND later.row_number > later.first_row AND ${equal.join(' AND ')} ORDER BY ALL`;
  await engine.run(copyToParquet(query, path), [], signal);
  const counted = await engine.first<{ count: number }>(`SELECT count(*) AS count FROM ${parquet(path)}`);
  return counted?.count ?? 0;
}

/**
 * Writes the rows whose loan id occurs in another row with different content: `row_number, other_row` (the first other row). Exact
 * duplicates are not included: they have their own finding.
 */
export async function writeSharedIds(
  engine: Engine,
  typedPath: string,
  id: string,
  duplicatesPath: string,
  path: string,
  signal?: AbortSignal,
): Promise<{ rows: number; ids: number }> {
  const kept = `SELECT row_number, ${id} AS id FROM ${parquet(typedPath)} WHERE ${id} IS NOT NULL AND row_number NOT IN (SELECT row_number FROM ${parquet(duplicatesPath)})`;
  const query =
    `WITH kept AS MATERIALIZED (${kept}), groups AS MATERIALIZED ` +
    '(SELECT id, min(row_number) AS first_row, list_sort(min(row_number, 2))[2] AS second_row FROM kept GROUP BY id HAVING count(*) > 1) ' +
    'SELECT kept.row_number, kept.id, CASE WHEN kept.row_number = first_row THEN second_row ELSE first_row END AS other_row ' +
    'FROM kept JOIN groups USING (id) ORDER BY kept.row_number';
  await engine.run(copyToParquet(query, path), [], signal);
  const counted = await engine.first<{ rows: number; ids: number }>(
    `SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM ${parquet(path)}`,
  );
  return counted ?? { rows: 0, ids: 0 };
}
