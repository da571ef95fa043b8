import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleFailure } from './explain.ts';
import type { Condition, CriteriaSet } from './language.ts';
import { outcomesOf } from './testing/run-small.ts';
import type { LoanValues } from './testing/small-tape.ts';

const AS_OF = { as_of: '2020-03-01', value_sets: { WEST: ['CA', 'WA'] } };

function explained(loans: readonly LoanValues[], ...rules: Condition[]) {
  return outcomesOf(loans, { ...AS_OF, loan_rules: rules.map((rule, index) => ({ id: `R${index}`, rule })) });
}

/** Why a loan does not pass one rule; undefined where it passes. */
async function failure(loan: LoanValues, rule: Condition, more: Partial<CriteriaSet> = {}): Promise<RuleFailure | undefined> {
  const { rows } = await outcomesOf([{ current_balance: 1, ...loan }], { ...AS_OF, loan_rules: [{ id: 'R', rule }], ...more });
  return rows[0]?.failures[0];
}

async function words(loan: LoanValues, rule: Condition) {
  const found = await failure(loan, rule);
  return found && [found.field, found.operator, found.expected, found.actual, found.reason];
}

test('a failure of a rule with several comparisons names those that decided it', async () => {
  const loans: LoanValues[] = [
    { current_balance: 1, ltv: 90, credit_score: 600, state: 'CA' },
    { current_balance: 1, credit_score: 700 },
  ];
  const rules: Condition[] = [
    {
      all: [
        { field: 'ltv', op: 'lte', value: 80 },
        { field: 'credit_score', op: 'gte', value: 620 },
        { field: 'state', op: 'eq', value: 'CA', on_missing: 'pass' },
      ],
    },
    {
      not: {
        any: [
          { field: 'state', op: 'in', value: ['CA', 'TX'] },
          { field: 'ltv', op: 'gt', value: 120 },
        ],
      },
    },
  ];
  const { rows } = await explained(loans, ...rules);
  assert.deepEqual(
    rows[0].failures.map(({ field, operator, expected, actual, reason }) => [field, operator, expected, actual, reason]),
    [
      ['ltv; credit_score', 'lte; gte', '80; 620', '90; 600', 'BREACH'],
      ['state', 'not in', ['CA', 'TX'], 'CA', 'BREACH'],
    ],
  );
  assert.deepEqual(
    rows[1].failures.map(({ field, actual, reason }) => [field, actual, reason]),
    [
      ['ltv', null, 'MISSING'],
      ['state; ltv', '(missing); (missing)', 'MISSING'],
    ],
  );
});

test('a comparison is explained with its field, operator, limit and value, each of its own type', async () => {
  const cases: [LoanValues, Condition, unknown[]][] = [
    [{ ltv: 120.000001 }, { field: 'ltv', op: 'lte', value: 120 }, ['ltv', 'lte', 120, 120.000001, 'BREACH']],
    [{ ltv: 5 }, { field: 'ltv', op: 'between', value: [10, 20] }, ['ltv', 'between', [10, 20], 5, 'BREACH']],
    [{ state: ' ny ' }, { field: 'state', op: 'eq', value: 'CA' }, ['state', 'eq', 'CA', 'ny', 'BREACH']],
    [{ state: 'NY' }, { field: 'state', op: 'in', value_set: 'WEST' }, ['state', 'in', ['CA', 'WA'], 'NY', 'BREACH']],
    [{ state: 'CA' }, { field: 'state', op: 'not_in', value: ['CA'] }, ['state', 'not_in', ['CA'], 'CA', 'BREACH']],
    [{ co_obligor: false }, { field: 'co_obligor', op: 'eq', value: true }, ['co_obligor', 'eq', true, false, 'BREACH']],
    [{ co_obligor: true }, { field: 'co_obligor', op: 'neq', value: true }, ['co_obligor', 'neq', true, true, 'BREACH']],
    [{ ltv: 5 }, { field: 'ltv', op: 'is_null' }, ['ltv', 'is_null', null, 5, 'BREACH']],
    [{}, { field: 'ltv', op: 'not_null' }, ['ltv', 'not_null', null, null, 'BREACH']],
    [{}, { field: 'ltv', op: 'lte', value: 1 }, ['ltv', 'lte', 1, null, 'MISSING']],
    [
      { origination_date: '2020-02-01' },
      { field: 'origination_date', op: 'before', value: 'as_of-29d' },
      ['origination_date', 'before', 'as_of-29d', '2020-02-01', 'BREACH'],
    ],
  ];
  for (const [loan, rule, expected] of cases) assert.deepEqual(await words(loan, rule), expected, JSON.stringify(rule));
});

