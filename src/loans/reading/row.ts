/** How the bytes of a field encode its text. */
export const PLAIN = 0;
/** Between quotes, every quote doubled. */
export const DOUBLED = 1;
/** Between quotes, some quotes doubled and some not. */
export const SLOPPY = 2;

export type RowFault = '' | 'UNCLOSED_QUOTE' | 'ROW_TOO_LONG';

/**
 * One row as offsets into bytes, so that millions of rows are read without creating strings. A reader owns one Row and overwrites it;
 * a caller that keeps a row must copy it.
 */
export class Row {
  bytes: Buffer = EMPTY;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly kinds: Uint8Array;
  /** Fields of the row; offsets exist for the first `capacity` of them. */
  count = 0;
  /** Fields with at least one byte. */
  filled = 0;
  /** Physical line where the row starts. */
  line = 0;
  /** The raw bytes may be copied as they are: comma, proper quoting, nothing to replace. */
  clean = false;
  rawStart = 0;
  rawEnd = 0;
  /** A field contains a line break. */
  breaks = false;
  /** A field contains NUL bytes. */
  nuls = false;
  /** A quoted field contains a single quote. */
  strayQuote = false;
  fault: RowFault = '';
  /** Number formats by field as marks of the workbook reader; null for text files. */
  formats: Uint16Array | null = null;

  constructor(capacity: number) {
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
    this.kinds = new Uint8Array(capacity);
  }

  get capacity(): number {
    return this.starts.length;
  }

  /** Begins an empty row. */
  reset(line: number, rawStart: number): void {
    this.count = 0;
    this.filled = 0;
    this.line = line;
    this.rawStart = rawStart;
    this.rawEnd = rawStart;
    this.breaks = false;
    this.nuls = false;
    this.strayQuote = false;
    this.fault = '';
  }

  push(start: number, end: number, kind: number): void {
    const index = this.count;
    if (index < this.starts.length) {
      this.starts[index] = start;
      this.ends[index] = end;
      this.kinds[index] = kind;
    }
    if (end > start) this.filled += 1;
    this.count = index + 1;
  }

  /** Decoded text of a field, with its blanks. */
  text(index: number): string {
    if (index >= this.count || index >= this.capacity) return '';
    const text = this.bytes.toString('utf8', this.starts[index], this.ends[index]);
    return this.kinds[index] === PLAIN ? text : text.replaceAll('""', '"');
  }

  /** All fields, trimmed; at most `max`. */
  texts(max: number = this.capacity): string[] {
    return Array.from({ length: Math.min(this.count, max) }, (_, index) => this.text(index).trim());
  }

  /** Number of fields that are not blank. */
  filledExactly(): number {
    let filled = 0;
    for (let index = 0; index < this.count && index < this.capacity; index += 1) if (!this.isBlank(index)) filled += 1;
    return filled;
  }

  isBlank(index: number): boolean {
    for (let at = this.starts[index]; at < this.ends[index]; at += 1) if (this.bytes[at] > 32) return false;
    return true;
  }

  /** A copy of the row with its own bytes. */
  copy(): Row {
    const kept = Math.min(this.count, this.capacity);
    const copy = new Row(kept);
    copy.bytes = Buffer.from(this.bytes.subarray(this.rawStart, this.rawEnd));
    for (let index = 0; index < kept; index += 1) {
      copy.starts[index] = this.starts[index] - this.rawStart;
      copy.ends[index] = this.ends[index] - this.rawStart;
      copy.kinds[index] = this.kinds[index];
    }
    copy.rawEnd = copy.bytes.length;
    copy.formats = this.formats?.slice(0, kept) ?? null;
    const { count, filled, line, clean, breaks, nuls, strayQuote, fault } = this;
    return Object.assign(copy, { count, filled, line, clean, breaks, nuls, strayQuote, fault });
  }
}

const EMPTY = Buffer.alloc(0);
