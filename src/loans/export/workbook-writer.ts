import { columnLetters } from '../reading/header.ts';
import { ZipStream } from './zip-stream.ts';

/**
 * A cell: text stays text (ids keep their zeros), a number is written as a number cell, null is an empty cell. A formatted number
 * is decimal text with the format that a spreadsheet shows it in: a serial day, a fraction as percent, an amount.
 */
export type Cell = string | number | bigint | boolean | null | FormattedNumber;

export interface FormattedNumber {
  number: string;
  format: keyof typeof FORMAT_STYLES;
}

/** Styles of the workbook by format; 1 is the header. */
const FORMAT_STYLES = { date: 2, percent: 3, amount: 4 } as const;

export interface WorkbookInput {
  /** Name of the first sheet, at most 31 characters; a sheet that overflows continues in `NAME (2)`. */
  sheetName: string;
  /** Header cells, repeated on top of every sheet. */
  header: readonly string[];
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>;
  /** Rows of one sheet, header included. */
  maxSheetRows?: number;
}

const SHEET_ROWS_MAX = 1_048_576;
const CELL_TEXT_MAX = 32_767;
const FLUSH_CHARS = 256 * 1024;

/**
 * The bytes of an XLSX workbook, streamed: memory does not grow with the number of rows. Text is written as text, so nothing
 * in it is ever a formula; characters that XML cannot hold are written in the `_xHHHH_` form of ECMA-376 (22.9.2.19).
 * The consumer sets the pace: a slow reader slows the query that feeds it.
 */
export function writeWorkbook(input: WorkbookInput): AsyncGenerator<Buffer> {
  return writeWorkbookOf([input]);
}

/** As `writeWorkbook`, with a sheet for each input, in their order. */
export async function* writeWorkbookOf(inputs: readonly WorkbookInput[]): AsyncGenerator<Buffer> {
  const zip = new ZipStream();
  const names: string[] = [];
  yield zip.wholeEntry('_rels/.rels', ROOT_RELS);
  for (const input of inputs) yield* sheetEntries(zip, input, names);
  yield zip.wholeEntry('xl/styles.xml', STYLES);
  yield zip.wholeEntry('xl/workbook.xml', workbookXml(names));
  yield zip.wholeEntry('xl/_rels/workbook.xml.rels', workbookRels(names.length));
  yield zip.wholeEntry('[Content_Types].xml', contentTypes(names.length));
  yield zip.directory();
}

/** The sheets of one input; their names are added to `names`. */
async function* sheetEntries(zip: ZipStream, input: WorkbookInput, names: string[]): AsyncGenerator<Buffer> {
  const rows = asyncIterator(input.rows);
  try {
    for (let part = 1, more = true; more; part += 1) {
      names.push(sheetName(input.sheetName, part));
      const sheet = sheetXml(input.header, rows, input.maxSheetRows ?? SHEET_ROWS_MAX);
      yield* zip.streamedEntry(`xl/worksheets/sheet${names.length}.xml`, sheet.chunks());
      more = sheet.hasMore();
    }
  } finally {
    await rows.close();
  }
}

interface RowSource {
  next(): Promise<readonly Cell[] | null>;
  close(): Promise<void>;
}

function asyncIterator(rows: WorkbookInput['rows']): RowSource {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  return {
    next: async () => {
      const step = await iterator.next();
      return step.done ? null : step.value;
    },
    close: async () => {
      await iterator.return?.();
    },
  };
}

function sheetXml(header: readonly string[], rows: RowSource, maxRows: number) {
  let more = false;
  const letters = header.map((_, index) => columnLetters(index));
  async function* chunks(): AsyncGenerator<string> {
    let text = `${SHEET_OPEN}${rowXml(1, header, letters, ' s="1"')}`;
    let rowNumber = 1;
    while (rowNumber < maxRows) {
      const row = await rows.next();
      if (row === null) break;
      rowNumber += 1;
      text += rowXml(rowNumber, row, letters, '');
      if (text.length < FLUSH_CHARS) continue;
      yield text;
      text = '';
    }
    more = rowNumber === maxRows;
    yield `${text}</sheetData></worksheet>`;
  }
  return { chunks, hasMore: () => more };
}

function rowXml(rowNumber: number, cells: readonly Cell[], letters: readonly string[], style: string): string {
  let xml = `<row r="${rowNumber}">`;
  for (let column = 0; column < cells.length; column += 1) {
    const cell = cells[column];
    if (cell === null || cell === undefined || cell === '') continue;
    xml += cellXml(`${letters[column] ?? columnLetters(column)}${rowNumber}`, cell, style);
  }
  return `${xml}</row>`;
}

function cellXml(reference: string, cell: NonNullable<Cell>, style: string): string {
  if (typeof cell === 'object') return `<c r="${reference}" s="${FORMAT_STYLES[cell.format]}"><v>${cell.number}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${reference}"${style} t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'bigint' || (typeof cell === 'number' && Number.isFinite(cell)))
    return `<c r="${reference}"${style}><v>${cell}</v></c>`;
  const text = escapeXml(cellText(String(cell)));
  return `<c r="${reference}"${style} t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

/** A text of at most the characters that a cell can hold; one that is cut says so at its end. */
function cellText(text: string): string {
  if (text.length <= CELL_TEXT_MAX) return text;
  const end = ` … [cut: a cell cannot hold these ${text.length} characters, a CSV file does]`;
  // Half of a character would be written as its number.
  return text.slice(0, CELL_TEXT_MAX - end.length).replace(/[\ud800-\udbff]$/, '') + end;
}

// these are the characters that XML 1.0 forbids
const NEEDS_CARE = /[<>&"\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_/;
// as above; carriage return too, since XML readers turn it into a line feed
const FORBIDDEN =
  /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escapeXml(text: string): string {
  if (!NEEDS_CARE.test(text)) return text;
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(FORBIDDEN, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const ROOT_RELS = `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf xfId="0"/><xf fontId="1" xfId="0" applyFont="1"/><xf numFmtId="14" xfId="0" applyNumberFormat="1"/><xf numFmtId="10" xfId="0" applyNumberFormat="1"/><xf numFmtId="4" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`;
const SHEET_OPEN = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;

function workbookXml(names: readonly string[]): string {
  const list = names.map((name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets></workbook>`;
}

function sheetName(name: string, number: number): string {
  const suffix = number === 1 ? '' : ` (${number})`;
  return name.replace(/[\\/?*[\]:]/g, ' ').slice(0, 31 - suffix.length) + suffix;
}

function workbookRels(sheets: number): string {
  const list = numbers(sheets).map(
    (n) => `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  );
  const styles = `<Relationship Id="rId${sheets + 1}" Type="${OFFICE}/styles" Target="styles.xml"/>`;
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}${styles}</Relationships>`;
}

function contentTypes(sheets: number): string {
  const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const list = numbers(sheets).map(
    (n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${kind}.worksheet+xml"/>`,
  );
  return (
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${kind}.styles+xml"/>${list.join('')}</Types>`
  );
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
