import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { projectCollateral, projectSchedules, scheduleLoans } from './collateral.ts';
import { foldSchedules, projectKept } from './kept-pool.ts';
import { createProjector } from './parallel.ts';
import { groupReplines } from './replines.ts';
import { keepSchedules } from './structure/paths.ts';
import { aLoan, anyAssumptions, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { Assumptions, Collateral, CollateralLoan, CollateralSeries, ProjectionOptions } from './types.ts';

const pools = fc.array(anyLoan, { minLength: 1, maxLength: 20 });
const anySeries: fc.Arbitrary<CollateralSeries> = fc.record({
  weightedRate: fc.constant(true),
  adjustment: fc.record({
    ratePercent: fc.constantFrom(0, 4, 7.5, 12),
    applies: fc.constantFrom('BELOW' as const, 'ALL' as const),
  }),
});

const asked = (series: CollateralSeries, more: ProjectionOptions = SOFR_CURVE): ProjectionOptions => ({ ...more, series });

/** Coupon of each month: interest over balance of the loan's schedule, without the months that defer it. */
function couponsOf(loan: CollateralLoan, months: number): number[] {
  const { deferMonths: _deferred, ...paying } = loan;
  const { opening, interest } = projectCollateral([{ ...paying, interestOnlyMonths: months }], assuming(), SOFR_CURVE);
  return Array.from(interest, (due, month) => (1200 * due) / opening[month]);
}

/** Balance less present value, by the definition: every later payment discounted by itself. */
function adjustmentsOf(loan: CollateralLoan, ratePercent: number): number[] {
  const { periods, opening, interest, scheduledPrincipal, closing } = projectCollateral([loan], assuming(), SOFR_CURVE);
  const balances = [opening[0], ...closing];
  return balances.map((balance, after) => {
    let value = 0;
    for (let month = after; month < periods; month++) {
      value += (interest[month] + scheduledPrincipal[month]) / (1 + ratePercent / 1200) ** (month + 1 - after);
    }
    return balance - value;
  });
}

function seriesByDefinition(loans: CollateralLoan[], assumptions: Assumptions, { adjustment }: CollateralSeries) {
  const { periods } = projectCollateral(loans, assumptions, SOFR_CURVE);
  const weightedRate = new Float64Array(periods);
  const adjustments = new Float64Array(periods + 1);
  for (const loan of loans) {
    const performing = projectCollateral([loan], assumptions, SOFR_CURVE);
    const scheduled = projectCollateral([loan], assuming(), SOFR_CURVE);
    const coupons = couponsOf(loan, scheduled.periods);
    for (let month = 0; month < scheduled.periods; month++)
      weightedRate[month] += performing.opening[month] * (coupons[month] ?? 0);
    if (!adjustment || (adjustment.applies === 'BELOW' && loan.ratePercent >= adjustment.ratePercent)) continue;
    const each = adjustmentsOf(loan, adjustment.ratePercent);
    adjustments[0] += each[0];
    for (let month = 0; month < scheduled.periods; month++) {
      const after = scheduled.closing[month];
      if (after > 0) adjustments[month + 1] += (each[month + 1] * performing.closing[month]) / after;
    }
  }
  return { weightedRate, adjustment: adjustments };
}

test('the weighted rate over the opening balance is the average rate of what performs', () => {
  const loans = [
    aLoan({ balance: 300, ratePercent: 6, remainingMonths: 2 }),
    aLoan({ balance: 100, ratePercent: 10, remainingMonths: 1 }),
  ];
  const { weightedRate, opening } = projectCollateral(loans, assuming(), asked({ weightedRate: true }));
  near(weightedRate?.[0], 2800, 1e-9);
  near((weightedRate?.[0] ?? 0) / opening[0], 7, 1e-12);
  near((weightedRate?.[1] ?? 0) / opening[1], 6, 1e-12, 'the other loan is paid');
});

test('an adjustment is the balance less the value of the payments at the rate: a loan of two payments', () => {
  const loan = aLoan({ balance: 1200, ratePercent: 0, remainingMonths: 2 });
  const series = asked({ adjustment: { ratePercent: 12, applies: 'BELOW' } });
  const { adjustment } = projectCollateral([loan], assuming(), series);
  near(adjustment?.[0], 1200 - 600 / 1.01 - 600 / 1.01 ** 2, 1e-9);
  near(adjustment?.[1], 600 - 600 / 1.01, 1e-9);
  equal(adjustment?.[2], 0);
  // Half of it prepays after the first payment: half of the adjustment is left.
  const prepaid = projectCollateral([loan], assuming({ prepayment: { measure: 'smm', values: [50, 0] } }), series);
  near(prepaid.adjustment?.[1], (600 - 600 / 1.01) / 2, 1e-9);
});

test('a loan of the rate has no adjustment, one above it has none below it and a negative one among all', () => {
  const [at, above] = [aLoan({ ratePercent: 7 }), aLoan({ ratePercent: 9 })];
  const of = (loan: CollateralLoan, applies: 'BELOW' | 'ALL') =>
    projectCollateral([loan], assuming(), asked({ adjustment: { ratePercent: 7, applies } })).adjustment ?? [];
  for (const applies of ['BELOW', 'ALL'] as const) ok(of(at, applies).every((amount) => Math.abs(amount) < 1e-9));
  ok(of(above, 'BELOW').every((amount) => amount === 0));
  const falling = aLoan({ ratePercent: 7, steps: [{ fromMonth: 12, ratePercent: 4 }] });
  ok(
    of(falling, 'BELOW').every((amount) => amount === 0),
    'the rate at the cut-off decides',
  );
  ok(of(falling, 'ALL')[0] > 1000);
  ok(of(above, 'ALL')[0] < -1000);
});

test('series are those of the definition, for loans of every kind under all speeds', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, anySeries, (loans, assumptions, series) => {
      const found = projectCollateral(loans, assumptions, asked(series));
      const expected = seriesByDefinition(loans, assumptions, series);
      for (const name of ['weightedRate', 'adjustment'] as const) {
        equal(found[name]?.length, expected[name].length);
        for (const [month, amount] of expected[name].entries()) near(found[name]?.[month], amount, 1e-4, `${name} at ${month}`);
      }
    }),
    { numRuns: 150 },
  );
});

