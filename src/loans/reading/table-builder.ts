import { recogniseLayout } from '../dictionary/layouts.ts';
import { addedColumns } from './correction.ts';
import { findHeader, nameColumns } from './header.ts';
import { groupedNames, lowerLine } from './header-groups.ts';
import type { Notices } from './notices.ts';
import { cutOf, type MalformedRow, type RawColumn, type ReadLimits, type StatedTotals } from './raw-table.ts';
import { numbersOf } from './plain-number.ts';
import type { Row } from './row.ts';
import { haveRowNames } from './row-names.ts';
import {
  DASH,
  firstFilled,
  isFigureRow,
  isGroupFigure,
  isGroupsAgain,
  isHeaderAgain,
  isOtherHeader,
  isLabelledTotal,
  isTotalAlone,
  isTotalsRow,
  isUnderline,
  mayEndAsTotal,
  textsOf,
  TOTAL_INITIALS,
  wholeNumberOf,
} from './stray-rows.ts';
import { DATE_FORMAT, PERCENT_FORMAT, UNIT_FORMAT_SHIFT } from './xlsx/cell-numbers.ts';
import { judgeFoot } from './table-foot.ts';
import { noHeader, noLoanRows, TableReport, tooManyColumns, tooManyRows } from './table-report.ts';
import {
  type InnerSuspect,
  judgeInner,
  mayBeInnerTotal,
  mayBeTold,
  type Suspect,
  suspectOf,
  tellingNumbers,
  type Usual,
} from './totals.ts';

/** First byte of a byte order mark, which the second of two files that were put together begins with. */
const MARK_INITIAL = 0xef;
/** Rows examined to find the header. */
const WINDOW_ROWS = 60;
/** The same, including the blank rows between them. */
const WINDOW_LINES_MAX = 1_000;
/** Largest number of rows held back because they may be the foot of the table. */
const FOOT_ROWS_MAX = 50;
/** Most lines of totals that are compared with what was read. */
const STATED_MAX = 1_000;
/** Largest number of rows between loans that are looked at again because they may be lines of totals. */
const SUSPECTS_MAX = 20_000;

export interface BuilderOptions {
  limits: ReadLimits;
  /** Cells of a short row are missing, not lost: spreadsheets write no empty cells. */
  shortRowsAreWhole: boolean;
  /** The word for a line in messages. */
  lineWord: 'line' | 'row';
  /** The names of the columns where the format gives them; all rows are data then. */
  header?: readonly string[];
  /** Lines that an earlier reading of the file has shown to be totals. */
  totals?: ReadonlySet<number> | undefined;
}

/** Ends a reading that has taken lines of totals for loans: with these lines left out the file is read again. */
export class TotalsAmongLoans extends Error {
  readonly lines: ReadonlySet<number>;

  constructor(lines: ReadonlySet<number>) {
    super('lines of totals are among the loans');
    this.lines = lines;
  }
}

export interface BuiltTable {
  columns: RawColumn[];
  rowCount: number;
  headerLine: number;
  multiline: boolean;
  malformedRows: MalformedRow[];
  statedTotals?: readonly StatedTotals[];
  /** Marks of number formats by column, workbooks only. */
  formats: Uint8Array;
  /** Cells by column and the place of a number format that shows a unit, workbooks only. */
  unitCounts: readonly (ReadonlyMap<number, number> | undefined)[];
}

/** Receiver of the rows of a table. */
export interface RowSink {
  addClean(rowNumber: number, row: Row): void;
  addFields(rowNumber: number, row: Row, width: number, maxFieldBytes: number): void;
}

interface Header {
  names: string[];
  /** The names with those of their groups in front. */
  grouped?: string[] | undefined;
  /** Fields of the header, the empty ones at its end included. */
  fields: number;
  line: number;
  /** First byte of the first name, or -1. */
  initial: number;
}

/**
 * Builds a table from the rows of a CSV file or a sheet: finds the header, drops rows that are not loans (banners, repeated headers,
 * totals, remarks, blank rows) with a notice each, numbers the others and passes them on.
 */