test('a comparison with another field shows that field times its factor, to six places', async () => {
  const rule = { field: 'current_balance', op: 'lte', value_field: 'original_balance' } as const;
  const loan = { current_balance: 121, original_balance: 100.000001 };
  assert.deepEqual(await words(loan, rule), ['current_balance', 'lte', 100.000001, 121, 'BREACH']);
  assert.deepEqual(await words(loan, { ...rule, factor: 1.2 }), ['current_balance', 'lte', 120.000001, 121, 'BREACH']);
  assert.deepEqual(await words({ current_balance: 5 }, { ...rule, factor: 2 }), ['current_balance', 'lte', null, 5, 'MISSING']);
});

test('a ratio is named by its parts and shown rounded to six places; without a denominator it is missing', async () => {
  const ratio = (scale?: number) =>
    ({ expr: { num: 'original_balance', den: 'vehicle_value', ...(scale ? { scale } : {}) }, op: 'lte', value: 0.5 }) as const;
  const loan = { original_balance: 2, vehicle_value: 3 };
  assert.deepEqual(await words(loan, ratio()), ['original_balance / vehicle_value', 'lte', 0.5, 0.666667, 'BREACH']);
  assert.deepEqual(await words(loan, ratio(1)), ['original_balance / vehicle_value', 'lte', 0.5, 0.666667, 'BREACH']);
  assert.deepEqual(await words(loan, ratio(100)), ['original_balance / vehicle_value × 100', 'lte', 0.5, 66.666667, 'BREACH']);
  assert.deepEqual(await words({ ...loan, vehicle_value: 0 }, ratio()), [
    'original_balance / vehicle_value',
    'lte',
    0.5,
    null,
    'MISSING',
  ]);
});

test('a list of up to twenty values is shown, a longer one by its name and size', async () => {
  const list = (count: number) => Array.from({ length: count }, (_, index) => `S${index}`);
  const expected = async (rule: Condition, value_sets: CriteriaSet['value_sets'] = {}) =>
    (await failure({ state: 'NY' }, rule, { value_sets }))?.expected;
  assert.deepEqual(await expected({ field: 'state', op: 'in', value: list(20) }), list(20));
  assert.deepEqual(await expected({ field: 'state', op: 'in', value: list(21) }), 'list (21 values)');
  assert.deepEqual(await expected({ field: 'state', op: 'in', value_set: 'MANY' }, { MANY: list(21) }), 'MANY (21 values)');
});

test('a rule has its description as its name, else its id, and its severity', async () => {
  const rule = { field: 'ltv', op: 'lte', value: 1 } as const;
  const { rows } = await outcomesOf([{ current_balance: 1, ltv: 2 }], {
    loan_rules: [
      { id: 'A', description: 'LTV at most 1', rule },
      { id: 'B', severity: 'warn', rule },
    ],
  });
  assert.deepEqual(
    rows[0]?.failures.map(({ rule_id, name, severity }) => [rule_id, name, severity]),
    [
      ['A', 'LTV at most 1', 'fail'],
      ['B', 'B', 'warn'],
    ],
  );
});

const HIGH = { field: 'ltv', op: 'gt', value: 80 } as const;
const LOW_SCORE = { field: 'credit_score', op: 'lt', value: 620 } as const;
const GOOD = { field: 'credit_score', op: 'gte', value: 700 } as const;
const WEST = { field: 'state', op: 'in', value_set: 'WEST' } as const;

