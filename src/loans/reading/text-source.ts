import { isAscii, isUtf8 } from 'node:buffer';
import type { RawTable } from './raw-table.ts';
import { TapeProblem } from './read-problem.ts';
import type { TapeBytes } from './tape-bytes.ts';

export type Encoding = RawTable['encoding'];

export interface TextSource {
  encoding: Encoding;
  /** Bytes of the byte order mark, not part of the text. */
  markBytes: number;
  /** The file is UTF-8 except for some bytes, which become U+FFFD. */
  brokenBytes: boolean;
  /** Signs within a word of the text that no language has there, where there are some: no more of the word, which may be a name. */
  oddAccent?: string;
}

/** Detects the encoding of a file. Reads all of it unless `sampleOnly`; throws a TapeProblem for binary data. */
export async function detectText(bytes: TapeBytes, sampleOnly = false): Promise<TextSource> {
  const { bytes: sample } = await bytes.sample();
  refuseUtf32(sample);
  const marked = byMark(sample);
  if (marked && marked.encoding !== 'utf-8') return marked;
  const wide = marked ? null : wideWithoutMark(sample);
  if (wide) return wide;
  refuseBinary(sample);
  const parts = () => betweenCharacters(sampleOnly ? [sample] : bytes.chunks());
  const markBytes = marked?.markBytes ?? 0;
  const utf8 = await lookAtUtf8(parts());
  if (utf8.isValid)
    return { encoding: 'utf-8', markBytes, brokenBytes: false, ...(utf8.oddAccent && { oddAccent: utf8.oddAccent }) };
  const counts = await countSequences(parts());
  // a text in Windows-1252 has next to no valid sequences of UTF-8, a damaged UTF-8 text has many
  if (marked || counts.valid >= 4 * counts.invalid) return { encoding: 'utf-8', markBytes, brokenBytes: true };
  if (isJapanese(sample)) return source('shift_jis', 0);
  const oddAccent = ODD_IN_1252.exec(sample.toString('latin1'))?.[0];
  return {
    ...source('windows-1252', 0),
    ...(oddAccent && { oddAccent: fromWindows1252(Buffer.from(oddAccent, 'latin1')).toString() }),
  };
}

/**
 * A sign between letters, or a capital before a small letter, as the accents of Mac Roman (`M\x9fnchen`) and of CP850 (`M\x81nchen`) are in
 * Windows-1252. Apostrophes and dashes stand between letters in every language.
 */
const ODD_IN_1252 =
  /(?<=[A-Za-z])(?:[\x80-\x84\x86-\x89\x8b\x8d\x8f\x90\x95\x98\x99\x9b\x9d](?=[A-Za-z])|[\x8a\x8c\x8e\x93\x94\x9f](?=[a-z]))/;

/** Fewer characters are Japanese by chance. */
const JAPANESE_MIN = 8;
const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

/**
 * Whether a sample is Shift_JIS: all its characters are of that encoding, and most of those beyond ASCII are Japanese ones beside each other. The
 * quotes and accents of a text in Windows-1252 make single ones, and the letters of Cyrillic have hardly a byte below 0xa0.
 */
function isJapanese(sample: Buffer): boolean {
  const text = new TextDecoder('shift_jis').decode(sample);
  // The sample may end within a character.
  const broken = text.indexOf('\ufffd');
  if (broken >= 0 && broken < text.length - 1) return false;
  const high = countMatches(sample, /[\x80-\xff]/g);
  const low = countMatches(sample, /[\x81-\x9f]/g);
  const wide = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  const words = text.match(JAPANESE)?.filter((word) => word.length > 1) ?? [];
  const { length } = words.join('');
  return length >= JAPANESE_MIN && length > wide / 2 && 4 * low >= high;
}

