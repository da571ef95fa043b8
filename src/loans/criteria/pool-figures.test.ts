import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import type { Condition, CriteriaSet, PoolTest } from './language.ts';
import { naivePoolTest } from './testing/naive-pool.ts';
import { outcomesOf } from './testing/run-small.ts';

const loan = fc.record({
  current_balance: fc.constantFrom(0, 0.01, 1, 100, 100.5, 25_000_000.01, 999_999_999.999999),
  original_balance: fc.constantFrom(null, 0, 1, 50, 100, 0.000001),
  credit_score: fc.constantFrom(null, 600, 640, 700, 699.999999),
  ltv: fc.constantFrom(null, 80, 80.000001, 79.999999, 120),
  state: fc.constantFrom(null, 'CA', 'ca', ' TX', 'NY', ''),
  obligor_id: fc.constantFrom(null, 'a', 'b', 'c', 'A'),
  days_past_due: fc.constantFrom(0, 0, 0, 31),
});
const tapes = fc.array(loan, { minLength: 0, maxLength: 14 });

const where = fc.constantFrom<(Condition | undefined)[]>(
  undefined,
  undefined,
  { field: 'state', op: 'in', value: ['CA', 'TX'] },
  { field: 'ltv', op: 'gt', value: 80 },
  { not: { field: 'ltv', op: 'gt', value: 80 } },
  { field: 'ltv', op: 'lte', value: 80, on_missing: 'pass' },
  { field: 'state', op: 'is_null' },
  { expr: { num: 'current_balance', den: 'original_balance' }, op: 'gte', value: 1 },
);
const population = fc.constantFrom<('eligible' | 'all' | undefined)[]>(undefined, 'eligible', 'all');
const weight = fc.constantFrom<(string | undefined)[]>(undefined, undefined, 'original_balance', 'credit_score');
const compare = fc.constantFrom('lte', 'lt', 'gte', 'gt') as fc.Arbitrary<PoolTest['op']>;
const field = fc.constantFrom('credit_score', 'ltv', 'current_balance', 'original_balance');
const missingAs = fc.constantFrom<(number | undefined)[]>(undefined, undefined, 0, 640, 1.5e-6);
const groupBy = fc.constantFrom<string[][]>(['state'], ['obligor_id'], ['state', 'obligor_id'], ['ltv']);
const shareLimit = fc.constantFrom(0, 0.25, 0.333333, 0.5, 1);
const spans = fc.constantFrom<[number, number][]>([0, 0], [0.2, 0.5], [0.5, 0.5], [0, 1]);
const limit = fc.constantFrom(0, 1, 100, 640, 700, 80.000001, 1e9);

const shareLike = <More extends object>(more: fc.Arbitrary<More>) =>
  fc.oneof(
    fc.tuple(more, compare, shareLimit).map(([each, op, value]) => ({ ...each, op, value })),
    fc.tuple(more, spans).map(([each, value]) => ({ ...each, op: 'between' as const, value })),
  );
const figureLike = <More extends object>(more: fc.Arbitrary<More>) =>
  fc.oneof(
    fc.tuple(more, compare, limit).map(([each, op, value]) => ({ ...each, op, value })),
    fc
      .tuple(more, limit, limit)
      .map(([each, a, b]) => ({ ...each, op: 'between' as const, value: [Math.min(a, b), Math.max(a, b)] })),
  );
const anyTest = fc
  .oneof(
    shareLike(fc.record({ type: fc.constant('share'), where: where.filter((each) => each !== undefined), population, weight })),
    shareLike(
      fc.record({
        type: fc.constant('concentration'),
        group_by: groupBy,
        where,
        population,
        weight,
        top: fc.constantFrom(undefined, 1, 2, 50),
      }),
    ),
    shareLike(fc.record({ type: fc.constant('hhi'), group_by: groupBy, where, population, weight })),
    figureLike(fc.record({ type: fc.constant('weighted_average'), field, where, population, weight, missing_as: missingAs })),
    figureLike(fc.record({ type: fc.constantFrom('average', 'sum'), field, where, population, missing_as: missingAs })),
    figureLike(fc.record({ type: fc.constantFrom('min', 'max'), field, where, population })),
    figureLike(fc.record({ type: fc.constant('count'), where, population })),
  )
  .map((each) => given(each) as unknown as PoolTest);