/** The comparisons that decided, as `field operator`. */
async function decided(loan: LoanValues, rule: Condition): Promise<string[] | null> {
  const found = await failure(loan, rule);
  if (found === undefined) return null;
  const leaves = found.leaves ?? [found];
  return leaves.map(({ field, operator }) => `${field} ${operator}`);
}

test('of a conjunction those comparisons are named that fail, of a disjunction all', async () => {
  const loan = { ltv: 90, credit_score: 650, state: 'NY' };
  assert.deepEqual(await decided(loan, { all: [HIGH, GOOD, WEST] }), ['credit_score gte', 'state in']);
  assert.deepEqual(await decided(loan, { all: [HIGH, GOOD] }), ['credit_score gte']);
  assert.deepEqual(await decided(loan, { any: [GOOD, WEST, LOW_SCORE] }), ['credit_score gte', 'state in', 'credit_score lt']);
  assert.deepEqual(await decided(loan, { any: [GOOD, { all: [HIGH, WEST] }] }), ['credit_score gte', 'state in']);
});

test('under a negation the comparisons that hold are named, with not', async () => {
  const loan = { ltv: 90, credit_score: 650, state: 'CA' };
  assert.deepEqual(await decided(loan, { not: HIGH }), ['ltv not gt']);
  assert.deepEqual(await decided(loan, { not: { any: [HIGH, GOOD, WEST] } }), ['ltv not gt', 'state not in']);
  assert.deepEqual(await decided(loan, { not: { all: [HIGH, WEST] } }), ['ltv not gt', 'state not in']);
  assert.deepEqual(await decided(loan, { not: { not: GOOD } }), ['credit_score gte']);
  assert.deepEqual(await decided(loan, { not: { any: [{ not: GOOD }, LOW_SCORE] } }), ['credit_score gte']);
});

test('of a rule with a condition the consequence is named, since the condition is met', async () => {
  const loan = { ltv: 90, credit_score: 650, state: 'NY' };
  assert.deepEqual(await decided(loan, { when: HIGH, then: { all: [GOOD, WEST] } }), ['credit_score gte', 'state in']);
  assert.equal(await decided(loan, { when: GOOD, then: WEST }), null);
  assert.equal(await decided({ state: 'NY' }, { when: HIGH, then: WEST }), null, 'a condition that cannot be decided is not met');
  assert.deepEqual(await decided({ ltv: 90, state: 'NY' }, { when: HIGH, then: { any: [WEST, GOOD] } }), ['credit_score gte']);
  assert.deepEqual(
    await decided(loan, { not: { when: GOOD, then: WEST } }),
    ['credit_score not gte'],
    'what keeps the consequence from being asked',
  );
});

test('where a rule cannot be decided the comparisons with a missing value are named', async () => {
  assert.deepEqual(await decided({ ltv: 90 }, { all: [HIGH, GOOD, WEST] }), ['credit_score gte', 'state in']);
  assert.deepEqual(await decided({ ltv: 70 }, { any: [HIGH, GOOD] }), ['credit_score gte']);
  assert.deepEqual(await decided({ ltv: 70 }, { all: [HIGH, GOOD] }), ['ltv gt'], 'a breach decides whatever is missing');
  const found = await failure({ ltv: 70 }, { any: [HIGH, GOOD, WEST] });
  assert.deepEqual([found?.reason, found?.actual, found?.leaves?.length], ['MISSING', '(missing); (missing)', 2]);
});

test('several comparisons are joined in one line and listed in full', async () => {
  const found = await failure({ ltv: 70, credit_score: 650, state: 'NY' }, { any: [HIGH, GOOD, WEST] });
  assert.deepEqual(
    [found?.field, found?.operator, found?.expected, found?.actual],
    ['ltv; credit_score; state', 'gt; gte; in', '80; 700; [CA, WA]', '70; 650; NY'],
  );
  assert.deepEqual(found?.leaves?.[2], { field: 'state', operator: 'in', expected: ['CA', 'WA'], actual: 'NY' });
});
