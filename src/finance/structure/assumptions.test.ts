import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { calculate } from './calculate.ts';
import { calculationKey } from './key.ts';
import { normalizeRequest } from './normalize.ts';
import type { CalculationPool, NormalRequest } from './normal-request.ts';
import { type CalculationRequest, CalculationRequestSchema } from './request.ts';

const POOL: CalculationPool = {
  loans: [loan(600_000, 8, 60), loan(300_000, 9.5, 48, 12), loan(100_000, 7, 72, 3)],
  loanType: 'Auto',
  originalBalance: 1_000_000,
  cutOff: '2026-11-30',
  closing: '2026-12-15',
};

const DEAL = sequential([note('A', 700_000, 5, 1), note('B', 150_000, 7, 2)]);

const IDENTITY = { structureVersion: 1, loanSet: 'a', tapeVersions: { deal_a: 2 }, cutOff: '2026-11-30' };

function normal(request: Partial<CalculationRequest>, pool = POOL): NormalRequest {
  const asked: CalculationRequest = { type: 'CASHFLOW', ...request };
  deepEqual([...Value.Errors(CalculationRequestSchema, asked)], []);
  const normalized = normalizeRequest(asked, pool, DEAL);
  if (!normalized.ok) throw new Error(JSON.stringify(normalized.faults));
  return normalized.request;
}

const keyOf = (request: Partial<CalculationRequest>) => calculationKey(IDENTITY, normal(request));

async function run(request: Partial<CalculationRequest>, pool = POOL) {
  const calculated = await calculate({ type: 'CASHFLOW', ...request }, pool, DEAL);
  if (!calculated.ok) throw new Error(JSON.stringify(calculated.faults));
  return calculated;
}

test('requests of one version of the engine keep their keys, so that their stored results are found', () => {
  // Of engine 1.11.0: another version computes anew.
  const assumptions = { cpr: 6, cdr: 2, severity: 50, recovery_lag_months: 3 };
  equal(
    calculationKey({ ...IDENTITY }, normal({ type: 'PRICING', assumptions }, { ...POOL, tapeVersions: { deal_a: 2 } })),
    '06036606145db1d88acdfc4853f89f2170066d52f5e82a68269cf4bf828a6bfe',
  );
  equal(
    keyOf({ type: 'RISK', assumptions, risk: { paths: 20, factors: { cdr: { sigma: 0.4 } } } }),
    'ca66136590eb61ce3277dc165104f0c464f90fd0530ebd3f0b5bcc0d52d3f884',
  );
});

test('the basis of vectors is part of the key, and its default is not', () => {
  const cdr = [1, 2, 3];
  equal(keyOf({ assumptions: { cdr, by: 'PERIOD' } }), keyOf({ assumptions: { cdr } }));
  notEqual(keyOf({ assumptions: { cdr, by: 'AGE' } }), keyOf({ assumptions: { cdr } }));
});

test('a scenario takes the basis of the request unless it has its own', async () => {
  const { result, details } = await run({
    assumptions: { cdr: [1, 2, 30], by: 'AGE', severity: 100 },
    scenarios: [{ scenario: 'age' }, { scenario: 'other', cdr: [1, 2, 30] }, { scenario: 'period', by: 'PERIOD' }],
  });
  deepEqual(
    result.results.map(({ assumptions }) => assumptions.by),
    ['AGE', 'AGE', undefined],
  );
  const [age, other, period] = details.map(({ collateral }) => collateral.map((row) => row.loss));
  deepEqual(other, age);
  ok(age[0] > 5 * period[0], 'loans of 3 and 12 months read 30 % at once');
});

test('a pool of credit cards has no loan ages, and says so', () => {
  const cards = { ...POOL, loanType: 'Credit Card' };
  const { warnings } = normal({ assumptions: { payment_rate: 10, by: 'AGE' } }, cards);
  deepEqual(warnings, ["assumptions.by is not read: the pool's loan type is Credit Card"]);
});

test('a multiple scales the default measure of its own kind: rates, the SDA curve, vectors by age, charge-offs', async () => {
  const equals: [CalculationRequest['assumptions'], CalculationRequest['assumptions']][] = [
    [{ cdr: 4, multiple: 1.5 }, { cdr: 6 }],
    [{ sda: [100, 200], multiple: 2 }, { sda: [200, 400] }],
    [
      { mdr: [1, 0.5], by: 'AGE', multiple: 0.5 },
      { mdr: [0.5, 0.25], by: 'AGE' },
    ],
    [{ cpr: 8, multiple: 3 }, { cpr: 8 }],
  ];
  for (const [scaled, plain] of equals) {
    const flows = await Promise.all(
      [scaled, plain].map(async (each) => (await run({ assumptions: { severity: 40, ...each } })).details),
    );
    deepEqual(flows[0][0]?.collateral, flows[1][0]?.collateral);
  }
  const cards = { ...POOL, loanType: 'Credit Card' };
  const charged = async (assumptions: CalculationRequest['assumptions']) =>
    (await run({ assumptions: { payment_rate: 10, ...assumptions } }, cards)).details[0]?.collateral;
  deepEqual(await charged({ charge_off: 4, multiple: 1.5 }), await charged({ charge_off: 6 }));
});

