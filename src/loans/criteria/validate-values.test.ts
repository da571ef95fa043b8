import assert from 'node:assert/strict';
import { test } from 'node:test';
import { criteriaFields } from './fields.ts';
import { type CriteriaSet, OPERATORS, type Operator } from './language.ts';
import { validateCriteria } from './validate.ts';
import { issuesOf, judge, judgeRule, RULE } from './testing/judge.ts';

const KINDS = { number: 'ltv', text: 'state', boolean: 'co_obligor', date: 'origination_date' } as const;
type Kind = keyof typeof KINDS;
const EXAMPLES: Record<Kind, unknown> = { number: 5, text: 'CA', boolean: true, date: '2020-01-31' };

const COMPARED: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];
const DATED: readonly Operator[] = ['before', 'after', 'on_or_before', 'on_or_after'];
const COMMON: readonly Operator[] = ['eq', 'neq', 'in', 'not_in', 'is_null', 'not_null'];
const ALLOWED: Record<Kind, readonly Operator[]> = {
  number: [...COMMON, ...COMPARED, 'between'],
  text: COMMON,
  boolean: COMMON,
  date: [...COMMON, ...DATED, 'between'],
};

/** A comparison that is right for its kind. */
function leafOf(kind: Kind, op: Operator): Record<string, unknown> {
  const [field, value] = [KINDS[kind], EXAMPLES[kind]];
  if (op === 'is_null' || op === 'not_null') return { field, op };
  if (op === 'in' || op === 'not_in') return { field, op, value: [value] };
  return { field, op, value: op === 'between' ? [value, value] : value };
}

test('each kind of field has its operators and no other', () => {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    for (const op of OPERATORS) {
      const expected = ALLOWED[kind].includes(op) ? [] : [`INVALID_RULE ${RULE}.op`];
      assert.deepEqual(judgeRule(leafOf(kind, op)), expected, `${kind} ${op}`);
    }
  }
  for (const op of ['EQ', '=', '', 'toString', null, 5, ['eq'], undefined])
    assert.deepEqual(judgeRule({ field: 'ltv', op, value: 5 }), [`INVALID_RULE ${RULE}.op`], String(op));
});

test('the refusal of an operator names those that the field has', () => {
  const [issue] = issuesOf({ loan_rules: [{ id: 'R', rule: { field: 'state', op: 'gte', value: 'CA' } }] });
  assert.equal(issue?.message, 'gte cannot be used on a text value; use eq, neq, in, not_in, is_null, not_null');
});

test('a value is of the kind of its field: alone, in a list, as a bound and in a value set', () => {
  const wrong: Record<Kind, unknown[]> = {
    number: ['5', true, null, {}, '2020-01-31', 1e20, -1e20],
    text: [5, true, null, {}, '', '  ', '\u00a0', 'a\u0000b'],
    boolean: ['true', 0, 1, null, 'Y'],
    date: ['CA', 5, true, null, '2020-02-30', ''],
  };
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const [field, good] = [KINDS[kind], EXAMPLES[kind]];
    for (const bad of wrong[kind]) {
      const told = `${kind} ${JSON.stringify(bad)}`;
      const code = kind === 'number' && typeof bad !== 'number' ? 'NOT_A_NUMBER' : 'INVALID_RULE';
      assert.deepEqual(judgeRule({ field, op: 'eq', value: bad }), [`${code} ${RULE}.value`], told);
      assert.deepEqual(judgeRule({ field, op: 'in', value: [good, bad, good] }), [`${code} ${RULE}.value[1]`], told);
      if (ALLOWED[kind].includes('between'))
        assert.deepEqual(judgeRule({ field, op: 'between', value: [good, bad] }), [`${code} ${RULE}.value[1]`], told);
      if (typeof bad === 'object') continue;
      const value_sets = { LIST: [good, bad] as string[] };
      assert.deepEqual(
        judgeRule({ field, op: 'in', value_set: 'LIST' }, { value_sets }),
        [`INVALID_RULE ${RULE}.value_set`],
        told,
      );
    }
  }
});

