import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import fc from '../../../test/support/property.ts';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { projectCollateral } from '../collateral.ts';
import { addCollaterals } from '../collateral-sum.ts';
import { NO_SEGMENT, UNDECIDED_SEGMENT } from '../loan-columns.ts';
import { anyAssumptions, anyLoan, assuming, near, SOFR_CURVE } from '../test-support.ts';
import type { Assumptions, Collateral, CollateralLoan } from '../types.ts';
import { segmentationOf } from './assumptions.ts';
import { calculate } from './calculate.ts';
import { calculationKey } from './key.ts';
import { normalizeRequest } from './normalize.ts';
import type { CalculationPool } from './normal-request.ts';
import { type CalculationRequest, CalculationRequestSchema, type WireSegment } from './request.ts';

const LOANS = [loan(600_000, 8, 60), loan(300_000, 9.5, 48, 12), loan(100_000, 7, 72, 3)];
const DEAL = sequential([note('A', 700_000, 5, 1), note('B', 150_000, 7, 2)]);

const WEAK = { field: 'credit_score', op: 'lt', value: 620 };
const OLD = { field: 'loan_age_months', op: 'gt', value: 6 };

/** A pool divided by a list of rules into these segments, loan by loan. */
function pool(segments: readonly WireSegment[], numbers: number[], loans: CollateralLoan[] = LOANS): CalculationPool {
  return {
    loans,
    loanType: 'Auto',
    originalBalance: loans.reduce((sum, { balance }) => sum + balance, 0),
    cutOff: '2026-11-30',
    closing: '2026-12-15',
    segments: new Map([[segmentationOf(segments), Int8Array.from(numbers)]]),
  };
}

async function run(request: Partial<CalculationRequest>, of: CalculationPool) {
  const asked: CalculationRequest = { type: 'CASHFLOW', ...request };
  deepEqual([...Value.Errors(CalculationRequestSchema, asked)], []);
  const calculated = await calculate(asked, of, DEAL);
  if (!calculated.ok) throw new Error(JSON.stringify(calculated.faults));
  return calculated;
}

const rowsOf = async (request: Partial<CalculationRequest>, of: CalculationPool) =>
  (await run(request, of)).details[0]?.collateral ?? [];

const COLUMNS = ['scheduled_principal', 'prepayment', 'default', 'recovery', 'loss', 'interest', 'closing'] as const;

test('a pool with segments pays what its segments pay, each under its own assumptions and the rest under those of the request', async () => {
  const segments = [
    { where: WEAK, cdr: 9, severity: 70, recovery_lag_months: 2, late_defaults: 'KEEP' as const },
    { where: OLD, psa: 200, servicer_advances: true, recovery_lag_months: 4 },
  ];
  const assumptions = { cpr: 6, cdr: 2, severity: 40, recovery_lag_months: 6 };
  const whole = await rowsOf({ assumptions: { ...assumptions, segments } }, pool(segments, [1, 0, NO_SEGMENT]));
  const parts = [
    projectCollateral([LOANS[1]], {
      ...assuming({ prepayment: { measure: 'cpr', values: [6] }, default: { measure: 'cdr', values: [9] } }),
      severityPercent: 70,
      recoveryLagMonths: 2,
      keepsLateDefaults: true,
    }),
    projectCollateral([LOANS[0]], {
      ...assuming({ prepayment: { measure: 'psa', values: [200] }, default: { measure: 'cdr', values: [2] } }),
      severityPercent: 40,
      recoveryLagMonths: 4,
      servicerAdvances: true,
    }),
    projectCollateral([LOANS[2]], {
      ...assuming({ prepayment: { measure: 'cpr', values: [6] }, default: { measure: 'cdr', values: [2] } }),
      severityPercent: 40,
      recoveryLagMonths: 6,
    }),
  ];
  equal(whole.length, 72);
  const names = { scheduled_principal: 'scheduledPrincipal', default: 'defaulted', interest: 'interest' } as const;
  for (const [month, row] of whole.entries()) {
    for (const [column, name] of Object.entries(names) as [keyof typeof names, (typeof names)[keyof typeof names]][]) {
      const advanced = column === 'interest' ? 'advancedInterest' : null;
      const expected = parts.reduce(
        (sum, part) => sum + (part[name][month] ?? 0) + (advanced ? (part[advanced][month] ?? 0) : 0),
        0,
      );
      near(row[column], expected, 0.021, `${column} of month ${month + 1}`);
    }
  }
});

