import { rm } from 'node:fs/promises';
import type { Engine } from '../engine/engine.ts';
import { copyRaw, type RawManifest, readRawManifest } from '../reading/raw-file.ts';
import type { RawColumn, ReadNotice } from '../reading/raw-table.ts';
import { copyToParquet, parquet, rowGroupRows, sqlText } from '../engine/sql.ts';
import { makesText } from '../mapping/transform-inputs.ts';
import { type TextMatch, withMadeKey } from './made-texts.ts';
import { cellTextSql } from '../values/missing.ts';
import { idSql } from '../values/text.ts';
import { TOKEN } from '../values/token.ts';
import { DESTROYED_TEXT, SEALED_TEXT } from '../types.ts';
import { appliedRows, correctionNotices, namesRows } from './correct-rows.ts';

/** The tapes cannot be merged; the message has the reason and the remedy. */
export class MergeRefused extends Error {}

export type MergeInput = {
  engine: Engine;
  /** raw.parquet of the previous version and of the tape that is merged into it. */
  previousPath: string;
  nextPath: string;
  path: string;
  /** The match of the loan id on the next tape; null when it has none. */
  id: TextMatch | null;
  /** Number of the previous version, for messages. */
  version?: number | undefined;
  /** Normalized names of the columns that are sealed in the previous version: files of findings show marks and tokens in them. */
  sealed?: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
};

/**
 * Writes the raw.parquet of a merged tape: the rows of the previous version in their order, with the texts of the next tape where it
 * has the loan, then the new loans. A corrected issues file replaces exactly the rows that it names and adds none; any other tape is
 * matched by loan id, several rows of one id in their order. Columns are matched by header, new ones are added at the end, those of a
 * corrected file excepted: most likely a column of the version was renamed.
 */
export async function mergeRaw(input: MergeInput): Promise<RawManifest> {
  const { engine } = input;
  const [previous, next] = [await readRawManifest(engine, input.previousPath), await readRawManifest(engine, input.nextPath)];
  const corrects = await namesRows(engine, input.nextPath);
  const all = pairColumns(previous.columns, next.columns);
  const pairs = corrects ? all.filter((pair) => pair.previous !== null) : all;
  const key = corrects ? rowKey(input) : idKey(input, pairs, previous, next);
  return await engine.withTable(mergedRows(input, key), (rows) => writeMerged(input, { previous, next, corrects, pairs, rows }));
}

type Merge = { previous: RawManifest; next: RawManifest; corrects: boolean; pairs: readonly Pair[]; rows: string };

async function writeMerged(input: MergeInput, merge: Merge): Promise<RawManifest> {
  const { engine } = input;
  const { previous, next, corrects, pairs, rows } = merge;
  const counted = await engine.first<{ count: number }>(`SELECT count(*) AS count FROM ${rows}`, [], input.signal);
  const rowNumbers = await mergedRowNumbers(input, merge);
  const replaced = new Set(rowNumbers.values());
  const correction = corrects ? await correctionNotices({ ...input, previous, next, version: input.version }) : [];
  // Totals are those of one of the files.
  const { statedTotals: _, ...described } = next;
  const manifest: RawManifest = {
    ...described,
    columns: pairs.map(({ column }) => column),
    rowCount: counted?.count ?? 0,
    malformedRows: [
      ...previous.malformedRows.filter((row) => !replaced.has(row.row_number)),
      // A row that was left out has a notice of its own.
      ...next.malformedRows.flatMap((row) => {
        const rowNumber = rowNumbers.get(row.row_number);
        return rowNumber === undefined ? [] : [{ ...row, row_number: rowNumber }];
      }),
    ],
    notices: [
      // What was seen in a row holds as long as the row does; what was seen around the rows is of the file before.
      ...previous.notices.filter((notice) => notice.row_number !== undefined && !replaced.has(notice.row_number)),
      ...next.notices.map((notice) => moved(notice, rowNumbers)),
      ...correction,
    ],
  };
  const parts = await writeParts(input, merge);
  await copyRaw(engine, `SELECT * FROM read_parquet([${parts.map(sqlText).join(', ')}])`, manifest, input.path, input.signal);
  await Promise.all(parts.map((part) => rm(part)));
  return manifest;
}

/** Writes the merged rows a few row groups at a time: joining and sorting whole tapes would hold them in memory. */
async function writeParts(input: MergeInput, { pairs, rows }: Merge): Promise<string[]> {
  const { engine, previousPath, nextPath, path, signal, sealed } = input;
  const values = pairs.map(({ column, previous, next }) => {
    const [before, after] = [previous ? `p.${previous}` : 'NULL', next ? `n.${next}` : null];
    const isNext = `n.row_number IS NOT NULL${after && previous && sealed ? ` AND NOT ${isLeft(after, sealed.has(column.normalized))}` : ''}`;
    return `CAST(${after ? `CASE WHEN ${isNext} THEN ${after} ELSE ${before} END` : before} AS VARCHAR) AS c${column.index}`;
  });
  const groupRows = rowGroupRows(pairs.length);
  const ranges = await engine.rows<{ first: number; last: number; next_first: number | null; next_last: number | null }>(
    `SELECT min(row_number) AS first, max(row_number) AS last, min(next_row) AS next_first, max(next_row) AS next_last ` +
      `FROM ${rows} GROUP BY row_number // ${groupRows} ORDER BY first`,
  );
  const parts: string[] = [];
  for (const { first, last, next_first, next_last } of ranges) {
    const [within, nextWithin] = [between(first, last), between(next_first ?? 0, next_last ?? -1)];
    const query =
      `SELECT m.row_number, coalesce(n.line, p.line) AS line, ${values.join(', ')} FROM (SELECT * FROM ${rows} WHERE ${within}) m ` +
      `LEFT JOIN (SELECT * FROM ${parquet(previousPath)} WHERE ${within}) p ON p.row_number = m.row_number ` +
      `LEFT JOIN (SELECT * FROM ${parquet(nextPath)} WHERE ${nextWithin}) n ON n.row_number = m.next_row ORDER BY m.row_number`;
    const part = `${path}.part-${parts.length}`;
    await engine.run(copyToParquet(query, part, '', groupRows), [], signal);
    parts.push(part);
  }
  return parts;
}

