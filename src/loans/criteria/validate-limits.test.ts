import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, CriteriaSet, Leaf, LoanRule } from './language.ts';
import { issuesOf, judge, judgeRule, judgeTest, RULE } from './testing/judge.ts';

const LEAF: Leaf = { field: 'ltv', op: 'lte', value: 1 };
const leaves = (count: number) => Array.from({ length: count }, () => LEAF);
const rules = (count: number, rule: Condition = LEAF) =>
  Array.from({ length: count }, (_, index): LoanRule => ({ id: `R${index}`, rule }));
const texts = (count: number) => Array.from({ length: count }, (_, index) => `V${index}`);

/** A comparison under this many levels of `not`: it stands one deeper than they are. */
function nested(levels: number): unknown {
  return levels === 0 ? LEAF : { not: nested(levels - 1) };
}

test('a set has at most 200 loan rules, with ids that are still checked beyond them', () => {
  assert.deepEqual(judge({ loan_rules: rules(200) }), []);
  assert.deepEqual(judge({ loan_rules: rules(201) }), ['INVALID_RULE loan_rules']);
  assert.match(issuesOf({ loan_rules: rules(201) })[0].message, /at most 200 loan rules, got 201/);
});

test('a rule has at most 200 comparisons, wherever they stand in it', () => {
  assert.deepEqual(judgeRule({ any: leaves(200) }), []);
  assert.deepEqual(judgeRule({ any: leaves(201) }), [`INVALID_RULE ${RULE}`]);
  assert.deepEqual(judgeRule({ all: [{ any: leaves(100) }, { when: LEAF, then: { all: leaves(99) } }] }), []);
  assert.deepEqual(judgeRule({ all: [{ any: leaves(100) }, { when: LEAF, then: { all: leaves(100) } }] }), [
    `INVALID_RULE ${RULE}`,
  ]);
  assert.deepEqual(judge({ loan_rules: rules(2, { any: leaves(200) }) }), [], 'each rule has its own');
});

test('the condition of a pool test has the limits of a rule', () => {
  assert.deepEqual(judgeTest({ type: 'count', where: { any: leaves(200) } }), []);
  assert.deepEqual(judgeTest({ type: 'count', where: { any: leaves(201) } }), ['INVALID_RULE pool_tests[0].where']);
});

test('rules nest at most 16 deep, the comparison included', () => {
  assert.deepEqual(judgeRule(nested(15)), []);
  const [deep] = issuesOf({ loan_rules: rules(1, nested(16) as Condition) });
  assert.match(deep.message, /at most 16 deep/);
  assert.equal(deep.path, `${RULE}${'.not'.repeat(16)}`);
  const groups: ((inner: Condition) => Condition)[] = [
    (inner) => ({ all: [inner] }),
    (inner) => ({ any: [LEAF, inner] }),
    (inner) => ({ when: LEAF, then: inner }),
    (inner) => ({ when: inner, then: LEAF }),
  ];
  for (const around of groups) {
    const under = (levels: number): Condition => (levels === 0 ? LEAF : around(under(levels - 1)));
    assert.deepEqual(judgeRule(under(15)), []);
    const { message = '' } = issuesOf({ loan_rules: rules(1, under(16)) })[0] ?? {};
    assert.match(message, /at most 16 deep/, JSON.stringify(under(1)));
  }
});

test('a list has at most 5,000 values, and at least one', () => {
  const list = (value: unknown) => ({ field: 'state', op: 'in', value });
  assert.deepEqual(judgeRule(list(texts(5_000))), []);
  assert.deepEqual(judgeRule(list(texts(5_001))), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule(list([])), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule(list('CA')), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judgeRule({ field: 'state', op: 'not_in', value: {} }), [`INVALID_RULE ${RULE}.value`]);
  assert.deepEqual(judge({ value_sets: { NONE: [], SOME: ['x'] } }), ['INVALID_RULE value_sets.NONE']);
});

const TOO_LARGE = ['RULE_TOO_LARGE loan_rules'];

