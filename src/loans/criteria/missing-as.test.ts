import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curePoolTests } from './cure.ts';
import type { CriteriaSet } from './language.ts';
import { runCriteria } from './run.ts';
import { judgeTest } from './testing/judge.ts';
import { measure } from './testing/run-small.ts';
import { smallTape } from './testing/small-tape.ts';

const LOANS = [
  { current_balance: 1, credit_score: 700 },
  { current_balance: 3, credit_score: null },
];
const average = (missing_as: number) => ({ type: 'weighted_average', field: 'credit_score', missing_as, value: 1e6 });
const WHERE = 'INVALID_RULE pool_tests[0].missing_as';

test('a loan without a value counts as the value that the test gives for it, zero and negative ones included', async () => {
  const results = await measure(LOANS, [
    average(300),
    average(0),
    average(-100),
    { type: 'sum', field: 'credit_score', missing_as: 300, value: 1e6 },
    { type: 'average', field: 'credit_score', missing_as: 300, value: 1e6 },
    { type: 'sum', field: 'credit_score', value: 1e6 },
    { type: 'average', field: 'credit_score', value: 1e6 },
  ]);
  // (700 + 3 × 300) / 4; 700 / 4; (700 − 300) / 4; 700 + 300; 1000 / 2; 700; 700 / 1
  assert.deepEqual(
    results.map(({ actual }) => actual),
    ['400', '175', '100', '1000', '500', '700', '700'].map((whole) => `${whole}.00000000`),
  );
});

test('the value for a missing one is rounded to six places, half to even, as every value is', async () => {
  const only = [{ current_balance: 1 }];
  const results = await measure(only, [5e-7, 1.5e-6, 2.5e-6, 1e-7, 99.9999995].map(average));
  assert.deepEqual(
    results.map(({ actual }) => actual),
    ['0.00000000', '0.00000200', '0.00000200', '0.00000000', '100.00000000'],
  );
});

test('a value that no loan could have is refused, the largest that one may have is taken', async () => {
  for (const missing_as of [1e12, -1e12, 1e300])
    assert.deepEqual(judgeTest({ ...average(missing_as), id: 'P' }), [WHERE], String(missing_as));
  for (const missing_as of [999_999_999_999.9999, -999_999_999_999.9999]) {
    assert.deepEqual(judgeTest(average(missing_as)), []);
    const [result] = await measure([{ current_balance: 1 }], [average(missing_as)]);
    assert.equal(Number(result?.actual), missing_as);
  }
});

test('only sums and averages give a value to loans without one', () => {
  for (const type of ['weighted_average', 'average', 'sum'])
    assert.deepEqual(judgeTest({ type, field: 'credit_score', missing_as: 0 }), [], type);
  for (const type of ['min', 'max']) assert.deepEqual(judgeTest({ type, field: 'credit_score', missing_as: 0 }), [WHERE], type);
  assert.deepEqual(judgeTest({ type: 'count', missing_as: 0 }), [WHERE]);
  assert.deepEqual(judgeTest({ type: 'hhi', group_by: ['state'], missing_as: 0 }), [WHERE]);
  assert.deepEqual(judgeTest({ type: 'share', where: { field: 'ltv', op: 'not_null' }, missing_as: 0 }), [WHERE]);
});

test('a cure reckons with the same value: it removes the loans whose missing value pulls the average down', async () => {
  const set: CriteriaSet = {
    loan_type: 'Auto',
    loan_rules: [],
    pool_tests: [{ id: 'P', type: 'average', field: 'credit_score', missing_as: 300, op: 'gte', value: 600 }],
  };
  const loans = [700, null, 690, null, 650].map((credit_score, index) => ({ current_balance: 10 + index, credit_score }));
  await using tape = await smallTape('Auto', loans);
  const { outcomesPath, pool_tests } = await runCriteria({ ...tape, set });
  assert.deepEqual([pool_tests[0].actual, pool_tests[0].passed], ['528.00000000', false]);
  // without L2 the average is 2,340 / 4 = 585, without L4 too: both must go, or none of the scored ones helps
  const { cures } = await curePoolTests({ ...tape, set, outcomesPath });
  assert.deepEqual(
    cures.map(({ loan_ids, removed_balance, optimal }) => [loan_ids, removed_balance, optimal]),
    [[['L2', 'L4'], '24.00', true]],
  );
});
