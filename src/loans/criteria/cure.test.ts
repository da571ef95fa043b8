import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { curePoolTests, largestPool } from './cure.ts';
import { cheapestCover } from './cure/cover.ts';
import { modelOf, type PoolLoans } from './cure/model.ts';
import { planRemoval } from './cure/plan.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import { runCriteria } from './run.ts';
import { smallTape } from './testing/small-tape.ts';

const STATES = ['CA', 'TX', 'NY', 'FL'];
const loan = fc.record({
  balance: fc.integer({ min: 1, max: 60 }),
  state: fc.integer({ min: 0, max: 3 }),
  score: fc.integer({ min: 500, max: 800 }),
  inside: fc.boolean(),
});
type Loan = { balance: number; state: number; score: number; inside: boolean };

function poolOf(loans: readonly Loan[]): PoolLoans {
  return {
    cost: loans.map(({ balance }) => balance),
    unit: 1_000_000n,
    weight: BigInt64Array.from(loans, ({ balance }) => BigInt(balance) * 1_000_000n),
    value: BigInt64Array.from(loans, ({ score }) => BigInt(score) * 1_000_000n),
    measured: new Uint8Array(loans.length).fill(1),
    inside: Uint8Array.from(loans, ({ inside }) => (inside ? 1 : 0)),
    group: Int32Array.from(loans, ({ state }) => state),
    groupKeys: STATES.map((state) => state.toLowerCase()),
  };
}

/** Independent measure in plain numbers: balances are small whole numbers, limits have two decimals. */
function passes(poolTest: PoolTest, left: readonly Loan[]): boolean {
  const total = left.reduce((sum, { balance }) => sum + balance, 0);
  const limit = Math.round((poolTest.value as number) * 100);
  if (total === 0) return false;
  const byState = STATES.map((_, state) =>
    left.filter((each) => each.state === state).reduce((sum, { balance }) => sum + balance, 0),
  ).sort((a, b) => b - a);
  if (poolTest.type === 'share') {
    const inside = left.filter((each) => each.inside).reduce((sum, { balance }) => sum + balance, 0);
    return poolTest.op === 'lte' ? inside * 100 <= limit * total : inside * 100 >= limit * total;
  }
  if (poolTest.type === 'weighted_average')
    return left.reduce((sum, { balance, score }) => sum + balance * score, 0) * 100 >= limit * total;
  if (poolTest.type === 'hhi') return byState.reduce((sum, each) => sum + each * each, 0) * 100 <= limit * total * total;
  return byState.slice(0, poolTest.top ?? 1).reduce((sum, each) => sum + each, 0) * 100 <= limit * total;
}

function cheapestRemoval(poolTest: PoolTest, loans: readonly Loan[]): number | null {
  let best: number | null = null;
  for (let mask = 0; mask < 2 ** loans.length - 1; mask += 1) {
    const removed = loans.reduce((sum, { balance }, index) => (mask & (1 << index) ? sum + balance : sum), 0);
    if (
      (best === null || removed < best) &&
      passes(
        poolTest,
        loans.filter((_, index) => !(mask & (1 << index))),
      )
    )
      best = removed;
  }
  return best;
}

const linear: PoolTest[] = [
  { id: 'P', type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, op: 'lte', value: 0.3 },
  { id: 'P', type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, op: 'gte', value: 0.45 },
  { id: 'P', type: 'weighted_average', field: 'credit_score', op: 'gte', value: 700 },
];
const grouped: PoolTest[] = [
  { id: 'P', type: 'concentration', group_by: ['state'], op: 'lte', value: 0.4 },
  { id: 'P', type: 'concentration', group_by: ['state'], top: 2, op: 'lte', value: 0.6 },
  { id: 'P', type: 'hhi', group_by: ['state'], op: 'lte', value: 0.34 },
];

