import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf, tableOf } from '../testing/read-for-test.ts';
import { rowsXml, type SheetSpec, type WorkbookSpec, workbookOf } from '../testing/workbook-for-test.ts';

const HEADER = ['loan_id', 'state', 'balance'];
const loans = (count: number) => Array.from({ length: count }, (_, index) => [`A${index}`, 'NY', 100 + index]);
const sheet = (name: string, count: number, header = HEADER): SheetSpec => ({ name, rows: rowsXml([header, ...loans(count)]) });

const read = (spec: Partial<WorkbookSpec> & Pick<WorkbookSpec, 'sheets'>) => tableOf(workbookOf(spec), { format: 'xlsx' });

async function chosen(...sheets: SheetSpec[]): Promise<string | undefined> {
  return (await read({ sheets })).table.sheet?.name;
}

/** A sheet with this XML as its only row below the header. */
async function cellsOf(cells: string, spec: Partial<WorkbookSpec> = {}) {
  const rows = `${rowsXml([HEADER])}<row r="2">${cells}</row>`;
  return await read({ sheets: [{ name: 'Tape', rows }], ...spec });
}

test('the sheet with more loans and more columns is the tape', async () => {
  assert.equal(await chosen(sheet('one', 3), sheet('two', 30)), 'two');
  assert.equal(await chosen(sheet('one', 30), sheet('two', 3)), 'one');
  assert.equal(await chosen(sheet('one', 10, ['a', 'b']), sheet('two', 10)), 'two');
  assert.equal(await chosen(sheet('one', 10), sheet('two', 10)), 'one');
});

test('a name that speaks of loans weighs half as much again, one that speaks of something else a third', async () => {
  assert.equal(await chosen(sheet('one', 20), sheet('Loan tape', 10)), 'Loan tape');
  assert.equal(await chosen(sheet('one', 23), sheet('Loan tape', 10)), 'one');
  assert.equal(await chosen(sheet('Summary', 50), sheet('x', 5)), 'x');
  assert.equal(await chosen(sheet('Summary of loans', 50), sheet('x', 5)), 'x');
  assert.equal(await chosen(sheet('Summary', 50), sheet('x', 4)), 'Summary');
});

test('a sheet without a value is not named among those that were not read, one without a header is', async () => {
  const { table } = await read({
    sheets: [{ name: 'Empty', rows: '' }, sheet('Tape', 3), { name: 'Cover', rows: rowsXml([['x']]) }],
  });
  assert.deepEqual(table.sheet, { name: 'Tape', index: 1, hidden: [], others: ['Cover'] });
});

test('a sheet with the same names in another case is named as alike, one with other names is not', async () => {
  const upper = HEADER.map((name) => name.toUpperCase());
  const { table } = await read({ sheets: [sheet('Tape', 9), sheet('B', 2, upper), sheet('C', 2, ['loan_id', 'state', 'rate'])] });
  const messages = table.notices.map((notice) => notice.message).filter((message) => message.includes('same columns'));
  assert.deepEqual(
    messages.map((message) => /sheet "(\w+)"/.exec(message)?.[1]),
    ['B'],
  );
});

test('two hundred sheets are looked at, one more is refused', async () => {
  const sheets = (count: number) =>
    Array.from({ length: count }, (_, index) => (index === 150 ? sheet('Tape', 2) : { name: `s${index}`, rows: '' }));
  assert.equal((await read({ sheets: sheets(200) })).table.sheet?.index, 150);
  const problem = await problemOf(workbookOf({ sheets: sheets(201) }), 'xlsx');
  assert.match(problem.message, /has 201 sheets, at most 200/);
  const hidden = sheets(201).map((one, index) => (index === 3 ? { ...one, state: 'hidden' as const } : one));
  assert.equal((await read({ sheets: hidden })).table.sheet?.index, 150);
});

