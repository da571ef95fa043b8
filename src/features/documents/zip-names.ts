import type { FileHandle } from 'node:fs/promises';

const END_RECORD_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const DIRECTORY_BYTES_MAX = 1024 * 1024;
const ENTRIES_MAX = 10_000;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;

/** Names of a zip archive's entries from its central directory, nothing unpacked; null when it is no archive of a sane size. */
export async function readEntryNames(file: FileHandle, size: number): Promise<string[] | null> {
  const tail = await readAt(file, Math.max(0, size - END_RECORD_BYTES - LONGEST_COMMENT), size);
  const end = findEnd(tail);
  if (end < 0) return null;
  const entries = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (entries > ENTRIES_MAX || length > DIRECTORY_BYTES_MAX || offset + length > size) return null;
  return parseNames(await readAt(file, offset, offset + length), entries);
}

async function readAt(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.subarray(0, bytesRead);
}

function findEnd(tail: Buffer): number {
  for (let at = tail.length - END_RECORD_BYTES; at >= 0; at -= 1) if (tail.readUInt32LE(at) === END_SIGNATURE) return at;
  return -1;
}

function parseNames(directory: Buffer, entries: number): string[] | null {
  const names: string[] = [];
  for (let at = 0, entry = 0; entry < entries; entry += 1) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_SIGNATURE) return null;
    const nameBytes = directory.readUInt16LE(at + 28);
    names.push(directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes));
    at += ENTRY_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return names;
}
