import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { tapeLimits } from '../reading/raw-table.ts';
import { ZipArchive } from '../reading/xlsx/zip.ts';
import { dataDescriptor, directoryEnd, directoryRecord, localHeader, type ZipRecord } from './zip-records.ts';

const GIB4 = 2 ** 32;

const record = (changes: Partial<ZipRecord>): ZipRecord => ({
  name: Buffer.from('a.xml'),
  crc: 0x1234,
  packed: 10,
  size: 20,
  offset: 30,
  streamed: true,
  ...changes,
});

/** What a directory states about an entry, read by APPNOTE 4.3.12, 4.4.8 to 4.4.16 and 4.5.3. */
function statedBy(entry: ZipRecord) {
  const bytes = directoryRecord(entry);
  const [packed, size, offset] = [20, 24, 42].map((at) => bytes.readUInt32LE(at));
  const [nameLength, extraLength] = [28, 30].map((at) => bytes.readUInt16LE(at));
  assert.equal(bytes.length, 46 + nameLength + extraLength);
  if (extraLength === 0) {
    assert.ok(Math.max(packed, size, offset) < GIB4 - 1, 'all bits set mean: look in the field of ZIP64');
    return { packed, size, offset };
  }
  assert.deepEqual([packed, size, offset], [GIB4 - 1, GIB4 - 1, GIB4 - 1]);
  const extra = bytes.subarray(46 + nameLength);
  assert.deepEqual([extra.readUInt16LE(0), extra.readUInt16LE(2)], [1, extraLength - 4]);
  const [wideSize, widePacked, wideOffset] = [4, 12, 20].map((at) => Number(extra.readBigUInt64LE(at)));
  return { packed: widePacked, size: wideSize, offset: wideOffset };
}

test('the directory states sizes and places on both sides of 4 GiB', () => {
  const edges = [0, 10, GIB4 - 2, GIB4 - 1, GIB4, GIB4 + 1, 2 ** 40 + 3];
  for (const packed of edges)
    for (const size of edges)
      for (const offset of edges) assert.deepEqual(statedBy(record({ packed, size, offset })), { packed, size, offset });
});

test('a data descriptor has 64 bits for each size as soon as one of them needs it', () => {
  const small = dataDescriptor(record({ packed: 10, size: GIB4 - 2 }));
  assert.deepEqual([small.length, small.readUInt32LE(8), small.readUInt32LE(12)], [16, 10, GIB4 - 2]);
  const large = dataDescriptor(record({ packed: 10, size: GIB4 }));
  assert.deepEqual([large.length, large.readBigUInt64LE(8), large.readBigUInt64LE(16)], [24, 10n, BigInt(GIB4)]);
});

test('an entry behind 4 GiB is read back by its directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'zip-'));
  try {
    const path = join(directory, 'large.zip');
    const text = Buffer.from('behind four gigabytes');
    const packed = deflateRawSync(text);
    const offset = GIB4 + 5;
    const entry = record({ crc: crc32(text), packed: packed.length, size: text.length, offset, streamed: false });
    const bytes = Buffer.concat([localHeader(entry), packed]);
    const records = directoryRecord(entry);
    const start = offset + bytes.length;
    // The bytes before the entry are a hole: the file takes no space.
    await using file = await open(path, 'w');
    await file.write(Buffer.concat([bytes, records, directoryEnd(1, records.length, start)]), { position: offset });
    await using zip = await ZipArchive.open(path, tapeLimits('xlsx'));
    assert.equal(await zip.text('a.xml', 1_000), text.toString());
  } finally {
    await rm(directory, { recursive: true });
  }
});
