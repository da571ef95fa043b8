import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CanonicalWriter } from './canonical-writer.ts';
import { columnLetters } from './header.ts';
import { type Notices, shortText } from './notices.ts';
import type { FormatCode, NoticeCode, RawColumn, RawTable, ReadBytes, ReadLimits } from './raw-table.ts';
import { TapeProblem, workbookTooLarge } from './read-problem.ts';
import { type RowSink, TableBuilder } from './table-builder.ts';
import { chooseSheet, type SheetChoice } from './xlsx/choose-sheet.ts';
import { readSharedStrings } from './xlsx/shared-strings.ts';
import { DATE_FORMAT, PERCENT_FORMAT } from './xlsx/cell-numbers.ts';
import { type SheetContext, SheetScanner } from './xlsx/sheet-scanner.ts';
import { openWorkbook, type Workbook } from './xlsx/workbook.ts';
import { xmlChunks } from './xlsx/xml-chunks.ts';
import { ZipArchive } from './xlsx/zip.ts';

/** Expanded bytes of the sheet that a probe reads. */
const PROBE_BYTES = 8 * 1024 * 1024;

/** Reads an XLSX workbook into a raw table; throws a TapeProblem if it cannot be read as one. */
export async function readXlsx(
  path: string,
  workDir: string,
  limits: ReadLimits,
  signal?: AbortSignal,
  onBytes?: ReadBytes,
  totals?: ReadonlySet<number>,
): Promise<RawTable> {
  await using opened = await openXlsx(path, limits, signal);
  const { zip, choice, workbook } = opened;
  await using writer = await CanonicalWriter.create(join(workDir, 'canonical.csv'));
  const builder = xlsxBuilder(writer, limits, totals);
  const scanner = new SheetScanner(choice.sheet.part, opened.context, (row) => builder.add(row));
  const total = zip.sizeOf(choice.sheet.part);
  let done = 0;
  for await (const chunk of xmlChunks(zip, choice.sheet.part)) {
    signal?.throwIfAborted();
    scanner.feed(chunk);
    // A text that is stored once may stand in every cell: what the parts expand to does not bound it.
    if (writer.size > limits.maxExpandedBytes)
      throw workbookTooLarge(`its cells hold more than ${limits.maxExpandedBytes} bytes`);
    await writer.flush();
    done += chunk.length;
    // A part in UTF-16 grows when it is recoded.
    onBytes?.(Math.min(done, total), total);
  }
  scanner.end();
  const { formats, unitCounts, ...built } = await finish(builder, choice, () => writer.flushed());
  await writer.flush(true);
  report(builder.notices, choice, scanner, built.columns, built.headerLine);
  const { list, counts } = builder.notices;
  return {
    csvPaths: writer.paths,
    ...built,
    columns: built.columns.map((column) =>
      withFormats(column, formats[column.index], codesOf(unitCounts[column.index], workbook.unitFormats)),
    ),
    format: 'xlsx',
    encoding: 'utf-8',
    delimiter: '',
    sheet: { name: choice.sheet.name, index: choice.sheet.index, hidden: choice.hidden, others: choice.others },
    dateSystem: workbook.dateSystem,
    notices: list,
    noticeCounts: counts,
  };
}

/** Reads only the beginning of the sheet with the loans into `sink`. */
export async function probeXlsx(path: string, sink: RowSink, limits: ReadLimits): Promise<TableBuilder> {
  await using opened = await openXlsx(path, limits);
  const { zip, choice } = opened;
  const builder = xlsxBuilder(sink, limits);
  const scanner: SheetScanner = new SheetScanner(choice.sheet.part, opened.context, (row) => {
    builder.add(row);
    if (builder.headerIsKnown) scanner.stop();
  });
  let size = 0;
  for await (const chunk of xmlChunks(zip, choice.sheet.part)) {
    size += chunk.length;
    scanner.feed(chunk);
    if (scanner.isStopped || size >= PROBE_BYTES) break;
  }
  if (scanner.isStopped || size >= PROBE_BYTES) builder.decideHeader();
  else await finish(builder, choice, async () => null);
  return builder;
}

interface OpenedXlsx extends AsyncDisposable {
  zip: ZipArchive;
  workbook: Workbook;
  context: SheetContext;
  choice: SheetChoice;
}

async function openXlsx(path: string, limits: ReadLimits, signal?: AbortSignal): Promise<OpenedXlsx> {
  await refuseTooLarge(path, limits);
  const zip = await ZipArchive.open(path, limits);
  try {
    const workbook = await openWorkbook(zip);
    const strings = await readSharedStrings(zip, workbook.sharedStrings, signal);
    const { numberKinds, zeroFormats, unitStyles, dateSystem } = workbook;
    const context = {
      strings,
      numberKinds,
      zeroFormats,
      unitStyles,
      dateSystem,
      maxColumns: limits.maxColumns,
      maxRowBytes: limits.maxRowBytes,
    };
    const choice = await chooseSheet(zip, workbook, context);
    return { zip, workbook, context, choice, [Symbol.asyncDispose]: () => zip[Symbol.asyncDispose]() };
  } catch (error) {
    await zip[Symbol.asyncDispose]();
    throw error;
  }
}

