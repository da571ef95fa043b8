import { CORRECTION_COLUMNS } from './correction.ts';
import { DOUBLED, PLAIN, Row, SLOPPY } from './row.ts';

export interface CsvDialect {
  /** A blank: values are a single blank apart, and those that hold one are quoted. */
  delimiter: ',' | ';' | '\t' | '|' | ' ';
  /** CR: the file has no line feeds and a carriage return ends a line; LF: it does so only before a line feed. */
  lineEnd: 'LF' | 'CR';
}

export interface ScanLimits {
  maxColumns: number;
  maxRowBytes: number;
  /** Every quoted field is closed, whatever its length: the text was written by this process. */
  isWellFormed?: boolean;
}

/** A quoted field longer than this counts as never closed. */
const QUOTED_BYTES_MAX = 64 * 1024;
const QUOTED_LINES_MAX = 200;
/** After this many fields that were never closed, all quoted fields of the file end with their line. */
const UNCLOSED_MAX = 100;

export const LF = 10;
export const CR = 13;
const QUOTE = 34;

const ORDINARY = 0;
const DELIMITER = 1;
const LINE_FEED = 2;
const RETURN = 3;
const QUOTE_MARK = 4;
const NUL = 5;

/**
 * Splits UTF-8 bytes into rows, as a state machine over bytes. A field whose quote is not closed within 64 KiB and 200 lines is
 * read again with its line ending at the line's end, so that one stray quote costs one row and never the rest of the file; the
 * work stays linear in the size of the file.
 *
 *   scanner.feed(bytes); while (scanner.next()) use(scanner.row); …; scanner.end(); while (scanner.next()) use(scanner.row);
 */
export class CsvScanner {
  /** The row of the last `next()`; valid until the following call. */
  readonly row: Row;
  #classes = new Uint8Array(256);
  #comma: boolean;
  #lineEndsAtReturn: boolean;
  #blanks: readonly [number, number];
  #maxRowBytes: number;
  #isWellFormed: boolean;
  #bytes: Buffer = Buffer.alloc(0);
  #position = 0;
  #line = 1;
  #breaksInRow = 0;
  #ended = false;
  #skippingLine = false;
  #unclosedCount = 0;
  #literalQuotes = false;

  constructor(dialect: CsvDialect, limits: ScanLimits) {
    this.row = new Row(limits.maxColumns + CORRECTION_COLUMNS.length + 1);
    this.#comma = dialect.delimiter === ',';
    this.#lineEndsAtReturn = dialect.lineEnd === 'CR';
    // blanks and tabs may follow a quoted field, unless they delimit
    this.#blanks = dialect.delimiter === '\t' ? [32, 32] : dialect.delimiter === ' ' ? [9, 9] : [32, 9];
    this.#maxRowBytes = limits.maxRowBytes;
    this.#isWellFormed = limits.isWellFormed ?? false;
    this.#classes[dialect.delimiter.charCodeAt(0)] = DELIMITER;
    this.#classes[LF] = LINE_FEED;
    this.#classes[CR] = RETURN;
    this.#classes[QUOTE] = QUOTE_MARK;
    this.#classes[0] = NUL;
  }

  /** Appends bytes and releases those of rows already read. */
  feed(bytes: Buffer): void {
    const rest = this.#bytes.subarray(this.#position);
    this.#bytes = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    this.#position = 0;
  }

  /** Marks the end of the bytes: the last row needs no line end. */
  end(): void {
    this.#ended = true;
  }

  /** Lines passed so far. */
  get line(): number {
    return this.#line;
  }