test('the last column of a sheet is read, one beyond it is refused', async () => {
  const wide = workbookOf({
    sheets: [
      { name: 'Tape', rows: `${rowsXml([HEADER, ...loans(1)])}<row r="3"><c r="A3"><v>1</v></c><c r="XFD3"><v>1</v></c></row>` },
    ],
  });
  const { table } = await tableOf(wide, { format: 'xlsx' });
  assert.deepEqual(
    table.malformedRows.map(({ row_number, actual }) => [row_number, actual]),
    [[2, '16384 fields']],
  );
  const beyond = workbookOf({
    sheets: [{ name: 'Tape', rows: `${rowsXml([HEADER])}<row r="2"><c r="XFE2"><v>1</v></c></row>` }],
  });
  assert.match((await problemOf(beyond, 'xlsx')).message, /cell XFE2.*A to XFD/);
});

test('rows are numbered from 1 to 1,048,576', async () => {
  const rows = (number: number) => `${rowsXml([HEADER])}<row r="${number}"><c r="A${number}"><v>1</v></c></row>`;
  const last = await read({ sheets: [{ name: 'Tape', rows: rows(1_048_576) }] });
  assert.deepEqual(last.lines, [1_048_576]);
  for (const number of [1_048_577, 0, -1, 1.5e9])
    assert.match((await problemOf(workbookOf({ sheets: [{ name: 'Tape', rows: rows(number) }] }), 'xlsx')).message, /row number/);
});

test('a row and a cell without a reference follow the one before them', async () => {
  const rows = `${rowsXml([HEADER], 3)}<row><c t="str"><v>A1</v></c><c r="C9"><v>5</v></c></row><row r="8"><c r="B8"><v>7</v></c><c><v>8</v></c></row>`;
  const { lines, rows: seen } = await read({ sheets: [{ name: 'Tape', rows }] });
  assert.deepEqual(lines, [4, 8]);
  assert.deepEqual(seen, [
    ['A1', null, '5'],
    [null, '7', '8'],
  ]);
});

test('a string by number is one that the workbook has', async () => {
  const cell = (index: string) =>
    cellsOf(`<c r="A2" t="s"><v>${index}</v></c><c r="B2"><v>1</v></c>`, { strings: ['<t>x</t>', '<t>y</t>'] });
  assert.equal((await cell('1')).rows[0][0], 'y');
  assert.equal((await cell(' 0 ')).rows[0][0], 'x');
  for (const index of ['2', '1.5', 'x', '-1', '1e0'])
    await assert.rejects(cell(index), /cell A2 of .* names shared string/, index);
});

test('a cell of each type is the text that the sheet shows', async () => {
  const cases: [string, string | null][] = [
    ['<c r="B2" t="n"><v>1.5</v></c>', '1.5'],
    ['<c r="B2" t="b"><v>0</v></c>', 'FALSE'],
    ['<c r="B2" t="b"><v>1</v></c>', 'TRUE'],
    ['<c r="B2" t="e"><v>#DIV/0!</v></c>', '#DIV/0!'],
    ['<c r="B2" t="str"><v>a_x0009_b</v></c>', 'a\tb'],
    ['<c r="B2" t="d"><v>2024-02-29</v></c>', '2024-02-29'],
    ['<c r="B2" t="inlineStr"><is><t>x</t></is></c>', 'x'],
    ['<c r="B2" t="inlineStr"><v>no</v></c>', null],
    ['<c r="B2"><is><t>no</t></is></c>', null],
    ['<c r="B2" s="99"><v>7</v></c>', '7'],
    ['<c r="B2" s=""><v>7</v></c>', '7'],
    ['<c r="b2"><v>7</v></c>', '7'],
    ['<c r="B2"><f>1+1</f><v>2</v></c>', '2'],
    ['<c r="B2" cm="1" vm="2"><v>2</v></c>', '2'],
  ];
  for (const [xml, text] of cases) assert.equal((await cellsOf(`<c r="A2"><v>1</v></c>${xml}`)).rows[0][1], text, xml);
});

