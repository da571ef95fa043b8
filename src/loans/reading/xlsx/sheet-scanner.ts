import { CORRECTION_COLUMNS } from '../correction.ts';
import { columnLetters } from '../header.ts';
import { Row } from '../row.ts';
import { DATE, GENERAL, isLongWholeNumber, type NumberKind, type ZeroFormat, ZEROS } from './number-format.ts';
import { CellNumbers, UNIT_FORMAT_SHIFT } from './cell-numbers.ts';
import type { SharedStrings } from './shared-strings.ts';
import { BOOLEAN, NUMBER, PLAIN_TEXT, SHARED, STRING, UsualCell } from './usual-cell.ts';
import { withoutEscapes, XmlScanner } from './xml-scanner.ts';
import { damagedWorkbook } from '../read-problem.ts';

const ROWS_MAX = 1_048_576;
const COLUMNS_MAX = 16_384;
const REMEMBERED_MAX = 1_000;

export interface SheetContext {
  strings: SharedStrings;
  numberKinds: NumberKind[];
  zeroFormats: ReadonlyMap<number, ZeroFormat>;
  unitStyles: readonly number[];
  dateSystem: 1900 | 1904;
  maxColumns: number;
  maxRowBytes: number;
}

export interface CellPlace {
  line: number;
  column: number;
  text: string;
}

const ROW = Buffer.from('row');
const RPH = Buffer.from('rPh');
const SHEET_DATA = Buffer.from('sheetData');
const MERGE_CELL = Buffer.from('mergeCell');
const COL = Buffer.from('col');
const LETTER_C = 99;
const LETTER_F = 102;
const LETTER_T = 116;
const LETTER_V = 118;
const POINT = 46;
const ZERO = 48;
const NINE = 57;

/**
 * Turns the XML of a worksheet into rows of text, one call of `onRow` for each row that has a value: shared and inline strings,
 * cached values of formulas, dates as ISO text and percents as percent text by their number formats. The row is valid during
 * the call only.
 */
export class SheetScanner extends XmlScanner {
  readonly row: Row;
  /** Ranges of merged cells, the first of them. */
  readonly merged: string[] = [];
  mergedCount = 0;
  hiddenRows = 0;
  /** Line of the first of them, or 0. */
  firstHiddenRow = 0;
  /** First and last index of hidden columns. */
  readonly hiddenColumns: (readonly [number, number])[] = [];
  /** Formulas without a cached value. */
  formulasWithoutValue: CellPlace[] = [];
  formulasWithoutValueCount = 0;
  /** Number cells of more than 15 digits. */
  longNumbers: CellPlace[] = [];
  longNumbersCount = 0;
  #context: SheetContext;
  #onRow: (row: Row) => void;
  #numbers: CellNumbers;
  #usual = new UsualCell();
  #inData = false;
  #inCell = false;
  #phonetic = 0;
  #rowHidden = false;
  #line = 0;
  #length = 0;
  #column = -1;
  #type = NUMBER;
  #kind: NumberKind = GENERAL;
  /** Mark of the cell's number format, if that shows a unit. */
  #unit = 0;
  #style = 0;
  #hasFormula = false;
  /** Location of the value of the cell. */
  #source: Buffer = EMPTY;
  #start = 0;
  #end = 0;
  #more: Buffer[] = [];

  constructor(part: string, context: SheetContext, onRow: (row: Row) => void) {
    super(part);
    this.#context = context;
    this.#onRow = onRow;
    this.#numbers = new CellNumbers(context.dateSystem);
    this.row = new Row(context.maxColumns + CORRECTION_COLUMNS.length + 1);
    this.row.bytes = Buffer.allocUnsafeSlow(context.maxRowBytes);
    this.row.formats = new Uint16Array(this.row.capacity);
  }

  /** Stops the scan: the rest of the sheet is not needed. */
  stop(): void {
    this.stopped = true;
  }

