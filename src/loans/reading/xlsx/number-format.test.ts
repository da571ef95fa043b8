import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../test/support/property.ts';
import {
  builtInKind,
  DATE,
  formatKind,
  GENERAL,
  isLongWholeNumber,
  PERCENT,
  PERCENT_SIGN,
  percentText,
  serialText,
  shownNumber,
  TIME,
  zeroFormat,
  zeroText,
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
    [45350.999999999, '2024-02-29'],
    [45350.99999996528, '2024-02-28T23:59:59'],
    [45350.999988426, '2024-02-28T23:59:59'],
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
  assert.deepEqual(['1234567890123456', '1.23456789012345E+17', '123456789012345', '1.5E-20'].map(isLongWholeNumber), [
    true,
    true,
    false,
    false,
  ]);
});

test('a number that a program wrote with an exponent or an empty fraction is the same number as without', () => {
  const cases: [string, string][] = [
    ['3.09360001E8', '309360001'],
    ['1.2E+3', '1200'],
    ['1.2E10', '12000000000'],
    ['1E-3', '0.001'],
    ['-2.5e-7', '-0.00000025'],
    ['309360001.0', '309360001'],
    ['-7.000', '-7'],
    ['0.0', '0'],
    ['100.50', '100.50'],
    ['6.8699999999999997E-2', '0.0687'],
    // lost digits stay to be seen, and what is no amount is not written out
    ['1.23456789012345E+17', '1.23456789012345E+17'],
    ['1e-300', '1e-300'],
  ];
  for (const [stored, shown] of cases) assert.equal(shownNumber(stored), shown, stored);
});

test('any whole number of at most 15 digits loses nothing in the notation of Java', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (id) => {
      assert.equal(shownNumber(id.toExponential().replace('e+', 'E')), String(id));
    }),
  );
});

test('a format of zeros shows the zeros that a number alone has lost', () => {
  const cases: [string, string, string][] = [
    ['000000', '123', '000123'],
    ['000000', '1234567', '1234567'],
    ['00000-0000', '21150042', '02115-0042'],
    ['000\\-00\\-0000', '12345678', '012-34-5678'],
    ['"LN"00000', '42', 'LN00042'],
    ['\\L\\N\\-000', '7', 'LN-007'],
    ['[Red]0000_);(0000)', '7', '0007'],
    ['0000;-0000;;@', '3.6E1', '0036'],
    ['00000', '0', '00000'],
    // as stored, where the zeros would change the number
    ['0000', '12.7', '12.7'],
    ['0000', '-3', '-3'],
    ['00000000000000000000', '1234567890123456', '1234567890123456'],
  ];
  for (const [code, stored, shown] of cases) {
    const format = zeroFormat(code);
    assert.ok(format, code);
    assert.equal(zeroText(stored, format), shown, `${code} ${stored}`);
  }
});