test('numbers lie below 10^20 on both sides of zero', () => {
  const largest = 99_999_999_999_999_980_000;
  for (const value of [largest, -largest, 0, -0, 1e-300]) assert.deepEqual(judgeRule({ field: 'ltv', op: 'lte', value }), []);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.equal(judgeRule({ field: 'ltv', op: 'lte', value }).length, 1);
});

test('bounds are ordered by what they are compared as: six places', () => {
  const between = (value: unknown) => judgeRule({ field: 'ltv', op: 'between', value });
  assert.deepEqual(between([1.0000004, 1.0000001]), [], 'the same to six places');
  assert.deepEqual(between([1.000001, 1]), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(between([-1, -2]), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(between([-2, -1]), []);
  assert.deepEqual(between({ 0: 1, 1: 2, length: 2 }), [`INVALID_RULE ${RULE}.value`]);
});

test('a comparison has one right side, of the kind that its operator takes', () => {
  const sides = { value: 5, value_field: 'pti', value_set: 'LIST' };
  const value_sets = { LIST: [5] };
  const judged = (leaf: object) => judgeRule({ field: 'ltv', ...leaf }, { value_sets });
  assert.deepEqual(judged({ op: 'lte' }), [`INVALID_RULE ${RULE}`]);
  assert.deepEqual(judged({ op: 'lte', value: 5, value_field: 'pti' }), [`INVALID_RULE ${RULE}`]);
  assert.deepEqual(judged({ op: 'in', value: [5], value_set: 'LIST' }), [`INVALID_RULE ${RULE}`]);
  for (const [key, value] of Object.entries(sides)) {
    assert.deepEqual(judged({ op: 'is_null', [key]: value }), [`INVALID_RULE ${RULE}.${key}`]);
    assert.deepEqual(judged({ op: 'not_null', [key]: value }), [`INVALID_RULE ${RULE}.${key}`]);
  }
  for (const op of ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between'])
    assert.deepEqual(judged({ op, value_set: 'LIST' }), [`INVALID_RULE ${RULE}.value_set`], op);
  for (const op of ['between', 'in', 'not_in'])
    assert.deepEqual(judged({ op, value_field: 'pti' }), [`INVALID_RULE ${RULE}.value_field`], op);
  assert.deepEqual(judged({ op: 'not_in', value_set: 'LIST' }), []);
});

test('a field is held against one of its own kind, and a fault of either side is told', () => {
  const against = (field: string, op: string, value_field: unknown) => judgeRule({ field, op, value_field });
  assert.deepEqual(against('ltv', 'lte', 'pti'), []);
  assert.deepEqual(against('state', 'eq', 'vehicle_make'), []);
  assert.deepEqual(against('maturity_date', 'after', 'origination_date'), []);
  assert.deepEqual(against('co_obligor', 'neq', 'modified'), []);
  for (const other of ['state', 'origination_date', 'co_obligor', 5, '', null])
    assert.deepEqual(against('ltv', 'eq', other), [`INVALID_RULE ${RULE}.value_field`], String(other));
  assert.deepEqual(against('ltv', 'eq', 'unheard_of'), [`UNKNOWN_FIELD ${RULE}.value_field`]);
  assert.deepEqual(against('ltv', 'eq', 'borrower_race'), [`PROHIBITED_FIELD ${RULE}.value_field`]);
});

test('factor and scale are above zero, at most a million, with at most six decimals', () => {
  const faults = (value: unknown) => [
    judgeRule({ field: 'ltv', op: 'lte', value_field: 'pti', factor: value }),
    judgeRule({ expr: { num: 'ltv', den: 'pti', scale: value }, op: 'lte', value: 1 }),
  ];
  for (const good of [1, 1e6, 0.000001, 1.2, 999_999.999999, 0.333333]) assert.deepEqual(faults(good), [[], []], String(good));
  for (const bad of [0, -1, 1_000_000.000001, 1e7, 0.0000001, 0.3333333, '1', null, true, Number.NaN]) {
    const code = typeof bad === 'number' ? 'INVALID_RULE' : 'NOT_A_NUMBER';
    assert.deepEqual(faults(bad), [[`${code} ${RULE}.factor`], [`${code} ${RULE}.expr.scale`]], String(bad));
  }
});

test('a factor stands beside a field that is a number, and nowhere else', () => {
  const factor = [`INVALID_RULE ${RULE}.factor`];
  assert.deepEqual(judgeRule({ field: 'state', op: 'eq', value_field: 'vehicle_make', factor: 2 }), factor);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'in', value: [1], factor: 2 }), factor);
  assert.deepEqual(judgeRule({ field: 'ltv', op: 'is_null', factor: 2 }), factor);
  assert.deepEqual(judgeRule({ expr: { num: 'ltv', den: 'pti' }, op: 'lte', value_field: 'pti', factor: 2 }), []);
});