function planFor(poolTest: PoolTest, loans: readonly Loan[], exhaustiveLoans?: number) {
  const pool = poolOf(loans);
  const scored = poolTest.type === 'weighted_average' ? { ...pool, inside: new Uint8Array(loans.length).fill(1) } : pool;
  return planRemoval(modelOf(poolTest, scored, poolTest.op === 'lte'), scored, exhaustiveLoans);
}

for (const poolTest of [...linear, ...grouped]) {
  test(`${poolTest.type} ${poolTest.op}${poolTest.top ? ` top ${poolTest.top}` : ''}: the cure of a small pool is the cheapest of all removals`, () => {
    fc.assert(
      fc.property(fc.array(loan, { minLength: 1, maxLength: 9 }), (loans) => {
        if (passes(poolTest, loans)) return;
        const plan = planFor(poolTest, loans);
        const cost = plan.removed?.reduce((sum, index) => sum + loans[index].balance, 0) ?? null;
        assert.equal(cost, cheapestRemoval(poolTest, loans));
        assert.ok(plan.removed === null || plan.optimal);
      }),
      { numRuns: 120 },
    );
  });
}

test('the fixed point of the group caps is the largest pool, proved against every subset', () => {
  const [poolTest] = grouped as [PoolTest];
  fc.assert(
    fc.property(fc.array(loan, { minLength: 4, maxLength: 10 }), (loans) => {
      if (passes(poolTest, loans)) return;
      const plan = planFor(poolTest, loans, 0);
      const cost = plan.removed?.reduce((sum, index) => sum + loans[index].balance, 0) ?? null;
      assert.equal(cost, cheapestRemoval(poolTest, loans));
    }),
    { numRuns: 200 },
  );
});

test('cutting groups to one level satisfies the test and never claims a bound above the true optimum', () => {
  for (const poolTest of grouped.slice(1)) {
    fc.assert(
      fc.property(fc.array(loan, { minLength: 6, maxLength: 10 }), (loans) => {
        if (passes(poolTest, loans)) return;
        const plan = planFor(poolTest, loans, 0);
        if (plan.removed === null) return;
        const gone = new Set(plan.removed);
        assert.ok(
          passes(
            poolTest,
            loans.filter((_, index) => !gone.has(index)),
          ),
        );
        assert.ok(plan.bound <= (cheapestRemoval(poolTest, loans) ?? 0));
      }),
      { numRuns: 100 },
    );
  }
});

test('a cover of thousands of loans of 12 million dollars costs at most a dollar more than the bound', () => {
  let seed = 7;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const costs = Array.from({ length: 20_000 }, () => 100_000 + Math.floor(next() * 4_000_000));
  const needed = 1_234_567_891n;
  const cover = cheapestCover(
    { indices: Uint32Array.from(costs.keys()), cost: (index) => costs[index], gain: (index) => BigInt(costs[index]) },
    needed,
  );
  assert.ok(BigInt(cover.cost) >= needed);
  assert.ok(cover.cost - cover.bound <= 100, `gap of ${cover.cost - cover.bound} cents`);
});

const AUTO: CriteriaSet = {
  loan_type: 'Auto',
  loan_rules: [{ id: 'DPD', rule: { field: 'days_past_due', op: 'lte', value: 30 } }],
  pool_tests: [
    { id: 'STATE', type: 'concentration', group_by: ['state'], op: 'lte', value: 0.4 },
    { id: 'SCORE', type: 'weighted_average', field: 'credit_score', op: 'gte', value: 705 },
    { id: 'LATE', type: 'max', field: 'remaining_term_months', op: 'lte', value: 72 },
    { id: 'FINE', type: 'count', op: 'gte', value: 1 },
  ],
};

function autoLoans(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    current_balance: 1000 + ((i * 7919) % 9000) + 0.5,
    state: ['CA', 'CA', 'CA', 'TX', 'NY', 'FL', 'WA'][i % 7],
    credit_score: 600 + ((i * 37) % 200),
    remaining_term_months: 20 + ((i * 13) % 60),
    days_past_due: i % 11 === 0 ? 60 : 0,
  }));
}

