import { type FileHandle, open } from 'node:fs/promises';
import { DOUBLED, PLAIN, type Row, SLOPPY } from './row.ts';

const BLOCK_BYTES = 1024 * 1024;
const QUOTE = 34;
const COMMA = 44;
const REPLACEMENT = [0xef, 0xbf, 0xbd];

/** A file of the canonical CSV: the engine reads several at once, but one whose values contain line breaks only from its begin to its end. */
const FILE_BYTES = 16 * 1024 * 1024;

/**
 * Writes the canonical CSV, `row_number,line,` and the fields of a row, into files of some 16 MiB. Adding is synchronous and only fills memory;
 * `flush` starts writing it and waits for the previous write, so that scanning and writing overlap.
 */
export class CanonicalWriter implements AsyncDisposable {
  #file: FileHandle;
  readonly #fileBytes: number;
  /** The files in the order of their rows. */
  readonly paths: string[];
  /** Bytes of the file that is filled, without those of the block. */
  #inFile = 0;
  /** Bytes of all files, without those of the block. */
  #filled = 0;
  #block: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #length = 0;
  /** Blocks to write; null begins the next file. */
  #full: (Buffer | null)[] = [];
  #spare: Buffer[] = [];
  #writing: Promise<void> = Promise.resolve();

  #begun = 1;

  constructor(file: FileHandle, path: string, fileBytes: number) {
    this.#file = file;
    this.#fileBytes = fileBytes;
    this.paths = [path];
  }

  /** The first file has this path, the others a number behind it. */
  static async create(path: string, fileBytes = FILE_BYTES): Promise<CanonicalWriter> {
    return new CanonicalWriter(await open(path, 'w'), path, fileBytes);
  }

  /** Bytes that were added. */
  get size(): number {
    return this.#filled + this.#length;
  }

  /** Copies the raw bytes of a clean row. */
  addClean(rowNumber: number, row: Row): void {
    this.#beginRow();
    this.#reserve(row.rawEnd - row.rawStart + PREFIX_BYTES);
    this.#addPrefix(rowNumber, row.line);
    this.#length += copyBytes(row.bytes, row.rawStart, row.rawEnd, this.#block, this.#length);
    this.#block[this.#length++] = 10;
  }

  /** Encodes the first `width` fields again, each cut to `maxFieldBytes`; missing ones are empty. */
  addFields(rowNumber: number, row: Row, width: number, maxFieldBytes: number): void {
    this.#beginRow();
    this.#reserve(PREFIX_BYTES);
    this.#addPrefix(rowNumber, row.line);
    for (let index = 0; index < width; index += 1) {
      if (index > 0) this.#block[this.#length++] = COMMA;
      if (index < row.count && index < row.capacity) this.#addField(row, index, maxFieldBytes);
      else this.#reserve(2);
    }
    this.#reserve(1);
    this.#block[this.#length++] = 10;
  }

  /** Waits for the writes in flight, then writes the full blocks (all of them at the end). */
  async flush(all = false): Promise<void> {
    await this.#writing;
    if (all && this.#length > 0) this.#nextBlock(BLOCK_BYTES);
    const blocks = this.#full;
    if (blocks.length === 0) return;
    this.#full = [];
    this.#writing = this.#write(blocks);
    this.#writing.catch(() => undefined);
    if (all) await this.#writing;
  }

  /** The files with all rows that were added. */
  async flushed(): Promise<readonly string[]> {
    await this.flush(true);
    return this.paths;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.close();
  }

  async #write(blocks: (Buffer | null)[]): Promise<void> {
    for (const block of blocks) {
      if (block === null) {
        await this.#file.close();
        this.#file = await open(this.paths[this.#begun++], 'w');
        continue;
      }
      for (let at = 0; at < block.length; ) at += (await this.#file.write(block, at)).bytesWritten;
      if (this.#spare.length < 4 && block.buffer.byteLength === BLOCK_BYTES) this.#spare.push(Buffer.from(block.buffer));
    }
  }

  #addPrefix(rowNumber: number, line: number): void {
    this.#addNumber(rowNumber);
    this.#block[this.#length++] = COMMA;
    this.#addNumber(line);
    this.#block[this.#length++] = COMMA;
  }

  #addNumber(value: number): void {
    const block = this.#block;
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits += 1;
    let rest = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at -= 1) {
      const tens = Math.floor(rest / 10);
      block[at] = 48 + rest - tens * 10;
      rest = tens;
    }
    this.#length += digits;
  }

  #addField(row: Row, index: number, maxBytes: number): void {
    const start = row.starts[index];
    // What stands behind a whole field says nothing about it: behind the last one are bytes of an earlier row.
    const isWhole = row.ends[index] - start <= maxBytes;
    const end = isWhole ? row.ends[index] : cutAtCharacter(row.bytes, start, start + maxBytes);
    const kind = row.kinds[index];
    // Every byte may be doubled or become the three bytes of U+FFFD.
    this.#reserve((end - start) * 3 + 4);
    if (kind === PLAIN && !needsQuotes(row.bytes, start, end)) {
      this.#length += copyBytes(row.bytes, start, end, this.#block, this.#length);
      return;
    }
    this.#block[this.#length++] = QUOTE;
    for (let at = start; at < end; at += 1) at = this.#addQuotedByte(row.bytes, at, end, kind);
    this.#block[this.#length++] = QUOTE;
  }

  /** Adds the byte at `at`; returns the offset of the last byte that it consumed. */
  #addQuotedByte(bytes: Buffer, at: number, end: number, kind: number): number {
    const byte = bytes[at];
    if (byte === 0) {
      for (const part of REPLACEMENT) this.#block[this.#length++] = part;
      return at;
    }
    this.#block[this.#length++] = byte;
    if (byte !== QUOTE) return at;
    this.#block[this.#length++] = QUOTE;
    const isPair = (kind === DOUBLED || kind === SLOPPY) && at + 1 < end && bytes[at + 1] === QUOTE;
    return isPair ? at + 1 : at;
  }

  #beginRow(): void {
    if (this.#inFile + this.#length < this.#fileBytes) return;
    this.#nextBlock(BLOCK_BYTES);
    this.#full.push(null);
    this.#inFile = 0;
    this.paths.push(`${this.paths[0]}.${this.paths.length + 1}`);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#block.length) this.#nextBlock(bytes);
  }

  #nextBlock(bytes: number): void {
    if (this.#length > 0) this.#full.push(this.#block.subarray(0, this.#length));
    this.#inFile += this.#length;
    this.#filled += this.#length;
    this.#block =
      bytes <= BLOCK_BYTES ? (this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)) : Buffer.allocUnsafeSlow(bytes);
    this.#length = 0;
  }
}

/** Two numbers of up to ten digits, their commas and a line feed. */
const PREFIX_BYTES = 24;

function needsQuotes(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === COMMA || byte === QUOTE || byte === 10 || byte === 13 || byte === 0) return true;
  }
  return false;
}

/** The largest offset up to `end` at which a character begins. */
function cutAtCharacter(bytes: Buffer, start: number, end: number): number {
  let at = end;
  while (at > start && at < bytes.length && (bytes[at] & 0xc0) === 0x80) at -= 1;
  return at;
}

/** Copies a run of bytes; returns its length. */
export function copyBytes(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  // Short runs are cheaper to copy here than by a call into native code.
  if (end - start > 48) return from.copy(to, at, start, end);
  for (let index = start; index < end; index += 1) to[at + index - start] = from[index];
  return end - start;
}
