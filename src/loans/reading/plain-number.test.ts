import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { numberAt, numbersOf, plainNumber } from './plain-number.ts';
import { Row } from './row.ts';
import { rowOf } from './testing/row-for-test.ts';

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

test('numbers are read whatever their money marks, anything else is none', () => {
  const cases: [string, number | null][] = [
    ['5', 5],
    ['-5.25', -5.25],
    ['$1,234.50', 1234.5],
    ['(12.00)', -12],
    ['€ 5', 5],
    ['£5', 5],
    ['1e3', 1000],
    ['1.234,50 €', 1234.5],
    ['(1.234.567,5)', -1234567.5],
    ['20100,50', 20100.5],
    ['1234,567', 1234.567],
    ['1,234', 1234],
    ['1,234,567', 1234567],
    ["12'345.67", 12345.67],
    ['1E-2', 0.01],
    ['5.', 5],
    ['', null],
    ['.5', null],
    ['5%', null],
    ['A5', null],
    ['5 USD', null],
    ['1.2.3', null],
    ['--5', null],
    ['0x10', null],
    ['Infinity', null],
  ];
  for (const text of ['₹12,34,567', '1,234,567円', 'R$ 1.234.567,00', '¥1234567'])
    assert.equal(plainNumber(text), 1_234_567, text);
  for (const [text, number] of cases) {
    assert.equal(plainNumber(text), number, text);
    assert.equal(numberAt(rowOf(quoted(text)), 0), number, text);
  }
  assert.deepEqual(
    [...numbersOf(rowOf('A1,"1,000",,x,(5)'))],
    [
      [1, 1000],
      [4, -5],
    ],
  );
});

test('the bytes of a field give the number that its text gives', () => {
  const single = Array.from('0123456789012345.,.,-$() eER€’\'"/x');
  const piece = fc.constantFrom(...single, '12345678', '0.1', '1,000', '\u00a0', ' ');
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        number,
      ),
      (text) => {
        assert.deepEqual(numberAt(rowOf(`x,${quoted(text)}`), 1), plainNumber(text));
      },
    ),
    { numRuns: 5_000 },
  );
});

test('usual amounts, words and dates are told without their texts', (context) => {
  const texts = context.mock.method(Row.prototype, 'text');
  const numbers = numbersOf(rowOf('L-1,100,5.25,"$1,234.50",-7,2026-06-30,06/30/2026,NY,12.5%,"Smith, John",'));
  assert.deepEqual([...numbers.values()], [100, 5.25, 1234.5, -7]);
  assert.equal(texts.mock.callCount(), 0);
});
