import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readXlsx } from 'hucre/xlsx';
import { csvLine, neutraliseFormula } from './spreadsheet-text.ts';
import { type Cell, writeWorkbook, writeWorkbookOf } from './workbook-writer.ts';

async function bytesOf(input: Parameters<typeof writeWorkbook>[0]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of writeWorkbook(input)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('another reader finds ids as text, numbers as numbers, and every character as it was written', async () => {
  const rows: Cell[][] = [
    ['00123', 12.5, true, null, 'a & b < c > "d"'],
    ['123456789012345678', -3, false, 'two\nlines\ttab', '=HYPERLINK("x")'],
    ['é漢🏦', 10n, null, '', '  kept blanks  '],
  ];
  const workbook = await readXlsx(await bytesOf({ sheetName: 'Exceptions', header: ['id', 'n', 'b', 't', 'u'], rows }));
  assert.equal(workbook.sheets[0].name, 'Exceptions');
  const read = workbook.sheets[0].rows ?? [];
  assert.deepEqual(read[0], ['id', 'n', 'b', 't', 'u']);
  assert.deepEqual(read[1].slice(0, 3), ['00123', 12.5, true]);
  assert.equal(read[1][4], 'a & b < c > "d"');
  assert.deepEqual(read[2], ['123456789012345678', -3, false, 'two\nlines\ttab', '=HYPERLINK("x")']);
  assert.deepEqual([read[3][0], read[3][1], read[3][4]], ['é漢🏦', 10, '  kept blanks  ']);
});

test('rows beyond the limit of a sheet go on in a second sheet under the same header', async () => {
  const rows = Array.from({ length: 10 }, (_, i) => [`L${i}`]);
  const workbook = await readXlsx(await bytesOf({ sheetName: 'Loans', header: ['id'], rows, maxSheetRows: 5 }));
  assert.deepEqual(
    workbook.sheets.map((sheet) => [sheet.name, sheet.rows.length]),
    [
      ['Loans', 5],
      ['Loans (2)', 5],
      ['Loans (3)', 3],
    ],
  );
  assert.deepEqual(workbook.sheets[2].rows, [['id'], ['L8'], ['L9']]);
});

test('each input has its sheet, in their order, and goes on in sheets of its own', async () => {
  const first = { sheetName: 'first', header: ['id'], rows: [['a'], ['b'], ['c']], maxSheetRows: 3 };
  const bytes = Buffer.concat(await Array.fromAsync(writeWorkbookOf([first, { sheetName: 'second', header: ['n'], rows: [] }])));
  assert.deepEqual(
    (await readXlsx(bytes)).sheets.map((sheet) => [sheet.name, sheet.rows]),
    [
      ['first', [['id'], ['a'], ['b']]],
      ['first (2)', [['id'], ['c']]],
      ['second', [['n']]],
    ],
  );
});

test('the same rows give the same bytes', async () => {
  const input = { sheetName: 'A', header: ['x'], rows: [['1'], ['2']] };
  assert.deepEqual(await bytesOf(input), await bytesOf(input));
});

test('a fault in the rows reaches the reader of the bytes', async () => {
  async function* rows(): AsyncGenerator<string[]> {
    yield ['1'];
    throw new Error('the query failed');
  }
  await assert.rejects(bytesOf({ sheetName: 'A', header: ['x'], rows: rows() }), /the query failed/);
});

test('a reader that stops early closes the source of the rows', async () => {
  let closed = false;
  async function* rows(): AsyncGenerator<string[]> {
    try {
      for (;;) yield ['some text that fills the buffer', crypto.randomUUID()];
    } finally {
      closed = true;
    }
  }
  let seen = 0;
  for await (const chunk of writeWorkbook({ sheetName: 'A', header: ['x'], rows: rows() })) {
    seen += chunk.length;
    if (seen > 200_000) break;
  }
  assert.equal(closed, true);
});

test('text that a spreadsheet would run is neutralised, plain negative numbers stay numbers', () => {
  for (const text of ['=1+1', '+cmd|x', '@SUM(A1)', '\tx', '\rx', '-2+3', '-x', '--1'])
    assert.equal(neutraliseFormula(text), `'${text}`);
  for (const text of ['-12.50', '-3', 'a=b', '', '00123']) assert.equal(neutraliseFormula(text), text);
  assert.equal(csvLine(['a,b', 'say "x"', null, '=1', '-5', 'x\ny']), '"a,b","say ""x""",,\'=1,-5,"x\ny"\r\n');
});