/** The text of a file as UTF-8 bytes in chunks of some 1 MiB, none of which ends within a character. */
export async function* utf8Chunks(
  bytes: TapeBytes,
  source: TextSource,
  signal?: AbortSignal,
  onBytes: (done: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const recode = recoder(source);
  let mark = source.markBytes;
  let done = 0;
  for await (const chunk of bytes.chunks()) {
    signal?.throwIfAborted();
    yield recode(chunk.subarray(mark));
    mark = Math.max(0, mark - chunk.length);
    done += chunk.length;
    onBytes(done);
  }
  const rest = recode(null);
  if (rest.length > 0) yield rest;
}

/** How often a pattern of bytes occurs in a sample: looking at each byte takes several times as long, and most where the code is still cold. */
export function countMatches(sample: Buffer, pattern: RegExp): number {
  return sample.toString('latin1').match(pattern)?.length ?? 0;
}

/** Recodes bytes in memory, such as a sample. */
export function toUtf8(bytes: Buffer, source: TextSource): Buffer {
  const recode = recoder(source);
  return recode(bytes.subarray(source.markBytes));
}

function byMark(sample: Buffer): TextSource | null {
  if (sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf) return source('utf-8', 3);
  if (sample[0] === 0xff && sample[1] === 0xfe) return source('utf-16le', 2);
  if (sample[0] === 0xfe && sample[1] === 0xff) return source('utf-16be', 2);
  return null;
}

function source(encoding: Encoding, markBytes: number): TextSource {
  return { encoding, markBytes, brokenBytes: false };
}

/** The mark of UTF-32 begins like that of UTF-16, and nothing that writes tapes writes either of its forms. */
function refuseUtf32(sample: Buffer): void {
  if (!UTF_32_MARKS.some((mark) => sample.subarray(0, 4).equals(mark))) return;
  throw new TapeProblem('UNREADABLE_FILE', 'The file is text in UTF-32. Save it as UTF-8, UTF-16 or Windows-1252.');
}

/** Latin text in UTF-16 has a zero in nearly every second byte, on one side. */
function wideWithoutMark(sample: Buffer): TextSource | null {
  const length = Math.min(sample.length, 4_096) & ~1;
  if (length < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (sample[at] === 0) even += 1;
    if (sample[at + 1] === 0) odd += 1;
  }
  const pairs = length / 2;
  if (odd > 0.7 * pairs && even < 0.05 * pairs) return source('utf-16le', 0);
  if (even > 0.7 * pairs && odd < 0.05 * pairs) return source('utf-16be', 0);
  return null;
}

/** A text may hold a few stray control bytes, but no more than one in fifty, and a short one no more than one in ten. */
function refuseBinary(sample: Buffer): void {
  const controls = countMatches(sample, CONTROLS);
  if (controls < sample.length / (controls > 8 ? 50 : 10)) return;
  throw new TapeProblem(
    'UNREADABLE_FILE',
    `The file holds binary data (${controls} control bytes in its first ${sample.length}), and is neither text nor a workbook. Send the tape as CSV, .xlsx or Parquet.`,
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is counted.
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f]/g;

/** The bytes in parts, none of which ends within a character; the beginning of one at the end of a sample is left out. */
async function* betweenCharacters(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  const whole = wholeCharacterChunks();
  for await (const chunk of chunks) yield whole(chunk);
}

/** Counting characters takes several times as long, and next to all files need it not. */
async function lookAtUtf8(parts: AsyncIterable<Buffer>): Promise<{ isValid: boolean; oddAccent?: string | undefined }> {
  let oddAccent: string | undefined;
  for await (const part of parts) {
    if (!isUtf8(part)) return { isValid: false };
    oddAccent ??= encodedTwice(part);
  }
  return { isValid: true, oddAccent };
}

/** What the first byte of most accented letters becomes when a text in UTF-8 is taken for Windows-1252 and written as UTF-8 again. */
const TWICE_BEGIN = Buffer.from('Ã');
/** Occurrences that are looked at in a part of a file. */
const TWICE_MAX = 100;
/** That letter, and what the second byte becomes; quotes, dashes and blanks may also stand behind a capital `Ã`. */
const TWICE = /Ã(?:[\u0080-\u009f¡-ª¬-º¼-¿ƒŠŒŽšœžŸ]|[\u00a0«»‚„…†‡ˆ‰‹‘’“”•–—˜™›€](?=\p{Ll}))/u;

/** The signs of a letter that was encoded as UTF-8 twice, such as the `Ã¼` of `MÃ¼nchen`. */
function encodedTwice(part: Buffer): string | undefined {
  let at = part.indexOf(TWICE_BEGIN);
  for (let seen = 0; at >= 0 && seen < TWICE_MAX; seen += 1) {
    const found = TWICE.exec(part.toString('utf8', at, at + 8))?.[0];
    if (found !== undefined) return found;
    at = part.indexOf(TWICE_BEGIN, at + TWICE_BEGIN.length);
  }
  return undefined;
}

async function countSequences(parts: AsyncIterable<Buffer>): Promise<{ valid: number; invalid: number }> {
  const counts = { valid: 0, invalid: 0 };
  for await (const part of parts) {
    if (isUtf8(part)) counts.valid += leadBytes(part);
    else countWithin(part, counts);
  }
  return counts;
}

/** Characters beyond ASCII of a text that is valid UTF-8. */
function leadBytes(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] >= 0xc0) count += 1;
  return count;
}