test('the rate of deferred months is that of the loan, whatever becomes of their interest', () => {
  const loan = aLoan({ balance: 1000, ratePercent: 6, remainingMonths: 12, deferMonths: 4 });
  for (const defermentInterest of ['CAPITALISE', 'SPREAD', 'PAY'] as const) {
    const { weightedRate, opening } = projectCollateral([loan], assuming(), asked({ weightedRate: true }, { defermentInterest }));
    for (let month = 0; month < 12; month++)
      near(weightedRate?.[month], 6 * opening[month], 1e-9, `${defermentInterest} ${month}`);
  }
});

test('asking for series changes no flow, and without asking there is none', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, anySeries, (loans, assumptions, series) => {
      const { weightedRate, adjustment, ...flows } = projectCollateral(loans, assumptions, asked(series));
      ok(weightedRate && adjustment);
      deepEqual(flows, projectCollateral(loans, assumptions, SOFR_CURVE));
    }),
    { numRuns: 50 },
  );
});

test('kept schedules and kept pools have the series of their loans', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, anySeries, (loans, assumptions, series) => {
      const direct = projectCollateral(loans, assumptions, asked(series));
      const scheduled = scheduleLoans(loans, asked(series), assumptions.servicerAdvances);
      const kept: Collateral[] = [projectSchedules(scheduled, assumptions, series)];
      if (!assumptions.servicerAdvances) {
        const merged = keepSchedules(loans, assumptions, asked(series));
        kept.push(projectKept(foldSchedules(merged, assumptions, series), assumptions));
      }
      for (const found of kept) {
        for (const name of ['weightedRate', 'adjustment'] as const) {
          for (const [month, amount] of (direct[name] ?? []).entries())
            near(found[name]?.[month], amount, 1e-5, `${name} at ${month}`);
        }
      }
    }),
  );
});

