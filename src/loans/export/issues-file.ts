import { Readable } from 'node:stream';
import { CORRECTION_COLUMNS, joinedFindings } from '../reading/correction.ts';
import type { Engine } from '../engine/engine.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import { csvLine, neutraliseFormula } from './spreadsheet-text.ts';
import { jsonList, parquet, sourceCell } from '../engine/sql.ts';
import { writeWorkbook } from './workbook-writer.ts';

export type IssuesFileInput = {
  engine: Engine;
  /** Files of the tape version. */
  rawPath: string;
  issuesPath: string;
  /** The sealed values are destroyed. */
  isDestroyed?: boolean;
  format: 'csv' | 'xlsx';
};

/**
 * The rows with issues in the original columns and their order, plus `_row,_rule,_reason,_actual,_expected`; one row per
 * affected row, several issues joined by `; `. Text that a spreadsheet would run as a formula gets a leading apostrophe, ids stay text. The
 * corrected file can be uploaded as a tape. The stream may be piped to a file or to a response.
 */
export function writeIssuesFile(input: IssuesFileInput): Readable {
  return Readable.from(input.format === 'csv' ? csvText(input) : workbook(input), { objectMode: false });
}

const BYTE_ORDER_MARK = '\ufeff';

async function* csvText(input: IssuesFileInput): AsyncGenerator<string> {
  const header = await headerOf(input);
  // Without the mark a spreadsheet reads the file in the code page of the machine.
  yield `${BYTE_ORDER_MARK}${csvLine(header)}`;
  for await (const rows of batches(input)) yield rows.map(csvLine).join('');
}

async function* workbook(input: IssuesFileInput): AsyncGenerator<Buffer> {
  const header = await headerOf(input);
  yield* writeWorkbook({ sheetName: 'Issues', header, rows: workbookRows(input) });
}

async function* workbookRows(input: IssuesFileInput): AsyncGenerator<(string | null)[]> {
  for await (const rows of batches(input))
    for (const row of rows) yield row.map((cell) => (cell === null ? null : neutraliseFormula(cell)));
}

async function headerOf({ engine, rawPath }: IssuesFileInput): Promise<string[]> {
  const { columns } = await readRawManifest(engine, rawPath);
  return [...columns.map((column) => column.name), ...CORRECTION_COLUMNS];
}

/** Rows per query, fewer of a wide tape: the memory of a file is that of one part, whatever the number of its findings. */
const PART_ROWS = 20_000;
const PART_VALUES = 600_000;

async function* batches({
  engine,
  rawPath,
  issuesPath,
  isDestroyed = false,
}: IssuesFileInput): AsyncGenerator<(string | null)[][]> {
  const { columns } = await readRawManifest(engine, rawPath);
  const cells = [
    ...columns.map((column) => sourceCell(`c${column.index}`, isDestroyed)),
    'CAST(raw.row_number AS VARCHAR)',
    'j0',
    'j1',
    'j2',
    'j3',
  ];
  const partRows = Math.min(PART_ROWS, Math.floor(PART_VALUES / cells.length));
  const parts = await engine.rows<{ part: number }>(
    `SELECT DISTINCT CAST(row_number // ${partRows} AS INTEGER) AS part FROM ${parquet(issuesPath)} WHERE row_number IS NOT NULL ORDER BY part`,
  );
  for (const { part } of parts) {
    const within = `row_number BETWEEN ${part * partRows} AND ${(part + 1) * partRows - 1}`;
    const query =
      `SELECT ${jsonList(cells)} AS cells FROM (SELECT * FROM ${parquet(rawPath)} WHERE ${within}) raw ` +
      `JOIN (${joinedFindings(issuesPath, within)}) issues ON raw.row_number = issues.row_number ORDER BY raw.row_number`;
    for await (const rows of engine.stream<{ cells: string }>(query))
      yield rows.map((row) => JSON.parse(row.cells) as (string | null)[]);
  }
}
