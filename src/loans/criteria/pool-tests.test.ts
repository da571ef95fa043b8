import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqlName } from '../engine/sql.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import { measuredColumns, poolSql } from './pool-sql.ts';
import { judgePoolTests } from './pool-tests.ts';
import { runCriteria } from './run.ts';
import { type LoanValues, smallTape } from './testing/small-tape.ts';

async function judge(loans: LoanValues[], tests: object[], more: Partial<CriteriaSet> = {}) {
  await using tape = await smallTape('Auto', loans);
  const pool_tests = tests.map((each, index) => ({ id: `P${index}`, op: 'lte', ...each }) as PoolTest);
  return (await runCriteria({ ...tape, set: { loan_type: 'Auto', loan_rules: [], pool_tests, ...more } })).pool_tests;
}

const LOANS = [
  { current_balance: 30, state: 'CA', credit_score: 700, obligor_id: 'a' },
  { current_balance: 25, state: ' ca', credit_score: null, obligor_id: 'a' },
  { current_balance: 35, state: null, credit_score: 640, obligor_id: 'b' },
  { current_balance: 10, state: 'TX', credit_score: 800, obligor_id: null },
];

test('groups ignore case and blanks, and missing keys form one group', async () => {
  const [result] = await judge(LOANS, [{ type: 'concentration', group_by: ['state'], value: 0.5 }]);
  assert.deepEqual([result?.group?.trim().toUpperCase(), result?.actual, result?.passed], ['CA', '0.55000000', false]);
  assert.deepEqual(
    result?.groups?.map(({ group, actual, loans }) => [group.trim().toUpperCase(), actual, loans]),
    [
      ['CA', '0.55000000', 2],
      ['(MISSING)', '0.35000000', 1],
      ['TX', '0.10000000', 1],
    ],
  );
});

test('excess is what lies above the limit at the present size, headroom is negative beyond it', async () => {
  const [above, below, lower] = await judge(LOANS, [
    { type: 'concentration', group_by: ['state'], value: 0.5 },
    { type: 'share', where: { field: 'state', op: 'eq', value: 'TX' }, value: 0.25 },
    { type: 'share', where: { field: 'state', op: 'eq', value: 'TX' }, op: 'gte', value: 0.25 },
  ]);
  assert.deepEqual([above?.excess_balance, above?.headroom], ['5.00', '-0.05000000']);
  assert.deepEqual([below?.excess_balance, below?.headroom], ['0.00', '0.15000000']);
  assert.deepEqual([lower?.excess_balance, lower?.headroom, lower?.passed], ['15.00', '-0.15000000', false]);
});

test('a group with a limit of its own is compared with that, the tightest group decides', async () => {
  const [result, ranked] = await judge(LOANS, [
    { type: 'concentration', group_by: ['state'], value: 0.3, exceptions: { Ca: 0.6 } },
    { type: 'concentration', group_by: ['state'], value: 0.2, rank_limits: [0.6, 0.3] },
  ]);
  assert.deepEqual([result?.group, result?.limit, result?.actual, result?.passed], ['(missing)', 0.3, '0.35000000', false]);
  assert.deepEqual([ranked?.group, ranked?.limit, ranked?.passed], ['(missing)', 0.3, false]);
});

test('averages leave out loans without a value unless one is given for them', async () => {
  const results = await judge(LOANS, [
    { type: 'weighted_average', field: 'credit_score', value: 700 },
    { type: 'weighted_average', field: 'credit_score', missing_as: 300, value: 700 },
    { type: 'average', field: 'credit_score', value: 720 },
    { type: 'min', field: 'credit_score', op: 'gte', value: 640 },
    { type: 'max', field: 'credit_score', value: 799.999999 },
    { type: 'sum', field: 'current_balance', where: { field: 'state', op: 'eq', value: 'CA' }, value: 50 },
    { type: 'count', where: { field: 'state', op: 'is_null' }, value: 1 },
    { type: 'hhi', group_by: ['state'], value: 0.435 },
  ]);
  // 51,400 / 75; 58,900 / 100; 2,140 / 3; Herfindahl 0.55² + 0.35² + 0.1²
  assert.deepEqual(
    results.map(({ actual, passed }) => [actual, passed]),
    [
      ['685.33333333', true],
      ['589.00000000', true],
      ['713.33333333', true],
      ['640.00000000', true],
      ['800.00000000', false],
      ['55.00000000', false],
      ['1.00000000', true],
      ['0.43500000', true],
    ],
  );
  assert.equal(results[5].excess_balance, '5.00');
});