/**
 * SQL that is true where a file of findings left a value of the previous version out, and shows a mark or, of the obligor, a token. One
 * call for each column: where each column repeats a call, as in `trim(c0) = … OR trim(c0) = …`, the engine's search for repeated
 * expressions takes a hundred times as long as the merge of two thousand columns.
 */
function isLeft(text: string, isSealed: boolean): string {
  const marks = isSealed ? `${MARKS}|${TOKEN}` : MARKS;
  return `(p.row_number IS NOT NULL AND coalesce(regexp_full_match(${text}, ${sqlText(`\\p{Zs}*(${marks})\\p{Zs}*`)}), false))`;
}

const MARKS = [SEALED_TEXT, DESTROYED_TEXT].map((mark) => RegExp.escape(mark)).join('|');

function between(first: number, last: number): string {
  return `row_number BETWEEN ${first} AND ${last}`;
}

/** A notice about a row with that row's number in the merged tape; without a number if the row was left out. */
function moved({ row_number, ...notice }: ReadNotice, rowNumbers: ReadonlyMap<number, number>): ReadNotice {
  const rowNumber = row_number === undefined ? undefined : rowNumbers.get(row_number);
  return rowNumber === undefined ? notice : { ...notice, row_number: rowNumber };
}

/** A column of the merged tape and its source columns in both tapes. */
type Pair = { column: RawColumn; previous: string | null; next: string | null };

function pairColumns(previous: readonly RawColumn[], next: readonly RawColumn[]): Pair[] {
  const after = new Map(next.map((column) => [column.normalized, column]));
  const kept = previous.map((column) => {
    const partner = after.get(column.normalized);
    return { column, previous: `c${column.index}`, next: partner ? `c${partner.index}` : null };
  });
  const known = new Set(previous.map((column) => column.normalized));
  const start = Math.max(-1, ...previous.map((column) => column.index)) + 1;
  const added = next
    .filter((column) => !known.has(column.normalized))
    .map((column, position) => ({ column: { ...column, index: start + position }, previous: null, next: `c${column.index}` }));
  return [...kept, ...added];
}

/** The rows of both tapes and the SQL of the text by which they belong together. */
type Key = Record<'previous' | 'next', { rows: string; by: string }>;

function rowKey(input: MergeInput): Key {
  return {
    previous: { rows: parquet(input.previousPath), by: 'CAST(row_number AS VARCHAR)' },
    next: { rows: appliedRows(input), by: 'CAST(corrects_row AS VARCHAR)' },
  };
}

function idKey(
  { id, previousPath, nextPath }: MergeInput,
  pairs: readonly Pair[],
  previous: RawManifest,
  next: RawManifest,
): Key {
  if (id && makesText(id.transform)) {
    const before = withMadeKey(parquet(previousPath), id, previous.columns);
    const after = withMadeKey(parquet(nextPath), id, next.columns);
    if (!before || !after) throw new MergeRefused(NO_SHARED_ID);
    return { previous: { rows: before, by: 'made_key' }, next: { rows: after, by: 'made_key' } };
  }
  const pair = pairs.find(({ next: column }) => column !== null && id !== null && column === `c${id.column.index}`);
  if (!pair?.previous || !pair.next) throw new MergeRefused(NO_SHARED_ID);
  return {
    previous: { rows: parquet(previousPath), by: idSql(cellTextSql(pair.previous)) },
    next: { rows: parquet(nextPath), by: idSql(cellTextSql(pair.next)) },
  };
}

const NO_SHARED_ID =
  'A tape can be merged by loan id only if both versions have the same id column, and every column that its mapping reads: send the whole tape.';

/** SQL of the rows of the merged tape: `row_number`, that of the previous tape where it has the row, and `next_row`, the row that replaces or adds it. */
function mergedRows({ previousPath }: MergeInput, key: Key): string {
  const numbered = ({ rows, by }: Key['next']) =>
    `(SELECT row_number, ${by} AS merge_key, row_number() OVER (PARTITION BY ${by} ORDER BY row_number) AS nth FROM ${rows})`;
  const rowNumber =
    `coalesce(p.row_number, (SELECT max(row_number) FROM ${parquet(previousPath)}) + ` +
    'row_number() OVER (PARTITION BY p.row_number IS NULL ORDER BY n.row_number))';
  return (
    `SELECT CAST(${rowNumber} AS INTEGER) AS row_number, n.row_number AS next_row FROM ${numbered(key.previous)} p ` +
    `FULL JOIN ${numbered(key.next)} n ON p.merge_key = n.merge_key AND p.nth = n.nth`
  );
}

/** Row numbers of the next tape → row numbers of the merged one; empty when no notice or malformed row needs them. */
async function mergedRowNumbers({ engine, signal }: MergeInput, { previous, next, rows }: Merge): Promise<Map<number, number>> {
  const needed =
    previous.malformedRows.length + next.malformedRows.length > 0 ||
    [...previous.notices, ...next.notices].some((notice) => notice.row_number !== undefined);
  if (!needed) return new Map();
  const moves = await engine.rows<{ next_row: number; row_number: number }>(
    `SELECT next_row, row_number FROM ${rows} WHERE next_row IS NOT NULL`,
    [],
    signal,
  );
  return new Map(moves.map((row) => [row.next_row, row.row_number]));
}
