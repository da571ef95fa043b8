import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { curePoolTests, largestPool } from './cure.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import { runCriteria } from './run.ts';
import { isEligible, naivePoolTest } from './testing/naive-pool.ts';
import { type LoanValues, smallTape } from './testing/small-tape.ts';

const STATES = ['CA', 'TX', 'NY', 'FL'];
const loan = fc.record({
  current_balance: fc.constantFrom(10, 20, 20.5, 32, 40, 45.01, 60),
  original_balance: fc.constantFrom(10, 50, 80),
  state: fc.constantFrom(...STATES, null),
  credit_score: fc.constantFrom(null, 600, 680, 700, 740),
  remaining_term_months: fc.constantFrom(null, 12, 60, 72, 84),
  days_past_due: fc.constantFrom(0, 0, 0, 0, 0, 60),
});
const tapes = fc.array(loan, { minLength: 2, maxLength: 8 });

const CA = { field: 'state', op: 'eq', value: 'CA' } as const;
const byState = { type: 'concentration', group_by: ['state'] } as const;
const score = { field: 'credit_score' } as const;
const TESTS = (
  [
    { type: 'share', where: CA, op: 'lte', value: 0.3 },
    { type: 'share', where: CA, op: 'lt', value: 0.25 },
    { type: 'share', where: CA, op: 'gte', value: 0.5 },
    { type: 'share', where: CA, op: 'between', value: [0.2, 0.4] },
    { type: 'share', where: CA, weight: 'original_balance', op: 'lte', value: 0.25 },
    { ...byState, op: 'lte', value: 0.4 },
    { ...byState, op: 'lt', value: 0.5 },
    { ...byState, where: { field: 'credit_score', op: 'lt', value: 700 }, op: 'lte', value: 0.25 },
    { ...byState, op: 'lte', value: 0.25, exceptions: { ca: 0.5, '(missing)': 0.1 } },
    { ...byState, op: 'lte', value: 0.2, rank_limits: [0.5, 0.3] },
    { ...byState, top: 2, op: 'lte', value: 0.6 },
    { ...byState, op: 'gte', value: 0.6 },
    { ...byState, top: 2, op: 'gt', value: 0.8 },
    { ...byState, op: 'between', value: [0.35, 0.45] },
    { type: 'hhi', group_by: ['state'], op: 'lte', value: 0.34 },
    { type: 'hhi', group_by: ['state'], op: 'lt', value: 0.5 },
    { type: 'weighted_average', ...score, op: 'gte', value: 700 },
    { type: 'weighted_average', ...score, op: 'lt', value: 680 },
    { type: 'weighted_average', ...score, missing_as: 300, op: 'gte', value: 650 },
    { type: 'weighted_average', ...score, op: 'between', value: [690, 705] },
    { type: 'average', ...score, op: 'gt', value: 690 },
    { type: 'average', field: 'remaining_term_months', where: CA, op: 'lte', value: 48 },
    { type: 'sum', field: 'current_balance', op: 'lte', value: 100 },
    { type: 'sum', field: 'current_balance', where: CA, op: 'lt', value: 40 },
    { type: 'count', where: CA, op: 'lte', value: 1 },
    { type: 'count', op: 'between', value: [2, 4] },
    { type: 'count', op: 'gte', value: 5 },
    { type: 'max', field: 'remaining_term_months', op: 'lte', value: 72 },
    { type: 'max', field: 'remaining_term_months', op: 'lt', value: 72 },
    { type: 'min', ...score, op: 'gt', value: 600 },
    { type: 'min', ...score, op: 'lte', value: 650 },
  ] as const
).map((each, index) => ({ id: `P${index}`, ...each }) as unknown as PoolTest);

const RULES: CriteriaSet['loan_rules'] = [{ id: 'DPD', rule: { field: 'days_past_due', op: 'lte', value: 30 } }];
const setOf = (pool_tests: PoolTest[]): CriteriaSet => ({ loan_type: 'Auto', loan_rules: RULES, pool_tests });
const cents = (loans: readonly LoanValues[]) =>
  loans.reduce((sum, { current_balance }) => sum + Math.round(Number(current_balance) * 100), 0);

