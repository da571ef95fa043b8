import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { amortizedShare, fillSchedule, isLevelPay, levelPayment, missingIndexCurves, scheduleMonths } from './amortization.ts';
import { aLoan, anyLoan, near, SOFR_CURVE } from './test-support.ts';
import type { CollateralLoan, ProjectionOptions } from './types.ts';

function scheduleOf(changes: Partial<CollateralLoan>, options: ProjectionOptions = {}) {
  const balance = new Float64Array(1201);
  const interest = new Float64Array(1200);
  const months = fillSchedule(aLoan(changes), options, balance, interest);
  return { balance: [...balance.subarray(0, months + 1)], interest: [...interest.subarray(0, months)], months };
}

test('a level payment repays the loan in its term', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.03, noNaN: true }), fc.integer({ min: 1, max: 480 }), (rate, periods) => {
      const payment = levelPayment(1, rate, periods);
      let balance = 1;
      for (let paid = 1; paid <= periods; paid++) {
        balance = balance * (1 + rate) - payment;
        near(balance, amortizedShare(rate, periods, paid), 1e-8);
      }
    }),
  );
});

test('every schedule ends at zero, pays interest on what is left, and rises only by interest that it capitalises', () => {
  fc.assert(
    fc.property(anyLoan, fc.constantFrom('CAPITALISE', 'SPREAD', 'PAY'), (loan, defermentInterest) => {
      const { balance, interest, months } = scheduleOf(loan, { ...SOFR_CURVE, defermentInterest });
      equal(months, scheduleMonths(loan));
      equal(balance[0], loan.balance);
      equal(balance[months], 0);
      for (let month = 0; month < months; month++) {
        const capitalised = defermentInterest === 'CAPITALISE' && month < (loan.deferMonths ?? 0) ? interest[month] : 0;
        equal(balance[month + 1] <= balance[month] + capitalised, true);
        equal(interest[month] >= 0, true);
      }
    }),
  );
});

test('an interest-only loan pays interest alone, then repays in the rest of its term', () => {
  const { balance, interest } = scheduleOf({ interestOnlyMonths: 60 });
  equal(balance[60], 100_000);
  near(interest[59], 500, 1e-9);
  near(100_000 - balance[61], levelPayment(100_000, 0.005, 300) - 500, 1e-9);
});

test('a loan that is interest-only to maturity repays at maturity', () => {
  const { balance } = scheduleOf({ interestOnlyMonths: 24, remainingMonths: 24 });
  equal(balance[23], 100_000);
  equal(balance[24], 0);
});

test('a balloon falls due in its month, on payments of the full amortization', () => {
  const { balance, months } = scheduleOf({ balloonMonth: 84 });
  equal(months, 84);
  near(balance[83], 100_000 * amortizedShare(0.005, 360, 83), 1e-6);
});

test('a stepped coupon recomputes the payment over the months that are left', () => {
  const { balance, interest } = scheduleOf({ remainingMonths: 24, steps: [{ fromMonth: 13, ratePercent: 12 }] });
  near(interest[12], balance[12] * 0.01, 1e-9);
  const payment = levelPayment(balance[12], 0.01, 12);
  near(balance[12] - balance[13], payment - interest[12], 1e-9);
});

test('a floater resets on its months to index and margin, within its caps and floors', () => {
  const options = { indexCurves: { SOFR: [1, 2, 3, 4, 9, 0] } };
  const floating = { index: 'SOFR', marginPercent: 2, capPercent: 8, floorPercent: 3, resetMonths: 1, firstResetMonth: 2 };
  const { balance, interest } = scheduleOf({ remainingMonths: 7, floating }, options);
  const coupons = interest.map((due, month) => (due / balance[month]) * 1200);
  for (const [month, coupon] of [6, 4, 5, 6, 8, 3, 3].entries()) near(coupons[month], coupon, 1e-9, `month ${month + 1}`);
});

test('a periodic cap limits each reset', () => {
  const options = { indexCurves: { SOFR: [10] } };
  const floating = { index: 'SOFR', marginPercent: 0, periodicCapPercent: 1, resetMonths: 2 };
  const { balance, interest } = scheduleOf({ remainingMonths: 4, floating }, options);
  const coupons = interest.map((due, month) => (due / balance[month]) * 1200);
  for (const [month, coupon] of [7, 7, 8, 8].entries()) near(coupons[month], coupon, 1e-9);
});

test('a deferred loan pays nothing, and then repays its balance with the simple interest of the deferred months', () => {
  const { balance, interest } = scheduleOf({ remainingMonths: 60, deferMonths: 12, ratePercent: 12 });
  // No cash: the interest that is earned is the principal that is lent.
  for (let month = 0; month < 12; month++) near(interest[month] + balance[month] - balance[month + 1], 0, 1e-9);
  near(balance[12], 112_000, 1e-9);
  near(interest[12], 1120, 1e-9);
  near(112_000 - balance[13], levelPayment(112_000, 0.01, 48) - 1120, 1e-9);
});

test('a deferred loan may pay its interest as it accrues', () => {
  const terms = { remainingMonths: 60, deferMonths: 12, ratePercent: 12 };
  const { balance, interest } = scheduleOf(terms, { defermentInterest: 'PAY' });
  deepEqual(interest.slice(0, 12), Array(12).fill(1000));
  deepEqual([balance[12], interest[12]], [100_000, 1000]);
});

test('deferred interest may be spread: it is due in equal parts afterwards without interest on it', () => {
  const terms = { remainingMonths: 60, deferMonths: 12, ratePercent: 12 };
  const { balance, interest } = scheduleOf(terms, { defermentInterest: 'SPREAD' });
  deepEqual(interest.slice(0, 12), Array(12).fill(0));
  equal(balance[12], 100_000);
  near(interest[12], 1000 + 12_000 / 48, 1e-9);
  near(100_000 - balance[13], levelPayment(100_000, 0.01, 48) - 1000, 1e-9);
});

test('a payment of the tape is used as it is: what it does not repay falls due at maturity', () => {
  const { balance } = scheduleOf({ remainingMonths: 3, scheduledPayment: 10_500, ratePercent: 6 });
  near(balance[1], 90_000, 1e-9);
  near(balance[2], 79_950, 1e-9);
  equal(balance[3], 0);
});

test('a payment below the interest leaves the balance where it is', () => {
  equal(scheduleOf({ scheduledPayment: 100 }).balance[1], 100_000);
});

test('a matured loan is due in the first month', () => {
  deepEqual(scheduleOf({ remainingMonths: 0 }).balance, [100_000, 0]);
});

test('a loan is level pay only when balance, rate and term say all', () => {
  equal(isLevelPay(aLoan()), true);
  equal(isLevelPay(aLoan({ balloonMonth: 360, interestOnlyMonths: 0, steps: [] })), true);
  equal(isLevelPay(aLoan({ balloonMonth: 120 })), false);
  equal(isLevelPay(aLoan({ scheduledPayment: 600 })), false);
});

test('missing index curves are named once each', () => {
  const follows = (index: string) => aLoan({ floating: { index, marginPercent: 2 } });
  const loans = [follows('SOFR'), aLoan(), follows('PRIME'), follows('CP'), follows('SOFR')];
  deepEqual(missingIndexCurves(loans, { indexCurves: { CP: [4], SOFR: [] } }), ['PRIME', 'SOFR']);
  throws(() => scheduleOf({ floating: { index: 'PRIME', marginPercent: 0 } }), /no curve for index PRIME/);
});
