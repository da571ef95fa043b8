import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { calculate } from './calculate.ts';
import { calculationKey } from './key.ts';
import { type CalculationPool, type NormalRequest, normalizeRequest } from './normalize.ts';
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

test('requests from before the second edition keep their keys, so that their stored results are found', () => {
  const assumptions = { cpr: 6, cdr: 2, severity: 50, recovery_lag_months: 3 };
  equal(
    calculationKey({ ...IDENTITY }, normal({ type: 'PRICING', assumptions }, { ...POOL, tapeVersions: { deal_a: 2 } })),
    '444de1338c3baba481a8157ac35c5fcfe65d59d59273cf5104f278cfb232bc65',
  );
  equal(
    keyOf({ type: 'RISK', assumptions, risk: { paths: 20, factors: { cdr: { sigma: 0.4 } } } }),
    'ddc82f9c044783299a0b9c1c2fa6f3d6ee652dd3b6b645e36e52500e5c750e05',
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