export class TableBuilder {
  #options: BuilderOptions;
  #sink: RowSink;
  #report: TableReport;
  #window: Row[] | null = [];
  #windowFilled = 0;
  #columns: RawColumn[] = [];
  #header: string[] = [];
  #headerFields = 0;
  #headerLine = 0;
  /** First byte of the header's first name. */
  #headerInitial = -1;
  /** The line of groups above the header, where the header takes names from it. */
  #groups: readonly string[] = [];
  /** First character of its first cell. */
  #groupsInitial = -1;
  /** What the median row has. */
  #usual: Usual = { fill: 0, texts: 0, label: false, ownFirst: true };
  /** Share of the first rows whose first field is filled. */
  #firstFilled = 0;
  #suspects: InnerSuspect[] = [];
  /** Lines of rows that sum up the loans above them and are counted as loans. */
  #told: ReadonlySet<number> = new Set();
  #statedTotals: StatedTotals[] = [];
  /** Numbers of the rows under which a line of totals was left out. */
  #breaks: number[] = [];
  #formats: Uint8Array = new Uint8Array(0);
  #unitCounts: (Map<number, number> | undefined)[] = [];
  #rowNumber = 0;
  #foot: Row[] = [];
  #multiline = false;

  constructor(sink: RowSink, options: BuilderOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#report = new TableReport(options.lineWord, options.limits);
  }

  get notices(): Notices {
    return this.#report.notices;
  }

  get columns(): RawColumn[] {
    return this.#columns;
  }

  get headerIsKnown(): boolean {
    return this.#window === null;
  }

