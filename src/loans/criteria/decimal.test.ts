import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { divideHalfEven, MICRO, microText, moneyText, quotientText, toMicro } from './decimal.ts';

test('a decimal number is whole millionths, its seventh digit rounded half to even', () => {
  const cases: [number | string, bigint][] = [
    [0, 0n],
    [1, 1_000_000n],
    [-1.5, -1_500_000n],
    [0.1, 100_000n],
    [0.0000005, 0n],
    [0.0000015, 2n],
    [0.0000025, 2n],
    ['0.00000051', 1n],
    ['0.0000004999999999', 0n],
    [-0.0000005, 0n],
    [-0.0000015, -2n],
    ['-0.0000025', -2n],
    [1e-7, 0n],
    [5e-324, 0n],
    [1e20, 10n ** 26n],
    ['1e3', 1_000_000_000n],
    ['1E+3', 1_000_000_000n],
    ['12.5e-1', 1_250_000n],
    ['.5', 500_000n],
    ['5.', 5_000_000n],
    ['+7', 7_000_000n],
    [' 7 ', 7_000_000n],
    ['999999999999.9999995', 10n ** 18n],
    ['0.8000000119209290', 800_000n],
  ];
  for (const [value, micro] of cases) assert.equal(toMicro(value), micro, String(value));
});

test('a million millionths are one', () => {
  assert.equal(toMicro(1), MICRO);
  assert.equal(microText(MICRO), '1');
});

test('what is no decimal number is an error that shows its beginning', () => {
  for (const text of ['', ' ', '.', '-', 'e5', '1,5', '1 000', '0x10', 'NaN', 'Infinity', '1e', '1e12345', '--1', '1.2.3', '½'])
    assert.throws(() => toMicro(text), RangeError, text);
  assert.throws(() => toMicro('x'.repeat(100)), { message: `"${'x'.repeat(40)}" is not a decimal number` });
  assert.throws(() => toMicro(Number.NaN), RangeError);
});

test('a number reads as its shortest text, so that no binary digit shows', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 6 }), (units, places) => {
      const number = Number(`${units}e-${places}`);
      assert.equal(toMicro(number), BigInt(units) * 10n ** BigInt(6 - places));
    }),
  );
});

const big = fc.bigInt(-(10n ** 30n), 10n ** 30n);

test('a quotient is the nearest whole number, a tie the even one of the two', () => {
  fc.assert(
    fc.property(big, big, (dividend, divisor) => {
      if (divisor === 0n) return assert.throws(() => divideHalfEven(dividend, divisor), /division by zero/);
      const quotient = divideHalfEven(dividend, divisor);
      const [rest, whole] = [2n * (dividend - quotient * divisor), divisor].map((each) => (each < 0n ? -each : each)) as [
        bigint,
        bigint,
      ];
      assert.ok(rest <= whole, 'no whole number is nearer');
      if (rest === whole) assert.equal(quotient % 2n, 0n);
    }),
  );
  const ties: [bigint, bigint, bigint][] = [
    [1n, 2n, 0n],
    [3n, 2n, 2n],
    [5n, 2n, 2n],
    [-1n, 2n, 0n],
    [-3n, 2n, -2n],
    [3n, -2n, -2n],
    [-5n, -2n, 2n],
    [7n, 3n, 2n],
    [8n, 3n, 3n],
  ];
  for (const [dividend, divisor, expected] of ties)
    assert.equal(divideHalfEven(dividend, divisor), expected, `${dividend}/${divisor}`);
});

test('the text of millionths has no zeros at its end but those that it must keep', () => {
  const cases: [bigint, string, string][] = [
    [0n, '0', '0.00'],
    [1n, '0.000001', '0.000001'],
    [-1n, '-0.000001', '-0.000001'],
    [12_500_000n, '12.5', '12.50'],
    [12_000_000n, '12', '12.00'],
    [100_000_000n, '100', '100.00'],
    [1_234_567n, '1.234567', '1.234567'],
    [-1_230_000n, '-1.23', '-1.23'],
    [10n, '0.00001', '0.00001'],
  ];
  for (const [micro, text, money] of cases) assert.deepEqual([microText(micro), moneyText(micro)], [text, money]);
  assert.equal(microText(1_000_000n, 6), '1.000000');
});

test('text of millionths reads back as the same millionths', () => {
  fc.assert(
    fc.property(big, fc.integer({ min: 0, max: 6 }), (micro, places) => {
      const text = microText(micro, places);
      assert.equal(toMicro(text), micro);
      const decimals = text.split('.')[1] ?? '';
      assert.ok(decimals.length >= places && (decimals.length === places || !decimals.endsWith('0')), text);
    }),
  );
});

test('a quotient has exactly the places that are asked for', () => {
  assert.equal(quotientText(1n, 3n, 8), '0.33333333');
  assert.equal(quotientText(2n, 3n, 8), '0.66666667');
  assert.equal(quotientText(-1n, 3n, 2), '-0.33');
  assert.equal(quotientText(35n, 100n, 2), '0.35');
  assert.equal(quotientText(1n, 8n, 2), '0.12', 'a tie goes to the even digit');
  assert.equal(quotientText(3n, 8n, 2), '0.38');
  assert.equal(quotientText(-1n, 1_000n, 2), '0.00', 'no sign without a digit');
  assert.equal(quotientText(12_345n * MICRO, MICRO, 2), '12345.00');
});