test('series are the same to the bit on several threads', async () => {
  const loans = Array.from({ length: 17_000 }, (_, index) =>
    aLoan({
      balance: 1000 + index / 3,
      ratePercent: 3 + (index % 700) / 100,
      remainingMonths: 12 + (index % 37),
      ...(index % 11 === 0 ? { deferMonths: 6 } : {}),
    }),
  );
  const speeds = assuming({ prepayment: { measure: 'cpr', values: [9] }, default: { measure: 'cdr', values: [3] } });
  const options = asked({ weightedRate: true, adjustment: { ratePercent: 6, applies: 'BELOW' } });
  await using projector = createProjector({ threads: 2, parallelFrom: 0 });
  deepEqual(await projector.project(loans, speeds, options), { ...projectCollateral(loans, speeds, options) });
});

test('advances change no series, in pools of several parts with loans of all kinds', async () => {
  const kinds: Partial<CollateralLoan>[] = [
    { interestOnlyMonths: 6 },
    { deferMonths: 6 },
    { balloonMonth: 9 },
    { floating: { index: 'SOFR', marginPercent: 2, resetMonths: 3 } },
  ];
  // The first loan puts the special ones after it out of step with the parts of the pool.
  const loans = Array.from({ length: 17_000 }, (_, index) =>
    aLoan({
      balance: 1000 + index / 3,
      ratePercent: 3 + (index % 700) / 100,
      remainingMonths: 12,
      ...(index > 0 ? kinds[index % 4] : {}),
    }),
  );
  const speeds = assuming({ prepayment: { measure: 'cpr', values: [9] }, default: { measure: 'cdr', values: [3] } });
  const options = asked({ weightedRate: true, adjustment: { ratePercent: 6, applies: 'BELOW' } });
  const advanced = { ...speeds, servicerAdvances: true };
  const [plain, found] = [speeds, advanced].map((assumptions) => projectCollateral(loans, assumptions, options));
  for (const name of ['weightedRate', 'adjustment'] as const) {
    for (const [month, amount] of (plain[name] ?? []).entries()) near(found[name]?.[month], amount, 1e-4, `${name} at ${month}`);
  }
  await using projector = createProjector({ threads: 2, parallelFrom: 0 });
  deepEqual(await projector.project(loans, advanced, options), { ...found });
});

test('replines of equal rates have the series of their loans', () => {
  const loans = Array.from({ length: 60 }, (_, index) =>
    aLoan({ balance: 1000 + index, ratePercent: 5 + (index % 3), remainingMonths: 24 }),
  );
  const options = asked({ weightedRate: true, adjustment: { ratePercent: 6.5, applies: 'BELOW' } });
  const [byLoan, byLine] = [loans, groupReplines(loans)].map((each) => projectCollateral(each, assuming(), options));
  for (const name of ['weightedRate', 'adjustment'] as const) {
    for (const [month, amount] of (byLoan[name] ?? []).entries()) near(byLine[name]?.[month], amount, 1e-6, name);
  }
});

test('cards have the average rate of their accounts, and no scheduled payments to discount', () => {
  const card = { paymentRatePercent: [20], portfolioYieldPercent: [18], chargeOffPercent: [6] };
  const accounts = [aLoan({ balance: 300, ratePercent: 20 }), aLoan({ balance: 100, ratePercent: 24 })];
  const { weightedRate, opening } = projectCollateral(accounts, assuming({ card }), { series: { weightedRate: true } });
  near(weightedRate?.[0], 8400, 1e-9);
  near(weightedRate?.[3], 21 * opening[3], 1e-9);
  throws(() => projectCollateral(accounts, assuming({ card }), { series: { adjustment: { ratePercent: 5, applies: 'ALL' } } }), {
    name: 'UnusableInputError',
    message: /no scheduled payments/,
  });
});

test('an empty pool has empty series', () => {
  const { weightedRate, adjustment } = projectCollateral(
    [],
    assuming(),
    asked({ weightedRate: true, adjustment: { ratePercent: 5, applies: 'ALL' } }),
  );
  deepEqual([[...(weightedRate ?? [1])], [...(adjustment ?? [])]], [[], [0]]);
});
