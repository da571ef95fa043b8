import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { parseDecimal } from '../../finance/decimal.ts';
import { addSums, figuresOf, quotient, sharesOf, type Sums } from './figures.ts';

const amounts = fc.array(fc.bigInt(0n, 10n ** 15n), { minLength: 1, maxLength: 60 });

test('shares are six decimals that sum to one, each rounded by itself but the largest', () => {
  fc.assert(
    fc.property(amounts, (units) => {
      const total = units.reduce((sum, each) => sum + each, 0n);
      const shares = sharesOf(units.map((each) => ({ units: each, scale: 2 }))).map((share) => Math.round(share * 1e6));
      if (total === 0n) return assert.ok(shares.every((share) => share === 0));
      assert.equal(
        shares.reduce((sum, share) => sum + share, 0),
        1_000_000,
      );
      const largest = shares.reduce((best, share) => Math.max(best, share), 0);
      const inexact = units.filter((each, index) => {
        const exact = Number((each * 10n ** 12n) / total) / 1e6;
        return Math.abs((shares[index] ?? 0) - exact) > 0.5 + 1e-5 && (shares[index] ?? 0) < largest - units.length;
      });
      assert.deepEqual(inexact, [], 'only the largest differs from its own rounding');
    }),
    { endOnFailure: true },
  );
});

test('of three thirds the first absorbs the millionth that rounding leaves', () => {
  const third = parseDecimal('1.00');
  assert.deepEqual(sharesOf([third, third, third]), [0.333334, 0.333333, 0.333333]);
  assert.deepEqual(sharesOf([parseDecimal('0.5'), parseDecimal('1'), parseDecimal('0.50')]), [0.25, 0.5, 0.25]);
  assert.deepEqual(sharesOf([]), []);
  assert.deepEqual(sharesOf([parseDecimal('0.00'), parseDecimal('0')]), [0, 0]);
});

test('a quotient is rounded half to even and is null without a divisor', () => {
  const quotientOf = (a: string, b: string, places: number) => quotient(parseDecimal(a), parseDecimal(b), places);
  assert.deepEqual(
    [quotientOf('1', '8', 2), quotientOf('3', '8', 2), quotientOf('-1', '8', 2), quotientOf('2', '3', 6)],
    [0.12, 0.38, -0.12, 0.666667],
  );
  assert.equal(quotientOf('5', '0', 2), null);
  assert.equal(quotientOf('5', '0.000', 2), null);
  assert.equal(quotientOf('0', '5', 2), 0);
});

const sums = (loan_count: number, balance: string, sum: string, weight: string): Sums => ({
  loan_count,
  balance: parseDecimal(balance),
  weighted: { wac: { sum: parseDecimal(sum), weight: parseDecimal(weight) } },
});

test('sums of groups add up to the sums of the whole, whatever their decimals are', () => {
  const total = addSums([sums(2, '10.50', '63.000000', '10.5'), sums(1, '4.005', '0', '0'), sums(3, '1', '5.25', '1.000')]);
  assert.deepEqual(figuresOf(total), {
    loan_count: 6,
    // 15.505 is a tie: half to even
    balance: 15.5,
    average_balance: 2.58,
    averages: { wac: 5.934783 },
  });
});

test('a group of no loans has no average, and one whose loans have no value has no average of that', () => {
  assert.deepEqual(figuresOf(addSums([])), { loan_count: 0, balance: 0, average_balance: null, averages: {} });
  assert.deepEqual(figuresOf(sums(2, '7', '0', '0')), {
    loan_count: 2,
    balance: 7,
    average_balance: 3.5,
    averages: { wac: null },
  });
});

test('sums that have other figures are added by the names of the figures', () => {
  const one: Sums = {
    loan_count: 1,
    balance: parseDecimal('1'),
    weighted: { a: { sum: parseDecimal('2'), weight: parseDecimal('1') } },
  };
  const two: Sums = {
    loan_count: 1,
    balance: parseDecimal('1'),
    weighted: { b: { sum: parseDecimal('9'), weight: parseDecimal('3') } },
  };
  assert.deepEqual(figuresOf(addSums([one, two])).averages, { a: 2, b: 3 });
});
