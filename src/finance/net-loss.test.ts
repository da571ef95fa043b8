import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { projectCollateral } from './collateral.ts';
import { type NetLossCurve, solveNetLoss } from './net-loss.ts';
import { keepSchedules } from './structure/paths.ts';
import { aLoan, anyAssumptions, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { Assumptions, CollateralLoan } from './types.ts';

const FROM_THE_START = { ageMonths: 0, bookedLoss: 0 };

function solve(loans: CollateralLoan[], assumptions: Assumptions, curve: NetLossCurve, deal = FROM_THE_START) {
  const originalBalance = loans.reduce((sum, { balance }) => sum + balance, 0);
  const schedules = keepSchedules(loans, assumptions, SOFR_CURVE);
  const solved = solveNetLoss(schedules, assumptions, curve, { originalBalance, ...deal });
  const loss = solved.ok ? projectCollateral(loans, { ...assumptions, default: solved.default }, SOFR_CURVE).loss : null;
  return { originalBalance, solved, loss };
}

const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

test('a loan that amortizes by hundreds loses half of what defaults two months before', () => {
  const loan = aLoan({ balance: 1000, ratePercent: 0, remainingMonths: 10 });
  const assumptions = assuming({ severityPercent: 50, recoveryLagMonths: 2 });
  const { solved, loss } = solve([loan], assumptions, { percent: 10, shares: [0, 0, 0.5, 0.5] });
  ok(solved.ok && loss);
  // Month 1: 50 of loss is 100 of 1000. Month 2: 900 of the loan performs to nine tenths, and 100 of 810 default.
  near(solved.default.values[0], 10, 1e-9);
  near(solved.default.values[1], 10_000 / 810, 1e-9);
  deepEqual(solved.default.values.slice(2), [0]);
  deepEqual(
    Array.from(loss, (amount) => Math.round(1e9 * amount) / 1e9),
    [0, 0, 50, 50, 0, 0, 0, 0, 0, 0],
  );
});

const curves = fc
  .record({
    percent: fc.integer({ min: 1, max: 3000 }).map((points) => points / 100),
    weights: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 60 }).filter((weights) => total(weights) > 0),
  })
  .map(({ percent, weights }): NetLossCurve => ({ percent, shares: weights.map((weight) => weight / total(weights)) }));

test('the booked loss of every month is that of the curve, under any prepayments, severities, lags and advances', () => {
  let possible = 0;
  fc.assert(
    fc.property(fc.array(anyLoan, { minLength: 1, maxLength: 15 }), anyAssumptions, curves, (loans, assumptions, curve) => {
      const byAge = { ...assumptions, severityByAge: true };
      const { originalBalance, solved, loss } = solve(loans, byAge, curve);
      if (!solved.ok || !loss) return;
      possible++;
      const lag = assumptions.recoveryLagMonths;
      const due = curve.shares.map((share) => (share * originalBalance * curve.percent) / 100);
      const early = total(due.slice(0, lag));
      near(solved.deferred, early, 1e-6 * originalBalance);
      const expected = (month: number) => (month < lag ? 0 : (due[month] ?? 0) + (month === lag ? early : 0));
      for (const [month, amount] of loss.entries()) near(amount, expected(month), 1e-7 * originalBalance, `month ${month + 1}`);
      near(total(loss), (originalBalance * curve.percent) / 100, 1e-7 * originalBalance, 'lifetime');
    }),
    { numRuns: 400 },
  );
  ok(possible > 60, `${possible} of the pools can lose as much`);
});

test('the most that a pool can lose is possible, and 0.01 more is not', () => {
  let refused = 0;
  fc.assert(
    fc.property(fc.array(anyLoan, { minLength: 1, maxLength: 8 }), anyAssumptions, curves, (loans, assumptions, curve) => {
      const { solved } = solve(loans, assumptions, { ...curve, percent: 100 });
      if (solved.ok || solved.reason !== 'NOT_ENOUGH') return;
      refused++;
      equal(solve(loans, assumptions, { ...curve, percent: solved.mostPercent }).solved.ok, true);
      equal(solve(loans, assumptions, { ...curve, percent: solved.mostPercent + 0.01 }).solved.ok, false);
      ok(solved.due > solved.possible && solved.month > assumptions.recoveryLagMonths);
    }),
    { numRuns: 60 },
  );
  ok(refused > 30, `${refused} pools were refused`);
});

test('what the deal has lost is deducted, and the rest follows the later months of the curve', () => {
  const loans = [aLoan({ remainingMonths: 60 })];
  const assumptions = assuming({ severityPercent: 40, prepayment: { measure: 'cpr', values: [5] } });
  const curve = { percent: 5, shares: [0.4, 0.3, 0.2, 0.1] };
  const { loss } = solve(loans, assumptions, curve, { ageMonths: 2, bookedLoss: 2000 });
  ok(loss);
  near(loss[0], 2000, 1e-6);
  near(loss[1], 1000, 1e-6);
  near(total(loss), 3000, 1e-6);
  const done = solve(loans, assumptions, curve, { ageMonths: 2, bookedLoss: 5000 });
  equal(total(done.loss ?? [1]), 0);
  const { solved } = solve(loans, assumptions, curve, { ageMonths: 4, bookedLoss: 2000 });
  deepEqual(solved, { ok: false, reason: 'TIMING_ENDED', remaining: 3000 });
});
