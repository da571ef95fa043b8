import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, PoolTest } from './language.ts';
import { isProhibitedField } from './prohibited.ts';
import { issuesOf, judge, judgeRule, judgeTest, RULE } from './testing/judge.ts';

test('an unknown field is named with its path however deep it stands, and a near name is offered', () => {
  const rule = {
    when: { field: 'ltv', op: 'gt', value: 1 },
    then: { all: [{ not: { field: 'credit_scor', op: 'gte', value: 1 } }] },
  };
  assert.deepEqual(judgeRule(rule), [`UNKNOWN_FIELD ${RULE}.then.all[0].not.field`]);
  assert.match(issuesOf({ loan_rules: [{ id: 'R', rule: rule as Condition }] })[0].message, /did you mean credit_score\?/);
});

test('an operator that the type of a field does not have is refused', () => {
  assert.deepEqual(judgeRule({ field: 'state', op: 'gt', value: 'CA' }), [`INVALID_RULE ${RULE}.op`]);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'before', value: '2020-01-01' }), [`INVALID_RULE ${RULE}.op`]);
  assert.deepEqual(judgeRule({ field: 'origination_date', op: 'gte', value: '2020-01-01' }), [`INVALID_RULE ${RULE}.op`]);
  assert.deepEqual(judgeRule({ field: 'co_obligor', op: 'between', value: [false, true] }), [`INVALID_RULE ${RULE}.op`]);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'matches', value: 1 }), [`INVALID_RULE ${RULE}.op`]);
});

test('a value of another type than its field is refused, each at its own place', () => {
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'lte', value: '80' }), [`NOT_A_NUMBER ${RULE}.value`]);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'between', value: [1, true] }), [`NOT_A_NUMBER ${RULE}.value[1]`]);
  assert.deepEqual(judgeRule({ field: 'state', op: 'eq', value: 5 }), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule({ field: 'state', op: 'in', value: ['CA', null, 'TX', 1] }), [
    `INVALID_RULE ${RULE}.value[1]`,
    `INVALID_RULE ${RULE}.value[3]`,
  ]);
  assert.deepEqual(judgeRule({ field: 'origination_date', op: 'before', value: '2021-02-29' }), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule({ field: 'co_obligor', op: 'eq', value: 'true' }), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'lte' }), [`INVALID_RULE ${RULE}`]);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'lte', value: null }), [`NOT_A_NUMBER ${RULE}.value`]);
});

test('between needs two ordered bounds', () => {
  for (const value of [[1], [1, 2, 3], 5, [2, 1]])
    assert.deepEqual(judgeRule({ field: 'ltv', op: 'between', value }), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'between', value: [1, 1] }), []);
});

test('dates by the cut-off date need a cut-off date', () => {
  const rule = { field: 'origination_date', op: 'before', value: 'as_of-120d' };
  assert.deepEqual(judgeRule(rule), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule(rule, { as_of: '2020-07-31' }), []);
  assert.deepEqual(judgeRule(rule, { as_of: '2020-07-32' }), ['INVALID_RULE as_of']);
});

test('value sets must be declared, and inherited names are none', () => {
  for (const value_set of ['WEST', 'constructor', '__proto__', 7])
    assert.deepEqual(judgeRule({ field: 'state', op: 'in', value_set }), [`INVALID_RULE ${RULE}.value_set`]);
  assert.deepEqual(judgeRule({ field: 'state', op: 'in', value_set: 'WEST' }, { value_sets: { WEST: ['CA'] } }), []);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'in', value_set: 'WEST' }, { value_sets: { WEST: ['CA'] } }), [
    `INVALID_RULE ${RULE}.value_set`,
  ]);
});

test('a field is compared with a field of its own kind, with a factor only for numbers', () => {
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'lte', value_field: 'state' }), [`INVALID_RULE ${RULE}.value_field`]);
  assert.deepEqual(judgeRule({ field: 'maturity_date', op: 'after', value_field: 'origination_date', factor: 2 }), [
    `INVALID_RULE ${RULE}.factor`,
  ]);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'lte', value: 1, factor: 2 }), [`INVALID_RULE ${RULE}.factor`]);
  assert.deepEqual(judgeRule({ expr: { num: 'ltv', den: 'state' }, op: 'lte', value: 1 }), [`INVALID_RULE ${RULE}.expr.den`]);
  assert.deepEqual(judgeRule({ expr: { num: 'ltv', den: 'pti', scale: 0 }, op: 'lte', value: 1 }), [
    `INVALID_RULE ${RULE}.expr.scale`,
  ]);
});

