import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { openEngine } from '../engine/engine.ts';
import { copyToParquet, parquet } from '../engine/sql.ts';
import { CanonicalWriter, copyBytes } from './canonical-writer.ts';
import { CsvScanner } from './csv-scanner.ts';
import { rawTableSource } from './raw-table.ts';
import type { Row } from './row.ts';
import { fileOf } from './testing/read-for-test.ts';

const LIMITS = { maxColumns: 20, maxRowBytes: 8 * 1024 * 1024 };
const WHOLE = Number.MAX_SAFE_INTEGER;

/** What a writer makes of rows of CSV; `write` passes each on. */
async function written(
  csv: string,
  write: (writer: CanonicalWriter, number: number, row: Row) => void | Promise<void>,
): Promise<string> {
  const path = await fileOf('');
  {
    await using writer = await CanonicalWriter.create(path);
    const scanner = new CsvScanner({ delimiter: ',', lineEnd: 'LF' }, LIMITS);
    scanner.feed(Buffer.from(csv));
    scanner.end();
    for (let number = 1; scanner.next(); number += 1) await write(writer, number, scanner.row);
    await writer.flush(true);
  }
  return await readFile(path, 'utf8');
}

/** A field as every reader of CSV takes it: between quotes, every quote doubled. */
const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;

test('each row is its number, its line and its fields, however many rows there are', async () => {
  const csv = `${'x,y\n'.repeat(120_000)}`;
  const text = await written(csv, (writer, number, row) => writer.addClean(number, row));
  const lines = text.split('\n');
  assert.equal(lines.length, 120_001);
  for (const number of [1, 9, 10, 99, 100, 99_999, 100_000, 120_000]) assert.equal(lines[number - 1], `${number},${number},x,y`);
});

test('the raw bytes of a clean row are copied as they stand', async () => {
  const csv = 'a,"b ""c"" d",é\n"two\nlines",,\n';
  const text = await written(csv, (writer, number, row) => writer.addClean(number, row));
  assert.equal(text, '1,1,a,"b ""c"" d",é\n2,2,"two\nlines",,\n');
});

test('any fields come back as they were, missing ones empty and those beyond the width left out', async () => {
  const fields = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '漢', '"', '\n', '\r', ','), maxLength: 12 });
  const grids = fc.array(fc.array(fields, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(grids, fc.integer({ min: 1, max: 6 }), async (grid, width) => {
      const csv = grid.map((row) => `${row.map(quoted).join(',')}\n`).join('');
      const text = await written(csv, (writer, number, row) => writer.addFields(number, row, width, WHOLE));
      let line = 1;
      const expected = grid.map((row, index) => {
        const cells = Array.from({ length: width }, (_, column) => (column < row.length ? quoted(row[column]) : ''));
        const record = [index + 1, line, ...cells].join(',');
        line += row.join('').split('\n').length;
        return `${record}\n`;
      });
      assert.equal(text, expected.join(''));
    }),
    { numRuns: 60 },
  );
});

test('quotes that are not doubled, and NUL bytes, are written so that any reader takes them', async () => {
  const csv = '5" pipe,"the "big" ""one""",a\0b\n';
  const text = await written(csv, (writer, number, row) => writer.addFields(number, row, 3, WHOLE));
  assert.equal(text, '1,1,"5"" pipe","the ""big"" ""one""","a\ufffdb"\n');
});

test('a field is cut to the bytes that are kept of it, never within a character', async () => {
  const cut = (field: string, most: number) =>
    written(`${field}\n`, (writer, number, row) => writer.addFields(number, row, 1, most)).then((text) => text.slice(4, -1));
  assert.equal(await cut('abcdef', 3), 'abc');
  assert.equal(await cut('abc', 3), 'abc');
  assert.equal(await cut('aé漢🏦', 1), 'a');
  assert.equal(await cut('aé漢🏦', 2), 'a');
  assert.equal(await cut('aé漢🏦', 3), 'aé');
  assert.equal(await cut('aé漢🏦', 5), 'aé');
  assert.equal(await cut('aé漢🏦', 6), 'aé漢');
  assert.equal(await cut('aé漢🏦', 9), 'aé漢');
  assert.equal(await cut('aé漢🏦', 10), 'aé漢🏦');
});

