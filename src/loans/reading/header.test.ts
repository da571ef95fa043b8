import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { columnLetters, findHeader, nameColumns, normalizeHeader } from './header.ts';
import { Notices } from './notices.ts';

/** Rows of cells written `a|b|c`. */
const rows = (...lines: string[]) => lines.map((line) => line.split('|'));
const found = (...lines: string[]) => findHeader(rows(...lines));
const at = (index: number, ...seconds: number[]) => ({ index, seconds });

test('the header is the first row of names, above values of any kind', () => {
  for (const values of ['A1|100|5%', 'A1|$1,000.50|(3)', 'A1|2020-01-31|36 months', 'A1|Jan-2020|n/a', 'A1|USD 5|true'])
    assert.deepEqual(found('loan_id|balance|rate', values), at(0), values);
});

test('a row of values is no header, whatever the kind of the values', () => {
  const values = [
    '1|2|3',
    '$5|(5)|5%',
    '2020-01-31|01/31/2020|Jan-20',
    '1e3|.5|-7',
    '36 months|5 years|10 days',
    'N/A|null|none',
    'yes|no|true',
  ];
  for (const line of values) assert.equal(found(line, line), null, line);
  assert.equal(findHeader([]), null);
  assert.equal(found('', '|'), null);
});

test('a header needs names in three of five of its cells', () => {
  assert.deepEqual(found('a name|b name|c name|1|2', '1|2|3|4|5'), at(0));
  assert.equal(found('a name|b name|1|2|3', '1|2|3|4|5'), null);
});

test('columns that are numbered beside each other are names, a number of a loan is not', () => {
  const numbered = ['Loan', ...Array.from({ length: 9 }, (_, index) => `Attribute ${100 + index}`)];
  const loan = ['L-1001', ...Array.from({ length: 9 }, (_, index) => String(index))];
  assert.deepEqual(findHeader([numbered, loan, loan]), { index: 0, seconds: [] });
  assert.equal(
    findHeader([
      ['LN-1001', 'AC-2001'],
      ['LN-1002', 'AC-2002'],
    ]),
    null,
  );
});

test('a header fills at least half of the width of the table, and two cells where there are two', () => {
  assert.deepEqual(found('loan|balance||', '1|2|3|4', '5|6|7|8'), at(0));
  assert.deepEqual(found('loan|||', 'loan|balance|rate|term', '1|2|3|4', '5|6|7|8'), at(1));
  assert.deepEqual(found('Tape of June|', 'loan|balance', '1|2', '3|4'), at(1));
  assert.deepEqual(found('loan', '1', '2'), at(0));
});

test('a row that numbers the columns is a header', () => {
  const [names, loan] = ['id|date|balance|rate|term|state', 'L1|2024-01-31|100|5|36|TX'];
  assert.deepEqual(found(names, '1|2|3|4|5|6', loan, loan), at(0, 1));
  assert.deepEqual(found(names, '(1)|(2)|(3)|(4)|(5)|(6)', 'text|date|USD|%|months|text', loan, loan), at(0, 1, 2));
  assert.deepEqual(found('1|2|3|4|5|6', names, loan, loan), at(1));
  assert.deepEqual(found(names, '1|2|3|4|5|7', loan, loan), at(0));
  assert.deepEqual(found(names, '1|2|3|4|5|6'), at(0), 'it is all that there is');
  assert.deepEqual(found('id|date|balance', '1|2|3', 'L1|2024-01-31|100'), at(0), 'three numbers may be those of a loan');
});

test('a cell of more than 200 characters is no name', () => {
  assert.deepEqual(found(`${'n'.repeat(200)}|a name`, '1|2'), at(0));
  assert.equal(found(`${'n'.repeat(201)}|1`, '1|2'), null);
});

test('of several header rows the one with the most different names is the header, the others are neither it nor loans', () => {
  assert.deepEqual(found('X1|X2|X3', 'limit|sex|age', '20000|2|24'), at(1, 0));
  assert.deepEqual(found('limit|sex|age', 'X1|X2|X3', '20000|2|24'), at(0, 1));
  assert.deepEqual(found('Loan|Loan|Loan', 'id|balance|rate', '1|2|3'), at(1, 0));
  assert.deepEqual(found('loan|balance|rate', 'text|USD|%', 'A|1|2'), at(0, 1));
  assert.deepEqual(found('loan|opened', 'text|MM/DD/YYYY', 'A|01/31/2020'), at(0, 1));
});

