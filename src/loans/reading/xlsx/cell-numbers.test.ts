import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CellNumbers, DATE_FORMAT, PERCENT_FORMAT } from './cell-numbers.ts';
import { DATE, GENERAL, type NumberKind, PERCENT, TIME } from './number-format.ts';

const shown = (numbers: CellNumbers, text: string, kind: NumberKind): [string, number] => {
  const { bytes, format } = numbers.shown(text, kind);
  return [bytes.toString(), format];
};

test('a number is shown by its format, and the mark says which one it was', () => {
  const numbers = new CellNumbers(1900);
  assert.deepEqual(shown(numbers, '45351', GENERAL), ['45351', 0]);
  assert.deepEqual(shown(numbers, '45351', DATE), ['2024-02-29', DATE_FORMAT]);
  assert.deepEqual(shown(numbers, '0.5', TIME), ['12:00:00', DATE_FORMAT]);
  assert.deepEqual(shown(numbers, '0.5', DATE), ['1900-01-00T12:00:00', DATE_FORMAT]);
  assert.deepEqual(shown(numbers, '0.0725', PERCENT), ['7.25%', PERCENT_FORMAT]);
});

test('what its format cannot show is given as stored, without a mark', () => {
  const numbers = new CellNumbers(1900);
  for (const [text, kind] of [
    ['-1', DATE],
    ['', DATE],
    ['x', DATE],
    ['1e9', DATE],
    ['-1', TIME],
    ['x', PERCENT],
    ['1e400', PERCENT],
  ] as const)
    assert.deepEqual(shown(numbers, text, kind), [text, 0], text);
});

test('a date that was seen before is the same again, and never that of a time or of another system', () => {
  const numbers = new CellNumbers(1904);
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(shown(numbers, '0.5', TIME), ['12:00:00', DATE_FORMAT]);
    assert.deepEqual(shown(numbers, '0.5', DATE), ['1904-01-01T12:00:00', DATE_FORMAT]);
    assert.deepEqual(shown(numbers, '60', DATE), ['1904-03-01', DATE_FORMAT]);
  }
  assert.deepEqual(shown(new CellNumbers(1900), '60', DATE), ['1900-02-29', DATE_FORMAT]);
});

test('more different dates than are remembered are all read', () => {
  const numbers = new CellNumbers(1900);
  for (let serial = 61; serial < 61 + 50_500; serial += 1) numbers.shown(String(serial), DATE);
  assert.deepEqual(shown(numbers, String(61 + 50_499), DATE), ['2038-06-04', DATE_FORMAT]);
});