const ownLimits = fc
  .record({
    type: fc.constant('concentration'),
    group_by: fc.constant(['state']),
    where,
    population,
    op: fc.constantFrom('lte', 'lt'),
    value: fc.constantFrom(0.1, 0.2),
    more: fc.constantFrom<object[]>(
      { exceptions: { ca: 0.5, '(missing)': 0 } },
      { exceptions: { TX: 1, ny: 0.333333 } },
      { rank_limits: [0.5, 0.25, 0.25] },
      { rank_limits: [0.2] },
      { rank_limits: Array.from({ length: 30 }, () => 0.4) },
    ),
  })
  .map(({ more, ...each }) => given({ ...each, ...more }) as unknown as PoolTest);

/** Without the keys that are undefined. */
function given(each: object): object {
  return Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined));
}

const setOf = (tests: PoolTest[], weight_field: string | undefined): CriteriaSet => ({
  loan_type: 'Auto',
  ...(weight_field === undefined ? {} : { weight_field }),
  loan_rules: [
    { id: 'DPD', rule: { field: 'days_past_due', op: 'lte', value: 30 } },
    { id: 'WARN', severity: 'warn', rule: { field: 'ltv', op: 'lte', value: 80 } },
  ],
  pool_tests: tests.map((each, index) => ({ ...each, id: `P${index}` })),
});

test('every pool test has the figure and the verdict of a plain count over its population', async () => {
  await fc.assert(
    fc.asyncProperty(
      tapes,
      fc.array(anyTest, { minLength: 1, maxLength: 40 }),
      fc.constantFrom(undefined, undefined, 'original_balance'),
      async (loans, tests, weightField) => {
        const set = setOf(tests, weightField);
        const { result } = await outcomesOf(loans.length === 0 ? [NOBODY] : loans, set);
        assert.deepEqual(
          result.pool_tests.map(({ actual, passed }) => ({ actual, passed })),
          set.pool_tests?.map((each) => naivePoolTest(each, loans.length === 0 ? [NOBODY] : loans, set)),
        );
      },
    ),
    { numRuns: 60 },
  );
});

/** A loan that no rule lets in: the pool of a tape of it is empty. */
const NOBODY = { current_balance: 1, days_past_due: 90 };

test('amounts out of all measure have exact figures, though their sums of products have more digits than the engine', async () => {
  const loans = Array.from({ length: 400 }, (_, index) => ({
    current_balance: 999_999_999_999.5 - index,
    original_balance: 999_999_000_000 + index,
    obligor_id: index % 3 === 0 ? 'a' : `b${index}`,
    days_past_due: index % 7 === 0 ? 31 : 0,
  }));
  const set = setOf(
    [
      { type: 'hhi', group_by: ['obligor_id'], op: 'lte', value: 0.1 },
      { type: 'hhi', group_by: ['obligor_id'], op: 'lte', value: 0.1, population: 'all', weight: 'original_balance' },
      { type: 'weighted_average', field: 'original_balance', op: 'gte', value: 1 },
      { type: 'weighted_average', field: 'current_balance', weight: 'original_balance', op: 'lte', value: 1, population: 'all' },
      { type: 'share', where: { field: 'days_past_due', op: 'gt', value: 30 }, op: 'lte', value: 0.2, population: 'all' },
    ].map((each) => ({ id: 'P', ...each })) as PoolTest[],
    undefined,
  );
  const { result } = await outcomesOf(loans, set);
  assert.deepEqual(
    result.pool_tests.map(({ actual, passed }) => ({ actual, passed })),
    set.pool_tests?.map((each) => naivePoolTest(each, loans, set)),
  );
});

test('a test with limits of single groups or ranks passes where every group keeps its own', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, fc.array(ownLimits, { minLength: 1, maxLength: 12 }), async (loans, tests) => {
      const tape = [NOBODY, ...loans];
      const set = setOf(tests, undefined);
      const { result } = await outcomesOf(tape, set);
      assert.deepEqual(
        result.pool_tests.map(({ passed }) => passed),
        set.pool_tests?.map((each) => naivePoolTest(each, tape, set).passed),
      );
    }),
    { numRuns: 40 },
  );
});
