import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { parquet } from '../engine/sql.ts';
import { compileRule, compileTruths, compileWhere, compiling } from './compile.ts';
import { criteriaFields } from './fields.ts';
import { childrenOf, type Condition, type CriteriaSet, isLeaf, leavesOf } from './language.ts';
import { naiveRule } from './testing/naive.ts';
import { loan, rule } from './testing/random-rules.ts';
import { smallTape } from './testing/small-tape.ts';

const setOf = (missing_policy: 'fail' | 'pass', loan_rules: CriteriaSet['loan_rules'] = []): CriteriaSet => ({
  loan_type: 'Auto',
  as_of: '2020-03-01',
  missing_policy,
  value_sets: { WEST: ['CA', 'WA'] },
  loan_rules,
});
/** Without derived columns a condition stands by itself over the columns of the loans, as a pool's filter does. */
const standing = (set: CriteriaSet) => ({ ...compiling(set, criteriaFields(set)), derived: null });
const policies = fc.constantFrom('fail' as const, 'pass' as const);

test('a condition that stands by itself decides as the rule does, missing values included', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(loan, { minLength: 1, maxLength: 15 }),
      fc.array(rule, { minLength: 1, maxLength: 20 }),
      policies,
      async (loans, rules, policy) => {
        const set = setOf(policy);
        await using tape = await smallTape('Auto', loans);
        const columns = rules.map((each, index) => `${compileRule(each, standing(set))} AS r${index}`);
        const rows = await tape.engine.rows<Record<string, boolean | null>>(
          `SELECT ${columns.join(', ')} FROM ${parquet(tape.loansPath)} ORDER BY row_number`,
        );
        assert.deepEqual(
          rows.map((row) => Object.values(row)),
          loans.map((each) => rules.map((condition) => naiveRule(condition, each, set))),
        );
      },
    ),
    { numRuns: 30, endOnFailure: true },
  );
});

test('the condition of a pool test takes a loan only where it is met: an undecided loan is out, whatever the policy is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(loan, { minLength: 1, maxLength: 15 }),
      fc.array(rule, { minLength: 1, maxLength: 20 }),
      policies,
      async (loans, rules, policy) => {
        const set = setOf(policy);
        await using tape = await smallTape('Auto', loans);
        const columns = rules.map((each, index) => `${compileWhere(each, standing(set))} AS r${index}`);
        const rows = await tape.engine.rows<Record<string, boolean>>(
          `SELECT ${columns.join(', ')} FROM ${parquet(tape.loansPath)} ORDER BY row_number`,
        );
        assert.deepEqual(
          rows.map((row) => Object.values(row)),
          loans.map((each) => rules.map((condition) => naiveRule(condition, each, setOf('fail')) === true)),
        );
      },
    ),
    { numRuns: 30, endOnFailure: true },
  );
});

test('the truths of the comparisons are as many as there are, left to right, and decide the rule', async () => {
  const deciding = (condition: Condition, truths: (boolean | null)[]): boolean | null => {
    if (isLeaf(condition)) return truths.shift() ?? null;
    const parts = childrenOf(condition).map((each) => deciding(each, truths));
    if ('not' in condition) return parts[0] === null ? null : !parts[0];
    if ('when' in condition) return parts[0] === true ? (parts[1] ?? null) : true;
    const forcing = 'any' in condition;
    if (parts.includes(forcing)) return forcing;
    return parts.includes(null) ? null : !forcing;
  };
  await fc.assert(
    fc.asyncProperty(loan, rule, policies, async (one, condition, policy) => {
      const set = setOf(policy);
      await using tape = await smallTape('Auto', [one]);
      const truths = compileTruths(condition, standing(set));
      assert.equal(truths.length, leavesOf(condition).length);
      const row = await tape.engine.first<Record<string, boolean | null>>(
        `SELECT ${truths.map((sql, index) => `${sql} AS t${index}`).join(', ')} FROM ${parquet(tape.loansPath)}`,
      );
      assert.equal(deciding(condition, Object.values(row ?? {})), naiveRule(condition, one, set));
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

test('a compiled condition says which fields it reads, so that nothing else of a tape is read', () => {
  const set = setOf('fail');
  const used = (condition: Condition) => {
    const context = compiling(set, criteriaFields(set));
    compileRule(condition, context);
    return [...context.used].sort();
  };
  assert.deepEqual(used({ field: 'ltv', op: 'lte', value: 1 }), ['ltv']);
  assert.deepEqual(used({ field: 'ltv', op: 'lte', value_field: 'pti', factor: 2 }), ['ltv', 'pti']);
  assert.deepEqual(used({ field: 'ltv', op: 'lte', value_field: 'pti' }), ['ltv', 'pti']);
  assert.deepEqual(used({ expr: { num: 'ltv', den: 'pti' }, op: 'lte', value: 1 }), ['ltv', 'pti']);
  assert.deepEqual(used({ expr: { num: 'ltv', den: 'pti' }, op: 'in', value: [1, 2] }), ['ltv', 'pti']);
  assert.deepEqual(used({ expr: { num: 'ltv', den: 'pti' }, op: 'lte', value_field: 'interest_rate' }), [
    'interest_rate',
    'ltv',
    'pti',
  ]);
  assert.deepEqual(used({ all: [{ not: { field: 'state', op: 'in', value_set: 'WEST' } }, { field: 'pti', op: 'is_null' }] }), [
    'pti',
    'state',
  ]);
});

test('limits too large for the quick comparison are compared exactly too', async () => {
  const ratio = { num: 'original_balance', den: 'vehicle_value' };
  const cases: [Condition, boolean][] = [
    [{ expr: ratio, op: 'lte', value: 1e12 }, true],
    [{ expr: ratio, op: 'gte', value: 1e12 }, true],
    [{ expr: ratio, op: 'lt', value: 1e12 }, false],
    [{ expr: ratio, op: 'gt', value: 999_999_999_999 }, true],
    [{ expr: ratio, op: 'lte', value: 999_999_999_999 }, false],
    [{ expr: ratio, op: 'between', value: [1e12, 1e13] }, true],
    [{ expr: ratio, op: 'between', value: [-1e13, 999_999_999_999] }, false],
    [{ expr: { ...ratio, scale: 1e6 }, op: 'eq', value: 1e18 }, true],
    [{ expr: { ...ratio, scale: 0.000001 }, op: 'eq', value: 1e6 }, true],
    [{ field: 'original_balance', op: 'lte', value: 99_999_999_999_999_980_000 }, true],
    [{ field: 'original_balance', op: 'gt', value: -99_999_999_999_999_980_000 }, true],
  ];
  const set = setOf('fail');
  await using tape = await smallTape('Auto', [{ current_balance: 1, original_balance: 1_000_000, vehicle_value: 0.000001 }]);
  for (const [condition, expected] of cases) {
    const row = await tape.engine.first<{ met: boolean }>(
      `SELECT ${compileRule(condition, standing(set))} AS met FROM ${parquet(tape.loansPath)}`,
    );
    assert.equal(row?.met, expected, JSON.stringify(condition));
  }
});
