import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { type CriteriaSet, CriteriaSetSchema, LIMITS, OPERATORS, POOL_OPERATORS, POOL_TEST_TYPES } from './language.ts';

const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
// It is the gateway's, which tests it.
ajv.addFormat('plain-text', true);
const takes = ajv.compile(CriteriaSetSchema);

const SET: CriteriaSet = { loan_type: 'Auto', loan_rules: [] };
const RULE = { id: 'R', rule: { field: 'ltv', op: 'lte', value: 1 } };
const TEST = { id: 'P', type: 'count', op: 'gte', value: 1 };
const list = <Value>(count: number, value: (index: number) => Value) => Array.from({ length: count }, (_, index) => value(index));
const takesSet = (more: object) => takes({ ...SET, ...more });
const takesRule = (more: object) => takesSet({ loan_rules: [{ ...RULE, ...more }] });
const takesTest = (more: object) => takesSet({ pool_tests: [{ ...TEST, ...more }] });

test('the language has the operators and kinds of test of its specification, no more and no less', {
  skip: skipWithout('data/rule_language.json'),
}, () => {
  const { json_schema } = JSON.parse(readFileSync(sharedPath('data/rule_language.json') ?? '', 'utf8')) as {
    json_schema: { $defs: Record<'leaf' | 'pool', { properties: Record<string, { enum?: string[] }> }> };
  };
  const { leaf, pool } = json_schema.$defs;
  assert.deepEqual([...OPERATORS], leaf.properties.op?.enum);
  assert.deepEqual([...POOL_TEST_TYPES], pool.properties.type?.enum);
  assert.deepEqual([...POOL_OPERATORS], pool.properties.op?.enum);
  const { pool_tests } = CriteriaSetSchema.properties;
  assert.deepEqual(Object.keys(pool_tests.items.properties).sort(), Object.keys(pool.properties).sort());
});

test('a set needs its loan type and its rules, and nothing else', () => {
  assert.equal(takes(SET), true);
  for (const key of ['loan_type', 'loan_rules'])
    assert.equal(takes(Object.fromEntries(Object.entries(SET).filter(([name]) => name !== key))), false, key);
  assert.equal(takesSet({ version: 1 }), true);
  for (const version of [0, 2, '1', null]) assert.equal(takesSet({ version }), false);
  for (const loan_type of ['auto', 'Boat', '', null]) assert.equal(takesSet({ loan_type }), false);
});

test('policies, severities and populations are words of their lists', () => {
  for (const value of ['fail', 'pass']) assert.equal(takesSet({ missing_policy: value }), true);
  for (const value of ['warn', 'FAIL', null, true]) assert.equal(takesSet({ missing_policy: value }), false);
  for (const value of ['fail', 'warn'])
    assert.deepEqual([takesRule({ severity: value }), takesTest({ severity: value })], [true, true]);
  for (const value of ['pass', '', null])
    assert.deepEqual([takesRule({ severity: value }), takesTest({ severity: value })], [false, false]);
  for (const value of ['eligible', 'all']) assert.equal(takesTest({ population: value }), true);
  for (const value of ['failed', 1]) assert.equal(takesTest({ population: value }), false);
  for (const type of ['string', 'number', 'date']) assert.equal(takesSet({ custom_fields: { x: type } }), true);
  for (const type of ['boolean', 'text', null]) assert.equal(takesSet({ custom_fields: { x: type } }), false);
});

test('ids and descriptions have a length', () => {
  for (const [id, ok] of [
    ['x', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['', false],
    [5, false],
  ] as const)
    assert.deepEqual([takesRule({ id }), takesTest({ id })], [ok, ok], String(id));
  for (const [length, ok] of [
    [500, true],
    [501, false],
  ] as const)
    assert.deepEqual([takesRule({ description: 'x'.repeat(length) }), takesTest({ description: 'x'.repeat(length) })], [ok, ok]);
  assert.deepEqual(
    [takesSet({ name: 'x'.repeat(200) }), takesSet({ name: 'x'.repeat(201) }), takesSet({ name: '' })],
    [true, false, false],
  );
  assert.deepEqual([takesRule({ waivable: false }), takesRule({ waivable: 'no' })], [true, false]);
});

test('lists have their greatest length, and one more is refused', () => {
  const lists: [keyof typeof LIMITS, number, (count: number) => boolean][] = [
    ['loanRules', 200, (count) => takesSet({ loan_rules: list(count, () => RULE) })],
    ['poolTests', 100, (count) => takesSet({ pool_tests: list(count, () => TEST) })],
    ['values', 5_000, (count) => takesSet({ value_sets: { V: list(count, String) } })],
    [
      'customFields',
      200,
      (count) => takesSet({ custom_fields: Object.fromEntries(list(count, (index) => [`c${index}`, 'string'])) }),
    ],
    ['topGroups', 1_000, (count) => takesTest({ exceptions: Object.fromEntries(list(count, (index) => [`g${index}`, 0.5])) })],
    ['topGroups', 1_000, (count) => takesTest({ rank_limits: list(count, () => 0.5) })],
    ['topGroups', 1_000, (count) => takesTest({ top: count })],
  ];
  for (const [name, most, takesCount] of lists) {
    assert.equal(LIMITS[name], most, name);
    assert.deepEqual([takesCount(most), takesCount(most + 1)], [true, false], name);
  }
  assert.deepEqual(
    [1, 5, 6].map((count) => takesTest({ group_by: list(count, String) })),
    [true, true, false],
  );
  assert.deepEqual([takesTest({ group_by: [] }), takesTest({ rank_limits: [] })], [false, false]);
});

test('a number of largest groups is whole and at least one', () => {
  for (const top of [0, -1, 1.5, '1', null]) assert.equal(takesTest({ top }), false, String(top));
});

test('a limit is a number or two of them', () => {
  for (const value of [1, 0.5, [1, 2]]) assert.equal(takesTest({ value }), true);
  for (const value of ['1', [1], [1, 2, 3], ['a', 'b'], null, {}])
    assert.equal(takesTest({ value }), false, JSON.stringify(value));
});

test('a cut-off date has the form of a date', () => {
  assert.deepEqual(
    [takesSet({ as_of: '2020-02-29' }), takesSet({ as_of: '2020-02-30' }), takesSet({ as_of: 'as_of' })],
    [true, false, false],
  );
});
