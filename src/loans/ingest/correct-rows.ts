import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { columnSlices, parquet, sumSql } from '../engine/sql.ts';
import { shortText } from '../reading/notices.ts';
import type { RawManifest } from '../reading/raw-file.ts';
import type { NoticeCode, RawColumn, ReadNotice } from '../reading/raw-table.ts';

/** Notices of each code that are listed; one more says how many others there are. */
const LISTED_MAX = 1_000;
/** With fewer columns in common, one corrected value is no sign of another row. */
const COMPARED_MIN = 4;

export type CorrectionInput = {
  engine: Engine;
  /** raw.parquet of the version that is corrected and of the corrected file. */
  previousPath: string;
  nextPath: string;
  previous: RawManifest;
  next: RawManifest;
  /** Number of the corrected version; messages name it. */
  version: number | undefined;
  /** Normalized names of the columns that the corrected file shows without their values. */
  sealed?: ReadonlySet<string>;
};

/** Whether a raw.parquet is that of a corrected issues file. */
export async function namesRows(engine: Engine, path: string): Promise<boolean> {
  return (await columnsOf(engine, path)).has('corrects_row');
}

/** SQL of the rows of a corrected file that are applied: each names a row of the corrected version, and no other row names the same. */
export function appliedRows(files: { previousPath: string; nextPath: string }): string {
  return `(SELECT * EXCLUDE (fault) FROM ${judgedRows(files)} WHERE fault IS NULL)`;
}

/** The rows of a corrected file with the fault that keeps them from being applied, or null. */
function judgedRows({ previousPath, nextPath }: { previousPath: string; nextPath: string }): string {
  return (
    `(SELECT n.*, CASE WHEN n.corrects_row IS NULL THEN 'CORRECTION_ROW_UNREADABLE' WHEN p.row_number IS NULL THEN 'CORRECTION_ROW_UNKNOWN' ` +
    `WHEN count(*) OVER (PARTITION BY n.corrects_row) > 1 THEN 'CORRECTION_ROW_REPEATED' END AS fault ` +
    `FROM ${parquet(nextPath)} n LEFT JOIN (SELECT row_number FROM ${parquet(previousPath)}) p ON p.row_number = n.corrects_row)`
  );
}

/** What the originator has to know about a corrected file: rows that are not applied, columns and rows that do not fit the version. */
export async function correctionNotices(input: CorrectionInput): Promise<ReadNotice[]> {
  return [...columnNotices(input), ...(await faultNotices(input)), ...(await differenceNotices(input))];
}

const versionName = (version: number | undefined): string =>
  version === undefined ? 'the version that the file corrects' : `version ${version} of the tape`;

function columnNotices({ previous, next, version }: CorrectionInput): ReadNotice[] {
  const without = (columns: readonly RawColumn[], others: readonly RawColumn[]): string =>
    columns
      .filter((column) => !others.some((other) => other.normalized === column.normalized))
      .map((column) => column.name || column.normalized)
      .join(', ');
  const [missing, unknown] = [without(previous.columns, next.columns), without(next.columns, previous.columns)];
  if (missing === '' && unknown === '') return [];
  const message = [
    `The columns of the corrected file are not those of ${versionName(version)}.`,
    missing && `Not in the file: ${missing}; the version’s values stay.`,
    unknown && `Not in the version: ${unknown}; left out.`,
    'If a column was renamed, give it its name in the version and send the file again.',
  ];
  return [
    {
      code: 'CORRECTION_COLUMNS_DIFFER',
      severity: 'WARNING',
      message: message.filter(Boolean).join(' '),
      actual: shortText(next.columns.map((column) => column.name).join(', ')),
      expected: shortText(previous.columns.map((column) => column.name).join(', ')),
    },
  ];
}

type Fault = 'CORRECTION_ROW_REPEATED' | 'CORRECTION_ROW_UNKNOWN' | 'CORRECTION_ROW_UNREADABLE';
type FaultRow = { fault: Fault; line: number; corrects_text: string | null; nth: number };

async function faultNotices(input: CorrectionInput): Promise<ReadNotice[]> {
  const { engine, previous } = input;
  const rows = await engine.rows<FaultRow>(
    `SELECT fault, line, corrects_text, CAST(row_number() OVER (PARTITION BY fault ORDER BY row_number) AS INTEGER) AS nth ` +
      `FROM ${judgedRows(input)} WHERE fault IS NOT NULL QUALIFY nth <= ${LISTED_MAX} ORDER BY fault, nth`,
  );
  const counts = await engine.rows<{ fault: Fault; count: number }>(
    `SELECT fault, CAST(count(*) AS INTEGER) AS count FROM ${judgedRows(input)} WHERE fault IS NOT NULL GROUP BY fault ORDER BY fault`,
  );
  const expected = `a row of ${versionName(input.version)}: 1 to ${previous.rowCount}`;
  const listed = rows.map(
    ({ fault, line, corrects_text }): ReadNotice => ({
      code: fault,
      severity: 'ERROR',
      line,
      column: '_row',
      message: messageOf(fault, corrects_text, input),
      ...(corrects_text === null ? {} : { actual: shortText(corrects_text) }),
      expected: fault === 'CORRECTION_ROW_REPEATED' ? 'each row once' : expected,
    }),
  );
  return [...listed, ...counts.flatMap(({ fault, count }) => others(fault, 'ERROR', count))];
}

