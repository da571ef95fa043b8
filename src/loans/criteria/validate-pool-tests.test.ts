import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POOL_TEST_TYPES, type PoolTestType } from './language.ts';
import { judge, judgeTest } from './testing/judge.ts';

const P = 'pool_tests[0]';
const WHERE = { field: 'state', op: 'eq', value: 'CA' };
/** The least that each type needs. */
const LEAST: Record<PoolTestType, object> = {
  share: { where: WHERE },
  concentration: { group_by: ['state'] },
  hhi: { group_by: ['state'] },
  weighted_average: { field: 'ltv' },
  average: { field: 'ltv' },
  sum: { field: 'ltv' },
  min: { field: 'ltv' },
  max: { field: 'ltv' },
  count: {},
};
/** A value of each key that only some types have, and those types. */
const KEYS: [string, unknown, readonly PoolTestType[]][] = [
  ['field', 'ltv', ['weighted_average', 'average', 'sum', 'min', 'max']],
  ['group_by', ['state'], ['concentration', 'hhi']],
  ['top', 2, ['concentration']],
  ['exceptions', { CA: 0.6 }, ['concentration']],
  ['rank_limits', [0.6], ['concentration']],
  ['weight', 'original_balance', ['share', 'concentration', 'hhi', 'weighted_average']],
  ['missing_as', 0, ['weighted_average', 'average', 'sum']],
  ['where', WHERE, POOL_TEST_TYPES],
  ['population', 'all', POOL_TEST_TYPES],
  ['severity', 'warn', POOL_TEST_TYPES],
  ['description', 'x', POOL_TEST_TYPES],
];

test('each type of test has its keys and no other', () => {
  for (const type of POOL_TEST_TYPES) {
    assert.deepEqual(judgeTest({ type, ...LEAST[type] }), [], type);
    for (const [key, value, types] of KEYS) {
      const expected = types.includes(type) ? [] : [`INVALID_RULE ${P}.${key}`];
      assert.deepEqual(judgeTest({ type, ...LEAST[type], [key]: value }), expected, `${type} ${key}`);
    }
    for (const key of ['limit', 'Where', 'groupBy', 'filter'])
      assert.deepEqual(judgeTest({ type, ...LEAST[type], [key]: 1 }), [`UNKNOWN_FIELD ${P}.${key}`]);
  }
});

test('each type of test has what it needs', () => {
  const needed: [PoolTestType, string][] = [
    ['share', 'where'],
    ['concentration', 'group_by'],
    ['hhi', 'group_by'],
    ['weighted_average', 'field'],
    ['average', 'field'],
    ['sum', 'field'],
    ['min', 'field'],
    ['max', 'field'],
  ];
  for (const [type, key] of needed) assert.deepEqual(judgeTest({ type }), [`INVALID_RULE ${P}.${key}`], type);
  for (const group_by of [[], 'state', null])
    assert.deepEqual(judgeTest({ type: 'hhi', group_by }), [`INVALID_RULE ${P}.group_by`]);
});

test('what is measured and what weighs is a number; groups may be of any kind', () => {
  for (const field of ['state', 'origination_date', 'co_obligor', '', 5])
    assert.deepEqual(judgeTest({ type: 'sum', field }), [`INVALID_RULE ${P}.field`], String(field));
  assert.deepEqual(judgeTest({ type: 'sum', field: 'unheard_of' }), [`UNKNOWN_FIELD ${P}.field`]);
  assert.deepEqual(judgeTest({ type: 'share', where: WHERE, weight: 'state' }), [`INVALID_RULE ${P}.weight`]);
  assert.deepEqual(judgeTest({ type: 'share', where: WHERE, weight: 'unheard_of' }), [`UNKNOWN_FIELD ${P}.weight`]);
  const group_by = ['state', 'ltv', 'origination_date', 'co_obligor', 'obligor_id'];
  assert.deepEqual(judgeTest({ type: 'concentration', group_by }), []);
  assert.deepEqual(judgeTest({ type: 'concentration', group_by: ['state', 'nope', 'race'] }), [
    `UNKNOWN_FIELD ${P}.group_by[1]`,
    `PROHIBITED_FIELD ${P}.group_by[2]`,
  ]);
});

test('the condition of a test is checked like a rule', () => {
  assert.deepEqual(judgeTest({ type: 'count', where: { field: 'nope', op: 'eq', value: 1 } }), [
    `UNKNOWN_FIELD ${P}.where.field`,
  ]);
  assert.deepEqual(judgeTest({ type: 'count', where: { all: [] } }), [`INVALID_RULE ${P}.where.all`]);
  assert.deepEqual(judgeTest({ type: 'share', where: null }), [`INVALID_RULE ${P}.where`]);
});

