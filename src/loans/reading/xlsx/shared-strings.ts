import { withoutEscapes, XmlScanner } from './xml-scanner.ts';
import { copyBytes } from '../canonical-writer.ts';
import { damagedWorkbook } from '../read-problem.ts';
import type { ZipArchive } from './zip.ts';
import { xmlChunks } from './xml-chunks.ts';

const SI = Buffer.from('si');
const T = Buffer.from('t');
const RPH = Buffer.from('rPh');

/** The shared strings of a workbook as one block of bytes, with an overhead of four bytes per string. */
export class SharedStrings {
  #bytes: Buffer;
  #ends: Uint32Array<ArrayBuffer> = new Uint32Array(1_024);
  #length = 0;
  #count = 0;

  constructor(capacity: number) {
    // Resolved text is never longer than its XML.
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  start(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1];
  }

  end(index: number): number {
    return this.#ends[index];
  }

  append(from: Buffer, start: number, end: number): void {
    if (this.#length + end - start > this.#bytes.length) throw damagedWorkbook('its shared strings are not valid text');
    this.#length += copyBytes(from, start, end, this.#bytes, this.#length);
  }

  /** Ends the current string. */
  close(): void {
    if (this.#count === this.#ends.length) this.#grow();
    this.#ends[this.#count] = this.#length;
    this.#count += 1;
  }

  #grow(): void {
    const larger = new Uint32Array(this.#ends.length * 2);
    larger.set(this.#ends);
    this.#ends = larger;
  }
}

/** Reads the shared strings: runs of rich text joined, phonetic hints left out. */
export async function readSharedStrings(zip: ZipArchive, part: string | null, signal?: AbortSignal): Promise<SharedStrings> {
  if (part === null || !zip.has(part)) return new SharedStrings(0);
  const size = zip.sizeOf(part);
  if (size > 0xffffffff) throw damagedWorkbook(`the part "${part}" has ${size} bytes`);
  const strings = new SharedStrings(size);
  const scanner = new SharedStringScanner(part, strings);
  for await (const chunk of xmlChunks(zip, part)) {
    signal?.throwIfAborted();
    scanner.feed(chunk);
  }
  scanner.end();
  return strings;
}

class SharedStringScanner extends XmlScanner {
  #strings: SharedStrings;
  #parts: Buffer[] = [];
  #phonetic = 0;

  constructor(part: string, strings: SharedStrings) {
    super(part);
    this.#strings = strings;
  }

  protected override open(nameStart: number, nameEnd: number, _tagEnd: number, isEmpty: boolean): void {
    if (this.is(T, nameStart, nameEnd)) this.wantsText = !isEmpty && this.#phonetic === 0;
    else if (this.is(RPH, nameStart, nameEnd)) this.#phonetic += 1;
  }

  protected override close(nameStart: number, nameEnd: number): void {
    if (this.is(T, nameStart, nameEnd)) this.#endText();
    else if (this.is(SI, nameStart, nameEnd)) this.#strings.close();
    else if (this.is(RPH, nameStart, nameEnd)) this.#phonetic -= 1;
  }

  protected override text(start: number, end: number, isLiteral: boolean): void {
    // The usual string is one plain run and is copied directly.
    if (this.#parts.length === 0 && this.bytes[end] === 60 && this.bytes[end + 1] === 47 && this.isPlain(start, end)) {
      this.#strings.append(this.bytes, start, end);
      this.wantsText = false;
    } else this.#parts.push(this.resolved(start, end, isLiteral));
  }

  #endText(): void {
    this.wantsText = false;
    if (this.#parts.length === 0) return;
    const text = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    const meant = withoutEscapes(text);
    this.#strings.append(meant, 0, meant.length);
  }
}