  /** Moves to the next row; false when it needs more bytes or when all is read. */
  next(): boolean {
    if (this.#skippingLine && !this.#skipLine()) return false;
    if (this.#position >= this.#bytes.length) return false;
    this.#literalQuotes = false;
    for (;;) {
      const outcome = this.#scanRow();
      if (outcome === 'ROW') return true;
      if (outcome === 'MORE') return this.#isTooLong() && this.#cutRow();
      this.#unclosedCount += 1;
      this.#literalQuotes = true;
    }
  }

  #scanRow(): 'ROW' | 'MORE' | 'UNCLOSED' {
    const bytes = this.#bytes;
    const end = bytes.length;
    const classes = this.#classes;
    const row = this.row;
    let at = this.#position;
    let start = at;
    row.bytes = bytes;
    row.reset(this.#line, at);
    this.#breaksInRow = 0;
    row.clean = this.#comma;
    if (this.#literalQuotes) row.fault = 'UNCLOSED_QUOTE';
    for (;;) {
      while (at < end && classes[bytes[at]] === ORDINARY) at += 1;
      if (at === end) {
        if (!this.#ended) return 'MORE';
        row.push(start, at, PLAIN);
        return this.#endRow(at, at);
      }
      switch (classes[bytes[at]]) {
        case DELIMITER:
          row.push(start, at, PLAIN);
          at += 1;
          start = at;
          continue;
        case LINE_FEED:
          row.push(start, at, PLAIN);
          return this.#endRow(at, at + 1);
        case RETURN: {
          if (at + 1 === end && !this.#ended) return 'MORE';
          const beforeFeed = at + 1 < end && bytes[at + 1] === LF;
          if (beforeFeed || this.#lineEndsAtReturn) {
            row.push(start, at, PLAIN);
            return this.#endRow(at, beforeFeed ? at + 2 : at + 1);
          }
          row.clean = false;
          row.breaks = true;
          at += 1;
          continue;
        }
        case NUL:
          row.clean = false;
          row.nuls = true;
          at += 1;
          continue;
        default:
          if (this.#literalQuotes || !this.#onlyBlanks(start, at)) {
            row.clean = false;
            at += 1;
            continue;
          }
          if (at !== start) row.clean = false;
          at = this.#scanQuoted(at + 1);
          if (at < 0) return at === NEEDS_MORE ? 'MORE' : 'UNCLOSED';
          if (at >= end || classes[bytes[at]] !== DELIMITER) return this.#endRow(at, this.#afterLineEnd(at));
          at += 1;
          start = at;
      }
    }
  }

  /** Reads a quoted field that opens before `from`; returns the offset of its delimiter or line end, or a negative result. */
  #scanQuoted(from: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    const row = this.row;
    let at = from;
    let lines = 0;
    let kind: number = DOUBLED;
    for (;;) {
      while (at < end && bytes[at] !== QUOTE && bytes[at] !== LF && bytes[at] !== CR && bytes[at] !== 0) at += 1;
      if (at - from > QUOTED_BYTES_MAX && !this.#isWellFormed) return UNCLOSED;
      if (at === end) return this.#ended ? UNCLOSED : NEEDS_MORE;
      const byte = bytes[at];
      if (byte === 0) {
        row.clean = false;
        row.nuls = true;
      } else if (byte !== QUOTE) {
        if (byte === CR && at + 1 === end && !this.#ended) return NEEDS_MORE;
        row.breaks = true;
        if (byte === LF || (this.#lineEndsAtReturn && bytes[at + 1] !== LF)) lines += 1;
        const isLong = lines > QUOTED_LINES_MAX || (lines > 0 && this.#unclosedCount >= UNCLOSED_MAX);
        if (isLong && !this.#isWellFormed) return UNCLOSED;
      } else {
        if (at + 1 === end && !this.#ended) return NEEDS_MORE;
        if (bytes[at + 1] === QUOTE && at + 1 < end) {
          at += 2;
          continue;
        }
        const after = this.#afterBlanks(at + 1);
        if (!this.#ended && (after === end || (bytes[after] === CR && after + 1 === end))) return NEEDS_MORE;
        if (after === end || this.#endsField(after)) {
          if (after !== at + 1) row.clean = false;
          row.push(from, at, kind);
          this.#breaksInRow += lines;
          return after;
        }
        // A single quote inside the field is part of the text, unless the field has run over its line.
        if (lines > 0) return UNCLOSED;
        kind = SLOPPY;
        row.clean = false;
        row.strayQuote = true;
      }
      at += 1;
    }
  }

  #onlyBlanks(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (this.#bytes[at] !== 32) return false;
    return true;
  }

  #afterBlanks(from: number): number {
    const [one, other] = this.#blanks;
    let at = from;
    while (at < this.#bytes.length && (this.#bytes[at] === one || this.#bytes[at] === other)) at += 1;
    return at;
  }

  #endsField(at: number): boolean {
    const kind = this.#classes[this.#bytes[at]];
    return kind === DELIMITER || kind === LINE_FEED || kind === RETURN;
  }

  #afterLineEnd(at: number): number {
    if (at >= this.#bytes.length) return at;
    return this.#bytes[at] === CR && this.#bytes[at + 1] === LF ? at + 2 : at + 1;
  }

  #endRow(rawEnd: number, next: number): 'ROW' {
    this.row.rawEnd = rawEnd;
    this.#position = next;
    this.#line += this.#breaksInRow + 1;
    if (rawEnd - this.row.rawStart > this.#maxRowBytes) this.row.fault = 'ROW_TOO_LONG';
    return 'ROW';
  }

  #isTooLong(): boolean {
    return this.#bytes.length - this.row.rawStart > this.#maxRowBytes + 2 * QUOTED_BYTES_MAX;
  }

  #cutRow(): boolean {
    const end = this.#bytes.length;
    // Without a field the row would look blank, and be left out.
    if (this.row.count === 0) this.row.push(this.row.rawStart, end, PLAIN);
    this.row.fault = 'ROW_TOO_LONG';
    this.row.rawEnd = end;
    this.#position = end;
    this.#skippingLine = true;
    return true;
  }

  #skipLine(): boolean {
    const mark = this.#lineEndsAtReturn ? CR : LF;
    const found = this.#bytes.indexOf(mark, this.#position);
    this.#position = found < 0 ? this.#bytes.length : found + 1;
    this.#skippingLine = found < 0;
    if (found >= 0) this.#line += 1;
    return found >= 0;
  }
}

const NEEDS_MORE = -1;
const UNCLOSED = -2;
