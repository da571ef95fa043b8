import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import fc from '../../../../test/support/property.ts';
import { type ReadLimits, tapeLimits } from '../raw-table.ts';
import { fileOf } from '../testing/read-for-test.ts';
import { type Part, zipOf } from '../testing/workbook-for-test.ts';
import { readBytes, readDirectory } from './zip-directory.ts';
import { ZipArchive } from './zip.ts';

const MIB = 1024 * 1024;

async function archive(bytes: Buffer, limits: Partial<ReadLimits> = {}): Promise<ZipArchive> {
  return await ZipArchive.open(await fileOf(bytes), { ...tapeLimits('xlsx'), ...limits });
}

async function bytesOf(zip: ZipArchive, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip.chunks(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Opens an archive and reads a part of it: the code and the words of the refusal. */
async function refusal(bytes: Buffer, name = 'a.xml', limits: Partial<ReadLimits> = {}): Promise<string> {
  try {
    await using zip = await archive(bytes, limits);
    await bytesOf(zip, name);
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error);
    return `${String(error.code)}: ${error.message}`;
  }
  return 'READ';
}

const KINDS: Record<string, Partial<Part>> = {
  deflated: {},
  stored: { stored: true },
  'with sizes behind the data': { descriptor: true },
  'with sizes of 64 bits': { zip64: true },
};

for (const [name, options] of Object.entries(KINDS)) {
  test(`parts ${name} are read whole, empty ones too, in any order`, async () => {
    const contents = fc.array(fc.uint8Array({ maxLength: 3_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(contents, async (list) => {
        const parts = list.map((data, index) => ({ name: `part ${index}.xml`, data, ...options }));
        await using zip = await archive(zipOf(parts));
        assert.deepEqual(
          zip.names,
          parts.map((part) => part.name),
        );
        for (const { name: part, data } of parts.toReversed()) {
          assert.deepEqual(await bytesOf(zip, part), Buffer.from(data));
          assert.equal(zip.sizeOf(part), data.length);
        }
      }),
      { numRuns: 20 },
    );
  });
}

test('a part goes by its name in any case, with either slash and with or without one before it', async () => {
  await using zip = await archive(zipOf([{ name: 'XL\\Worksheets/Sheet1.xml', data: 'x' }]));
  for (const name of ['xl/worksheets/sheet1.xml', '/xl/worksheets/sheet1.xml', 'XL\\WORKSHEETS\\SHEET1.XML']) {
    assert.equal(zip.has(name), true, name);
    assert.equal((await bytesOf(zip, name)).toString(), 'x');
  }
  assert.deepEqual([zip.has('xl/worksheets/sheet2.xml'), zip.sizeOf('nothing')], [false, 0]);
  await assert.rejects(bytesOf(zip, 'nothing'), /the part "nothing" is missing/);
});

test('a small part is text: UTF-8, or UTF-16 with its mark; a missing one is nothing', async () => {
  const wide = Buffer.from('\ufeffZürich', 'utf16le');
  await using zip = await archive(
    zipOf([
      { name: 'a', data: 'Zürich' },
      { name: 'b', data: wide },
      { name: 'c', data: Buffer.from(wide).swap16() },
    ]),
  );
  for (const name of ['a', 'b', 'c']) assert.equal(await zip.text(name, 100), 'Zürich', name);
  assert.equal(await zip.text('d', 100), null);
});

test('a small part may have exactly as many bytes as it may have', async () => {
  await using zip = await archive(zipOf([{ name: 'a', data: 'x'.repeat(100) }]));
  assert.equal((await zip.text('a', 100))?.length, 100);
  await assert.rejects(zip.text('a', 99), { code: 'TOO_LARGE', message: /has 100 bytes, at most 99 are read/ });
});

test('all parts together may expand to the limit and no further', async () => {
  const parts = ['a.xml', 'b.xml'].map((name) => ({ name, data: 'x'.repeat(1_000) }));
  const both = async (maxExpandedBytes: number) => {
    await using zip = await archive(zipOf(parts), { maxExpandedBytes });
    await bytesOf(zip, 'a.xml');
    await bytesOf(zip, 'b.xml');
  };
  await both(2_000);
  await assert.rejects(both(1_999), { code: 'TOO_LARGE', message: /expand beyond 1999 bytes/ });
  assert.match(await refusal(zipOf(parts), 'a.xml', { maxExpandedBytes: 999 }), /TOO_LARGE.*expands to 1000 bytes, at most 999/);
});

test('only a part of more than 16 MiB may not expand too many times', async () => {
  const bomb = (size: number) => zipOf([{ name: 'a.xml', data: Buffer.alloc(size) }]);
  assert.equal(await refusal(bomb(16 * MIB)), 'READ');
  assert.match(await refusal(bomb(16 * MIB + 1)), /TOO_LARGE.*expands \d+ times, at most 150/);
  const packed = deflateRawSync(Buffer.alloc(16 * MIB + 1)).length;
  const times = Math.ceil((16 * MIB + 1) / packed);
  assert.equal(await refusal(bomb(16 * MIB + 1), 'a.xml', { maxExpansion: times }), 'READ');
  assert.match(await refusal(bomb(16 * MIB + 1), 'a.xml', { maxExpansion: times - 1 }), /TOO_LARGE/);
});

test('a part that is not what the directory says is refused with what is wrong', async () => {
  const data = 'some text that is long enough to be packed';
  const cases: [Partial<Part>, RegExp][] = [
    [{ statedSize: 10 }, /larger than the archive states/],
    [{ statedSize: data.length + 1 }, /does not match its checksum/],
    [{ statedCrc: 1 }, /does not match its checksum/],
    [{ packed: Buffer.from('no deflate') }, /cannot be expanded/],
    [{ encrypted: true }, /encrypted/],
    [{ method: 12 }, /method 12/],
    [{ method: 1 }, /method 1;/],
    [{ stored: true, statedSize: 41 }, /larger than/],
  ];
  for (const [options, message] of cases)
    assert.match(await refusal(zipOf([{ name: 'a.xml', data, ...options }])), message, JSON.stringify(options));
});

test('a part whose own header is missing or has another name is refused', async () => {
  const bytes = zipOf([
    { name: 'a.xml', data: 'first' },
    { name: 'b.xml', data: 'second' },
  ]);
  const other = Buffer.from(bytes);
  other.write('c.xml', 30);
  assert.match(await refusal(other), /another name in its own header/);
  assert.equal(await refusal(other, 'b.xml'), 'READ');
  const moved = Buffer.from(bytes);
  moved.writeUInt32LE(0, 0);
  assert.match(await refusal(moved), /not where the directory says/);
});

test('an archive that is cut off anywhere is refused, never half read', async () => {
  const bytes = zipOf([
    { name: 'a.xml', data: 'first part' },
    { name: 'b.xml', data: 'second part', zip64: true },
  ]);
  for (let length = 0; length < bytes.length; length += 7)
    assert.match(await refusal(bytes.subarray(0, length)), /^UNREADABLE_FILE/, String(length));
});

test('the directory is found behind a comment of any length', async () => {
  const bytes = zipOf([{ name: 'a.xml', data: 'x' }]);
  for (const length of [0, 1, 1_000, 65_535]) {
    const commented = Buffer.concat([bytes, Buffer.alloc(length, 120)]);
    commented.writeUInt16LE(length, bytes.length - 2);
    assert.equal(await refusal(commented), 'READ', String(length));
  }
  assert.match(await refusal(Buffer.concat([bytes, Buffer.alloc(65_536, 120)])), /end of the archive is missing/);
});

/** An archive whose directory states another number at an offset of its first record or of its end. */
async function withChange(change: (bytes: Buffer, directory: number, end: number) => void, zip64 = false): Promise<string> {
  const bytes = zipOf([
    { name: 'a.xml', data: 'some text', zip64 },
    { name: 'b.xml', data: 'more text', zip64 },
  ]);
  const end = bytes.length - 22;
  change(bytes, bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2])), end);
  return await refusal(bytes);
}