test('a set has at most 2,000 comparisons, those of its pool tests included', () => {
  const set = (ofRules: number, ofTests: number): Partial<CriteriaSet> => ({
    loan_rules: [...rules(9, { all: leaves(200) }), { id: 'LAST', rule: { all: leaves(ofRules) } }],
    pool_tests: [{ id: 'P', type: 'count', where: { any: leaves(ofTests) }, op: 'gte', value: 1 }],
  });
  assert.deepEqual(judge(set(100, 100)), []);
  assert.deepEqual(judge(set(101, 100)), TOO_LARGE);
  assert.deepEqual(judge(set(100, 101)), TOO_LARGE);
});

test('comparisons look through at most 50,000 values together: a list counts each of its values, any other comparison one', () => {
  const search: Leaf = { field: 'state', op: 'in', value_set: 'list' };
  const set = (...more: Leaf[]): Partial<CriteriaSet> => ({
    value_sets: { list: texts(5_000) },
    loan_rules: [{ id: 'R', rule: { all: [...Array.from({ length: 9 }, () => search), ...more] } }],
  });
  assert.deepEqual(judge(set(search)), []);
  assert.deepEqual(judge(set(search, LEAF)), TOO_LARGE);
  const inline = (count: number): Leaf => ({ field: 'state', op: 'not_in', value: texts(count) });
  assert.deepEqual(judge(set(inline(4_999), LEAF)), []);
  assert.deepEqual(judge(set(inline(5_000), LEAF)), TOO_LARGE);
  assert.deepEqual(judge(set(inline(4_998), LEAF, { field: 'ltv', op: 'between', value: [1, 2] })), TOO_LARGE);
});

test('a set that is too large is refused by its size alone, with the size and the limit in words', () => {
  const issues = issuesOf({ loan_rules: rules(11, { all: leaves(200).map((leaf) => ({ ...leaf, field: 'unknown' })) }) });
  assert.deepEqual(
    issues.map(({ code, message }) => `${code} ${message}`),
    ['RULE_TOO_LARGE The set has 2,200 comparisons; at most 2,000 are allowed. Divide the set.'],
  );
});

test('a list of hundreds of thousands of things that are no conditions is refused, not a failure of the check', () => {
  const nothings = Array.from({ length: 400_000 }, () => 0);
  const issues = issuesOf({ loan_rules: [{ id: 'R', rule: { all: nothings as unknown as Condition[] } }] });
  assert.deepEqual(
    [issues.length, issues[0]?.path, issues.at(-1)?.path],
    [100, `${RULE}.all[0]`, `${RULE}.all[99]`],
    'the first hundred faults',
  );
  const comparisons = Array.from({ length: 150_000 }, () => LEAF);
  assert.deepEqual(judge({ loan_rules: [{ id: 'R', rule: { any: comparisons } }] }), TOO_LARGE);
});

test('the first hundred faults are told, in the order of the set', () => {
  const wrong = rules(120).map(({ id }): LoanRule => ({ id, rule: { field: 'ltv', op: 'lte', value: 'x' } }));
  const paths = issuesOf({ loan_rules: wrong }).map(({ path }) => path);
  assert.deepEqual([paths.length, paths[0], paths[99]], [100, `${RULE}.value`, 'loan_rules[99].rule.value']);
});

test('a set of no rules is sound: every loan passes it', () => {
  assert.deepEqual(judge({}), []);
  assert.deepEqual(judge({ pool_tests: [] }), []);
});

test('what stands behind the first hundred faults is not read', () => {
  let read = 0;
  const last = new Proxy(LEAF, {
    ownKeys(leaf) {
      read += 1;
      return Reflect.ownKeys(leaf);
    },
  });
  const wrong = { ...LEAF, ...Object.fromEntries(texts(100).map((name) => [name, 1])) };
  const named = (first: Condition): LoanRule[] => [first, last].map((rule, index) => ({ id: `R${index}`, rule }));
  assert.equal(issuesOf({ loan_rules: named(wrong) }).length, 100);
  assert.equal(read, 0);
  assert.deepEqual(issuesOf({ loan_rules: named(LEAF) }), []);
  assert.equal(read, 1);
});
