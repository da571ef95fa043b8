import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { fileOf } from '../reading/testing/read-for-test.ts';
import { tapeLimits } from '../reading/raw-table.ts';
import { ZipArchive } from '../reading/xlsx/zip.ts';
import { ZipStream } from './zip-stream.ts';

type Written = { name: string; texts: string[]; whole: boolean };

async function archiveOf(entries: readonly Written[]): Promise<Buffer> {
  const zip = new ZipStream();
  const chunks: Buffer[] = [];
  for (const { name, texts, whole } of entries) {
    if (whole) chunks.push(zip.wholeEntry(name, texts.join('')));
    else for await (const chunk of zip.streamedEntry(name, piecesOf(texts))) chunks.push(chunk);
  }
  chunks.push(zip.directory());
  return Buffer.concat(chunks);
}

async function* piecesOf(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) yield text;
}

async function readBack(bytes: Buffer, name: string): Promise<string> {
  await using zip = await ZipArchive.open(await fileOf(bytes), tapeLimits('xlsx'));
  const chunks: Buffer[] = [];
  for await (const chunk of zip.chunks(name)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('entries written whole or piece by piece are read back by their names, with sizes and checksums that hold', async () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '漢', '🏦', '\n') }), { maxLength: 6 });
  const entries = fc.array(fc.record({ texts, whole: fc.boolean() }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const named = list.map((entry, index) => ({ ...entry, name: `part ü ${index}.xml` }));
      const bytes = await archiveOf(named);
      for (const entry of named) assert.equal(await readBack(bytes, entry.name), entry.texts.join(''));
    }),
    { numRuns: 40 },
  );
});

test('an entry that does not compress, of many megabytes, is streamed whole', async () => {
  const texts = Array.from({ length: 60 }, (_, index) =>
    Array.from({ length: 4_000 }, (__, at) => ((index * 7_919 + at * 104_729) % 1_000_003).toString(36)).join(','),
  );
  const bytes = await archiveOf([{ name: 'a.xml', texts, whole: false }]);
  assert.equal((await readBack(bytes, 'a.xml')) === texts.join(''), true);
});

test('the same entries give the same bytes', async () => {
  const entries = [
    { name: 'a', texts: ['x', 'y'], whole: false },
    { name: 'b', texts: ['z'], whole: true },
  ];
  assert.deepEqual(await archiveOf(entries), await archiveOf(entries));
});

test('a streamed entry has its sizes behind its data, a whole one before it', async () => {
  const flags = async (whole: boolean) => {
    const bytes = await archiveOf([{ name: 'a', texts: ['text'], whole }]);
    // APPNOTE 4.4.4: bit 3 for sizes behind the data, bit 11 for names in UTF-8
    return { flags: bytes.readUInt16LE(6), size: bytes.readUInt32LE(22) };
  };
  assert.deepEqual(await flags(true), { flags: 0x0800, size: 4 });
  assert.deepEqual(await flags(false), { flags: 0x0808, size: 0 });
});

test('an archive without entries is a directory of nothing', async () => {
  const bytes = await archiveOf([]);
  assert.deepEqual([bytes.length, bytes.readUInt32LE(0), bytes.readUInt16LE(10)], [22, 0x06054b50, 0]);
});

test('a fault of the texts reaches the reader of the entry', async () => {
  async function* texts(): AsyncGenerator<string> {
    yield 'x';
    throw new Error('the query failed');
  }
  await assert.rejects(Array.fromAsync(new ZipStream().streamedEntry('a', texts())), /the query failed/);
});
