import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { projectCollateral } from './collateral.ts';
import { groupReplines } from './replines.ts';
import { aLoan, anyLoan, assuming, near } from './test-support.ts';

test('loans of equal type, age and term whose rates lie within 0.25 become one line', () => {
  const lines = groupReplines([
    aLoan({ balance: 100, ratePercent: 6.0 }),
    aLoan({ balance: 300, ratePercent: 6.2 }),
    aLoan({ balance: 50, ratePercent: 6.25 }),
    aLoan({ balance: 50, ratePercent: 6, ageMonths: 1 }),
    aLoan({ balance: 50, ratePercent: 6, remainingMonths: 359 }),
    aLoan({ balance: 50, ratePercent: 6, type: 'ARM' }),
  ]);
  equal(lines.length, 5);
  const [first] = lines;
  deepEqual([first?.balance, first?.count], [400, 2]);
  near(first?.ratePercent, 6.15, 1e-12);
});

test('loans with other terms never share a line', () => {
  const lines = groupReplines([
    aLoan(),
    aLoan({ interestOnlyMonths: 12 }),
    aLoan({ balloonMonth: 60 }),
    aLoan({ floating: { index: 'SOFR', marginPercent: 2 } }),
    aLoan({ floating: { index: 'SOFR', marginPercent: 3 } }),
    aLoan({ scheduledPayment: 700 }),
    aLoan({ scheduledPayment: 900 }),
    aLoan({ deferredInterest: 40 }),
    aLoan({ deferredInterest: 60 }),
  ]);
  equal(lines.length, 7);
  equal(lines.at(-2)?.scheduledPayment, 1600);
  equal(lines.at(-1)?.deferredInterest, 100);
});

test('balances and counts of the lines are those of the loans, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(anyLoan), (loans) => {
      const lines = groupReplines(loans);
      near(total(lines.map((line) => line.balance)), total(loans.map((loan) => loan.balance)), 1e-4);
      equal(total(lines.map((line) => line.count ?? 0)), loans.length);
      equal(groupReplines(loans.toReversed()).length, lines.length);
      deepEqual(groupReplines(lines).length, lines.length);
    }),
  );
});

test('the cash flow of the lines is that of the loans to a hundredth of a percent of the balance', () => {
  const loans = Array.from({ length: 2000 }, (_, index) =>
    aLoan({ balance: 50_000 + 10 * index, ratePercent: 4 + (index % 300) / 100, remainingMonths: 300 + (index % 5) * 12 }),
  );
  const lines = groupReplines(loans);
  ok(lines.length <= 65);
  const speeds = assuming({ prepayment: { measure: 'cpr', values: [8] } });
  const [byLoan, byLine] = [projectCollateral(loans, speeds), projectCollateral(lines, speeds)];
  const balance = byLoan.opening[0];
  for (const [month, closing] of byLoan.closing.entries()) near(byLine.closing[month], closing, 1e-4 * balance);
});

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