test('each failed pool test gets a cure under which it holds, with loan ids, balance and all resulting tests', async () => {
  await using tape = await smallTape('Auto', autoLoans(200));
  const { outcomesPath, pool_tests } = await runCriteria({ ...tape, set: AUTO });
  assert.deepEqual(
    pool_tests.map(({ passed }) => passed),
    [false, false, false, true],
  );
  const { cures, eligible_loans } = await curePoolTests({ ...tape, set: AUTO, outcomesPath });
  assert.deepEqual(
    cures.map(({ rule_id }) => rule_id),
    ['STATE', 'SCORE', 'LATE'],
  );
  for (const cure of cures) {
    assert.equal(cure.feasible, true, cure.reason ?? '');
    assert.equal(cure.pool_tests.find(({ rule_id }) => rule_id === cure.rule_id)?.passed, true);
    assert.equal(cure.loan_ids.length, cure.loans);
    assert.equal(cure.pool_loans + cure.loans, eligible_loans);
    assert.ok(
      Number(cure.gap) < 0.02 * Number(cure.removed_balance),
      `${cure.rule_id}: gap ${cure.gap} of ${cure.removed_balance}`,
    );
  }
});

test('the largest pool satisfies every pool test at once and no single cure is dearer than it', async () => {
  await using tape = await smallTape('Auto', autoLoans(200));
  const { outcomesPath } = await runCriteria({ ...tape, set: AUTO });
  const [pool, single] = [
    await largestPool({ ...tape, set: AUTO, outcomesPath }),
    await curePoolTests({ ...tape, set: AUTO, outcomesPath }),
  ];
  assert.equal(pool.feasible, true, pool.reason ?? '');
  assert.deepEqual(
    pool.pool_tests.map(({ passed }) => passed),
    [true, true, true, true],
  );
  for (const cure of single.cures) assert.ok(Number(pool.removed_balance) >= Number(cure.best_bound));
});

test('the largest pool of a few loans is the best of all their subsets', async () => {
  const set: CriteriaSet = { ...AUTO, pool_tests: (AUTO.pool_tests ?? []).slice(0, 2) };
  const loans = autoLoans(9);
  await using tape = await smallTape('Auto', loans);
  const { outcomesPath } = await runCriteria({ ...tape, set });
  const pool = await largestPool({ ...tape, set, outcomesPath });
  assert.equal(pool.optimal, true);
  const eligible = loans.filter(({ days_past_due }) => days_past_due <= 30);
  let best = 0;
  for (let mask = 1; mask < 2 ** eligible.length; mask += 1) {
    const left = eligible.filter((_, i) => mask & (1 << i));
    const total = left.reduce((sum, { current_balance }) => sum + current_balance, 0);
    const states = new Map<string | null, number>();
    for (const each of left) states.set(each.state, (states.get(each.state) ?? 0) + each.current_balance);
    const scored = left.reduce((sum, each) => sum + each.current_balance * each.credit_score, 0);
    if (Math.max(...states.values()) <= 0.4 * total && scored >= 705 * total) best = Math.max(best, total);
  }
  assert.equal(Number(pool.pool_balance), pool.feasible ? best : eligible.reduce((sum, each) => sum + each.current_balance, 0));
});

test('a limit that no pool of the groups can keep is infeasible and says why', async () => {
  const set: CriteriaSet = {
    loan_type: 'Auto',
    loan_rules: [],
    pool_tests: [{ id: 'P', type: 'concentration', group_by: ['state'], op: 'lte', value: 0.2 }],
  };
  await using tape = await smallTape(
    'Auto',
    autoLoans(100).map((each) => ({ ...each, state: each.state === 'CA' ? 'CA' : 'TX' })),
  );
  const { outcomesPath } = await runCriteria({ ...tape, set });
  const { cures } = await curePoolTests({ ...tape, set, outcomesPath });
  assert.equal(cures[0].feasible, false);
  assert.match(cures[0].reason ?? '', /2 groups are too few/);
});
