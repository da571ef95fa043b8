import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { projectCollateral } from './collateral.ts';
import { columnsOf } from './loan-columns.ts';
import { rollLoans } from './roll-loans.ts';
import { aLoan, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { CollateralLoan, DefermentInterest } from './types.ts';

/** Loans whose index is not needed in the first months. */
const unresetLoan = anyLoan.map(({ floating, ...loan }): CollateralLoan => {
  const later = floating && { ...floating, firstResetMonth: (floating.firstResetMonth ?? 1) + MOST_MONTHS };
  return { ...loan, ...(later ? { floating: later } : {}) };
});

const MOST_MONTHS = 30;

const anyTreatment = fc.constantFrom<DefermentInterest>('CAPITALISE', 'SPREAD', 'PAY');

test('rolled loans go on as the loans would have, without speeds and before any reset', () => {
  fc.assert(
    fc.property(
      fc.array(unresetLoan, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: MOST_MONTHS }),
      anyTreatment,
      (loans, months, defermentInterest) => {
        const series = { weightedRate: true };
        const options = { ...SOFR_CURVE, defermentInterest, series };
        // The curve of the rolled loans begins at their first month.
        const later = { ...options, indexCurves: { SOFR: SOFR_CURVE.indexCurves.SOFR.slice(Math.min(months, 5)) } };
        const whole = projectCollateral(loans, assuming(), options);
        const left = whole.closing[months - 1] ?? (months === 0 ? whole.opening[0] : 0);
        if (!(left > 0.01)) return;
        const rolled = rollLoans(columnsOf(loans), months, left, () => defermentInterest);
        near(rolled.factor, 1, 1e-9);
        equal(rolled.resets, 0);
        const rest = projectCollateral(rolled.loans, assuming(), later);
        for (let month = 0; month < rest.periods; month++) {
          for (const flow of ['opening', 'scheduledPrincipal', 'interest', 'closing'] as const)
            near(rest[flow][month], whole[flow][months + month] ?? 0, 1e-6 * left, `${flow} of month ${month + 1}`);
          near(rest.weightedRate?.[month], whole.weightedRate?.[months + month] ?? 0, 1e-4 * left, `rate of month ${month + 1}`);
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

test('loans rolled in their deferment prepay with the interest that they owe', () => {
  const loans = [aLoan({ remainingMonths: 60, deferMonths: 24 }), aLoan({ remainingMonths: 48, deferMonths: 6, ratePercent: 9 })];
  const speeds = assuming({ prepayment: { measure: 'cpr', values: [12] }, default: { measure: 'cdr', values: [4] } });
  for (const defermentInterest of ['CAPITALISE', 'SPREAD', 'PAY'] as const) {
    const whole = projectCollateral(loans, speeds, { defermentInterest });
    const rolled = rollLoans(columnsOf(loans), 10, whole.closing[9], () => defermentInterest);
    const rest = projectCollateral(rolled.loans, speeds, { defermentInterest });
    for (const flow of ['prepayment', 'interest', 'scheduledPrincipal', 'defaulted'] as const)
      for (const month of [0, 13, 14, 20, 40])
        near(rest[flow][month], whole[flow][10 + month], 1e-6, `${defermentInterest} ${flow}`);
  }
});

test('loans rolled twice are those rolled once over the months of both', () => {
  fc.assert(
    fc.property(
      fc.array(unresetLoan, { minLength: 1, maxLength: 4 }),
      fc.nat(15),
      fc.nat(15),
      anyTreatment,
      (loans, a, b, treatment) => {
        const once = rollLoans(columnsOf([...loans, aLoan()]), a + b, 90_000, () => treatment).loans;
        const first = rollLoans(columnsOf([...loans, aLoan()]), a, 95_000, () => treatment).loans;
        const twice = [...rollLoans(first, b, 90_000, () => treatment).loans];
        for (const [index, loan] of [...once].entries()) {
          const { balance, deferredInterest = 0, scheduledPayment = 0, ...terms } = loan;
          const { balance: other, deferredInterest: due = 0, scheduledPayment: payment = 0, ...others } = twice[index];
          // What is left of a matured loan is nothing; its terms are those of any month.
          if (balance < 0.001) continue;
          near(other, balance, 1e-6);
          near(due, deferredInterest, 1e-6);
          near(payment, scheduledPayment, 1e-6);
          deepEqual(others, terms);
        }
      },
    ),
  );
});

test('each loan is rolled under the treatment of its own segment', () => {
  const loans = columnsOf([aLoan({ deferMonths: 12 }), aLoan({ deferMonths: 12 }), aLoan({ deferMonths: 12 })]);
  const treatments = ['CAPITALISE', 'SPREAD', 'PAY'] as const;
  const rolled = [...rollLoans(loans, 4, 302_000, (index) => treatments[index]).loans];
  deepEqual(
    rolled.map(({ balance, deferredInterest }) => [Math.round(balance), Math.round(deferredInterest ?? 0)]),
    [
      [102_000, 2000],
      [100_000, 2000],
      [100_000, 0],
    ],
  );
});

test('a payment of the tape does not come back with the coupon that it was for', () => {
  const steps = [
    { fromMonth: 3, ratePercent: 4 },
    { fromMonth: 10, ratePercent: 6 },
  ];
  const [later] = rollLoans(columnsOf([aLoan({ scheduledPayment: 4000, steps })]), 12, 90_000).loans;
  equal(later?.scheduledPayment, undefined);
});

test('a rolled loan whose special terms have passed keeps no object', () => {
  const passed = [
    aLoan({ interestOnlyMonths: 3 }),
    aLoan({ deferMonths: 4 }),
    aLoan({ steps: [{ fromMonth: 2, ratePercent: 8 }] }),
  ];
  const { loans } = rollLoans(columnsOf(passed), 4, 200_000);
  equal(loans.special.size, 0);
  deepEqual([...loans.column('ratePercent')], [6, 6, 8]);
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