test('a share lies between 0 and 1, both included; a percentage is refused', () => {
  for (const type of ['share', 'concentration', 'hhi'] as const) {
    const judged = (value: unknown, op = 'lte') => judgeTest({ type, ...LEAST[type], op, value });
    for (const value of [0, 1, 0.35, 0.000001]) assert.deepEqual(judged(value), [], `${type} ${value}`);
    for (const value of [35, 1.000001, -0.000001, '0.5', null, Number.NaN])
      assert.deepEqual(judged(value), [`INVALID_RULE ${P}.value`], `${type} ${String(value)}`);
    assert.deepEqual(judged([0, 1], 'between'), []);
    assert.deepEqual(judged([0, 1.1], 'between'), [`INVALID_RULE ${P}.value`]);
    assert.deepEqual(judged([-0.1, 1], 'between'), [`INVALID_RULE ${P}.value`]);
  }
});

test('other limits are numbers below 10^20', () => {
  for (const type of ['weighted_average', 'average', 'sum', 'min', 'max', 'count'] as const) {
    const judged = (value: unknown) => judgeTest({ type, ...LEAST[type], value });
    for (const value of [0, -5, 35, 99_999_999_999_999_980_000]) assert.deepEqual(judged(value), [], `${type} ${value}`);
    for (const value of [1e20, -1e20, '5', null, true, Number.POSITIVE_INFINITY])
      assert.deepEqual(judged(value), [`INVALID_RULE ${P}.value`], `${type} ${String(value)}`);
  }
});

test('between takes two bounds in order, any other operator one number', () => {
  const judged = (op: string, value: unknown) => judgeTest({ type: 'count', op, value });
  assert.deepEqual(judged('between', [1, 2]), []);
  assert.deepEqual(judged('between', [2, 2]), []);
  for (const value of [[2, 1], [1], [1, 2, 3], [], 5, [1, 'x'], [1, null]])
    assert.deepEqual(judged('between', value), [`INVALID_RULE ${P}.value`], JSON.stringify(value));
  for (const op of ['lte', 'lt', 'gte', 'gt']) {
    assert.deepEqual(judged(op, 1), []);
    assert.deepEqual(judged(op, [1, 2]), [`INVALID_RULE ${P}.value`], op);
  }
});

const grouped = (more: object) => judgeTest({ type: 'concentration', group_by: ['state'], value: 0.2, ...more });

test('limits of single groups are shares, upper limits, and go with the largest group alone', () => {
  assert.deepEqual(grouped({ exceptions: { CA: 0.5, TX: 0, NY: 1 } }), []);
  assert.deepEqual(grouped({ exceptions: {} }), []);
  assert.deepEqual(grouped({ exceptions: { CA: 50, TX: 0.5, NY: -1 } }), [
    `INVALID_RULE ${P}.exceptions.CA`,
    `INVALID_RULE ${P}.exceptions.NY`,
  ]);
  assert.deepEqual(grouped({ exceptions: { CA: 0.5 }, top: 1 }), []);
  assert.deepEqual(grouped({ exceptions: { CA: 0.5 }, top: 2 }), [`INVALID_RULE ${P}.exceptions`]);
  assert.deepEqual(grouped({ exceptions: { CA: 0.5 }, op: 'lt' }), []);
  for (const op of ['gte', 'gt']) assert.deepEqual(grouped({ exceptions: { CA: 0.5 }, op }), [`INVALID_RULE ${P}.op`]);
  assert.deepEqual(grouped({ exceptions: { CA: 0.5 }, op: 'between', value: [0, 0.2] }), [`INVALID_RULE ${P}.op`]);
});

test('limits by rank are shares that do not rise, down to the limit of every other group', () => {
  assert.deepEqual(grouped({ rank_limits: [0.5, 0.3, 0.2] }), []);
  assert.deepEqual(grouped({ rank_limits: [0.2] }), [], 'equal to the limit of the others');
  assert.deepEqual(grouped({ rank_limits: [0.3, 0.3] }), []);
  for (const rank_limits of [[0.19], [0.5, 0.1], [0.3, 0.31]])
    assert.deepEqual(grouped({ rank_limits }), [`INVALID_RULE ${P}.rank_limits`], rank_limits.join(' '));
  assert.deepEqual(grouped({ rank_limits: [50, 0.3] }), [`INVALID_RULE ${P}.rank_limits[0]`]);
  assert.deepEqual(grouped({ rank_limits: [0.5, -0.3], value: 0 }), [
    `INVALID_RULE ${P}.rank_limits[1]`,
    `INVALID_RULE ${P}.rank_limits`,
  ]);
  assert.deepEqual(grouped({ rank_limits: [0.5], op: 'lt' }), []);
  for (const op of ['gte', 'gt']) assert.deepEqual(grouped({ rank_limits: [0.5], op }), [`INVALID_RULE ${P}.op`]);
  for (const more of [{ top: 1 }, { exceptions: {} }])
    assert.deepEqual(grouped({ rank_limits: [0.5], ...more }), [`INVALID_RULE ${P}.rank_limits`]);
});

test('the faults of several tests are told each at its own place', () => {
  const least = { op: 'lte', value: 0.5 } as const;
  assert.deepEqual(
    judge({
      pool_tests: [
        { id: 'A', type: 'share', ...least },
        { id: 'B', type: 'count', ...least },
        { id: 'C', type: 'sum', field: 'nope', ...least },
      ],
    }),
    ['INVALID_RULE pool_tests[0].where', 'UNKNOWN_FIELD pool_tests[2].field'],
  );
});
