import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { projectCollateral, projectSchedules, scheduleLoans } from './collateral.ts';
import { foldSchedules, projectKept } from './kept-pool.ts';
import { createProjector } from './parallel.ts';
import { keepSchedules } from './structure/paths.ts';
import { aLoan, anyAssumptions, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { Assumptions, Collateral, CollateralLoan } from './types.ts';

const FLOWS = ['prepayment', 'defaulted', 'recovery', 'loss', 'interest', 'pendingRecovery', 'closing'] as const;

const byAge = (assumptions: Assumptions): Assumptions => ({
  ...assumptions,
  prepayment: { ...assumptions.prepayment, byAge: true },
  default: { ...assumptions.default, byAge: true },
  severityByAge: true,
});

/** What a loan of this age reads of values by age, as values by period. */
const from = (values: number[], ageMonths: number) => values.slice(Math.min(ageMonths, values.length - 1));

/** The same assumptions with vectors by period, for loans of one age. */
function atAge(assumptions: Assumptions, ageMonths: number): Assumptions {
  const { prepayment, default: defaults, severityPercent } = assumptions;
  return {
    ...assumptions,
    prepayment: { measure: prepayment.measure, values: from(prepayment.values, ageMonths) },
    default: { measure: defaults.measure, values: from(defaults.values, ageMonths) },
    severityPercent: typeof severityPercent === 'number' ? severityPercent : from(severityPercent, ageMonths),
  };
}

function sumOf(collaterals: readonly Collateral[], flow: (typeof FLOWS)[number], month: number): number {
  return collaterals.reduce((sum, collateral) => sum + (collateral[flow][month] ?? 0), 0);
}

/** A pool whose loans are young enough to read vectors of a few values differently. */
const youngPools = fc.array(
  fc.tuple(anyLoan, fc.integer({ min: 0, max: 6 })).map(([loan, ageMonths]): CollateralLoan => ({ ...loan, ageMonths })),
  { minLength: 1, maxLength: 20 },
);

test('a vector by age is read from the age of each loan on: month i of a loan is its age plus i', () => {
  const assumptions = byAge(assuming({ default: { measure: 'mdr', values: [1, 2, 3, 4] } }));
  const { defaulted, opening } = projectCollateral([aLoan({ ageMonths: 2, ratePercent: 0, remainingMonths: 10 })], assumptions);
  near(defaulted[0] / opening[0], 0.03, 1e-12);
  near(defaulted[1] / opening[1], 0.04, 1e-12);
  near(defaulted[5] / opening[5], 0.04, 1e-12, 'the last value persists');
});

test('severity by age is that of the month of default', () => {
  const assumptions = byAge(
    assuming({ default: { measure: 'mdr', values: [1] }, severityPercent: [10, 20, 80], recoveryLagMonths: 2 }),
  );
  const { defaulted, loss, recovery } = projectCollateral([aLoan({ ageMonths: 1 }), aLoan()], assumptions);
  near(loss[2], defaulted[0] * 0.15, 1e-9, 'one loan loses 20 %, the other 10 %');
  near(loss[2] + recovery[2], defaulted[0], 1e-9);
});

test('vectors by age project each loan as vectors by period that begin at its age do', () => {
  fc.assert(
    fc.property(youngPools, anyAssumptions, (loans, asked) => {
      const aged = byAge(asked);
      const pool = projectCollateral(loans, aged, SOFR_CURVE);
      const each = loans.map((loan) => projectCollateral([loan], atAge(asked, loan.ageMonths), SOFR_CURVE));
      for (const flow of FLOWS) {
        for (let month = 0; month < pool.periods; month++) {
          near(pool[flow][month], sumOf(each, flow, month), 1e-6, `${flow} of month ${month + 1}`);
        }
      }
    }),
  );
});

test('a pool that is kept for many projections reads vectors by age as the loans themselves do', () => {
  fc.assert(
    fc.property(youngPools, anyAssumptions, (loans, asked) => {
      const aged = byAge(asked);
      const direct = projectCollateral(loans, aged, SOFR_CURVE);
      const schedules = keepSchedules(loans, aged, SOFR_CURVE);
      const kept = [projectSchedules(scheduleLoans(loans, SOFR_CURVE, aged.servicerAdvances), aged)];
      if (!aged.servicerAdvances) kept.push(projectKept(foldSchedules(schedules, aged), aged));
      for (const found of kept) {
        for (const flow of FLOWS)
          for (const [month, amount] of direct[flow].entries()) near(found[flow][month], amount, 1e-6, flow);
      }
    }),
  );
});

test('a number is the same by age and by period, to the bit', () => {
  fc.assert(
    fc.property(youngPools, anyAssumptions, (loans, asked) => {
      const { prepayment, default: defaults } = asked;
      const constant: Assumptions = {
        ...asked,
        prepayment: { ...prepayment, values: prepayment.values.slice(0, 1) },
        default: { ...defaults, values: defaults.values.slice(0, 1) },
        severityPercent: 40,
      };
      const [period, age] = [constant, byAge(constant)].map((each) => projectCollateral(loans, each, SOFR_CURVE));
      for (const flow of FLOWS)
        ok(
          period[flow].every((amount, month) => Object.is(amount, age[flow][month])),
          flow,
        );
    }),
    { numRuns: 50 },
  );
});

test('loss by age is the same to the bit on several threads', async () => {
  const loans = Array.from({ length: 17_000 }, (_, index) =>
    aLoan({ balance: 1000 + index / 3, remainingMonths: 12 + (index % 7), ageMonths: index % 50 }),
  );
  const assumptions = byAge(
    assuming({ default: { measure: 'cdr', values: [1, 5, 9] }, severityPercent: [10, 90, 40], recoveryLagMonths: 3 }),
  );
  await using projector = createProjector({ threads: 2, parallelFrom: 0 });
  const [alone, together] = [projectCollateral(loans, assumptions), await projector.project(loans, assumptions)];
  equal(Buffer.compare(Buffer.from(alone.loss.slice().buffer), Buffer.from(together.loss.slice().buffer)), 0);
});