test('misspelt keys, empty lists, both or none of field and expr are refused rather than ignored', () => {
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'lte', value: 1, onmissing: 'pass' }), [`UNKNOWN_FIELD ${RULE}.onmissing`]);
  assert.deepEqual(judgeRule({ all: [] }), [`INVALID_RULE ${RULE}.all`]);
  assert.deepEqual(judgeRule({ op: 'lte', value: 1 }), [`INVALID_RULE ${RULE}`]);
  assert.deepEqual(judgeRule({ field: 'ltv', expr: { num: 'ltv', den: 'pti' }, op: 'lte', value: 1 }), [`INVALID_RULE ${RULE}`]);
  for (const rule of [null, 5, 'x', [], undefined]) assert.deepEqual(judgeRule(rule), [`INVALID_RULE ${RULE}`]);
});

test('nesting and the number of comparisons are bounded', () => {
  let deep: unknown = { field: 'ltv', op: 'lte', value: 1 };
  for (let level = 0; level < 5_000; level += 1) deep = { not: deep };
  assert.equal(judgeRule(deep).length, 1);
  const wide = { any: Array.from({ length: 1_000 }, () => ({ field: 'ltv', op: 'lte', value: 1 })) };
  assert.equal(judgeRule(wide).length, 1);
});

test('ids are unique across loan rules and pool tests', () => {
  const rule = { field: 'ltv', op: 'lte', value: 1 } as const;
  const pool: PoolTest = { id: 'A', type: 'count', op: 'gte', value: 1 };
  assert.deepEqual(
    judge({
      loan_rules: [
        { id: 'A', rule },
        { id: 'A', rule },
      ],
      pool_tests: [pool],
    }),
    ['INVALID_RULE loan_rules[1].id', 'INVALID_RULE pool_tests[0].id'],
  );
});

test('pool tests have what their type needs and nothing else', () => {
  assert.deepEqual(judgeTest({ type: 'share' }), ['INVALID_RULE pool_tests[0].where']);
  assert.deepEqual(judgeTest({ type: 'concentration' }), ['INVALID_RULE pool_tests[0].group_by']);
  assert.deepEqual(judgeTest({ type: 'concentration', group_by: ['stat'] }), ['UNKNOWN_FIELD pool_tests[0].group_by[0]']);
  assert.deepEqual(judgeTest({ type: 'weighted_average', value: 5 }), ['INVALID_RULE pool_tests[0].field']);
  assert.deepEqual(judgeTest({ type: 'weighted_average', field: 'state', value: 5 }), ['INVALID_RULE pool_tests[0].field']);
  assert.deepEqual(judgeTest({ type: 'concentration', group_by: ['state'], value: 35 }), ['INVALID_RULE pool_tests[0].value']);
  assert.deepEqual(judgeTest({ type: 'count', value: [1, 2] }), ['INVALID_RULE pool_tests[0].value']);
  assert.deepEqual(judgeTest({ type: 'count', op: 'between', value: [2, 1] }), ['INVALID_RULE pool_tests[0].value']);
  assert.deepEqual(judgeTest({ type: 'count', top: 3, value: 3 }), ['INVALID_RULE pool_tests[0].top']);
  assert.deepEqual(judgeTest({ type: 'concentration', group_by: ['state'], rank_limits: [0.1, 0.2] }), [
    'INVALID_RULE pool_tests[0].rank_limits',
  ]);
  assert.deepEqual(judgeTest({ type: 'concentration', group_by: ['state'], top: 2, exceptions: { CA: 0.5 } }), [
    'INVALID_RULE pool_tests[0].exceptions',
  ]);
});

test('attributes that lenders may not select on are refused wherever a field may stand, declared or canonical', () => {
  const leaf = (field: string) => ({ field, op: 'eq', value: 'x' });
  assert.deepEqual(judgeRule(leaf('race')), [`PROHIBITED_FIELD ${RULE}.field`]);
  assert.deepEqual(judge({ custom_fields: { MARRIED: 'string' } }), ['PROHIBITED_FIELD custom_fields.MARRIED']);
  assert.deepEqual(
    judge({ loan_type: 'Credit Card', loan_rules: [{ id: 'R', rule: { field: 'age_years', op: 'gte', value: 21 } }] }),
    [`PROHIBITED_FIELD ${RULE}.field`],
  );
  assert.deepEqual(judgeTest({ type: 'hhi', group_by: ['national_origin'] }), ['PROHIBITED_FIELD pool_tests[0].group_by[0]']);
  assert.deepEqual(judgeTest({ type: 'share', where: leaf('Hispan') }), ['PROHIBITED_FIELD pool_tests[0].where.field']);
});

test('coded and spelt-out names of protected attributes are known, look-alikes are not', () => {
  const prohibited =
    'race ethnicity sex SEX gender religion national_origin Nationality marital_status Marital.Status MARRIAGE age AGE age_years borrowerAge borrower_age age_at_origination applicant_race_1 black hispan male married public_assistance dob date_of_birth birthYear';
  for (const name of prohibited.split(' ')) assert.equal(isProhibitedField(name), true, name);
  const harmless =
    'loan_age_months vehicle_age_years mileage trace_id average_balance mortgage_amount state vehicle_color stage usage package sextant_id account_age_months page';
  for (const name of harmless.split(' ')) assert.equal(isProhibitedField(name), false, name);
});