test('a scenario of a multiple alone stresses the defaults of the request, and 1 is no multiple', () => {
  const assumptions = { cdr: [2, 3] };
  const [stress] = normal({ assumptions, scenarios: [{ scenario: 'stress', multiple: 2 }] }).scenarios;
  deepEqual([stress?.assumptions.default.values, stress?.wire.cdr, stress?.wire.multiple], [[4, 6], [2, 3], 2]);
  equal(keyOf({ assumptions: { ...assumptions, multiple: 1 } }), keyOf({ assumptions }));
  notEqual(keyOf({ assumptions: { ...assumptions, multiple: 1.01 } }), keyOf({ assumptions }));
});

test('where a multiple takes a default rate above the whole balance, it is capped and the result says where', async () => {
  const warned = (assumptions: CalculationRequest['assumptions']) => normal({ assumptions }).warnings;
  deepEqual(warned({ cdr: 50, multiple: 2 }), []);
  deepEqual(warned({ cdr: [60, 10, 60, 55, 1], multiple: 2 }), [
    'scenario "base": multiple 2 takes cdr above the whole balance in months 1, 3 to 4: the monthly default rate is capped at 1 there',
  ]);
  deepEqual(warned({ mdr: [1, 60], by: 'AGE', multiple: 2 }), [
    'scenario "base": multiple 2 takes mdr above the whole balance in loan months 2 and later: the monthly default rate is capped at 1 there',
  ]);
  deepEqual(warned({ sda: 9000, multiple: 2 }), [
    'scenario "base": multiple 2 takes sda above the whole balance in every month, at the top of the SDA curve: the monthly default rate is capped at 1 there',
  ]);
  deepEqual(warned({ sda: 8333, multiple: 2 }), []);
  const { details } = await run({ assumptions: { cdr: 60, multiple: 2, severity: 50 } });
  const [first, second] = details[0]?.collateral ?? [];
  deepEqual([first?.default, first?.closing, second?.default], [1_000_000, 0, 0]);
});

function faultsOf(request: Partial<CalculationRequest>, structure = DEAL): string[] {
  const normalized = normalizeRequest({ type: 'CASHFLOW', ...request }, POOL, structure);
  return normalized.ok ? [] : normalized.faults.map(({ code, path, message }) => `${code} ${path}: ${message}`);
}

test('delinquencies of 30, 60 and 90 days reach the run, each by month, and a worse one is never above one that includes it', () => {
  const [scenario] = normal({ assumptions: { delinquency_30: [6, 7], delinquency: 3, delinquency_90: [1, 2, 3] } }).scenarios;
  const { delinquency30Percent, delinquencyPercent, delinquency90Percent } = scenario?.assumptions ?? {};
  deepEqual([delinquency30Percent, delinquencyPercent, delinquency90Percent], [[6, 7], [3], [1, 2, 3]]);
  deepEqual(faultsOf({ assumptions: { delinquency: 3, delinquency_90: [1, 2, 3.5] } }), [
    'ASSUMPTIONS_INVALID assumptions.delinquency_90: is 3.5 in month 3, above delinquency, which includes it and is 3',
  ]);
  deepEqual(faultsOf({ assumptions: { delinquency_30: [4, 2] }, scenarios: [{ scenario: 'a', delinquency_90: 3 }] }), [
    'ASSUMPTIONS_INVALID scenarios[0].delinquency_90: is 3 in month 2, above delinquency_30, which includes it and is 2',
  ]);
});

test('a delinquency that a trigger tests and nobody gives is named', () => {
  const tested: typeof DEAL = { ...DEAL, triggers: [{ trigger: 'dq', metric: 'DELINQUENT_60_AVG3', op: 'gt', value: 4 }] };
  deepEqual(faultsOf({ assumptions: { delinquency_30: 5 } }, tested), [
    'DELINQUENCY_MISSING assumptions.delinquency: the structure reads DELINQUENT_60: give delinquency, percent of the pool by month',
  ]);
});

test('amounts of billed fees reach the run by period, for fees that the structure has', () => {
  const billing = { ...DEAL, fees: [{ fee: 'reviewer', amount_per_year: 0 }] };
  const amounts = { reviewer: [1200, 0] };
  const asked = (assumptions: CalculationRequest['assumptions']): CalculationRequest => ({
    type: 'CASHFLOW',
    assumptions,
    scenarios: [
      { scenario: 'base' },
      { scenario: 'flat', billed_fees: { reviewer: 75.5 } },
      { scenario: 'none', billed_fees: {} },
    ],
  });
  deepEqual([...Value.Errors(CalculationRequestSchema, asked({ billed_fees: amounts }))], []);
  const normalized = normalizeRequest(asked({ billed_fees: amounts }), POOL, billing);
  deepEqual(normalized.ok && normalized.request.scenarios.map(({ billedFees }) => billedFees), [
    { reviewer: [1200, 0] },
    { reviewer: [75.5] },
    undefined,
  ]);
  deepEqual(faultsOf({ assumptions: { billed_fees: { reviewr: 1 } } }, billing), [
    'ASSUMPTIONS_INVALID assumptions.billed_fees.reviewr: unknown fee "reviewr"; expected one of reviewer',
  ]);
  const keys = [{}, { billed_fees: amounts }, { billed_fees: { reviewer: 1200 } }].map((assumptions) => {
    const found = normalizeRequest({ type: 'CASHFLOW', assumptions }, POOL, billing);
    return found.ok && calculationKey(IDENTITY, found.request);
  });
  equal(new Set(keys).size, 3);
});