test('a directory that is damaged, endless or beyond the file is refused', async () => {
  assert.equal(await withChange(() => {}), 'READ');
  assert.match(await withChange((bytes, at) => bytes.writeUInt32LE(0, at)), /directory is damaged/);
  assert.match(await withChange((bytes, _, end) => bytes.writeUInt16LE(3, end + 10)), /directory is damaged/);
  assert.match(await withChange((bytes, _, end) => bytes.writeUInt32LE(bytes.length, end + 12)), /beyond its end/);
  assert.match(await withChange((bytes, _, end) => bytes.writeUInt32LE(bytes.length, end + 16)), /beyond its end/);
  assert.match(await withChange((bytes, _, end) => bytes.writeUInt16LE(20_001, end + 10)), /20001 parts, at most 20000/);
  assert.match(await withChange((bytes, _, end) => bytes.writeUInt16LE(20_000, end + 10)), /directory is damaged/);
  assert.match(await withChange((bytes, _, end) => bytes.writeUInt32LE(16 * MIB + 1, end + 12)), /at most 20000/);
});

test('numbers of 64 bits that are damaged or beyond all bounds are refused', async () => {
  assert.equal(await withChange(() => {}, true), 'READ');
  const locator = (end: number) => end - 20;
  const record = (end: number) => end - 76;
  assert.match(await withChange((bytes, _, end) => bytes.writeUInt32LE(0, record(end)), true), /ZIP64 directory is damaged/);
  assert.match(
    await withChange((bytes, _, end) => bytes.writeBigUInt64LE(2n ** 63n, locator(end) + 8), true),
    /beyond all bounds/,
  );
  assert.match(
    await withChange((bytes, _, end) => bytes.writeBigUInt64LE(2n ** 53n, record(end) + 48), true),
    /beyond all bounds/,
  );
  assert.match(await withChange((bytes, _, end) => bytes.writeBigUInt64LE(20_001n, record(end) + 32), true), /20001 parts/);
  // the field says that it holds two numbers where three are wanted
  assert.match(await withChange((bytes, at) => bytes.writeUInt16LE(16, at + 46 + 5 + 2), true), /ZIP64 field is damaged/);
});

