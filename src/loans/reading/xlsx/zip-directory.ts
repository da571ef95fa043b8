import type { FileHandle } from 'node:fs/promises';
import { damagedWorkbook, TapeProblem } from '../read-problem.ts';

/** Directory entry of one part of an archive. */
export interface ZipEntry {
  name: string;
  method: number;
  encrypted: boolean;
  crc: number;
  packed: number;
  size: number;
  /** Offset of the local header of the entry. */
  offset: number;
}

const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024;
const ENTRIES_MAX = 20_000;
const END_RECORD = 0x06054b50;
const END_RECORD_64 = 0x06064b50;
const END_LOCATOR_64 = 0x07064b50;
const DIRECTORY_RECORD = 0x02014b50;

/** Reads the directory at the end of an archive, ZIP64 included; refuses one that is damaged or whose parts overlap. */
export async function readDirectory(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const end = await readEnd(file, size);
  if (end.count > ENTRIES_MAX || end.bytes > DIRECTORY_BYTES_MAX)
    throw damagedWorkbook(`the archive has ${end.count} parts, at most ${ENTRIES_MAX} are accepted`);
  if (end.start + end.bytes > size) throw damagedWorkbook('its directory lies beyond its end');
  const directory = await readBytes(file, end.start, end.bytes);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < end.count; ) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== DIRECTORY_RECORD)
      throw damagedWorkbook('its directory is damaged');
    entries.push(readRecord(directory, at));
    at += 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  refuseOverlap(entries, end.start);
  return entries;
}

async function readEnd(file: FileHandle, size: number): Promise<{ count: number; bytes: number; start: number }> {
  const tailStart = Math.max(0, size - 65_557);
  const tail = await readBytes(file, tailStart, size - tailStart);
  let at = tail.length - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== END_RECORD) at -= 1;
  if (at < 0) throw cutOff(await firstName(file));
  const isLarge = at >= 20 && tail.readUInt32LE(at - 20) === END_LOCATOR_64;
  if (!isLarge)
    return { count: tail.readUInt16LE(at + 10), bytes: tail.readUInt32LE(at + 12), start: tail.readUInt32LE(at + 16) };
  const record = await readBytes(file, safeNumber(tail.readBigUInt64LE(at - 12)), 56);
  if (record.length < 56 || record.readUInt32LE(0) !== END_RECORD_64) throw damagedWorkbook('its ZIP64 directory is damaged');
  return {
    count: safeNumber(record.readBigUInt64LE(32)),
    bytes: safeNumber(record.readBigUInt64LE(40)),
    start: safeNumber(record.readBigUInt64LE(48)),
  };
}

/** The name of the first part of an archive, from its beginning. */
async function firstName(file: FileHandle): Promise<string> {
  const head = await readBytes(file, 0, 256);
  return head.length < 30 ? '' : head.toString('utf8', 30, 30 + head.readUInt16LE(26));
}

/** What an archive without its end is, by its first part: what to send differs. */
function cutOff(first: string): TapeProblem {
  const cut = 'the end of the archive is missing; the upload may have been cut off';
  if (first === 'mimetype')
    return unreadable(`The file is an OpenDocument file without its end; the upload may have been cut off. ${AS_WORKBOOK}`);
  if (first === '' || /^(?:\[Content_Types\]\.xml$|_rels\/|docProps\/|docMetadata\/|customXml\/|xl\/)/.test(first))
    return damagedWorkbook(cut);
  return unreadable(`The file begins as a zip archive, not as a workbook, and ${cut}. Upload the tape itself, unpacked.`);
}

const AS_WORKBOOK = 'Save it as .xlsx and upload it again.';

function unreadable(message: string): TapeProblem {
  return new TapeProblem('UNREADABLE_FILE', message);
}

function readRecord(directory: Buffer, at: number): ZipEntry {
  const nameLength = directory.readUInt16LE(at + 28);
  const extraStart = at + 46 + nameLength;
  const extra = directory.subarray(extraStart, extraStart + directory.readUInt16LE(at + 30));
  const entry: ZipEntry = {
    name: directory.toString('utf8', at + 46, extraStart),
    method: directory.readUInt16LE(at + 10),
    encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
    crc: directory.readUInt32LE(at + 16),
    packed: directory.readUInt32LE(at + 20),
    size: directory.readUInt32LE(at + 24),
    offset: directory.readUInt32LE(at + 42),
  };
  return withLargeNumbers(entry, extra);
}

/** Takes from the ZIP64 field what did not fit into 32 bits: size, packed size, offset, in this order. */
function withLargeNumbers(entry: ZipEntry, extra: Buffer): ZipEntry {
  const wanting = (['size', 'packed', 'offset'] as const).filter((key) => entry[key] === 0xffffffff);
  for (let at = 0; at + 4 <= extra.length && wanting.length > 0; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    if (extra.readUInt16LE(at + 2) < wanting.length * 8 || at + 4 + wanting.length * 8 > extra.length)
      throw damagedWorkbook('a ZIP64 field is damaged');
    wanting.forEach((key, index) => {
      entry[key] = safeNumber(extra.readBigUInt64LE(at + 4 + index * 8));
    });
    break;
  }
  return entry;
}

/** Parts that share bytes are how a small archive becomes a huge one (Fifield, "A better zip bomb", 2019). */
function refuseOverlap(entries: ZipEntry[], directoryStart: number): void {
  const inOrder = [...entries].sort((a, b) => a.offset - b.offset);
  inOrder.forEach((entry, index) => {
    const next = inOrder[index + 1]?.offset ?? directoryStart;
    if (entry.offset + 30 + Buffer.byteLength(entry.name) + entry.packed > next)
      throw damagedWorkbook(`the part "${entry.name}" overlaps what follows it`);
  });
}

/** Bytes at an offset of a file, fewer at its end. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function safeNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damagedWorkbook('a size in its directory is impossible');
  return Number(value);
}