test('a date, an error and a text are no number, whatever number format their cell has', async () => {
  for (const type of ['d', 'e', 'str']) {
    const cells = ['B', 'C'].map((column, index) => `<c r="${column}2" s="${index + 1}" t="${type}"><v>2024</v></c>`);
    const { rows, table } = await cellsOf(`<c r="A2"><v>1</v></c>${cells.join('')}`, { formats: ['yyyy-mm-dd', '0%'] });
    assert.deepEqual(rows[0], ['1', '2024', '2024'], type);
    assert.deepEqual([table.columns[1].formats, table.columns[2].formats], [undefined, undefined], type);
  }
});

test('a formula without a value is told, one of text without a value is empty text', async () => {
  const { codes, table } = await cellsOf('<c r="A2"><v>1</v></c><c r="B2"><f>A1</f></c><c r="C2"><f>A1</f><v></v></c>');
  assert.deepEqual(codes, ['FORMULA_WITHOUT_VALUE']);
  assert.match(table.notices[0].message, /^2 formula\(s\).*first in B2/);
  assert.deepEqual((await cellsOf('<c r="A2"><v>1</v></c><c r="B2" t="str"><f>A1</f><v></v></c>')).codes, []);
});

test('a number cell of blanks has no number to show, and is empty', async () => {
  const blanks = (format: number) => `<row r="3"><c r="A3" s="${format}"><v> </v></c></row>`;
  const loan = (row: number) => `<row r="${row}"><c r="A${row}"><v>${row}</v></c></row>`;
  for (const format of [1, 2]) {
    const rows = `${rowsXml([HEADER])}${loan(2)}${blanks(format)}${loan(4)}`;
    const { rows: seen, codes } = await read({ sheets: [{ name: 'Tape', rows }], formats: ['yyyy-mm-dd', '0%'] });
    assert.deepEqual([seen.map(([id]) => id), codes], [['2', '4'], []], String(format));
  }
});

test('the mark of a column says which of its cells were dates and percents', async () => {
  const formats = { formats: ['yyyy-mm-dd', '0%'] };
  const { table, rows } = await cellsOf(
    '<c r="A2"><v>1</v></c><c r="B2" s="1"><v>45351.75</v></c><c r="C2" s="2"><v>0.5</v></c>',
    formats,
  );
  assert.deepEqual(rows[0], ['1', '2024-02-29T18:00:00', '50%']);
  assert.deepEqual(
    table.columns.map((column) => column.formats),
    [undefined, { date: true }, { percent: true }],
  );
  const wrong = await cellsOf(
    '<c r="A2"><v>1</v></c><c r="B2" s="1"><v>-5</v></c><c r="C2" s="2" t="str"><v>n/a</v></c>',
    formats,
  );
  assert.deepEqual(
    [wrong.rows[0], wrong.table.columns[1].formats, wrong.table.columns[2].formats],
    [['1', '-5', 'n/a'], undefined, undefined],
  );
});

test('merged cells above the loans are no matter, those among them are told', async () => {
  const merged = async (...ranges: string[]) => {
    const after = `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`;
    return (await read({ sheets: [{ ...sheet('Tape', 3), after }] })).table.notices.map((notice) => notice.message);
  };
  assert.deepEqual(await merged('A1:C1'), []);
  assert.match((await merged('A1:C1', 'A2:A3', 'B2:B3'))[0], /^2 range\(s\).*\(A2:A3, B2:B3\)/);
  assert.match((await merged('A1:A2'))[0], /^1 range/);
});

test('hidden rows are read and counted', async () => {
  const hide = (xml: string, value: string) => xml.replaceAll('<row ', `<row hidden="${value}" `);
  const rows = (value: string) => rowsXml([HEADER]) + hide(rowsXml(loans(2), 2), value);
  for (const [value, count] of [
    ['1', 1],
    ['true', 1],
    ['0', undefined],
    ['false', undefined],
  ] as const) {
    const { table } = await read({ sheets: [{ name: 'Tape', rows: rows(value) }] });
    assert.deepEqual([table.rowCount, table.noticeCounts.HIDDEN_ROWS], [2, count], value);
  }
});

