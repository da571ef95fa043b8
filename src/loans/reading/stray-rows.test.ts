import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstFilled, isHeaderAgain, isRemark, isTotalsRow } from './stray-rows.ts';
import { rowOf } from './testing/row-for-test.ts';

test('a first cell that is nothing but the word of a total makes a line of totals, however full the line is', () => {
  const words = [
    'Total',
    'TOTALS',
    'total:',
    'Total =',
    'Grand Total',
    'grand-total',
    'Sub total',
    'Subtotal',
    'Subtotal:',
    'Pool totals',
    'Portfolio Total (USD)',
    'Page total',
  ];
  for (const word of words) assert.equal(isTotalsRow(rowOf(`${word},a,b,c,100`), 5), true, word);
  for (const word of [
    'Total Logistics LLC',
    'Totally',
    'Totalfina',
    'My total',
    'T',
    'Total1',
    'Grand Hotel',
    'Sum of all',
    'Poole',
  ])
    assert.equal(isTotalsRow(rowOf(`${word},a,b,c,100`), 5), false, word);
});

test('a text that begins with a total is one where hardly anything is beside it', () => {
  const text = 'Total amount funded in policy code 1: 460296150';
  assert.equal(isTotalsRow(rowOf(text), 3), true);
  assert.equal(isTotalsRow(rowOf(`${text},5`), 3), true);
  assert.equal(isTotalsRow(rowOf(`${text},5`), 2), false);
  assert.equal(isTotalsRow(rowOf(`${text},5,6`), 9), false);
  assert.equal(isTotalsRow(rowOf('Total Logistics LLC,100'), 2), false);
});

test('a word for a figure of the whole makes a line of totals where at most half of the line is filled', () => {
  for (const word of ['Sum', 'Count:', 'Average', 'avg.', 'Mean', 'Weighted average', 'Wtd. Avg', 'Minimum', 'max'])
    assert.equal(isTotalsRow(rowOf(`${word},5`), 4), true, word);
  assert.equal(isTotalsRow(rowOf('Sum,5,6'), 5), false);
  assert.equal(isTotalsRow(rowOf('Summer,5'), 8), false);
  assert.equal(isTotalsRow(rowOf('Max Mustermann,5'), 8), false);
});

test('the word of a total may follow blank cells, a blank and a quote', () => {
  for (const line of [',,Total,5', ' Total,5', '"Total",5', ',"Grand Total:",5'])
    assert.equal(isTotalsRow(rowOf(line), 4), true, line);
  for (const line of ['5,Total', ',,,', '']) assert.equal(isTotalsRow(rowOf(`${line}\n`), 4), false, line);
});

test('the first filled cell is the first with more than blanks', () => {
  assert.deepEqual([firstFilled(rowOf(', ,\t,x,y')), firstFilled(rowOf('x')), firstFilled(rowOf(', ,'))], [3, 0, -1]);
});

const HEADER = ['Loan ID', 'State', 'Balance', 'Rate', 'Term'];

test('a row repeats the header when four of five of its names stand where they stand there, in any case', () => {
  for (const line of [
    'Loan ID,State,Balance,Rate,Term',
    'LOAN ID,state,BALANCE,rate,term',
    '"Loan ID","State","Balance","Rate","Term"',
    ' Loan ID , State,Balance,Rate,x',
  ])
    assert.equal(isHeaderAgain(rowOf(line), HEADER), true, line);
  for (const line of [
    'Loan ID,State,Balance,x,y',
    'x,State,Balance,Rate,Term',
    'Loan ID',
    'State,Loan ID,Balance,Rate,Term',
    ',,,,',
    'Loan,State,Balance,Rate,Term',
  ])
    assert.equal(isHeaderAgain(rowOf(`${line}\n`), HEADER), false, line);
});

test('one name alone repeats a header only where the header has no other', () => {
  assert.equal(isHeaderAgain(rowOf('id'), ['ID']), true);
  assert.equal(isHeaderAgain(rowOf('id,5'), ['ID', 'x']), false);
  assert.equal(isHeaderAgain(rowOf(',,x'), ['a', 'b']), false);
});

test('empty names of a header are not asked for', () => {
  assert.equal(isHeaderAgain(rowOf('a,5,b'), ['a', '', 'b']), true);
});

test('a remark is one cell with a word, alone on its line', () => {
  for (const line of ['Source: core system', ',,Prepared on 2026-06-30,', 'Größe', '"a, b, cd"'])
    assert.equal(isRemark(rowOf(line)), true, line);
  for (const line of ['x', '12345', 'a1', 'two words,and more', ',,', '...'])
    assert.equal(isRemark(rowOf(`${line}\n`)), false, line);
});