  /** A sheet that ends with its rows open was cut off while it was written, and lacks loans. */
  override end(): void {
    super.end();
    if (!this.stopped && this.#inData) throw damagedWorkbook(`"${this.part}" ends within its rows`);
  }

  protected override shortcut(less: number, end: number): number {
    if (!this.#inData || this.#inCell) return 0;
    const cell = this.#usual;
    if (!cell.read(this.bytes, less, end) || cell.column === 0 || cell.column > COLUMNS_MAX) return 0;
    this.#column = cell.column - 1;
    this.#type = cell.type;
    this.#style = cell.style;
    this.#kind = cell.style < 0 ? GENERAL : (this.#context.numberKinds[cell.style] ?? GENERAL);
    this.#unit = cell.style < 0 ? 0 : this.#unitOf(cell.style);
    this.#hasFormula = false;
    this.#source = this.bytes;
    this.#start = cell.start;
    this.#end = cell.end;
    if (cell.type === STRING) {
      if (cell.end > cell.start) this.#putBytes(this.bytes, cell.start, cell.end, 0);
    } else {
      this.#inCell = true;
      this.#closeCell();
    }
    return cell.after;
  }

  protected override open(nameStart: number, nameEnd: number, tagEnd: number, isEmpty: boolean): void {
    if (!this.#inData) {
      if (this.is(SHEET_DATA, nameStart, nameEnd)) this.#inData = !isEmpty;
      else if (this.is(MERGE_CELL, nameStart, nameEnd)) this.#addMerged(nameEnd, tagEnd);
      else if (this.is(COL, nameStart, nameEnd)) this.#addColumns(nameEnd, tagEnd);
    } else if (nameEnd - nameStart === 1) this.#openShort(this.bytes[nameStart], nameEnd, tagEnd, isEmpty);
    else if (this.is(ROW, nameStart, nameEnd)) this.#openRow(nameEnd, tagEnd);
    else if (this.is(RPH, nameStart, nameEnd)) this.#phonetic += 1;
  }

  protected override close(nameStart: number, nameEnd: number): void {
    if (!this.#inData) return;
    if (nameEnd - nameStart === 1) {
      const letter = this.bytes[nameStart];
      if (letter === LETTER_C) this.#closeCell();
      else if (letter === LETTER_V || letter === LETTER_T) this.wantsText = false;
    } else if (this.is(ROW, nameStart, nameEnd)) this.#closeRow();
    else if (this.is(SHEET_DATA, nameStart, nameEnd)) this.#inData = false;
    else if (this.is(RPH, nameStart, nameEnd)) this.#phonetic -= 1;
  }

  protected override text(start: number, end: number, isLiteral: boolean): void {
    if (this.#end === this.#start && this.isPlain(start, end)) {
      this.#source = this.bytes;
      this.#start = start;
      this.#end = end;
    } else this.#addText(this.resolved(start, end, isLiteral));
  }

  #addText(text: Buffer): void {
    if (this.#end > this.#start) {
      this.#more.push(text);
      return;
    }
    this.#source = text;
    this.#start = 0;
    this.#end = text.length;
  }

  #openShort(letter: number, nameEnd: number, tagEnd: number, isEmpty: boolean): void {
    if (letter === LETTER_C) this.#openCell(nameEnd, tagEnd);
    else if (!this.#inCell) return;
    else if (letter === LETTER_V) this.wantsText = !isEmpty && this.#type !== STRING;
    else if (letter === LETTER_T) this.wantsText = !isEmpty && this.#type === STRING && this.#phonetic === 0;
    else if (letter === LETTER_F) this.#hasFormula = true;
  }

  #openRow(nameEnd: number, tagEnd: number): void {
    const number = this.attribute('r', nameEnd, tagEnd);
    const line = number === null ? this.#line + 1 : Number(number);
    if (!(line >= 1 && line <= ROWS_MAX))
      throw damagedWorkbook(`"${this.part}" has a row number ${number}; a sheet has rows 1 to ${ROWS_MAX}`);
    if (line <= this.#line)
      throw damagedWorkbook(`"${this.part}" has row ${line} ${line === this.#line ? 'twice' : `below row ${this.#line}`}`);
    this.#line = line;
    this.#rowHidden = /\shidden\s*=\s*["'](1|true)/.test(this.bytes.toString('latin1', nameEnd, tagEnd));
    this.#column = -1;
    this.#length = 0;
    this.row.reset(line, 0);
  }

  #closeRow(): void {
    const row = this.row;
    row.rawEnd = this.#length;
    if (row.filled === 0) return;
    if (this.#rowHidden) {
      this.hiddenRows += 1;
      this.firstHiddenRow ||= this.#line;
    }
    this.#onRow(row);
  }

  #openCell(nameEnd: number, tagEnd: number): void {
    this.#inCell = true;
    this.#hasFormula = false;
    this.#type = NUMBER;
    this.#kind = GENERAL;
    this.#unit = 0;
    this.#start = 0;
    this.#end = 0;
    const before = this.#column;
    this.#column = before + 1;
    const bytes = this.bytes;
    for (let at = nameEnd; at < tagEnd; at += 1) {
      if (bytes[at] <= 32) continue;
      const name = bytes[at];
      const nameStart = at;
      while (at < tagEnd && bytes[at] !== 61) at += 1;
      const isShort = at - nameStart === 1;
      at += 1;
      while (at < tagEnd && bytes[at] <= 32) at += 1;
      const quote = bytes[at];
      const start = at + 1;
      at = start;
      while (at < tagEnd && bytes[at] !== quote) at += 1;
      if (!isShort) continue;
      if (name === 114) this.#column = this.#columnOf(start, at);
      else if (name === 115) {
        this.#style = this.#wholeNumber(bytes, start, at);
        this.#kind = this.#context.numberKinds[this.#style] ?? GENERAL;
        this.#unit = this.#unitOf(this.#style);
      } else if (name === 116) this.#type = typeOf(bytes, start, at);
    }
    if (this.#column >= COLUMNS_MAX)
      throw damagedWorkbook(`row ${this.#line} of "${this.part}" has more cells than a sheet has columns`);
  }

  #columnOf(start: number, end: number): number {
    let column = 0;
    for (let at = start; at < end; at += 1) {
      const upper = this.bytes[at] & 0xdf;
      if (upper < 65 || upper > 90) break;
      column = column * 26 + upper - 64;
      if (column > COLUMNS_MAX)
        throw damagedWorkbook(
          `"${this.part}" has a cell ${this.bytes.toString('latin1', start, Math.min(end, start + 20))}; a sheet has columns A to XFD`,
        );
    }
    return column === 0 ? this.#column : column - 1;
  }

  #closeCell(): void {
    if (!this.#inCell) return;
    this.#inCell = false;
    this.wantsText = false;
    if (this.#more.length > 0) this.#joinText();
    if (this.#end === this.#start) {
      if (this.#hasFormula && this.#type === NUMBER) this.#noteFormula();
      return;
    }
    switch (this.#type) {
      case SHARED:
        this.#putShared();
        break;
      case NUMBER:
        this.#putNumber();
        break;
      case BOOLEAN:
        this.#put(this.#source[this.#start] === 49 ? TRUE : FALSE, 0);
        break;
      default:
        this.#put(withoutEscapes(this.#source.subarray(this.#start, this.#end)), 0);
    }
  }

  #putNumber(): void {
    if (this.#kind === GENERAL && this.#isUsualNumber()) this.#putBytes(this.#source, this.#start, this.#end, this.#unit);
    else if (this.#kind === DATE && this.#isDay()) {
      const { bytes, format } = this.#numbers.day(this.#wholeNumber(this.#source, this.#start, this.#end));
      this.#put(bytes, format);
    } else this.#putFormatted(this.#source.toString('latin1', this.#start, this.#end).trim());
  }

  #unitOf(style: number): number {
    return (this.#context.unitStyles[style] ?? 0) << UNIT_FORMAT_SHIFT;
  }

  /** Exactly five digits, the first of them not zero: nearly every date. */
  #isDay(): boolean {
    if (this.#end - this.#start !== 5) return false;
    for (let at = this.#start; at < this.#end; at += 1) if (this.#source[at] < ZERO || this.#source[at] > NINE) return false;
    return this.#source[this.#start] !== ZERO;
  }

  /** A short number without an exponent and without a zero at the end of its fraction needs no conversion. */
  #isUsualNumber(): boolean {
    if (this.#end - this.#start > 15) return false;
    const bytes = this.#source;
    let hasPoint = false;
    for (let at = this.#start; at < this.#end; at += 1) {
      if (bytes[at] === POINT) hasPoint = true;
      else if (bytes[at] > NINE) return false;
    }
    return !(hasPoint && bytes[this.#end - 1] === ZERO);
  }

  #joinText(): void {
    const whole = Buffer.concat([this.#source.subarray(this.#start, this.#end), ...this.#more]);
    this.#more = [];
    this.#source = whole;
    this.#start = 0;
    this.#end = whole.length;
  }

  #putShared(): void {
    const { strings } = this.#context;
    const index = this.#wholeNumber(this.#source, this.#start, this.#end);
    if (!(index < strings.count)) throw this.#noSuchString(strings.count);
    const start = strings.start(index);
    const end = strings.end(index);
    if (end > start) this.#putBytes(strings.bytes, start, end, 0);
  }

  #noSuchString(count: number) {
    const named = this.#source.toString('latin1', this.#start, Math.min(this.#end, this.#start + 20));
    const cell = `${columnLetters(this.#column)}${this.#line}`;
    return damagedWorkbook(`cell ${cell} of "${this.part}" names shared string ${named}, and there are ${count}`);
  }

  /** A program would show one of the two, and which one differs between programs. */
  #repeatedCell() {
    return damagedWorkbook(`"${this.part}" has cell ${columnLetters(this.#column)}${this.#line} twice`);
  }

  #putFormatted(text: string): void {
    if ((this.#kind === GENERAL || this.#kind === ZEROS) && isLongWholeNumber(text)) this.#noteLongNumber(text);
    const shown = this.#numbers.shown(text, this.#kind, this.#context.zeroFormats.get(this.#style));
    this.#put(shown.bytes, shown.format | this.#unit);
  }

  #put(bytes: Buffer, format: number): void {
    if (bytes.length > 0) this.#putBytes(bytes, 0, bytes.length, format);
  }

  #putBytes(from: Buffer, start: number, end: number, format: number): void {
    const row = this.row;
    const column = this.#column;
    const size = end - start;
    if (this.#length + size > row.bytes.length) {
      row.fault = 'ROW_TOO_LONG';
      return;
    }
    // Columns between the cells of the file are empty.
    if (column >= row.count) this.#skipTo(column);
    if (column >= row.capacity) {
      row.filled += 1;
      return;
    }
    const to = row.bytes;
    let at = this.#length;
    if (row.ends[column] === row.starts[column]) row.filled += 1;
    else throw this.#repeatedCell();
    row.starts[column] = at;
    for (let index = start; index < end; index += 1, at += 1) {
      const byte = from[index];
      if (byte < 32) this.#noteControl(byte);
      to[at] = byte;
    }
    row.ends[column] = at;
    (row.formats as Uint16Array)[column] = format;
    this.#length = at;
  }

  #skipTo(column: number): void {
    const row = this.row;
    const formats = row.formats as Uint16Array;
    for (let index = row.count; index <= column && index < row.capacity; index += 1) {
      row.starts[index] = 0;
      row.ends[index] = 0;
      row.kinds[index] = 0;
      formats[index] = 0;
    }
    row.count = column + 1;
  }

  #noteControl(byte: number): void {
    if (byte === 10 || byte === 13) this.row.breaks = true;
    else if (byte === 0) this.row.nuls = true;
  }

  #noteFormula(): void {
    this.formulasWithoutValueCount += 1;
    if (this.formulasWithoutValue.length < REMEMBERED_MAX) this.formulasWithoutValue.push(this.#place(''));
  }

  #noteLongNumber(text: string): void {
    this.longNumbersCount += 1;
    if (this.longNumbers.length < REMEMBERED_MAX) this.longNumbers.push(this.#place(text));
  }

  #place(text: string): CellPlace {
    return { line: this.#line, column: this.#column, text };
  }

  #addMerged(nameEnd: number, tagEnd: number): void {
    this.mergedCount += 1;
    if (this.merged.length < REMEMBERED_MAX) this.merged.push(this.attribute('ref', nameEnd, tagEnd) ?? '');
  }

  /** Columns are hidden by a mark, or by a width of nothing. */
  #addColumns(nameEnd: number, tagEnd: number): void {
    const of = (name: string) => this.attribute(name, nameEnd, tagEnd) ?? '';
    const isHidden = /^(?:1|true)$/.test(of('hidden')) || /^0+(?:\.0*)?$/.test(of('width'));
    if (isHidden && this.hiddenColumns.length < REMEMBERED_MAX)
      this.hiddenColumns.push([Number(of('min')) - 1, Number(of('max')) - 1]);
  }

  #wholeNumber(bytes: Buffer, start: number, end: number): number {
    let number = 0;
    for (let at = start; at < end; at += 1) {
      const digit = bytes[at] - 48;
      if (digit < 0 || digit > 9) {
        if (bytes[at] <= 32) continue;
        return Number.NaN;
      }
      number = number * 10 + digit;
    }
    return start === end ? Number.NaN : number;
  }
}

const EMPTY: Buffer = Buffer.alloc(0);
const TRUE = Buffer.from('TRUE');
const FALSE = Buffer.from('FALSE');

/** `s`, `str`, `inlineStr`, `b`, `e`, `d`, `n` by their first letters. */
function typeOf(bytes: Buffer, start: number, end: number): number {
  switch (bytes[start]) {
    case 115:
      return end - start === 1 ? SHARED : PLAIN_TEXT;
    case 105:
      return STRING;
    case 98:
      return BOOLEAN;
    case 101:
    case 100:
      return PLAIN_TEXT;
    default:
      return NUMBER;
  }
}