async function refuseTooLarge(path: string, limits: ReadLimits): Promise<void> {
  const { size } = await stat(path);
  if (size > limits.maxBytes)
    throw new TapeProblem(
      'TOO_LARGE',
      `The workbook has ${size} bytes; a workbook may have ${limits.maxBytes}. Send the tape as CSV or split it.`,
    );
}

function xlsxBuilder(sink: RowSink, limits: ReadLimits, totals?: ReadonlySet<number>): TableBuilder {
  return new TableBuilder(sink, { limits, totals, shortRowsAreWhole: true, lineWord: 'row' });
}

/** Runs a reading; when it fails and the workbook has hidden sheets with loans, the message names them. */
async function finish(builder: TableBuilder, choice: SheetChoice, flushed: () => Promise<readonly string[] | null>) {
  try {
    return await builder.finish(flushed);
  } catch (error) {
    if (!(error instanceof TapeProblem) || choice.hidden.length === 0) throw error;
    throw new TapeProblem(error.code, `${error.message} Hidden sheets were not read: ${choice.hidden.join(', ')}.`);
  }
}

/** The formats of a column that show a unit, the most common first. */
function codesOf(counts: ReadonlyMap<number, number> = new Map(), unitFormats: readonly string[]): FormatCode[] {
  return [...counts]
    .map(([place, cells]) => ({ code: unitFormats[place - 1], cells }))
    .sort((one, other) => other.cells - one.cells);
}

function withFormats(column: RawColumn, marks: number, codes: readonly FormatCode[]): RawColumn {
  if (marks === 0 && codes.length === 0) return column;
  const formats = {
    ...(marks & PERCENT_FORMAT && { percent: true }),
    ...(marks & DATE_FORMAT && { date: true }),
    ...(codes.length > 0 && { codes }),
  };
  return { ...column, formats };
}

function report(notices: Notices, choice: SheetChoice, scanner: SheetScanner, columns: RawColumn[], headerLine: number): void {
  const warn = (code: NoticeCode, message: string, more: object = {}) =>
    notices.add({ code, severity: 'WARNING', message, ...more });
  for (const name of choice.hidden) warn('HIDDEN_SHEET', `The hidden sheet "${name}" was not read.`, { actual: name });
  if (choice.others.length > 0)
    warn('OTHER_SHEETS', `The loans were read from the sheet "${choice.sheet.name}"; not from: ${choice.others.join(', ')}.`, {
      actual: choice.others.join(', '),
    });
  for (const name of choice.alike)
    warn(
      'OTHER_SHEETS',
      `The sheet "${name}" has the same columns as "${choice.sheet.name}" and was not read: put all loans on one sheet.`,
      { actual: name },
    );
  reportHidden(notices, scanner, columns);
  const merged = scanner.merged.filter((range) => lastLine(range) > headerLine);
  if (merged.length > 0)
    warn(
      'MERGED_CELLS',
      `${merged.length} range(s) of cells among the loans are merged (${merged.slice(0, 3).join(', ')}); only the first cell of a range has the value.`,
    );
  reportCells(notices, scanner, columns, headerLine);
}

function reportHidden(notices: Notices, scanner: SheetScanner, columns: readonly RawColumn[]): void {
  const { hiddenRows, firstHiddenRow, hiddenColumns } = scanner;
  if (hiddenRows > 0) {
    const message = `${hiddenRows} hidden row(s) of the sheet were read like the others, the first in row ${firstHiddenRow}.`;
    notices.add({ code: 'HIDDEN_ROWS', severity: 'WARNING', line: firstHiddenRow, message });
  }
  const hidden = columns.filter(({ index }) => hiddenColumns.some(([first, last]) => index >= first && index <= last));
  if (hidden.length === 0) return;
  const names = hidden.map(({ normalized, name }) => name || normalized);
  const list = names.join(', ');
  const message = `${hidden.length} hidden column(s) of the sheet were read like the others: ${shortText(list)}. Remove those that are not for the tape.`;
  notices.add({ code: 'HIDDEN_COLUMNS', severity: 'WARNING', column: names[0], message, actual: list });
}

function reportCells(notices: Notices, scanner: SheetScanner, columns: RawColumn[], headerLine: number): void {
  for (const cell of scanner.longNumbers)
    if (cell.line > headerLine)
      notices.add({
        code: 'LONG_NUMERIC_ID',
        severity: 'WARNING',
        line: cell.line,
        column: columns[cell.column]?.name ?? columnLetters(cell.column),
        message:
          'A number cell has a number of more than 15 digits, but a spreadsheet keeps only 15. If it is an id, format the column as text.',
        actual: cell.text,
        expected: 'text, or at most 15 digits',
      });
  const first = scanner.formulasWithoutValue[0];
  if (!first) return;
  const message = `${scanner.formulasWithoutValueCount} formula(s) have no stored value and were read as empty, the first in ${columnLetters(first.column)}${first.line}. Open the workbook in a spreadsheet program, save it and upload it again.`;
  notices.add({
    code: 'FORMULA_WITHOUT_VALUE',
    severity: 'WARNING',
    line: first.line,
    column: columns[first.column]?.name ?? columnLetters(first.column),
    message,
  });
}

function lastLine(range: string): number {
  return Number(/(?<!\d)\d+$/.exec(range)?.[0] ?? 0);
}