test('a segment of all loans is the request with its assumptions, to the bit', async () => {
  const segments = [{ where: WEAK, cdr: 9, severity: 70 }];
  const plain = { cpr: 6, cdr: 9, severity: 70, recovery_lag_months: 3 };
  const divided = { cpr: 6, sda: 100, severity: 10, recovery_lag_months: 3, segments };
  const measures = async (assumptions: CalculationRequest['assumptions']) => {
    const { result, details } = await run({ type: 'PRICING', assumptions }, pool(segments, [0, 0, 0]));
    return { details, tranches: result.results[0]?.tranches };
  };
  deepEqual(await measures(divided), await measures(plain));
});

test('replines are grouped within segments', async () => {
  const loans = Array.from({ length: 12 }, (_, index) => loan(50_000 + 100 * index, 8, 36));
  const segments = [{ where: WEAK, mdr: 2 }];
  const of = pool(
    segments,
    Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? 0 : NO_SEGMENT)),
    loans,
  );
  const assumptions = { cpr: 5, severity: 50, segments };
  const byLoan = await rowsOf({ assumptions }, of);
  const byLine = await rowsOf({ assumptions, granularity: 'REPLINE' }, of);
  ok((byLoan[0]?.default ?? 0) > 0);
  for (const [month, row] of byLoan.entries())
    for (const column of COLUMNS) near(byLine[month]?.[column], row[column], 0.011, column);
});

test('a measure of a segment replaces its group, what it does not have is that of the scenario, and a scenario may replace or remove the list', () => {
  const segments = [
    { where: WEAK, sda: 300 },
    { where: OLD, by: 'PERIOD' as const },
  ];
  const other = [{ where: OLD, multiple: 3 }];
  const normalized = normalizeRequest(
    {
      type: 'CASHFLOW',
      assumptions: { cdr: [1, 2], by: 'AGE', severity: 40, segments },
      scenarios: [
        { scenario: 'stress', mdr: 1, multiple: 2 },
        { scenario: 'other', segments: other },
        { scenario: 'none', segments: [] },
      ],
    },
    pool(segments, [0, 1, 0]),
    DEAL,
  );
  if (!normalized.ok) throw new Error(JSON.stringify(normalized.faults));
  const [stress, replaced, none] = normalized.request.scenarios;
  deepEqual(
    stress?.assumptions.segments?.each.map(({ default: each }) => each),
    [
      { measure: 'sda', values: [600], byAge: true },
      { measure: 'mdr', values: [2] },
    ],
  );
  equal(stress?.assumptions.segments?.each[0]?.severityPercent, 40);
  deepEqual(
    replaced?.assumptions.segments?.each.map(({ default: each }) => each.values),
    [[3, 6]],
  );
  deepEqual([none?.assumptions.segments, none?.wire.segments], [undefined, undefined]);
});

test('segments without loans, and loans that no rule could place, are told', async () => {
  const segments = [
    { where: WEAK, cdr: 9 },
    { where: OLD, cdr: 4 },
  ];
  const { result } = await run(
    {
      assumptions: { cdr: 1, segments },
      scenarios: [{ scenario: 'base' }, { scenario: 'same rules', segments: [{ where: WEAK }, { where: OLD }] }],
    },
    pool(segments, [0, UNDECIDED_SEGMENT, NO_SEGMENT]),
  );
  deepEqual(result.warnings, [
    'assumptions.segments[1] has no loan',
    'assumptions.segments: 1 loans lack a value that a rule needs: they are in no segment and have the assumptions of the request',
  ]);
});

test('segments move together on the paths of a risk run, and have one constant CDR in a break-even', async () => {
  const segments = [{ where: WEAK, cdr: 9 }];
  const numbers = [0, NO_SEGMENT, 0];
  const request = { type: 'RISK' as const, risk: { paths: 3, factors: { cdr: { sigma: 0 } } } };
  const assumptions = { cdr: 2, severity: 50, recovery_lag_months: 3, segments };
  const { result } = await run({ ...request, assumptions }, pool(segments, numbers));
  const [base] = result.results;
  near(
    base?.risk?.collateral.mean,
    (100 * (base?.collateral.loss ?? 0)) / 1_000_000,
    1e-5,
    'paths without shocks are the scenario',
  );
  const shocked = await run(
    { ...request, assumptions, risk: { paths: 40, factors: { cdr: { sigma: 0.5 } } } },
    pool(segments, numbers),
  );
  const { minimum = 0, maximum = 0 } = shocked.result.results[0]?.risk?.collateral ?? {};
  ok(minimum < 0.7 * (base?.risk?.collateral.mean ?? 0) && maximum > 1.5 * (base?.risk?.collateral.mean ?? 0));
  const breakEven = async (asked: CalculationRequest['assumptions']) =>
    (await run({ type: 'BREAKEVEN', assumptions: asked }, pool(segments, numbers))).result.results[0]?.tranches.map(
      ({ break_even_cdr }) => break_even_cdr,
    );
  const { segments: _none, ...plain } = assumptions;
  deepEqual(await breakEven(assumptions), await breakEven(plain));
});