function messageOf(fault: Fault, text: string | null, { version }: CorrectionInput): string {
  if (fault === 'CORRECTION_ROW_UNKNOWN')
    return `The corrected file names row ${text?.trim()}, which ${versionName(version)} does not have; the line was left out.`;
  if (fault === 'CORRECTION_ROW_REPEATED')
    return `The corrected file names row ${text?.trim()} more than once; none of these lines was applied, the row is as it was. Keep one of them and send the file again.`;
  return `${text === null ? '_row is blank' : '_row is no row number'}, so nothing says which row this line corrects; it was left out. Put the number of the row back, or send new loans as a tape of their own with mode MERGE.`;
}

function others(code: NoticeCode, severity: 'ERROR' | 'WARNING', count: number): ReadNotice[] {
  if (count <= LISTED_MAX) return [];
  return [
    { code, severity, message: `${count - LISTED_MAX} more lines of the corrected file are like the ${LISTED_MAX} listed.` },
  ];
}

/** A column of the corrected version and the same of the corrected file. */
type ColumnPair = { was: string; is: string };
type Difference = { row_number: number; line: number; equal: number; compared: number };

/** Applied rows that have less than half of their values in common with the row that they replace: perhaps the file is of another tape. */
async function differenceNotices(input: CorrectionInput): Promise<ReadNotice[]> {
  const { engine, previous, next } = input;
  const partners = new Map(next.columns.map((column) => [column.normalized, column]));
  const pairs = previous.columns.flatMap((column): ColumnPair[] => {
    const partner = partners.get(column.normalized);
    return partner && !input.sealed?.has(column.normalized) ? [{ was: `c${column.index}`, is: `c${partner.index}` }] : [];
  });
  if (pairs.length < COMPARED_MIN) return [];
  return await engine.withTable('SELECT 0 AS row_number, 0 AS line, 0 AS equal, 0 AS compared WHERE false', async (counts) => {
    for (const slice of columnSlices(pairs)) await countEqual(input, slice, counts);
    return await differingRows(input, counts);
  });
}

/** Counts, of some columns, the values of each applied row and those that it has in common with the row that it replaces. */
async function countEqual(input: CorrectionInput, pairs: readonly ColumnPair[], counts: string): Promise<void> {
  const sum = (test: (was: string, is: string) => string) =>
    sumSql(pairs.map(({ was, is }) => `CASE WHEN ${test(`p.${was}`, `n.${is}`)} THEN 1 ELSE 0 END`));
  // What a malformed row held was no value of its columns: its correction has little in common with it.
  const mended = input.previous.malformedRows.map((row) => row.row_number);
  const applied = `SELECT line, corrects_row, ${pairs.map(({ is }) => is).join(', ')} FROM ${appliedRows(input)}`;
  const replaced = `SELECT row_number, ${pairs.map(({ was }) => was).join(', ')} FROM ${parquet(input.previousPath)}`;
  await input.engine.run(
    `INSERT INTO ${counts} SELECT p.row_number, n.line, ${sum((was, is) => `${was} = ${is}`)}, ` +
      `${sum((was, is) => `${was} IS NOT NULL OR ${is} IS NOT NULL`)} ` +
      `FROM (${applied}) n JOIN (${replaced}) p ON p.row_number = n.corrects_row ` +
      `WHERE NOT list_contains([${mended.join(', ')}]::INTEGER[], p.row_number)`,
  );
}

async function differingRows({ engine, version }: CorrectionInput, counts: string): Promise<ReadNotice[]> {
  const sums = `SELECT row_number, min(line) AS line, sum(equal) AS equal, sum(compared) AS compared FROM ${counts} GROUP BY row_number`;
  const found = `FROM (${sums}) WHERE 2 * equal < compared AND compared >= ${COMPARED_MIN}`;
  const rows = await engine.rows<Difference>(
    `SELECT row_number, line, CAST(equal AS INTEGER) AS equal, CAST(compared AS INTEGER) AS compared ${found} ORDER BY row_number LIMIT ${LISTED_MAX}`,
  );
  const count = await engine.first<{ count: number }>(`SELECT CAST(count(*) AS INTEGER) AS count ${found}`);
  const listed = rows.map(
    ({ row_number, line, equal, compared: all }): ReadNotice => ({
      code: 'CORRECTION_ROW_DIFFERS',
      severity: 'WARNING',
      line,
      row_number,
      column: '_row',
      message: `The corrected file replaced row ${row_number} of ${versionName(version)}, with which it has ${equal} of ${all} values in common: compare the two, the file may be of another tape.`,
      actual: `${equal} of ${all} values`,
      expected: 'most values as they were',
    }),
  );
  return [...listed, ...others('CORRECTION_ROW_DIFFERS', 'WARNING', count?.count ?? 0)];
}