test('parts that touch each other are read, parts that share a byte are refused', async () => {
  const overlap = (packed: number) =>
    withChange((bytes, at) => bytes.writeUInt32LE(bytes.readUInt32LE(at + 20) + packed, at + 20));
  assert.match(await overlap(1), /"a.xml" overlaps what follows it/);
  const last = await withChange((bytes, at) => {
    const second = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]), at + 4);
    bytes.writeUInt32LE(bytes.readUInt32LE(second + 20) + 1, second + 20);
  });
  assert.match(last, /"b.xml" overlaps what follows it/);
});

test('a name that is there twice, in whatever case, is refused', async () => {
  const twice = (name: string) =>
    refusal(
      zipOf([
        { name: 'a.xml', data: 'x' },
        { name, data: 'y' },
      ]),
    );
  assert.match(await twice('a.xml'), /holds "a.xml" twice/);
  assert.match(await twice('/A.XML'), /twice/);
  assert.equal(await twice('a.xm'), 'READ');
});

test('a reader that stops in the middle of a part can read the next', async () => {
  await using zip = await archive(
    zipOf([
      { name: 'a.xml', data: Buffer.alloc(2 * MIB, 'abc'), stored: true },
      { name: 'b.xml', data: 'second' },
    ]),
  );
  for await (const chunk of zip.chunks('a.xml')) {
    assert.ok(chunk.length < 2 * MIB);
    break;
  }
  assert.equal((await bytesOf(zip, 'b.xml')).toString(), 'second');
});

test('bytes at an offset are as many as the file has', async () => {
  const path = await fileOf('0123456789');
  await using file = await open(path);
  assert.equal((await readBytes(file, 4, 3)).toString(), '456');
  assert.equal((await readBytes(file, 8, 5)).toString(), '89');
  assert.equal((await readBytes(file, 20, 5)).length, 0);
  assert.equal((await readFile(path)).length, 10);
});

test('an entry of the directory tells what the archive was made with', async () => {
  const data = 'some text that is packed, some text that is packed';
  await using file = await open(
    await fileOf(
      zipOf([
        { name: 'é.xml', data },
        { name: 'b', data: 'x', stored: true },
      ]),
    ),
  );
  const [first, second] = await readDirectory(file);
  assert.deepEqual([first.name, first.method, first.encrypted, first.size, first.offset], ['é.xml', 8, false, data.length, 0]);
  assert.equal(first.packed, deflateRawSync(data).length);
  assert.deepEqual([second.method, second.packed, second.size], [0, 1, 1]);
});
