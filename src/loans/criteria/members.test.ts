import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateCriteria } from './validate.ts';
import type { CriteriaSet, Leaf } from './language.ts';
import { readOutcomes } from './outcomes.ts';
import { runCriteria } from './run.ts';
import { criteriaFields } from './fields.ts';
import { naiveRule } from './testing/naive.ts';
import { type LoanValues, smallTape } from './testing/small-tape.ts';

const LONG = 600;
const LOANS: LoanValues[] = [
  { state: 'TX', credit_score: 640, origination_date: '2020-01-06', current_balance: 50, original_balance: 100 },
  { state: ' tx ', credit_score: 640.0000004, origination_date: '2020-01-07', current_balance: 1, original_balance: 3 },
  { state: 'ca', credit_score: 641, origination_date: '1999-12-31', current_balance: 75, original_balance: 100 },
  { state: null, credit_score: null, origination_date: null, current_balance: 75, original_balance: null },
];

/** Values of each kind: two that stand on the tape, and so many others that the list is joined. */
const LISTS: [string, Leaf, (index: number) => string | number][] = [
  ['texts', { field: 'state', op: 'in', value_set: 'list' }, (index) => (index === 0 ? ' TX' : `it's "${index}" ü`)],
  ['numbers', { field: 'credit_score', op: 'in', value_set: 'list' }, (index) => (index === 0 ? 640 : 2_000 + index / 8)],
  ['large numbers', { field: 'credit_score', op: 'in', value_set: 'list' }, (index) => (index === 0 ? 640 : 1e19 + index * 1e6)],
  ['dates', { field: 'origination_date', op: 'in', value_set: 'list' }, (index) => day(index)],
  [
    'ratios',
    { expr: { num: 'current_balance', den: 'original_balance', scale: 100 }, op: 'in', value_set: 'list' },
    (index) => [50, 33.333333][index] ?? 200 + index,
  ],
];

test('a long list decides and explains as the rule language says, whatever its values are', async (t) => {
  await using tape = await smallTape('Auto', LOANS);
  for (const [name, leaf, value] of LISTS) {
    const list = Array.from({ length: LONG }, (_, index) => value(index));
    const rules = [
      { id: 'IN', rule: leaf },
      { id: 'NOT_IN', rule: { ...leaf, op: 'not_in' as const } },
      { id: 'PASS', rule: { ...leaf, on_missing: 'pass' as const } },
      { id: 'DEEP', rule: { any: [{ not: leaf }, { all: [leaf, leaf] }] } },
      { id: 'WHEN', rule: { when: leaf, then: { field: 'credit_score', op: 'gt' as const, value: 640 } } },
    ];
    const set: CriteriaSet = { loan_type: 'Auto', value_sets: { list }, loan_rules: rules };
    await t.test(name, async () => {
      assert.deepEqual(validateCriteria(set, criteriaFields(set)).issues, []);
      const { outcomesPath } = await runCriteria({ ...tape, set });
      const { rows } = await readOutcomes({ ...tape, set, outcomesPath, page: 1, limit: 10 });
      const found = rows.map(({ failures }) => failures.map(({ rule_id, reason }) => `${rule_id} ${reason}`));
      const expected = LOANS.map((loan) =>
        rules.flatMap(({ id, rule }) => {
          const truth = naiveRule(rule, loan, set);
          return truth === true ? [] : [`${id} ${truth === null ? 'MISSING' : 'BREACH'}`];
        }),
      );
      assert.deepEqual(found, expected);
      assert.equal(rows[2].failures.find(({ rule_id }) => rule_id === 'IN')?.expected, `list (${LONG} values)`);
    });
  }
});

function day(index: number): string {
  return new Date(Date.UTC(2020, 0, 6) + index * 7 * 86_400_000).toISOString().slice(0, 10);
}

test('outcomes of long lists are in the order of the tape', async () => {
  await using tape = await smallTape('Auto', LOANS);
  const loansPath = `${tape.outDir}/many.parquet`;
  await tape.engine.run(
    `COPY (SELECT l.* REPLACE (CAST(n AS INTEGER) AS row_number) FROM range(1, 300001) t(n) JOIN read_parquet('${tape.loansPath}') l ON l.row_number = n % 4 + 1
     ORDER BY n) TO '${loansPath}' (FORMAT parquet, ROW_GROUP_SIZE 20480)`,
  );
  const list = Array.from({ length: LONG }, (_, index) => `S${index}`);
  const rule = { field: 'state', op: 'not_in', value_set: 'list' } as const;
  const set: CriteriaSet = { loan_type: 'Auto', value_sets: { list }, loan_rules: [{ id: 'A', rule }] };
  const { outcomesPath } = await runCriteria({ ...tape, loansPath, set });
  const disorder = await tape.engine.first<{ loans: number }>(
    `SELECT count(*) AS loans FROM (SELECT row_number, file_row_number FROM read_parquet('${outcomesPath}', file_row_number = true)) WHERE row_number <> file_row_number + 1`,
  );
  assert.equal(disorder?.loans, 0);
});

test('a set may compare with 50,000 values in all and has at most 2,000 comparisons; the refusal says how many there are', () => {
  const set = (comparisons: number): CriteriaSet => ({
    loan_type: 'Auto',
    value_sets: { list: Array.from({ length: 5_000 }, (_, index) => `V${index}`) },
    loan_rules: [
      { id: 'A', rule: { any: Array.from({ length: comparisons }, () => ({ field: 'state', op: 'in', value_set: 'list' })) } },
    ],
  });
  assert.equal(validateCriteria(set(10), criteriaFields(set(10))).ok, true);
  const { issues } = validateCriteria(set(12), criteriaFields(set(12)));
  assert.deepEqual(
    issues.map(({ code, path }) => [code, path]),
    [['RULE_TOO_LARGE', 'loan_rules']],
  );
  assert.match(issues[0].message, /60,000 values together; at most 50,000/);
  const rules = Array.from({ length: 21 }, (_, index) => ({
    id: `R${index}`,
    rule: { all: Array.from({ length: 100 }, () => ({ field: 'credit_score', op: 'gt' as const, value: 1 })) },
  }));
  const many: CriteriaSet = { loan_type: 'Auto', loan_rules: rules };
  assert.match(validateCriteria(many, criteriaFields(many)).issues[0].message, /2,100 comparisons; at most 2,000/);
});