function countWithin(bytes: Buffer, counts: { valid: number; invalid: number }): void {
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] < 0x80) {
      at += 1;
      continue;
    }
    const length = sequenceLength(bytes[at]);
    const good = length > 1 && isUtf8(bytes.subarray(at, at + length));
    counts[good ? 'valid' : 'invalid'] += 1;
    at += good ? length : 1;
  }
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}

/** Length of the part that ends between characters. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back];
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** A function from bytes of the file to UTF-8; null flushes an incomplete character. */
function recoder(source: TextSource): (chunk: Buffer | null) => Buffer {
  if (source.encoding === 'windows-1252') return (chunk) => (chunk === null ? EMPTY : fromWindows1252(chunk));
  if (source.encoding === 'utf-16be') {
    const swap = pairSwapper();
    return decodeWith('utf-16le', swap);
  }
  if (source.encoding === 'utf-16le' || source.encoding === 'shift_jis') return decodeWith(source.encoding, (chunk) => chunk);
  return source.brokenBytes ? decodeWith('utf-8', (chunk) => chunk) : wholeCharacterChunks();
}

function decodeWith(encoding: string, prepare: (chunk: Buffer) => Buffer): (chunk: Buffer | null) => Buffer {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (chunk) => Buffer.from(chunk === null ? decoder.decode() : decoder.decode(prepare(chunk), { stream: true }));
}

function pairSwapper(): (chunk: Buffer) => Buffer {
  let rest: Buffer = EMPTY;
  return (chunk) => {
    const joined = Buffer.concat([rest, chunk]);
    const whole = joined.length & ~1;
    rest = Buffer.from(joined.subarray(whole));
    return joined.subarray(0, whole).swap16();
  };
}

function wholeCharacterChunks(): (chunk: Buffer | null) => Buffer {
  let rest: Buffer = EMPTY;
  return (chunk) => {
    if (chunk === null) return rest.length > 0 ? Buffer.from('\ufffd') : EMPTY;
    const joined = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = wholeCharacters(joined);
    rest = joined.subarray(whole);
    return joined.subarray(0, whole);
  };
}

const EMPTY: Buffer = Buffer.alloc(0);
const UTF_32_MARKS = [Buffer.of(0xff, 0xfe, 0, 0), Buffer.of(0, 0, 0xfe, 0xff)];
// 0x80 to 0x9f of Windows-1252; the five unassigned bytes are U+FFFD.
const WINDOWS_1252 = '€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ';
const HIGH_BYTES = Array.from({ length: 128 }, (_, index) =>
  Buffer.from(index < 32 ? WINDOWS_1252[index] : String.fromCharCode(0x80 + index)),
);

function fromWindows1252(chunk: Buffer): Buffer {
  if (isAscii(chunk)) return chunk;
  const out = Buffer.allocUnsafe(chunk.length * 3);
  let length = 0;
  for (const byte of chunk) {
    if (byte < 0x80) {
      out[length] = byte;
      length += 1;
      continue;
    }
    for (const part of HIGH_BYTES[byte - 0x80]) {
      out[length] = part;
      length += 1;
    }
  }
  return out.subarray(0, length);
}