test('the rules and assumptions of segments are part of the key', () => {
  const keyOf = (segments: WireSegment[]) => {
    const normalized = normalizeRequest({ type: 'CASHFLOW', assumptions: { cdr: 2, segments } }, pool(segments, []), DEAL);
    if (!normalized.ok) throw new Error('unexpected fault');
    return calculationKey({ structureVersion: 1, loanSet: 'a', tapeVersions: {}, cutOff: '2026-11-30' }, normalized.request);
  };
  const keys = [[], [{ where: WEAK, cdr: 9 }], [{ where: OLD, cdr: 9 }], [{ where: WEAK, cdr: 8 }]].map(keyOf);
  equal(new Set(keys).size, 4);
  notEqual(keyOf([{ where: WEAK }, { where: OLD }]), keyOf([{ where: OLD }, { where: WEAK }]));
});

test('a contradiction within a segment is named with its path', () => {
  const segments = [{ where: WEAK }, { where: OLD, cdr: 1, mdr: 2 }];
  const normalized = normalizeRequest(
    { type: 'CASHFLOW', assumptions: {}, scenarios: [{ scenario: 'a', segments }] },
    pool(segments, []),
    DEAL,
  );
  deepEqual(!normalized.ok && normalized.faults.map(({ path }) => path), ['scenarios[0].segments[1]']);
});

test('cards of a segment have its payment rate and charge-off', async () => {
  const segments = [{ where: WEAK, charge_off: 24, payment_rate: 5 }];
  const cards = { ...pool(segments, [0, NO_SEGMENT, NO_SEGMENT]), loanType: 'Credit Card' };
  const rows = await rowsOf({ assumptions: { payment_rate: 10, charge_off: 6, portfolio_yield: 18, segments } }, cards);
  deepEqual([rows[0]?.default, rows[0]?.scheduled_principal], [12_000 + 2_000, 30_000 + 40_000]);
});

const SUMS = [
  'opening',
  'scheduledPrincipal',
  'prepayment',
  'defaulted',
  'recovery',
  'loss',
  'interest',
  'pendingRecovery',
  'closing',
] as const;

test('the sum of cash flows keeps the identities of each month, whatever their lengths, with their series', () => {
  const parts = fc.array(fc.tuple(fc.array(anyLoan, { minLength: 1, maxLength: 5 }), anyAssumptions), {
    minLength: 1,
    maxLength: 4,
  });
  const series = { weightedRate: true, adjustment: { ratePercent: 6, applies: 'ALL' as const } };
  fc.assert(
    fc.property(parts, (pools: [CollateralLoan[], Assumptions][]) => {
      const projected = pools.map(([loans, each]) => projectCollateral(loans, each, { ...SOFR_CURVE, series }));
      const total = addCollaterals(projected, series);
      equal(total.periods, Math.max(...projected.map(({ periods }) => periods)));
      const at = (name: (typeof SUMS)[number], month: number) =>
        projected.reduce((sum, part: Collateral) => sum + (part[name][month] ?? 0), 0);
      for (let month = 0; month < total.periods; month++) {
        for (const name of SUMS) near(total[name][month], at(name, month), 1e-6, name);
        const { opening, scheduledPrincipal, prepayment, defaulted, closing } = total;
        near(opening[month] - scheduledPrincipal[month] - prepayment[month] - defaulted[month], closing[month], 1e-6);
        if (month > 0) equal(opening[month], closing[month - 1]);
        near(
          total.weightedRate?.[month],
          projected.reduce((sum, part) => sum + (part.weightedRate?.[month] ?? 0), 0),
          1e-4,
        );
      }
      near(
        total.adjustment?.[0],
        projected.reduce((sum, part) => sum + (part.adjustment?.[0] ?? 0), 0),
        1e-6,
      );
      equal(total.adjustment?.length, total.periods + 1);
    }),
    { numRuns: 60 },
  );
});
