import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import {
  compareDecimals,
  decimalFromNumber,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  rescale,
} from './decimal.ts';
import { apportion, formatCents, formatDollars, parseCents, roundHalfEven, roundToCent, tieOut, toCents } from './money.ts';

const cents = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });

test('an amount that prints with two decimals is exactly its cents', () => {
  fc.assert(fc.property(cents, (amount) => equal(toCents(amount / 100), amount)));
});

test('messages name amounts as people write them', () => {
  deepEqual([132_400_000, 132_400_050, 0, -5].map(formatDollars), ['$1,324,000', '$1,324,000.50', '$0', '-$0.05']);
});

test('an amount in a message costs a fraction of making its format', () => {
  const spent = (work: (cents: number) => string): number => {
    const before = process.cpuUsage();
    for (let cents = 0; cents < 2_000; cents++) work(cents * 37);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const made = spent((cents) => new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(cents));
  const used = spent((cents) => formatDollars(toCents(cents)));
  ok(used < made / 2, `${used} µs beside ${made} µs`);
});

test('half a cent goes to the even cent, or up where asked, judged on the decimal and not on its binary neighbour', () => {
  equal(toCents(1.005), 100);
  equal(toCents(1.015), 102);
  equal(toCents(1.025), 102);
  equal(toCents(-1.015), -102);
  equal(toCents(1.005, 'HALF_UP'), 101);
  equal(toCents(-1.005, 'HALF_UP'), -101);
  equal(toCents(2.0049999), 200);
  equal(roundToCent(1_234_567.895), 1_234_567.9);
});

test('an amount too large for whole cents, or none at all, is refused', () => {
  throws(() => toCents(1e14), /100000000000000, above the largest/);
  throws(() => toCents(Number.NaN), /not an amount in whole cents/);
});

test('rounding to places follows the decimal: 90.0000004 is 90, 80.0000011920929 is 80.000001', () => {
  equal(roundHalfEven(90.0000004, 6), 90);
  equal(roundHalfEven(80.0000011920929, 6), 80.000001);
  equal(roundHalfEven(2.675, 2), 2.68);
  equal(roundHalfEven(0.125, 2), 0.12);
  equal(roundHalfEven(-0.001, 2), 0);
  equal(roundHalfEven(1e-7, 6), 0);
});

test('decimal text is read and written without loss', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 12 }), (units, scale) => {
      deepEqual(parseDecimal(formatDecimal({ units, scale })), { units, scale });
    }),
  );
  equal(formatDecimal(parseDecimal('1e3')), '1000');
  equal(formatDecimal(parseDecimal('-1.5E-3')), '-0.0015');
  equal(formatDecimal(parseDecimal('.5')), '0.5');
  for (const text of ['', '.', '1,000', '0x10', '1 ', 'NaN', '--1']) throws(() => parseDecimal(text), /not a decimal number/);
});

test('decimals multiply, divide and compare exactly', () => {
  equal(formatDecimal(multiplyDecimals(parseDecimal('0.1'), parseDecimal('0.2'))), '0.02');
  equal(formatDecimal(divideDecimals(parseDecimal('2'), parseDecimal('3'), 6)), '0.666667');
  equal(formatDecimal(divideDecimals(parseDecimal('-1'), parseDecimal('8'), 2)), '-0.12');
  equal(compareDecimals(parseDecimal('1.0'), parseDecimal('1.00')), 0);
  equal(compareDecimals(decimalFromNumber(0.1), parseDecimal('0.10000001')), -1);
  equal(formatDecimal(rescale(parseDecimal('0.5'), 0)), '0');
  throws(() => divideDecimals(parseDecimal('1'), parseDecimal('0.00'), 2), /division by zero/);
});

test('cents are read from text exactly, and a part of a cent is refused', () => {
  equal(parseCents('90071992547409.93'), 9007199254740993n);
  equal(parseCents('1.500'), 150n);
  equal(formatCents(-5n), '-0.05');
  equal(formatCents(123_450), '1234.50');
  throws(() => parseCents('1.005'), /more than two decimals/);
});

test('an apportionment adds up to the whole, is fair to one unit, and gives ties to the first', () => {
  deepEqual(apportion(100n, [1n, 1n, 1n]), [34n, 33n, 33n]);
  deepEqual(apportion(5n, [0n, 3n, 1n]), [0n, 4n, 1n]);
  const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), weights, (total, shares) => {
      const sum = shares.reduce((a, b) => a + b, 0n);
      fc.pre(sum > 0n);
      const parts = apportion(total, shares);
      equal(
        parts.reduce((a, b) => a + b, 0n),
        total,
      );
      for (const [index, part] of parts.entries()) {
        const floor = (total * shares[index]) / sum;
        equal(part === floor || part === floor + 1n, true);
      }
    }),
  );
  throws(() => apportion(1n, [0n, 0n]), /a weight above zero/);
  throws(() => apportion(-1n, [1n]), /not negative/);
});

test('parts tie to a total within a cent each and never go below zero', () => {
  deepEqual(tieOut([0.333, 0.333, 0.334], 100), [33, 33, 34]);
  deepEqual(tieOut([0.005, 0.005], 0), [0, 0]);
  deepEqual(tieOut([10, 0], 999), [999, 0]);
  // A binary neighbour of a whole cent is that cent: 0.29 × 100 is 28.999999999999996 in doubles.
  deepEqual(tieOut([0.29, 0.29], 58), [29, 29]);
  // A part that is a millionth of a cent short of its cent counts as that cent, one that is more is not.
  deepEqual(tieOut([0.019_999_999_999, 0.01], 3), [2, 1]);
  deepEqual(tieOut([0.019_999_98, 0.020_000_02], 3), [1, 2]);
  deepEqual(tieOut([0, 0.001], 2), [0, 2]);
  const parts = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(parts, fc.integer({ min: -1, max: 1 }), (amounts, off) => {
      const total = Math.max(0, Math.round(100 * amounts.reduce((a, b) => a + b, 0)) + off);
      const tied = tieOut(amounts, total);
      equal(
        tied.reduce((a, b) => a + b, 0),
        total,
      );
      equal(
        tied.every((amount) => amount >= 0),
        true,
      );
    }),
  );
  throws(() => tieOut([1, 2], 900), /do not add up to 9.00/);
});
