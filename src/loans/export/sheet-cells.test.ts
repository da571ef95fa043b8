import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readXlsx } from 'hucre/xlsx';
import fc from '../../../test/support/property.ts';
import { tableOf } from '../reading/testing/read-for-test.ts';
import { evaluate, openBench } from '../testing/evaluate.ts';
import { withoutApostrophe } from '../reading/correction.ts';
import { csvLine, neutraliseFormula } from './spreadsheet-text.ts';
import { type Cell, writeWorkbook, type WorkbookInput, writeWorkbookOf } from './workbook-writer.ts';

async function bytesOf(input: Partial<WorkbookInput>): Promise<Buffer> {
  return Buffer.concat(
    await Array.fromAsync(writeWorkbook({ sheetName: 'Loans', header: ['loan', 'note'], rows: [], ...input })),
  );
}

/** The cells of a workbook as our own reader takes them. */
async function readBack(rows: readonly Cell[][]) {
  return await tableOf(await bytesOf({ rows }), { format: 'xlsx' });
}

test('any text that a workbook was written with comes back, whatever characters it has', async () => {
  const unit = fc.constantFrom(
    'a',
    ' ',
    '<',
    '&',
    '"',
    "'",
    '>',
    '_',
    'x',
    '0',
    'é',
    '漢',
    '🏦',
    '\t',
    '\n',
    '\r',
    '\u0001',
    '\u001f',
    '\ufffe',
    '_x000D_',
    '_x005F_',
  );
  const texts = fc.array(fc.string({ unit, minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(texts, async (list) => {
      const { rows } = await readBack(list.map((text, index) => [`id-${index}`, `.${text}.`]));
      assert.deepEqual(
        rows.map((row) => row[1]),
        list.map((text) => `.${text}.`),
      );
    }),
    { numRuns: 60 },
  );
});

test('half of a pair of a character is written so that the workbook can be read', async () => {
  const { rows } = await readBack([
    ['id-1', 'a\ud83cb'],
    ['id-2', '\udfe6'],
  ]);
  assert.deepEqual(
    rows.map((row) => row[1]),
    ['a\ufffdb', '\ufffd'],
  );
});

test('a cell has at most the 32,767 characters that a spreadsheet can hold, and says where it was cut', async () => {
  const { rows } = await readBack([
    ['id-1', 'x'.repeat(32_767)],
    ['id-2', 'y'.repeat(32_768)],
    ['id-3', '🏦'.repeat(20_000)],
    ['id-4', `z${'🏦'.repeat(20_000)}`],
  ]);
  assert.deepEqual(
    rows.slice(0, 2).map((row) => row[1]?.length),
    [32_767, 32_767],
  );
  // The cut is never within a character.
  for (const row of rows.slice(2)) assert.match(row[1] ?? '', /^z?(?:🏦)+ … \[cut/u);
  assert.equal(rows[0]?.[1], 'x'.repeat(32_767));
  assert.match(rows[1]?.[1] ?? '', /y … \[cut: a cell cannot hold these 32768 characters, a CSV file does\]$/);
});

test('numbers with a format come back as what the sheet shows', async () => {
  const { rows, table } = await readBack([
    [
      { number: '45351', format: 'date' },
      { number: '0.0725', format: 'percent' },
    ],
    [
      { number: '1', format: 'date' },
      { number: '1.5', format: 'amount' },
    ],
  ]);
  assert.deepEqual(rows, [
    ['2024-02-29', '7.25%'],
    ['1900-01-01', '1.5'],
  ]);
  assert.deepEqual(table.columns[0].formats, { date: true });
});

test('numbers that are none are written as text, whole numbers of any size to their last digit', async () => {
  const { rows } = await readBack([
    ['id-1', Number.NaN],
    ['id-2', Number.POSITIVE_INFINITY],
    ['id-3', 12345678901234567890n],
    ['id-4', -0.5],
    ['id-5', false],
  ]);
  assert.deepEqual(
    rows.map((row) => row[1]),
    ['NaN', 'Infinity', '12345678901234567890', '-0.5', 'FALSE'],
  );
});

test('rows wider than the header keep their columns', async () => {
  const { sheets } = await readXlsx(await bytesOf({ header: ['a'], rows: [['1', null, '3']] }));
  assert.deepEqual(sheets[0].rows?.[1], ['1', null, '3']);
});

test('a sheet that is exactly full is followed by another, which may have the header alone', async () => {
  const sheets = async (rows: number) => {
    const list = Array.from({ length: rows }, (_, index) => [`L${index}`]);
    const read = await readXlsx(await bytesOf({ header: ['id'], rows: list, maxSheetRows: 4 }));
    return read.sheets.map((sheet) => (sheet.rows ?? []).length);
  };
  assert.deepEqual([await sheets(0), await sheets(2), await sheets(4), await sheets(7)], [[1], [3], [4, 2], [4, 4, 2]]);
});

test('the name of a sheet has no character that a spreadsheet refuses, and 31 of them with its number', async () => {
  const names = async (sheetName: string, rows: number) =>
    (await readXlsx(await bytesOf({ sheetName, rows: Array.from({ length: rows }, () => ['x']), maxSheetRows: 2 }))).sheets.map(
      (sheet) => sheet.name,
    );
  assert.deepEqual(await names('a/b\\c?d*e[f]g:h & <i>', 0), ['a b c d e f g h & <i>']);
  const long = await names('n'.repeat(40), 2);
  assert.deepEqual(long, ['n'.repeat(31), `${'n'.repeat(27)} (2)`, `${'n'.repeat(27)} (3)`]);
});

test('the rows of every sheet that was not read to its end are closed', async () => {
  const closed: string[] = [];
  async function* rows(name: string): AsyncGenerator<string[]> {
    try {
      for (;;) yield [name, crypto.randomUUID()];
    } finally {
      closed.push(name);
    }
  }
  let seen = 0;
  for await (const chunk of writeWorkbookOf([
    { sheetName: 'A', header: ['x'], rows: rows('A') },
    { sheetName: 'B', header: ['x'], rows: rows('B') },
  ])) {
    seen += chunk.length;
    if (seen > 100_000) break;
  }
  assert.deepEqual(closed, ['A']);
});

test('a line of CSV is read back by any reader, and quoted only where it must be', () => {
  const cases: [(string | null)[], string][] = [
    [['a', 'b'], 'a,b'],
    [[null, ''], ','],
    [[' a', 'b ', 'c d'], '" a","b ",c d'],
    [['a,b', 'a"b', 'a\rb', 'a\nb'], '"a,b","a""b","a\rb","a\nb"'],
    [['=1', '+1', '@x', '\tx'], "'=1,'+1,'@x,'\tx"],
    [['=a,b'], '"\'=a,b"'],
  ];
  for (const [cells, line] of cases) assert.equal(csvLine(cells), `${line}\r\n`);
});

test('a negative number of at most thirty digits on either side is no formula, anything else behind a minus is', () => {
  for (const text of ['-1', '-0.5', `-${'9'.repeat(30)}`, `-1.${'9'.repeat(30)}`])
    assert.equal(neutraliseFormula(text), text, text);
  for (const text of [
    `-${'9'.repeat(31)}`,
    `-1.${'9'.repeat(31)}`,
    '-',
    '-.5',
    '-1.',
    '-1e5',
    '-1,000',
    '- 1',
    '-1-1',
    '-A1',
    '+1',
    '=0',
    '@',
    '\t',
    '\r',
    '\n=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠A1',
  ])
    assert.equal(neutraliseFormula(text), `'${text}`, text);
  for (const text of ['', ' =1', '1=1', 'a-1', "'a", '1＝1']) assert.equal(neutraliseFormula(text), text, JSON.stringify(text));
});

test('every text comes back from a corrected file, with whatever marks it begins', async () => {
  await using bench = await openBench();
  const unit = fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', 'a', '1', '.');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit, minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 60 }),
      async (texts) => {
        assert.deepEqual(await evaluate(bench.engine, withoutApostrophe('t'), texts.map(neutraliseFormula)), texts);
      },
    ),
    { numRuns: 30 },
  );
});