test('a sheet that ends before its rows do is refused, wherever it is cut', async () => {
  const whole = `<worksheet><sheetData>${rowsXml([HEADER, ...loans(80)])}</sheetData></worksheet>`;
  const cutAt = (end: number) => {
    const parts = [{ name: 'xl/worksheets/sheet1.xml', data: whole.slice(0, end) }];
    return problemOf(workbookOf({ sheets: [sheet('Tape', 1)], parts }), 'xlsx');
  };
  const row = whole.indexOf('<row r="70">');
  for (const end of [row, row + 12, row + 40, whole.indexOf('</sheetData>')]) {
    const problem = await cutAt(end);
    assert.deepEqual(
      [problem.code, /sheet1\.xml" ends within/.test(problem.message)],
      ['UNREADABLE_FILE', true],
      problem.message,
    );
  }
});

test('a sheet with a cell or a row twice is refused, since programs show different ones of the two', async () => {
  const number = (ref: string, value: number) => `<c r="${ref}"><v>${value}</v></c>`;
  const problem = async (rows: string) => {
    const { code, message } = await problemOf(workbookOf({ sheets: [{ name: 'Tape', rows: rowsXml([HEADER]) + rows }] }), 'xlsx');
    return `${code} ${message}`;
  };
  const row = (line: number, ...cells: string[]) => `<row r="${line}">${cells.join('')}</row>`;
  const [a2, b2, c2] = [number('A2', 1), number('B2', 2), number('C2', 3)];
  assert.match(await problem(row(2, a2, b2, c2, number('C2', 900))), /^UNREADABLE_FILE .* has cell C2 twice/);
  assert.match(await problem(row(2, a2, c2, number('A2', 900), b2)), /has cell A2 twice/);
  assert.match(await problem(row(2, a2, b2, `<c r="B2" t="inlineStr"><is><t>x</t></is></c>`)), /has cell B2 twice/);
  assert.match(await problem(row(2, a2, b2, c2) + row(2, a2, b2, number('C2', 900))), /has row 2 twice/);
  assert.match(await problem(row(3, number('A3', 1)) + row(2, a2, b2)), /has row 2 below row 3/);
  const { table } = await read({ sheets: [{ name: 'Tape', rows: rowsXml([HEADER]) + row(2, '<c r="A2" s="0"/>', a2, b2, c2) }] });
  assert.equal(table.rowCount, 1, 'a cell without a value takes nothing from the other one');
});

test('a row of more bytes than a row may have is malformed, and its neighbours are whole', async () => {
  const long = 'x'.repeat(300_000);
  const rows = rowsXml([HEADER, ...loans(1), ['A2', long, long], ...loans(1)]);
  const { table, rows: seen } = await read({ sheets: [{ name: 'Tape', rows }] });
  assert.deepEqual(
    table.malformedRows.map(({ row_number, line }) => [row_number, line]),
    [[2, 3]],
  );
  assert.deepEqual(
    [seen[0], seen[2]],
    [
      ['A0', 'NY', '100'],
      ['A0', 'NY', '100'],
    ],
  );
  const ofBytes = async (count: number) => {
    const cells = ['A2', 'x'.repeat(200_000), 'x'.repeat(count - 200_002)];
    return (await read({ sheets: [{ name: 'Tape', rows: rowsXml([HEADER, ...loans(1), cells]) }] })).table.malformedRows.length;
  };
  assert.deepEqual([await ofBytes(512 * 1024), await ofBytes(512 * 1024 + 1)], [0, 1]);
});

test('line breaks within a cell are part of its text', async () => {
  const { rows, table } = await cellsOf('<c r="A2"><v>1</v></c><c r="B2" t="inlineStr"><is><t>two\nlines</t></is></c>');
  assert.deepEqual([rows[0][1], table.multiline], ['two\nlines', true]);
});