test('a format that is not of zeros alone is none', () => {
  for (const code of [
    '0',
    '0.00',
    '#,##0',
    '00.0',
    '0%',
    '0000" days"',
    '00E+00',
    'yyyy',
    'General',
    '@',
    '',
    '00/00',
    '[<100]000;00',
  ])
    assert.equal(zeroFormat(code), null, code);
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
    ['0.00"%"', PERCENT_SIGN],
    ['0.00\\ \\%', PERCENT_SIGN],
    ['0" % p.a."', PERCENT_SIGN],
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

test('the built-in formats are those of the standard, with the dates of East Asia', () => {
  // ECMA-376 part 1, 18.8.30
  const dates = [14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58];
  const times = [18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56];
  for (let id = 0; id <= 200; id += 1) {
    const kind = id === 9 || id === 10 ? PERCENT : dates.includes(id) ? DATE : times.includes(id) ? TIME : GENERAL;
    assert.equal(builtInKind(id), kind, String(id));
  }
});

test('a time of day is shown to the second, with its day where it has one', () => {
  const cases: [number, string | null][] = [
    [0, '00:00:00'],
    [0.5, '12:00:00'],
    [1 / 86_400, '00:00:01'],
    [59 / 86_400, '00:00:59'],
    [3_599 / 86_400, '00:59:59'],
    [86_399 / 86_400, '23:59:59'],
    [86_399.6 / 86_400, '23:59:59'],
    [86_399.9999 / 86_400, '1900-01-01'],
    [1.25, '1900-01-01T06:00:00'],
    [-0.25, null],
  ];
  for (const [serial, text] of cases) assert.equal(serialText(serial, TIME, 1900), text, String(serial));
});

test('a serial of either system is as many days after its first as the calendar has', () => {
  const DAY_MS = 86_400_000;
  fc.assert(
    fc.property(fc.integer({ min: 61, max: 2_900_000 }), (day) => {
      const from1900 = new Date(Date.parse('1900-03-01') + (day - 61) * DAY_MS).toISOString().slice(0, 10);
      const from1904 = new Date(Date.parse('1904-01-01') + day * DAY_MS).toISOString().slice(0, 10);
      assert.deepEqual([serialText(day, DATE, 1900), serialText(day, DATE, 1904)], [from1900, from1904]);
    }),
  );
});

test('a code of colours, conditions, fills and literal text has the kind of what is left of it', () => {
  const kinds: [string, number][] = [
    ['[Red]yyyy', DATE],
    ['[>100]0.0;0', GENERAL],
    ['"day" 0', GENERAL],
    ['\\d0', GENERAL],
    ['_d0', GENERAL],
    ['*d0', GENERAL],
    ['[$USD] #,##0', GENERAL],
    ['0;yyyy', GENERAL],
    ['yyyy;0', DATE],
    ['"%"0', GENERAL],
    ['mm:ss.0', TIME],
    ['[mm]:ss', GENERAL],
    ['[ss]', GENERAL],
    ['e', DATE],
    ['0.0E-0', GENERAL],
    ['GENERAL', GENERAL],
    ['General "d"', GENERAL],
    ['', GENERAL],
  ];
  for (const [code, kind] of kinds) assert.equal(formatKind(code), kind, code);
});

test('fractions too small or too large for any sheet are no percents', () => {
  assert.equal(percentText('1e-300'), `0.${'0'.repeat(297)}1%`);
  assert.equal(percentText('1e-403')?.length, 2 + 401 + 1);
  assert.equal(percentText('1e397'), `1${'0'.repeat(399)}%`);
  assert.deepEqual([percentText('1e-404'), percentText('1e398')], [null, null]);
  for (const text of ['', '.', '-', 'x', '1e', '1.2.3', '+1']) assert.equal(percentText(text), null, text);
  assert.deepEqual(['-0', '00.5', '0.10', '-.005'].map(percentText), ['-0%', '50%', '10%', '-0.5%']);
});

test('fifteen digits are kept as they stand, from the sixteenth on a decimal is given in its shortest form', () => {
  const cases: [string, string][] = [
    ['0.123456789012345', '0.123456789012345'],
    ['0.1234567890123451', '0.1234567890123451'],
    ['0.10000000000000001', '0.1'],
    ['-1234.5599999999999', '-1234.56'],
    ['1.2345678901234560E+5', '123456.7890123456'],
    ['0.000001234567890123450', '0.00000123456789012345'],
    ['1e999', '1e999'],
    ['1.00000000000000001e999', '1.00000000000000001e999'],
  ];
  for (const [stored, shown] of cases) assert.equal(Number(shownNumber(stored)), Number(shown), stored);
  assert.equal(shownNumber('0.123456789012345'), '0.123456789012345');
  assert.equal(shownNumber('0.10000000000000001'), '0.1');
  assert.equal(shownNumber('1.00000000000000001e999'), '1.00000000000000001e999');
});

test('a whole number has lost digits from the sixteenth on', () => {
  const lost = ['1234567890123456', '-1234567890123456', '1e15', '1.5E+20', '-1E15'];
  const kept = ['123456789012345', '0.1234567890123456', '9.99e14', '1e-20', '12345678901234567.5', ''];
  assert.deepEqual([lost.filter(isLongWholeNumber), kept.filter(isLongWholeNumber)], [lost, []]);
});

test('the text of a cell that only begins as a number is no number, however long it is', () => {
  // In a time that grows with its length: with the square of it, this would not end.
  for (const text of [`${'0'.repeat(1_000_000)}x`, `0.${'0'.repeat(1_000_000)}x`]) assert.equal(percentText(text), null);
  assert.deepEqual(['.', '-', '', 'e5'].map(percentText), [null, null, null, null]);
  assert.deepEqual(['.5', '5.', '-.25', '1.5e-2'].map(percentText), ['50%', '500%', '-25%', '1.5%']);
});