test('a whole field stays whole, whatever stands in memory behind it', async () => {
  for (const behind of [0x80, 0xbf, 0xa9]) {
    const text = await written('ab,VI - 00\n', (writer, number, row) => {
      // As behind the last cell of a worksheet's row, where bytes of an earlier row are left.
      row.bytes[row.ends[1]] = behind;
      writer.addFields(number, row, 2, WHOLE);
    });
    assert.equal(text, '1,1,ab,VI - 00\n');
  }
});

test('fields longer than a block of memory are written whole, between short ones', async () => {
  const long = 'y'.repeat(3 * 1024 * 1024);
  const csv = `a,${long}\nb,"${long.slice(1)}"\nc,z\n`;
  for (const add of ['addClean', 'addFields'] as const) {
    const text = await written(csv, async (writer, number, row) => {
      if (add === 'addClean') writer.addClean(number, row);
      else writer.addFields(number, row, 2, WHOLE);
      await writer.flush();
    });
    const [first, second, third] = text.split('\n');
    assert.equal(first, `1,1,a,${long}`);
    assert.equal(second?.replaceAll('"', ''), `2,2,b,${long.slice(1)}`);
    assert.equal(third, '3,3,c,z');
  }
});

test('blocks that are written while the next are filled keep their bytes', async () => {
  const rows = 40_000;
  const csv = Array.from({ length: rows }, (_, index) => `L${index},${'v'.repeat(index % 300)}`).join('\n');
  const text = await written(csv, async (writer, number, row) => {
    writer.addClean(number, row);
    if (number % 1_000 === 0) await writer.flush();
  });
  const expected = Array.from(
    { length: rows },
    (_, index) => `${index + 1},${index + 1},L${index},${'v'.repeat(index % 300)}\n`,
  ).join('');
  assert.equal(text === expected, true);
});

test('runs of bytes are copied whole, short or long', () => {
  for (const length of [0, 1, 48, 49, 50, 500]) {
    const from = Buffer.from(`..${'abc'.repeat(200)}`);
    const to = Buffer.alloc(600, 46);
    assert.equal(copyBytes(from, 2, 2 + length, to, 5), length);
    assert.equal(to.toString('latin1'), `.....${'abc'.repeat(200).slice(0, length)}`.padEnd(600, '.'));
  }
});

test('a long table lies in several files, which begin with a row and are read in their order', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'canonical-'));
  await using engine = await openEngine({ workDir: dir, allowedDirectories: [dir] });
  const rows = 5_000;
  const csv = Array.from({ length: rows }, (_, index) => `"loan\n${index}",${index}\n`).join('');
  const path = join(dir, 'canonical.csv');
  const writer = await CanonicalWriter.create(path, 4_096);
  const scanner = new CsvScanner({ delimiter: ',', lineEnd: 'LF' }, LIMITS);
  scanner.feed(Buffer.from(csv));
  scanner.end();
  for (let number = 1; scanner.next(); number += 1) {
    writer.addClean(number, scanner.row);
    if (number % 700 === 0) await writer.flush();
  }
  await writer.flush(true);
  await writer[Symbol.asyncDispose]();
  const texts = await Promise.all(writer.paths.map((each) => readFile(each, 'utf8')));
  assert.ok(texts.length > 20, `${texts.length} files`);
  for (const text of texts) assert.match(text, /^\d+,\d+,"loan\n/);
  const columns = [0, 1].map((index) => ({ index, name: `c${index}`, normalized: `c${index}` }));
  const source = rawTableSource({ csvPaths: writer.paths, columns, multiline: true });
  await engine.run(copyToParquet(`SELECT * FROM ${source}`, join(dir, 'raw.parquet')));
  const found = await engine.rows<{ row_number: number; c0: string; c1: string }>(
    `SELECT row_number, c0, c1 FROM ${parquet(join(dir, 'raw.parquet'))}`,
  );
  assert.deepEqual(
    found,
    Array.from({ length: rows }, (_, index) => ({ row_number: index + 1, c0: `loan\n${index}`, c1: String(index) })),
  );
  await rm(dir, { recursive: true });
});