test('placeholders of missing names are names only where there are no others', () => {
  for (const names of ['V1|V2', 'Column 1|Column 2', 'field_1|field_2', 'Unnamed: 0|Unnamed: 1', 'var1|var2'])
    assert.deepEqual(found(names, 'real name|other name', '1|2'), at(1, 0), names);
  assert.deepEqual(found('X1|X2', '1|2'), at(0));
});

test('rows of words only below a header are loans', () => {
  assert.deepEqual(found('status|state|grade', 'Paid|NY|A', 'Late|CA|B', 'Paid|TX|C'), at(0));
  assert.deepEqual(found('status|state', 'Paid|NY'), at(0));
  assert.deepEqual(found('loan|city', 'id-7|Boston', 'id-8|Salem'), at(0));
  assert.deepEqual(found('loan|city|income', 'id-7|Boston|unverified', 'id-8|Salem|52000'), at(0));
});

test('a second row of words above values of numbers is a header', () => {
  assert.deepEqual(found('Loan|Balance', 'number here|amount here', '1|100', '2|200'), at(0, 1));
  assert.deepEqual(found('Loan|Balance', 'part 1 of it|amount here', '1|100', '2|200'), at(0, 1));
  assert.deepEqual(found('Loan|Balance', 'part 1 of it|amount here', '|100', '|200'), at(0, 1));
});

test('a row that repeats further down is data, even above numbers', () => {
  assert.deepEqual(found('loan|status', 'new one|Paid', '2|Paid', '3|Late'), at(0));
});

test('letters of columns count as a spreadsheet counts them', () => {
  const cases: [number, string][] = [
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [51, 'AZ'],
    [52, 'BA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [16_383, 'XFD'],
  ];
  for (const [index, letters] of cases) assert.equal(columnLetters(index), letters);
  fc.assert(
    fc.property(fc.nat({ max: 20_000 }), (index) => {
      const back = Array.from(columnLetters(index)).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
      assert.equal(back, index);
    }),
  );
});

test('a name is compared in lower case, runs of other than letters and digits as one line', () => {
  const cases: [string, string][] = [
    ['Loan ID', 'loan_id'],
    ['  Rate (%) ', 'rate'],
    ['Orig. Bal. -- USD', 'orig_bal_usd'],
    ['Größe', 'größe'],
    ['貸付番号', '貸付番号'],
    ['e\u0301tat', 'état'],
    ['__proto__', 'proto'],
    ['***', ''],
  ];
  for (const [name, normalized] of cases) assert.equal(normalizeHeader(name), normalized);
});

test('repeated and empty names get a name of their own, and a notice where they matter', () => {
  const notices = new Notices();
  const data = rows('1|2|3|4||6', '|||||');
  const columns = nameColumns(['Rate', 'rate', '', 'RATE!', '', 'rate_2'], data, 7, notices, false);
  assert.deepEqual(
    columns.map(({ index, name, normalized }) => [index, name, normalized]),
    [
      [0, 'Rate', 'rate'],
      [1, 'rate', 'rate_2'],
      [2, '', 'column_3'],
      [3, 'RATE!', 'rate_3'],
      [4, '', 'column_5'],
      [5, 'rate_2', 'rate_2_2'],
    ],
  );
  assert.deepEqual(
    notices.list.map(({ code, line, column, actual }) => [code, line, column, actual]),
    [
      ['DUPLICATE_HEADER', 7, 'rate_2', 'rate'],
      ['EMPTY_HEADER', 7, 'column_3', undefined],
      ['DUPLICATE_HEADER', 7, 'rate_3', 'RATE!'],
      ['DUPLICATE_HEADER', 7, 'rate_2_2', 'rate_2'],
    ],
  );
  assert.match(notices.list[0].message, /^Column 2 repeats .* kept as rate_2\.$/);
  assert.match(notices.list[1].message, /^Column 3 has values .* kept as column_3\.$/);
  assert.ok(columns.every((column) => !('letter' in column)));
});

test('columns of a sheet carry their letters', () => {
  const columns = nameColumns(['a', 'b'], [], 1, new Notices(), true);
  assert.deepEqual(columns, [
    { index: 0, name: 'a', normalized: 'a', letter: 'A' },
    { index: 1, name: 'b', normalized: 'b', letter: 'B' },
  ]);
});

test('names of columns are different whatever the header is', () => {
  const names = fc.array(fc.constantFrom('', 'a', 'A', 'a_2', 'a 2', 'column_1', '*'), { maxLength: 30 });
  fc.assert(
    fc.property(names, (header) => {
      const normalized = nameColumns(header, [], 1, new Notices(), false).map((column) => column.normalized);
      assert.equal(new Set(normalized).size, header.length);
      assert.ok(normalized.every((name) => name !== ''));
    }),
  );
});
