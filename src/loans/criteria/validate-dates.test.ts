import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCalendarDate, resolveDate } from './as-of.ts';
import { issuesOf, judgeRule, RULE } from './testing/judge.ts';

const before = (value: unknown) => ({ field: 'origination_date', op: 'before', value });
const within = (value: unknown) => ({ field: 'origination_date', op: 'between', value });
const REFUSED = [`INVALID_RULE ${RULE}.value`];

test('a date is a day of the calendar, written YYYY-MM-DD', () => {
  for (const day of ['2024-02-29', '2000-02-29', '1999-12-31', '2021-01-01', '9999-12-31', '0100-01-01'])
    assert.deepEqual(judgeRule(before(day)), [], day);
  const none = ['2023-02-29', '1900-02-29', '2021-04-31', '2021-00-10', '2021-13-01', '2021-01-00', '2021-1-1', '20210101'];
  const written = ['01/31/2021', '2021-01-01T00:00:00Z', ' 2021-01-01', '2021-01-01 ', '', '+12021-01-01', '٢٠٢١-٠١-٠١'];
  for (const text of [...none, ...written]) assert.deepEqual(judgeRule(before(text)), REFUSED, text);
  for (const value of [20210101, true, null, ['2021-01-01'], {}]) assert.deepEqual(judgeRule(before(value)), REFUSED);
});

test('a cut-off date is a day of the calendar too, and its fault is told once and at its own place', () => {
  const relative = [before('as_of-1d'), within(['as_of-30d', 'as_of'])];
  for (const as_of of ['2021-02-29', '2021-01', '', 'as_of', 'today']) {
    for (const rule of relative) assert.deepEqual(judgeRule(rule, { as_of }), ['INVALID_RULE as_of'], as_of);
  }
  for (const rule of relative) assert.deepEqual(judgeRule(rule, { as_of: '2020-02-29' }), []);
});

test('a date may be written as so many days from the cut-off date, in this form only', () => {
  const asOf = { as_of: '2020-03-01' };
  for (const text of ['as_of', 'as_of+0d', 'as_of-1d', 'as_of+36500d', 'as_of-99999d'])
    assert.deepEqual(judgeRule(before(text), asOf), [], text);
  for (const text of ['as_of-d', 'as_of 1d', 'as_of-1', 'as_of-1m', 'AS_OF', 'as_of-100000d', 'as_of--1d', 'as_of-1.5d'])
    assert.deepEqual(judgeRule(before(text), asOf), REFUSED, text);
  const days: [string, string][] = [
    ['as_of', '2020-03-01'],
    ['as_of-1d', '2020-02-29'],
    ['as_of-366d', '2019-03-01'],
    ['as_of+31d', '2020-04-01'],
    ['2021-05-06', '2021-05-06'],
  ];
  for (const [text, day] of days) assert.equal(resolveDate(text, '2020-03-01'), day);
  assert.throws(() => resolveDate('as_of-1d', undefined), /needs the set's as_of/);
});

test('days from the cut-off date that leave the calendar are refused before a run meets them', () => {
  const messageOf = (value: string, as_of: string) =>
    issuesOf({ as_of, loan_rules: [{ id: 'R', rule: { field: 'origination_date', op: 'before', value } }] }).map(
      ({ message }) => message,
    );
  assert.deepEqual(messageOf('as_of', '9999-12-31'), []);
  assert.deepEqual(messageOf('as_of+1d', '9999-12-31'), ['"as_of+1d" lies outside the calendar']);
  assert.deepEqual(messageOf('as_of-99999d', '0200-01-01'), ['"as_of-99999d" lies outside the calendar']);
  assert.deepEqual(judgeRule(within(['as_of', 'as_of+1d']), { as_of: '9999-12-31' }), [`INVALID_RULE ${RULE}.value[1]`]);
  assert.deepEqual(
    judgeRule(
      { field: 'origination_date', op: 'in', value_set: 'days' },
      { as_of: '9999-12-31', value_sets: { days: ['as_of+1d'] } },
    ),
    [`INVALID_RULE ${RULE}.value_set`],
  );
  assert.equal(isCalendarDate('9999-12-31'), true);
});

test('the bounds of a span are in the order of the calendar, however each is written', () => {
  const asOf = { as_of: '2020-03-01' };
  const ordered = [
    ['as_of-30d', 'as_of'],
    ['as_of', 'as_of'],
    ['2020-02-29', 'as_of'],
    ['as_of', '2020-03-01'],
    ['2020-01-01', '2020-01-01'],
  ];
  for (const bounds of ordered) assert.deepEqual(judgeRule(within(bounds), asOf), [], String(bounds));
  const reversed = [
    ['as_of', 'as_of-1d'],
    ['2020-03-02', 'as_of'],
    ['as_of', '2020-02-29'],
    ['2020-01-02', '2020-01-01'],
  ];
  for (const bounds of reversed) assert.deepEqual(judgeRule(within(bounds), asOf), REFUSED, String(bounds));
});

test('a date relative to the cut-off date needs one, in lists, in value sets and in both bounds', () => {
  assert.deepEqual(judgeRule(within(['as_of', 'as_of+1d'])), [`INVALID_RULE ${RULE}.value[0]`, `INVALID_RULE ${RULE}.value[1]`]);
  const list = { field: 'origination_date', op: 'in', value: ['2020-01-01', 'as_of'] };
  assert.deepEqual(judgeRule(list), [`INVALID_RULE ${RULE}.value[1]`]);
  const named = { field: 'origination_date', op: 'not_in', value_set: 'days' };
  assert.deepEqual(judgeRule(named, { value_sets: { days: ['as_of'] } }), [`INVALID_RULE ${RULE}.value_set`]);
});