test('a ratio is of two numeric fields and is compared as a number', () => {
  const ratio = (expr: unknown, op = 'lte', value: unknown = 1) => judgeRule({ expr, op, value });
  assert.deepEqual(ratio({ num: 'ltv', den: 'pti' }), []);
  assert.deepEqual(ratio({ num: 'ltv', den: 'pti' }, 'between', [1, 2]), []);
  assert.deepEqual(ratio({ num: 'ltv', den: 'pti' }, 'before', '2020-01-01'), [`INVALID_RULE ${RULE}.op`]);
  assert.deepEqual(ratio({ num: 'ltv', den: 'pti' }, 'eq', 'x'), [`NOT_A_NUMBER ${RULE}.value`]);
  for (const expr of [null, 'ltv / pti', [], 5]) assert.deepEqual(ratio(expr), [`INVALID_RULE ${RULE}.expr`]);
  assert.deepEqual(ratio({}), [`INVALID_RULE ${RULE}.expr.num`, `INVALID_RULE ${RULE}.expr.den`]);
  assert.deepEqual(ratio({ num: 'state', den: 'unheard_of' }), [
    `INVALID_RULE ${RULE}.expr.num`,
    `UNKNOWN_FIELD ${RULE}.expr.den`,
  ]);
  assert.deepEqual(ratio({ num: 'ltv', den: 'pti', factor: 2 }), [`INVALID_RULE ${RULE}.expr.factor`]);
});

test('misspelt and surplus keys are refused at their place, whatever they would have meant', () => {
  const leaf = { field: 'ltv', op: 'lte', value: 1 };
  for (const key of ['valeu', 'Value', 'severity', '__proto__x', 'all '])
    assert.deepEqual(judgeRule({ ...leaf, [key]: 1 }), [`UNKNOWN_FIELD ${RULE}.${key}`]);
  assert.deepEqual(judgeRule({ all: [leaf], op: 'lte' }), [`INVALID_RULE ${RULE}.op`]);
  assert.deepEqual(judgeRule({ all: [leaf], any: [leaf] }), [`INVALID_RULE ${RULE}.any`]);
  assert.deepEqual(judgeRule({ not: leaf, then: leaf }), [`INVALID_RULE ${RULE}.then`]);
  assert.deepEqual(judgeRule({ when: leaf }), [`INVALID_RULE ${RULE}.then`]);
  assert.deepEqual(judgeRule({ when: leaf, then: leaf, else: leaf }), [`UNKNOWN_FIELD ${RULE}.else`]);
  assert.deepEqual(judgeRule({ not: [leaf] }), [`INVALID_RULE ${RULE}.not`]);
  assert.deepEqual(judgeRule({ any: leaf }), [`INVALID_RULE ${RULE}.any`]);
  assert.deepEqual(judgeRule({ then: leaf }), [`INVALID_RULE ${RULE}.then`, `INVALID_RULE ${RULE}`, `INVALID_RULE ${RULE}.op`]);
  const [{ path } = { path: '' }] = issuesOf({ loan_rules: [{ id: 'R', rule: { ...leaf, ['k'.repeat(500)]: 1 } as never }] });
  assert.equal(path.length, `${RULE}.`.length + 64, 'a long key is cut');
});