const some = fc.subarray(TESTS, { minLength: 6, maxLength: 9 });

/** Every choice of loans to keep that is not empty, the largest balance first. */
function choices(loans: readonly LoanValues[]): LoanValues[][] {
  const masks = Array.from({ length: 2 ** loans.length - 1 }, (_, mask) => mask + 1);
  return masks.map((mask) => loans.filter((_, index) => mask & (1 << index))).sort((a, b) => cents(b) - cents(a));
}

const passes = (set: CriteriaSet, each: PoolTest, kept: LoanValues[]) => naivePoolTest(each, kept, set).passed;

test('the cure of each failed pool test is the cheapest of all removals, and said to be infeasible only where there is none', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, some, async (loans, tests) => {
      const set = setOf(tests);
      await using tape = await smallTape('Auto', loans);
      const { outcomesPath } = await runCriteria({ ...tape, set });
      const { cures, eligible_loans } = await curePoolTests({ ...tape, set, outcomesPath });
      const eligible = loans.filter((each) => isEligible(each, set));
      assert.equal(eligible_loans, eligible.length);
      const all = choices(eligible);
      const failed = tests.filter((each) => naivePoolTest(each, loans, set).passed === false);
      assert.deepEqual(
        cures.map(({ rule_id, feasible, removed_balance, best_bound, optimal }) => ({
          rule_id,
          removed: feasible ? [removed_balance, best_bound, optimal] : null,
        })),
        failed.map((each) => {
          const best = all.find((kept) => passes(set, each, kept) === true);
          const cost = ((cents(eligible) - cents(best ?? [])) / 100).toFixed(2);
          return { rule_id: each.id, removed: best ? [cost, cost, true] : null };
        }),
      );
    }),
    { numRuns: 45 },
  );
});

test('what a cure tells is the pool that it leaves: its loans, its balance and every test measured anew', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, some, async (loans, tests) => {
      const set = setOf(tests);
      await using tape = await smallTape('Auto', loans);
      const { outcomesPath } = await runCriteria({ ...tape, set });
      const { cures } = await curePoolTests({ ...tape, set, outcomesPath });
      const named = loans.map((each, index) => ({ ...each, loan_id: `L${index + 1}` }));
      for (const cure of cures) {
        const gone = new Set(cure.loan_ids);
        const kept = named.filter((each) => isEligible(each, set) && !gone.has(each.loan_id));
        const removed = named.filter((each) => gone.has(each.loan_id));
        assert.deepEqual(
          [cure.pool_loans, Number(cure.pool_balance), cure.loans, Number(cure.removed_balance)],
          [kept.length, cents(kept) / 100, removed.length, cents(removed) / 100],
        );
        assert.deepEqual(
          cure.pool_tests.map(({ actual, passed }) => ({ passed, actual: actual === null })),
          tests.map((each) => naivePoolTest(each, kept, set)).map(({ passed }) => ({ passed, actual: passed === null })),
        );
      }
    }),
    { numRuns: 12 },
  );
});

test('the largest pool under several tests is the largest of all choices that keep them together', async () => {
  const several = fc.subarray(TESTS, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(tapes, several, async (loans, tests) => {
      const set = setOf(tests);
      await using tape = await smallTape('Auto', loans);
      const { outcomesPath } = await runCriteria({ ...tape, set });
      const pool = await largestPool({ ...tape, set, outcomesPath });
      const eligible = loans.filter((each) => isEligible(each, set));
      // a test that measures nothing on a choice is not broken by it
      const best = choices(eligible).find((kept) => tests.every((each) => passes(set, each, kept) !== false));
      assert.equal(pool.feasible, best !== undefined);
      if (best === undefined) return;
      assert.deepEqual([Number(pool.pool_balance), pool.optimal, pool.gap], [cents(best) / 100, true, '0.00']);
    }),
    { numRuns: 40 },
  );
});