  /** Adds the next row of the file; keeps no reference to it. */
  add(row: Row): void {
    if (this.#window === null) this.#addData(row);
    else this.#addToWindow(this.#window, row);
  }

  /** Decides the header from the rows so far. */
  decideHeader(): void {
    if (this.#window !== null) this.#closeWindow(this.#window);
  }

  /** Ends the table. `canonicalPaths` returns the files from which the rows passed on can be read again, null when there is none. */
  async finish(canonicalPaths: () => Promise<readonly string[] | null>): Promise<BuiltTable> {
    this.decideHeader();
    await this.#findTotals(canonicalPaths);
    await this.#settleFoot(canonicalPaths);
    if (this.#rowNumber === 0) throw noLoanRows(this.#header, this.#headerLine);
    this.#report.finish(this.#rowNumber);
    return {
      columns: this.#columns,
      rowCount: this.#rowNumber,
      headerLine: this.#headerLine,
      multiline: this.#multiline,
      malformedRows: this.#report.malformedRows,
      ...(this.#areStatedWhole() && { statedTotals: this.#statedTotals }),
      formats: this.#formats,
      unitCounts: this.#unitCounts,
    };
  }

  #addToWindow(window: Row[], row: Row): void {
    const isBlank = isBlankRow(row);
    // Blank rows above everything are ignored; those further down are counted once the header is known.
    if (isBlank && (window.length === 0 || window.length >= WINDOW_LINES_MAX)) return;
    window.push(row.copy());
    if (!isBlank) this.#windowFilled += 1;
    if (this.#windowFilled >= WINDOW_ROWS) this.#closeWindow(window);
  }

  #closeWindow(window: Row[]): void {
    this.#window = null;
    const { header } = this.#options;
    const line = header ? this.#takeGivenHeader(header, window) : this.#takeFoundHeader(window);
    for (const row of window) if (row.line > line) this.#addData(row);
  }

  #takeGivenHeader(names: readonly string[], window: readonly Row[]): number {
    this.#takeHeader({ names: [...names], fields: names.length, line: 0, initial: -1 }, window);
    return 0;
  }

  /** Finds the header in the window; returns the line of the last row that is not data. */
  #takeFoundHeader(window: readonly Row[]): number {
    const { limits, lineWord } = this.#options;
    const rows = window.filter((row) => row.filledExactly() > 0);
    const texts = rows.map((row) => row.texts());
    const layout = recogniseLayout(texts);
    if (layout) {
      this.#report.layout(layout.name, layout.columns);
      return this.#takeGivenHeader(layout.columns, window);
    }
    const finding = findHeader(texts);
    if (!finding) throw noHeader(texts, rows, lineWord);
    const { index, seconds } = lowerLine(finding, texts);
    const header = rows[index];
    const last = rows[Math.max(index, ...seconds)];
    // The lower line of a header on two may be the shorter one.
    const fields = Math.max(header.count, index > finding.index ? rows[finding.index].count : 0);
    const cells = Array.from({ length: fields }, (_, column) => texts[index][column] ?? '');
    const names = cells.slice(0, usedWidth(cells, texts.slice(index + 1)));
    if (names.length > limits.maxColumns + addedColumns(names)) throw tooManyColumns(header, limits.maxColumns);
    const initial = header.bytes[header.starts[Math.max(0, firstFilled(header))]] ?? -1;
    const data = rows.slice(index + 1);
    const grouped = groupedNames(names, texts[index - 1]) ?? undefined;
    const groups = grouped && rows[index - 1];
    this.#takeHeader({ names, grouped, fields, line: header.line, initial }, data);
    if (grouped) {
      this.#report.groups(rows[index - 1], names, grouped);
      this.#groups = texts[index - 1];
      this.#groupsInitial = this.#groups.at(0)?.charCodeAt(0) ?? -1;
    }
    const others = seconds.map((at) => rows[at]).filter((row) => row !== groups);
    const banners = window.filter(
      (row) => row.line < last.line && row !== header && row !== groups && !others.includes(row) && !isBlankRow(row),
    );
    if (banners.length > 0) this.#report.banners(banners);
    for (const row of others) this.#report.secondHeader(row);
    const under = texts[seconds.find((at) => at > index) ?? -1];
    if (under)
      this.#columns = this.#columns.map((column) => {
        const text = under[column.index];
        return text ? { ...column, under: text } : column;
      });
    return last.line;
  }

  #takeHeader({ names, grouped, fields, line, initial }: Header, rows: readonly Row[]): void {
    const { shortRowsAreWhole, header: given } = this.#options;
    const loans = rows.filter((row) => row.filledExactly() > 0);
    const data = loans.map((row) => row.texts());
    const shift = !given && !shortRowsAreWhole && haveRowNames(names, loans) ? 1 : 0;
    if (shift > 0) this.#report.rowNames(names, line);
    this.#header = names;
    this.#headerFields = fields + shift;
    this.#headerLine = line;
    this.#headerInitial = initial;
    const named = grouped ?? names;
    const all = shift > 0 ? ['', ...named] : named;
    this.#columns = nameColumns(all, data, line, this.notices, shortRowsAreWhole);
    this.#formats = new Uint8Array(all.length);
    this.#firstFilled = data.filter((row) => row[0] !== '').length / Math.max(1, data.length);
    this.#usual = {
      fill: median(data.map((row) => row.filter(Boolean).length)),
      texts: median(loans.map(textsOf)),
      label: loans.filter((row) => isLabelledTotal(row, true)).length * 2 > loans.length,
      ownFirst: isOwn(loans.flatMap((row, at) => (isLabelledTotal(row, true) || !data[at][0] ? [] : [data[at][0]]))),
    };
  }

  #addData(row: Row): void {
    const isSparse = row.filled * 2 <= this.#usual.fill;
    if (row.filled === 0 || (isSparse && isBlankRow(row))) {
      this.#report.blank(row);
      return;
    }
    if (this.#isOutOfPlace(row, isSparse)) return;
    if (row.fault === '' && row.count <= row.capacity && this.#mayBeFoot(row, isSparse)) {
      this.#holdBack(row);
      return;
    }
    if (this.#foot.length > 0) this.#releaseFoot();
    this.#emit(row);
  }

  /** Whether a row is a line of totals or a repeated header; the first byte rules out nearly every loan. */
  #isOutOfPlace(row: Row, isSparse: boolean): boolean {
    if (this.#options.totals?.has(row.line)) {
      const where = this.#rowNumber + this.#foot.length === 0 ? 'below' : 'above';
      this.#leaveOutTotals(row, `its amounts are the sums of the loans ${where} it`);
      return true;
    }
    if (isSparse && isGroupFigure(row, this.#usual.ownFirst)) {
      this.#leaveOutTotals(row, 'its words name a figure of a group of loans');
      return true;
    }
    const initial = row.bytes[row.starts[0]];
    const isSuspect =
      row.ends[0] === row.starts[0] ||
      initial <= 32 ||
      initial === this.#headerInitial ||
      initial === MARK_INITIAL ||
      initial === DASH ||
      initial === this.#groupsInitial ||
      TOTAL_INITIALS[initial] === 1;
    if (!isSuspect) return false;
    if (isTotalsRow(row, this.#usual.fill)) {
      this.#keepStated(row);
      this.#leaveOutTotals(row, 'its first cell names it a total');
    } else if (isFigureRow(row, this.#usual)) this.#leaveOutTotals(row, 'its first cell names it a figure of the loans');
    else if (isHeaderAgain(row, this.#header) || isOtherHeader(row, this.#header)) this.#report.secondHeader(row, this.#header);
    else if (isGroupsAgain(row, this.#groups) || isUnderline(row)) this.#report.secondHeader(row);
    else return false;
    return true;
  }

  /** Numbers of totals are compared with the sums of what was read, where a word says that they are sums and not averages. */
  #keepStated(row: Row): void {
    if (this.#statedTotals.length > STATED_MAX || !isTotalAlone(row)) return;
    const numbers = numbersOf(row);
    if (numbers.size > 0) this.#statedTotals.push({ line: row.line, numbers: [...numbers] });
  }

  /** Some of the totals say nothing of the whole, as where those of other groups are known to be sums. */
  #areStatedWhole(): boolean {
    const { length } = this.#statedTotals;
    return length > 0 && length <= STATED_MAX && !this.#options.totals;
  }

  /** The rows held back are numbered before the next loan, if they are loans. */
  #leaveOutTotals(row: Row, why: string): void {
    this.#report.totals(row, why);
    this.#breaks.push(this.#rowNumber + this.#foot.length);
  }

  /** Lines of sums and remarks are mostly empty, begin with the word of a sum or the number of loans, or lack the first value that loans have. */
  #mayBeFoot(row: Row, isSparse: boolean): boolean {
    if (this.#usual.fill <= 2) return false;
    if (isSparse || (this.#firstFilled >= 0.5 && row.isBlank(0)) || this.#countsLoans(row)) return true;
    const mayBeLabelled = TOTAL_INITIALS[row.bytes[row.starts[0]]] === 1 || mayEndAsTotal(row);
    return !this.#usual.label && mayBeLabelled && isLabelledTotal(row, this.#usual.ownFirst);
  }

  /** Whether a row begins with the number of the rows above it, as lines of totals do, and does not go on with the numbers of the rows. */
  #countsLoans(row: Row): boolean {
    const before = this.#firstNumber;
    this.#firstNumber = wholeNumberOf(row, 0);
    return (
      this.#firstNumber !== null && this.#firstNumber === this.#rowNumber + this.#foot.length && this.#firstNumber - 1 !== before
    );
  }
  #firstNumber: number | null = null;

  #holdBack(row: Row): void {
    if (this.#foot.length >= FOOT_ROWS_MAX) this.#releaseFoot();
    this.#foot.push(row.copy());
  }

  /** A loan follows, so the rows held back are loans too, or lines of totals between loans, which only the sums of the loans show. */
  #releaseFoot(): void {
    for (const row of this.#foot) {
      const suspect = suspectOf(row, this.#usual);
      this.#emitSuspect(row, suspect);
      if (this.#suspects.length >= SUSPECTS_MAX) continue;
      const isToldOnly = this.#options.totals !== undefined || !mayBeInnerTotal(suspect);
      if (isToldOnly && !mayBeTold(suspect)) continue;
      const numbers = tellingNumbers(suspect.numbers);
      this.#suspects.push({ ...suspect, numbers, rowNumber: this.#rowNumber, isToldOnly });
    }
    this.#foot = [];
  }

  async #findTotals(canonicalPaths: () => Promise<readonly string[] | null>): Promise<void> {
    const paths = this.#suspects.length > 0 ? await canonicalPaths() : null;
    if (paths === null) return;
    const foot = this.#foot.map((row) => suspectOf(row, this.#usual));
    const { limits } = this.#options;
    const { totals, told } = await judgeInner(this.#suspects, foot, this.#breaks, paths, this.#columns.length, limits);
    if (this.#suspects.some(({ line }) => totals.has(line))) throw new TotalsAmongLoans(totals);
    this.#told = told;
    for (const { line, rowNumber, numbers, isLabelled, isSparse } of this.#suspects)
      if (told.has(line) && !(isLabelled && isSparse)) this.#report.sumSuspected(line, rowNumber, numbers);
  }

  async #settleFoot(canonicalPaths: () => Promise<readonly string[] | null>): Promise<void> {
    const foot = this.#foot;
    if (foot.length === 0) return;
    const loans = async () => (this.#rowNumber > 0 ? await canonicalPaths() : null);
    const above = { usual: this.#usual, firstIsFilled: this.#firstFilled >= 0.9, lastBreak: this.#breaks.at(-1) ?? 0 };
    const verdicts = await judgeFoot(foot, loans, this.#columns.length, this.#options.limits, above);
    foot.forEach((row, at) => {
      if (verdicts[at] === 'LOAN') this.#emitFoot(row, suspectOf(row, this.#usual));
      else if (verdicts[at] === 'TOTALS') this.#report.totals(row, 'its largest number is the sum of its column');
      else if (verdicts[at] === 'AVERAGES') this.#report.totals(row, 'its amounts are the averages of their columns');
      else this.#report.remark(row);
    });
  }

  /** Under loans with ids, amounts alone may be a total that does not fit them, and words with amounts alone may be lines of another table. */
  #emitFoot(row: Row, suspect: Suspect): void {
    const { isNameless, hasNumbersAlone, isNamed, numbers, isLabelled } = suspect;
    const isAlone = isNameless ? hasNumbersAlone : isNamed && numbers.size > 0 && numbers.size === row.filledExactly() - 1;
    const mayBeOther = isAlone && this.#rowNumber >= 2 && this.#firstFilled >= 0.9 && (isNameless || this.#usual.ownFirst);
    this.#emitSuspect(row, suspect);
    if (mayBeOther && !isLabelled && !this.#told.has(row.line)) this.#report.amountsAlone(row, this.#rowNumber);
  }

  /** A row that calls itself a total and is counted as a loan is told; where another reading leaves it out, that has no such notice. */
  #emitSuspect(row: Row, { isLabelled, isSparse, numbers }: Suspect): void {
    this.#emit(row);
    if (isLabelled && isSparse && numbers.size > 0) this.#report.totalsSuspected(row, this.#rowNumber);
    else if (this.#told.has(row.line)) this.#report.sumSuspected(row.line, this.#rowNumber, numbers);
  }

  #emit(row: Row): void {
    this.#report.loanFollows();
    this.#rowNumber += 1;
    const { limits } = this.#options;
    if (this.#rowNumber > limits.maxRows) throw tooManyRows(limits.maxRows);
    if (row.breaks) this.#multiline = true;
    if (row.strayQuote) this.#report.strayQuote(row, this.#rowNumber);
    if (row.nuls) this.#report.nuls(row, this.#rowNumber);
    if (row.formats !== null) this.#addFormats(row, row.formats);
    const width = this.#columns.length;
    if (row.count !== width || row.fault !== '') this.#emitUneven(row, width);
    else if (row.clean) this.#sink.addClean(this.#rowNumber, row);
    else this.#sink.addFields(this.#rowNumber, row, width, Number.MAX_SAFE_INTEGER);
  }

  #emitUneven(row: Row, width: number): void {
    if (row.fault !== '') this.#report.fault(row, this.#rowNumber);
    else if (row.count < width && !this.#options.shortRowsAreWhole) this.#report.fewerFields(row, this.#rowNumber, width);
    else if (row.count > width && hasValueFrom(row, width)) this.#report.moreFields(row, this.#rowNumber, width);
    else if (row.count > width && row.count !== this.#headerFields) this.#report.padded(row);
    const cut = row.fault === 'ROW_TOO_LONG' ? cutOf(width) : Number.MAX_SAFE_INTEGER;
    this.#sink.addFields(this.#rowNumber, row, width, cut);
  }

  #addFormats(row: Row, formats: Uint16Array): void {
    const count = Math.min(row.count, formats.length, this.#columns.length);
    for (let index = 0; index < count; index += 1) {
      const format = formats[index];
      if (format === 0) continue;
      this.#formats[index] |= format & (PERCENT_FORMAT | DATE_FORMAT);
      if (format >= 1 << UNIT_FORMAT_SHIFT) this.#countUnit(index, format >> UNIT_FORMAT_SHIFT);
    }
  }

  #countUnit(column: number, place: number): void {
    const counts = (this.#unitCounts[column] ??= new Map<number, number>());
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
}

/** Whether hardly a text occurs twice. */
function isOwn(texts: readonly string[]): boolean {
  return new Set(texts).size >= 0.9 * texts.length;
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Whether a row has no value, beyond the last column that is read either. */
function isBlankRow(row: Row): boolean {
  return row.filled === 0 || (row.filledExactly() === 0 && row.count <= row.capacity);
}

/** Columns up to the last one with a name or, in the rows looked at, a value. */
function usedWidth(header: string[], data: string[][]): number {
  let width = header.length;
  while (width > 1 && header[width - 1] === '' && data.every((row) => !row[width - 1])) width -= 1;
  return width;
}

function hasValueFrom(row: Row, width: number): boolean {
  if (row.count > row.capacity) return true;
  for (let index = width; index < row.count; index += 1) if (!row.isBlank(index)) return true;
  return false;
}
