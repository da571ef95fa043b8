import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../test/support/property.ts';
import {
  DATE,
  formatKind,
  GENERAL,
  isLongWholeNumber,
  PERCENT,
  percentText,
  serialText,
  shownNumber,
  TIME,
} from './number-format.ts';

test('dates of the 1900 system are those that Excel shows, the 29 February 1900 included', () => {
  const cases: [number, string][] = [
    [0, '1900-01-00'],
    [1, '1900-01-01'],
    [59, '1900-02-28'],
    [60, '1900-02-29'],
    [61, '1900-03-01'],
    [36526, '2000-01-01'],
    [45351, '2024-02-29'],
    [45351.5, '2024-02-29T12:00:00'],
    [45350.999999, '2024-02-29'],
    [2958465, '9999-12-31'],
  ];
  for (const [serial, text] of cases) assert.equal(serialText(serial, DATE, 1900), text);
  assert.deepEqual(
    [serialText(-1, DATE, 1900), serialText(2958466, DATE, 1900), serialText(Number.NaN, DATE, 1900)],
    [null, null, null],
  );
});

test('dates of the 1904 system begin at 1904-01-01', () => {
  assert.deepEqual(
    [0, 1, 60, 43889].map((serial) => serialText(serial, DATE, 1904)),
    ['1904-01-01', '1904-01-02', '1904-03-01', '2024-02-29'],
  );
  assert.equal(serialText(0.75, TIME, 1900), '18:00:00');
});

test('a percent is the stored fraction times 100, to the last digit', () => {
  const cases: [string, string][] = [
    ['0.0725', '7.25%'],
    ['7.2499999999999995E-2', '7.25%'],
    ['6.8699999999999997E-2', '6.87%'],
    ['0.07', '7%'],
    ['1', '100%'],
    ['-0.005', '-0.5%'],
    ['1.5E-4', '0.015%'],
    ['12', '1200%'],
    ['1e2', '10000%'],
    ['0', '0%'],
    ['.5', '50%'],
  ];
  for (const [stored, text] of cases) assert.equal(percentText(stored), text);
  assert.equal(percentText('#N/A'), null);
});

test('every percent of up to ten digits comes back from the number that a spreadsheet stores for it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (millionths) => {
      const stored = millionths / 1e8;
      assert.equal(percentText(stored.toPrecision(17)), `${millionths / 1e6}%`);
    }),
  );
});

test('binary noise is taken off decimals, whole numbers keep every digit', () => {
  assert.equal(shownNumber('0.30000000000000004'), '0.30000000000000004');
  assert.equal(shownNumber('1234.5599999999999'), '1234.56');
  assert.equal(shownNumber('25878.59'), '25878.59');
  assert.equal(shownNumber('123456789012345678'), '123456789012345678');
  assert.equal(shownNumber('1.2E+3'), '1.2E+3');
  assert.deepEqual(['1234567890123456', '1.23456789012345E+17', '123456789012345', '1.5E-20'].map(isLongWholeNumber), [
    true,
    true,
    false,
    false,
  ]);
});

test('format codes say whether a number is a date, a time, a percent or a number', () => {
  const kinds: [string, number][] = [
    ['General', GENERAL],
    ['0.00', GENERAL],
    ['#,##0.00_);[Red]\\(#,##0.00\\)', GENERAL],
    ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', GENERAL],
    ['0 "months"', GENERAL],
    ['0.00E+00', GENERAL],
    ['[h]:mm:ss', GENERAL],
    ['@', GENERAL],
    ['0.00%', PERCENT],
    ['0%;[Red]-0%', PERCENT],
    ['yyyy\\-mm\\-dd', DATE],
    ['[$-409]mmm\\-yy;@', DATE],
    ['m/d/yyyy h:mm', DATE],
    ['mmm', DATE],
    ['dd"/"mm"/"yy', DATE],
    ['h:mm AM/PM', TIME],
  ];
  for (const [code, kind] of kinds) assert.equal(formatKind(code), kind, code);
});