test('on_missing is fail or pass', () => {
  const leaf = { field: 'ltv', op: 'lte', value: 1 };
  for (const on_missing of ['fail', 'pass']) assert.deepEqual(judgeRule({ ...leaf, on_missing }), []);
  for (const on_missing of ['PASS', true, null, ''])
    assert.deepEqual(judgeRule({ ...leaf, on_missing }), [`INVALID_RULE ${RULE}.on_missing`]);
});

test('an unknown field is answered with the nearest name, or with how to declare a column of the tape', () => {
  const messageOf = (field: string) => issuesOf({ loan_rules: [{ id: 'R', rule: { field, op: 'is_null' } }] })[0]?.message ?? '';
  const near: [string, string][] = [
    ['credit_scor', 'credit_score'],
    ['credit_scoer', 'credit_score'],
    ['creditscore', 'credit_score'],
    ['LTVS', ''],
    ['ltv_percent', 'ltv'],
    ['sate', 'state'],
    ['sxxte', 'state'],
    ['sxxxe', ''],
    ['orig_date', 'origination_date'],
    ['original_term', 'original_term_months'],
  ];
  for (const [field, known] of near)
    assert.match(
      messageOf(field),
      known === '' ? /declare it under custom_fields/ : new RegExp(`did you mean ${known}\\?`),
      field,
    );
  assert.match(messageOf('x'.repeat(300)), new RegExp(`"x{80}"`), 'a long name is cut');
  assert.match(messageOf('CREDIT_SCORE'), /^Auto has no field "CREDIT_SCORE"/);
});

test('a header of a field leads to it; where rules cannot declare columns, the dictionary is named in place of custom_fields', () => {
  const set: CriteriaSet = {
    loan_type: 'Credit Card',
    loan_rules: ['FICO', 'zzz'].map((field, id) => ({ id: `${id}`, rule: { field, op: 'is_null' } })),
  };
  const { issues } = validateCriteria(set, criteriaFields(set), { takesColumns: false });
  assert.deepEqual(
    issues.map(({ message, nearest }) => [message, nearest]),
    [
      ['Credit Card has no field "FICO"; did you mean credit_score?', 'credit_score'],
      ['Credit Card has no field "zzz"; GET /v1/api/originator/loans/dictionary?type=Credit%20Card lists the fields', undefined],
    ],
  );
});

test('a field of another loan type is unknown, one that the set declares is known', () => {
  const rule = { field: 'cltv', op: 'lte', value: 90 } as const;
  const set = { loan_rules: [{ id: 'R', rule }] };
  assert.deepEqual(judge(set), [`UNKNOWN_FIELD ${RULE}.field`]);
  assert.deepEqual(judge({ ...set, loan_type: 'Mortgage' }), []);
  assert.deepEqual(judge({ ...set, custom_fields: { cltv: 'number' } }), []);
  assert.deepEqual(judge({ ...set, custom_fields: { cltv: 'string' } }), [`INVALID_RULE ${RULE}.op`], 'as it is declared');
});

test('a declaration may repeat a field of the dictionary with its own type only', () => {
  const judged = (custom_fields: Record<string, 'string' | 'number' | 'date'>) => judge({ custom_fields });
  assert.deepEqual(judged({ ltv: 'number', state: 'string', origination_date: 'date', rate_type: 'string' }), []);
  assert.deepEqual(judged({ ltv: 'string', state: 'date' }), [
    'INVALID_RULE custom_fields.ltv',
    'INVALID_RULE custom_fields.state',
  ]);
  assert.deepEqual(judged({ co_obligor: 'string' }), ['INVALID_RULE custom_fields.co_obligor']);
});

test('the weight of a set is a numeric field that it knows', () => {
  assert.deepEqual(judge({ weight_field: 'original_balance' }), []);
  assert.deepEqual(judge({ weight_field: 'state' }), ['INVALID_RULE weight_field']);
  assert.deepEqual(judge({ weight_field: 'unheard_of' }), ['UNKNOWN_FIELD weight_field']);
  assert.deepEqual(judge({ weight_field: '' }), ['INVALID_RULE weight_field']);
});