test('a test with nothing to measure is not applicable', async () => {
  const nothing = { field: 'current_balance', op: 'gt', value: 1_000_000 };
  const results = await judge(
    LOANS,
    [
      { type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, value: 0.5 },
      { type: 'concentration', group_by: ['state'], value: 0.5 },
      { type: 'hhi', group_by: ['state'], value: 0.5 },
      { type: 'weighted_average', field: 'credit_score', value: 700 },
      { type: 'min', field: 'credit_score', value: 700 },
      { type: 'count', value: 5 },
    ],
    { loan_rules: [{ id: 'NONE', rule: nothing as never }] },
  );
  assert.deepEqual(
    results.map(({ passed }) => passed),
    [null, null, null, null, null, true],
  );
  assert.deepEqual(results[0].actual, null);
});

test('limits are inclusive and exact: one cent beyond a third fails', async () => {
  const share = { type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, value: 0.25 };
  const pool = (ca: number) => [
    { current_balance: ca, state: 'CA' },
    { current_balance: 75_000_000, state: 'TX' },
  ];
  assert.equal((await judge(pool(25_000_000), [share]))[0].passed, true);
  const [beyond] = await judge(pool(25_000_000.01), [share]);
  assert.deepEqual([beyond?.actual, beyond?.passed], ['0.25000000', false]);
  assert.equal((await judge(pool(25_000_000), [{ ...share, op: 'lt' }]))[0].passed, false);
});

test('the largest groups together, a weight of its own, and where against the whole pool', async () => {
  const results = await judge(LOANS, [
    { type: 'concentration', group_by: ['obligor_id'], top: 2, value: 0.9 },
    { type: 'concentration', group_by: ['state', 'obligor_id'], value: 0.6 },
    { type: 'concentration', group_by: ['obligor_id'], where: { field: 'state', op: 'eq', value: 'CA' }, value: 0.5 },
    { type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, weight: 'credit_score', value: 0.4 },
  ]);
  assert.deepEqual(
    results.map(({ actual }) => actual),
    ['0.90000000', '0.55000000', '0.55000000', '0.32710280'],
  );
});

test('a test of all loans stands beside tests of the eligible ones, each over its own population', async () => {
  const rules = {
    loan_rules: [{ id: 'TEXAS', rule: { field: 'state', op: 'neq' as const, value: 'TX', on_missing: 'pass' as const } }],
  };
  const sum = { type: 'sum', field: 'current_balance', value: 1 };
  const grouped = { type: 'concentration', group_by: ['state'], value: 1 };
  const actuals = (tests: { actual: string | null }[]) => tests.map(({ actual }) => actual);
  assert.deepEqual(actuals(await judge(LOANS, [sum, grouped], rules)), ['90.00000000', '0.61111111']);
  const mixed = [sum, { ...sum, population: 'all' }, grouped, { ...grouped, population: 'all' }];
  assert.deepEqual(actuals(await judge(LOANS, mixed, rules)), ['90.00000000', '100.00000000', '0.61111111', '0.55000000']);
});

test('figures are the same whether the loans are summed up by their groups at first or not', async () => {
  await using tape = await smallTape('Auto', LOANS);
  const tests = [
    { type: 'concentration', group_by: ['state'], value: 0.2 },
    { type: 'concentration', group_by: ['obligor_id'], where: { field: 'state', op: 'is_null' }, value: 0.2 },
    { type: 'hhi', group_by: ['state'], weight: 'credit_score', population: 'all', value: 0.2 },
    { type: 'share', where: { field: 'credit_score', op: 'gt', value: 650 }, value: 0.2 },
    { type: 'weighted_average', field: 'credit_score', missing_as: 500, value: 600 },
    { type: 'average', field: 'credit_score', population: 'all', value: 600 },
    { type: 'max', field: 'credit_score', value: 600 },
    { type: 'min', field: 'credit_score', where: { field: 'state', op: 'eq', value: 'none' }, value: 600 },
    { type: 'count', where: { field: 'state', op: 'eq', value: 'CA' }, value: 1 },
  ];
  const pool_tests = tests.map((each, index) => ({ id: `P${index}`, op: 'lte', ...each }) as PoolTest);
  const loan_rules = [{ id: 'TEXAS', rule: { field: 'state', op: 'neq', value: 'TX', on_missing: 'pass' } as const }];
  const set: CriteriaSet = { loan_type: 'Auto', loan_rules, pool_tests };
  const { outcomesPath, pool_tests: judged } = await runCriteria({ ...tape, set });
  const { pool } = await poolSql({ ...tape, outcomesPath, set });
  const columns = measuredColumns(set).map((name) => (name.startsWith('group') ? `range || '' AS ${sqlName(name)}` : 'NULL'));
  for (const groups of [1, 50, 5_000])
    assert.deepEqual(
      await judgePoolTests(tape.engine, { pool, first: `(SELECT ${columns.join(', ')} FROM range(${groups}))` }, set),
      judged,
      `${groups} groups among the first loans`,
    );
  assert.deepEqual(
    judged.map(({ actual }) => actual),
    ['0.61111111', '0.38888889', '0.33618657', '0.33333333', '621.11111111', '713.33333333', '700.00000000', null, '2.00000000'],
  );
});
