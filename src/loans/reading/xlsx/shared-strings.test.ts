import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tapeLimits } from '../raw-table.ts';
import { fileOf } from '../testing/read-for-test.ts';
import { XML, zipOf } from '../testing/workbook-for-test.ts';
import { readSharedStrings, SharedStrings } from './shared-strings.ts';
import { xmlChunks } from './xml-chunks.ts';
import { ZipArchive } from './zip.ts';

const PART = 'xl/sharedStrings.xml';

async function archiveOf(data: string | Uint8Array): Promise<ZipArchive> {
  return await ZipArchive.open(await fileOf(zipOf([{ name: PART, data }])), tapeLimits('xlsx'));
}

const textOf = (strings: SharedStrings, index: number) =>
  strings.bytes.toString('utf8', strings.start(index), strings.end(index));

async function read(data: string | Uint8Array): Promise<string[]> {
  await using zip = await archiveOf(data);
  const strings = await readSharedStrings(zip, PART);
  return Array.from({ length: strings.count }, (_, index) => textOf(strings, index));
}

const sst = (...items: string[]) => `${XML}<sst>${items.map((item) => `<si>${item}</si>`).join('')}</sst>`;

test('every string has its place, empty ones too', async () => {
  assert.deepEqual(await read(sst('<t>one</t>', '<t/>', '', '<t></t>', '<t>five</t>')), ['one', '', '', '', 'five']);
  assert.deepEqual(await read(sst()), []);
});

test('runs of rich text are joined, phonetic hints left out wherever they stand', async () => {
  assert.deepEqual(
    await read(
      sst(
        '<r><t>a</t></r><r><t xml:space="preserve"> b</t></r>',
        '<t>漢字</t><rPh sb="0" eb="1"><t>かん</t></rPh>',
        '<rPh sb="0" eb="1"><t>no</t></rPh><t>yes</t>',
        '<r><t>x</t></r><rPh><t>no</t></rPh><r><t>y</t></r><rPh><t>no</t></rPh>',
      ),
    ),
    ['a b', '漢字', 'yes', 'xy'],
  );
});

test('entities, literal sections, line ends and escapes are resolved', async () => {
  assert.deepEqual(
    await read(
      sst('<t>&lt;a &amp; b&gt;</t>', '<t><![CDATA[<x>]]></t>', '<t>1\r\n2</t>', '<t>_x000D_</t>', '<t>a<!-- c -->b</t>'),
    ),
    ['<a & b>', '<x>', '1\n2', '\r', 'ab'],
  );
});

test('of more than a thousand strings each keeps its text', async () => {
  const items = Array.from({ length: 5_000 }, (_, index) => `<t>s${index}</t>`);
  const seen = await read(sst(...items));
  assert.deepEqual([seen.length, seen[1_023], seen[1_024], seen[4_999]], [5_000, 's1023', 's1024', 's4999']);
});

test('a workbook without the part has no strings', async () => {
  await using zip = await archiveOf('<sst/>');
  assert.equal((await readSharedStrings(zip, null)).count, 0);
  assert.equal((await readSharedStrings(zip, 'xl/other.xml')).count, 0);
});

test('strings that take more room than their XML are refused', () => {
  const strings = new SharedStrings(4);
  strings.append(Buffer.from('abcd'), 0, 4);
  strings.close();
  assert.equal(textOf(strings, 0), 'abcd');
  assert.throws(() => strings.append(Buffer.from('e'), 0, 1), /no valid text/);
});

test('an aborted reading of strings throws', async () => {
  await using zip = await archiveOf(sst('<t>a</t>'));
  await assert.rejects(readSharedStrings(zip, PART, AbortSignal.abort()), { name: 'AbortError' });
});

test('a part may be UTF-8 with or without its mark, or UTF-16 with one', async () => {
  const xml = sst('<t>Zürich 漢</t>');
  const wide = Buffer.from(`\ufeff${xml}`, 'utf16le');
  for (const data of [xml, `\ufeff${xml}`, wide, Buffer.from(wide).swap16()]) assert.deepEqual(await read(data), ['Zürich 漢']);
});

test('a part in UTF-16 is the same when a character lies between two chunks of it', async () => {
  // a chunk of the archive has 256 KiB: an odd number of units before the wide ones puts one of them on its border
  const long = 'a'.repeat(131_050 - sst('<t></t>').indexOf('</t>'));
  for (const shift of ['', 'b']) {
    const [seen] = await read(Buffer.from(`\ufeff${sst(`<t>${long}${shift}${'🏦'.repeat(40)}</t>`)}`, 'utf16le'));
    assert.equal(seen === `${long}${shift}${'🏦'.repeat(40)}`, true);
  }
});

test('an encoding that is not read is refused by its name', async () => {
  const declared = (encoding: string) => sst('<t>a</t>').replace('UTF-8', encoding);
  for (const encoding of ['utf8', 'UTF-8', 'us-ascii', 'ASCII'])
    assert.deepEqual(await read(declared(encoding)), ['a'], encoding);
  for (const encoding of ['ISO-8859-1', 'IBM037', 'UTF-7', 'utf-80', 'x-utf-8'])
    await assert.rejects(read(declared(encoding)), new RegExp(`in the encoding ${encoding};`), encoding);
  await using zip = await archiveOf(`\ufeff${declared('latin1')}`);
  await assert.rejects(xmlChunks(zip, PART).next(), /latin1/);
});
