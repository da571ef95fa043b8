import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { projectCollateral } from './collateral.ts';
import { columnsOf } from './loan-columns.ts';
import { rollLoans } from './roll-loans.ts';
import { aLoan, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { CollateralLoan } from './types.ts';

/** Loans whose interest is paid as it accrues and whose index is not needed in the first months. */
const payingLoan = anyLoan.map(({ deferMonths: _paid, floating, ...loan }): CollateralLoan => {
  const later = floating && { ...floating, firstResetMonth: (floating.firstResetMonth ?? 1) + MOST_MONTHS };
  return { ...loan, ...(later ? { floating: later } : {}) };
});

const MOST_MONTHS = 30;

test('rolled loans go on as the loans would have, without speeds and before any reset', () => {
  fc.assert(
    fc.property(
      fc.array(payingLoan, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: MOST_MONTHS }),
      (loans, months) => {
        // The curve of the rolled loans begins at their first month.
        const later = { indexCurves: { SOFR: SOFR_CURVE.indexCurves.SOFR.slice(Math.min(months, 5)) } };
        const whole = projectCollateral(loans, assuming(), SOFR_CURVE);
        const left = whole.closing[months - 1] ?? (months === 0 ? whole.opening[0] : 0);
        if (!(left > 0.01)) return;
        const rolled = rollLoans(columnsOf(loans), months, left);
        near(rolled.factor, 1, 1e-9);
        equal(rolled.resets, 0);
        const rest = projectCollateral(rolled.loans, assuming(), later);
        for (let month = 0; month < rest.periods; month++) {
          for (const flow of ['opening', 'scheduledPrincipal', 'interest', 'closing'] as const)
            near(rest[flow][month], whole[flow][months + month] ?? 0, 1e-6 * left, `${flow} of month ${month + 1}`);
        }
      },
    ),
  );
});

test('prepayment at one speed leaves the same share of every loan, so the scaled loans are those that are left', () => {
  const loans = [aLoan({ remainingMonths: 60 }), aLoan({ remainingMonths: 36, ratePercent: 9, scheduledPayment: 4000 })];
  const speeds = assuming({ prepayment: { measure: 'cpr', values: [12] } });
  const whole = projectCollateral(loans, speeds);
  const rolled = rollLoans(columnsOf(loans), 10, whole.closing[9]);
  near(rolled.factor, (1 - 0.12) ** (10 / 12), 1e-12);
  const rest = projectCollateral(rolled.loans, speeds);
  for (const month of [0, 20, 40]) near(rest.prepayment[month], whole.prepayment[10 + month], 1e-6);
});

test('a loan that has matured keeps its place and has no balance', () => {
  const rolled = rollLoans(columnsOf([aLoan({ balance: 500, remainingMonths: 4 }), aLoan({ remainingMonths: 40 })]), 4, 90_000);
  const [matured, other] = rolled.loans;
  equal(matured?.balance, 0);
  near(other?.balance ?? 0, 90_000, 1e-9);
  equal(other?.remainingMonths, 36);
  throws(() => rollLoans(columnsOf([aLoan({ remainingMonths: 4 })]), 4, 100), /all loans of the closing tape are paid/);
  equal([...rollLoans(columnsOf([aLoan({ remainingMonths: 4 })]), 4, 0).loans][0]?.balance, 0);
});

test('resets that have passed are counted, and the next one keeps its month', () => {
  const floating = { index: 'SOFR', marginPercent: 2, resetMonths: 12, firstResetMonth: 7 };
  const rolled = rollLoans(columnsOf([aLoan({ remainingMonths: 300, floating })]), 10, 50_000);
  equal(rolled.resets, 1);
  equal([...rolled.loans][0]?.floating?.firstResetMonth, 9);
  equal([...rollLoans(columnsOf([aLoan({ remainingMonths: 300, floating })]), 6, 50_000).loans][0]?.floating?.firstResetMonth, 1);
});
