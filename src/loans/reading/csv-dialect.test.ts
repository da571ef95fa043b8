import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { detectDialect } from './csv-dialect.ts';
import { tapeLimits } from './raw-table.ts';

const detect = (text: string, whole = true) => detectDialect(Buffer.from(text), tapeLimits('csv'), whole);
const delimiterOf = (text: string) => detect(text).delimiter;

test('the delimiter is the one with which most rows have the same number of fields', () => {
  const cases: [string, string][] = [
    ['a,b\n1,2\n', ','],
    ['a;b\n1;2\n', ';'],
    ['a\tb\n1\t2\n', '\t'],
    ['a|b\n1|2\n', '|'],
    ['a;b;c\n1,5;2,5;x\n1,25;3;y\n', ';'],
    ['a,b;c,d\n1,2;3,4\n', ','],
    ['amount;note\n"1;5";"a;b"\n2;c\n', ';'],
    ['name\nAcme, Inc\nOther, Ltd\nThird\n', ','],
    ['one column\n1\n2\n', ','],
    ['', ','],
  ];
  for (const [text, delimiter] of cases) assert.equal(delimiterOf(text), delimiter, JSON.stringify(text));
});

test('of two delimiters that fit every row the one with more fields is taken, and the comma among equals', () => {
  assert.equal(delimiterOf('a;b,c;d\n1;2,3;4\n'), ';');
  assert.equal(delimiterOf('a,b;c\n1,2;3\n'), ',');
});

test('banners of one cell and blank lines do not outvote the table', () => {
  assert.equal(delimiterOf('Tape, as of June\n\n\na|b|c\n1|2|3\n1|2|3\n'), '|');
});

test('the first 60 rows decide, the blank ones not counted', () => {
  const commas = 'a,b\n'.repeat(29);
  const pipes = (count: number) => 'a|b|c\n'.repeat(count);
  assert.equal(delimiterOf(commas + pipes(40)), '|');
  // 32 of 60 rows weigh 0.400 for the comma, 28 of 60 weigh 0.389 for the pipe; with one pipe more it is 0.393 to 0.396
  assert.equal(delimiterOf('a,b\n'.repeat(32) + pipes(28)), ',');
  assert.equal(delimiterOf('a,b\n'.repeat(32) + pipes(400)), ',');
  assert.equal(delimiterOf('a,b\n\n'.repeat(32) + pipes(400)), ',');
  assert.equal(delimiterOf('a,b\n'.repeat(31) + pipes(400)), '|');
});

const R_NAMES = '"loan_id" "state" "balance"\n';

test('a table whose values are single blanks apart is recognized where nothing is in doubt', () => {
  const tables = [
    `${R_NAMES}"1" "A1" "New York" 100\n"2" "A2" "TX" NA\n`,
    `${R_NAMES}"A1" "NY" 100.5\n"A2" "" -1e+05\n`,
    `${R_NAMES}"A1" "Acme, Inc" 100\n"A2" "Roe, Max" 200\n"A3" "a;b" 300\n`,
    'loan_id state balance\nA1 NY 100\nA2 TX 200\n',
    'loan_id state balance\r\n1 A1 NY 100\r\n2 A2 TX 200\r\n',
  ];
  for (const text of tables) assert.equal(delimiterOf(text), ' ', text);
  assert.equal(detect(`${R_NAMES}"A1" "NY" 100\n"A2" "TX" 200\n"A3" "N`, false).delimiter, ' ');
});

test('blanks in text are no delimiters', () => {
  const texts: [string, string][] = [
    ['names of three words and nothing else', 'borrower full name\nJohn Q Public\nAnn B Roe\n'],
    ['a column of numbered names', 'Loan Number\nLN 1001\nLN 1002\n'],
    ['columns aligned with blanks', 'loan_id state balance\nA1      NY    100\nA22     TX    200\n'],
    ['a blank at the end of the rows', `${R_NAMES}"A1" "NY" 100 \n"A2" "TX" 200 \n`],
    ['a value with a blank', 'loan_id state balance\nA1 NY 100\nA2 New York 200\n'],
    ['two values less in the header', '"loan_id" "balance"\n"1" "A1" "NY" 100\n"2" "A2" "TX" 200\n'],
    ['one value more in the header', `${R_NAMES}"A1" 100\n"A2" 200\n`],
    ['quotes that are not doubled', `${R_NAMES}"A1" "the \\"big\\" one" 100\n"A2" "TX" 200\n`],
    ['a quote that is escaped', `${R_NAMES}"A1" "5\\"x" 100\n"A2" "TX" 200\n`],
    ['a value with a blank at the end', 'loan_id balance state\nA1 100 NY\nA2 200 New York\n'],
    ['one row alone', `${R_NAMES}"A1" "NY" 100\n`],
    ['a comma in the names', 'loan id,state, of obligor\n1 2 3\n4 5 6\n'],
    ['a comma table of quoted texts', '"loan id","state"\n"A 1","N Y"\n"A 2","T X"\n'],
    ['numbers that are quoted', `${R_NAMES}"A1" "NY" "100"\n"A2" "TX" "200"\n`],
  ];
  for (const [name, text] of texts) assert.equal(delimiterOf(text), ',', name);
});

test('the directive of a spreadsheet is obeyed, in any case and with any line end, against all the rows', () => {
  for (const first of ['sep=;\n', 'SEP=;\r\n', 'Sep=;'])
    assert.equal(delimiterOf(first + (first.endsWith('\n') ? 'a,b\n1,2\n' : '')), ';', JSON.stringify(first));
  assert.equal(delimiterOf('sep=|\na,b\n'), '|');
  assert.equal(delimiterOf('sep=\t\na,b\n'), '\t');
  for (const first of ['sep=:\n', 'sep=;x\n', ' sep=;\n', 'sep;\n', 'xsep=;\n'])
    assert.equal(delimiterOf(`${first}a,b\n1,2\n1,2\n`), ',', JSON.stringify(first));
});

test('an unfinished last row of a sample does not count, that of a whole file does', () => {
  const sample = 'a;b\n1,2,3';
  assert.equal(detect('a;b,c\n1,2', false).delimiter, ',');
  assert.equal(detect(sample, false).delimiter, ';');
});

test('lines end with carriage returns alone only where these are more than the line feeds', () => {
  assert.equal(detect('a,b\r1,2\r').lineEnd, 'CR');
  assert.equal(detect('a,b\r1,"x\ny"\r').lineEnd, 'CR');
  assert.equal(detect('a,b\n1,2\r3\n').lineEnd, 'LF');
  assert.equal(detect('a,b\r\n1,2\r\n').lineEnd, 'LF');
  assert.equal(detect('a,b\r\n1,2\r3,4\r\n').lineEnd, 'LF');
  assert.equal(detect('a,b\r1,2\n').lineEnd, 'LF');
  assert.equal(detect('a,b').lineEnd, 'LF');
});

test('any table without delimiters in its values is recognized', () => {
  const delimiters = fc.constantFrom(',', ';', '\t', '|');
  const widths = fc.integer({ min: 2, max: 30 });
  fc.assert(
    fc.property(delimiters, widths, fc.integer({ min: 1, max: 80 }), (delimiter, width, rows) => {
      const line = Array.from({ length: width }, (_, index) => `v ${index}`).join(delimiter);
      assert.equal(delimiterOf(`${line}\n`.repeat(rows)), delimiter);
    }),
  );
});
