import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { parquet } from '../engine/sql.ts';
import type { Condition, CriteriaSet, LoanRule } from './language.ts';
import { readOutcomes } from './outcomes.ts';
import { runCriteria } from './run.ts';
import { criteriaFields } from './fields.ts';
import { naiveRule } from './testing/naive.ts';
import { loan, rule } from './testing/random-rules.ts';
import { type SmallTape, smallTape } from './testing/small-tape.ts';
import { validateCriteria } from './validate.ts';

const setOf = (rules: Condition[], policy: 'fail' | 'pass'): CriteriaSet => ({
  loan_type: 'Auto',
  as_of: '2020-03-01',
  missing_policy: policy,
  value_sets: { WEST: ['CA', 'WA'] },
  loan_rules: rules.map(
    (each, index): LoanRule => ({ id: `R${index}`, severity: index % 5 === 4 ? 'warn' : 'fail', rule: each }),
  ),
});
const anySet = fc
  .tuple(fc.array(rule, { minLength: 1, maxLength: 70 }), fc.constantFrom('fail' as const, 'pass' as const))
  .map(([rules, policy]) => setOf(rules, policy));
const tapes = fc.array(loan, { minLength: 1, maxLength: 20 });

async function outcomesOf(tape: SmallTape, set: CriteriaSet) {
  const result = await runCriteria({ ...tape, set });
  const { rows } = await readOutcomes({ ...tape, set, outcomesPath: result.outcomesPath, page: 1, limit: 100 });
  return { result, rows };
}

test('compiled and naive evaluation agree on every loan and every reason', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, anySet, async (loans, set) => {
      assert.deepEqual(validateCriteria(set, criteriaFields(set)).issues, []);
      await using tape = await smallTape('Auto', loans);
      const { rows, result } = await outcomesOf(tape, set);
      rows.forEach(({ failures, outcome }, index) => {
        const expected = set.loan_rules.flatMap((each) => {
          const truth = naiveRule(each.rule, loans[index], set);
          return truth === true ? [] : [{ id: each.id, reason: truth === null ? 'MISSING' : 'BREACH' }];
        });
        assert.deepEqual(
          failures.map(({ rule_id, reason }) => ({ id: rule_id, reason })),
          expected,
        );
        assert.equal(outcome, failures.some(({ severity }) => severity === 'fail') ? 'FAILED' : 'PASSED');
      });
      assert.equal(result.failed, rows.filter(({ outcome }) => outcome === 'FAILED').length);
      for (const { rule_id, failed, missing } of result.rule_results) {
        const mine = rows.flatMap(({ failures }) => failures.filter((failure) => failure.rule_id === rule_id));
        assert.deepEqual([failed, missing], [mine.length, mine.filter(({ reason }) => reason === 'MISSING').length]);
      }
    }),
    { numRuns: 60 },
  );
});

test('a set of more rules than a word has bits distinguishes each of them', async () => {
  const values = [100, 90, null];
  const rules = Array.from({ length: 70 }, (_, index): Condition => ({ field: 'ltv', op: 'lte', value: index % 2 ? 95 : 105 }));
  const set = setOf(rules, 'fail');
  await using tape = await smallTape(
    'Auto',
    values.map((ltv) => ({ current_balance: 1, ltv })),
  );
  const { rows } = await outcomesOf(tape, set);
  const finding = rows.map(({ failures }) => failures.map(({ rule_id, reason, severity }) => `${rule_id} ${severity} ${reason}`));
  const all = (reason: string) => set.loan_rules.map(({ id, severity }) => `${id} ${severity} ${reason}`);
  assert.deepEqual(finding, [all('BREACH').filter((_, index) => index % 2), [], all('MISSING')]);
});

test('the order of the rules changes no outcome and no figure of a rule', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, anySet, async (loans, set) => {
      await using tape = await smallTape('Auto', loans);
      const there = await outcomesOf(tape, set);
      const back = await outcomesOf(tape, { ...set, loan_rules: [...set.loan_rules].reverse() });
      assert.deepEqual(
        back.rows.map(({ outcome }) => outcome),
        there.rows.map(({ outcome }) => outcome),
      );
      assert.deepEqual([...back.result.rule_results].reverse(), there.result.rule_results);
      assert.deepEqual(back.result.waterfall.at(-1), there.result.waterfall.at(-1));
    }),
    { numRuns: 15 },
  );
});

test('a further rule never lets a loan pass that failed before', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, anySet, rule, async (loans, set, more) => {
      await using tape = await smallTape('Auto', loans);
      const before = await outcomesOf(tape, set);
      const after = await outcomesOf(tape, { ...set, loan_rules: [...set.loan_rules, { id: 'MORE', rule: more }] });
      after.rows.forEach(({ outcome }, index) => {
        if (before.rows[index].outcome === 'FAILED') assert.equal(outcome, 'FAILED');
      });
    }),
    { numRuns: 15 },
  );
});

test('the same run writes the same bytes', async () => {
  await using tape = await smallTape('Auto', [{ current_balance: 1, ltv: 3 }, { current_balance: 2 }]);
  const set = setOf([{ field: 'ltv', op: 'lte', value: 2 }], 'fail');
  const read = async () =>
    tape.engine.rows(`SELECT md5(content) AS hash FROM read_blob('${(await runCriteria({ ...tape, set })).outcomesPath}')`);
  assert.deepEqual(await read(), await read());
});

test('a ratio is rounded half-even to six places before it is compared, and a zero denominator is missing', async () => {
  // 1/3 × 100 = 33.333333…, 2/3 × 100 = 66.666667; 1/16 × 0.00001 = 0.000000625 → 0.000001
  const loans = [
    { current_balance: 1, original_balance: 1, vehicle_value: 3 },
    { current_balance: 1, original_balance: 2, vehicle_value: 3 },
    { current_balance: 1, original_balance: 2, vehicle_value: 0 },
    { current_balance: 1, original_balance: -2, vehicle_value: 3 },
  ];
  await using tape = await smallTape('Auto', loans);
  const ratio = { num: 'original_balance', den: 'vehicle_value', scale: 100 };
  const set = setOf([{ expr: ratio, op: 'in', value: [33.333333, 66.666667, -66.666667] }], 'fail');
  const { rows } = await outcomesOf(tape, set);
  assert.deepEqual(
    rows.map(({ failures }) => failures.map(({ reason }) => reason)),
    [[], [], ['MISSING'], []],
  );
});

test('ties go to the even last digit, in quotients and in products, on both sides of zero', async () => {
  // halves of an odd number of millionths: 60.0000005 → 60, 60.0000015 → 60.000002
  const halves: [number, number][] = [
    [120.000001, 60],
    [120.000003, 60.000002],
    [-120.000001, -60],
    [-120.000003, -60.000002],
  ];
  for (const [whole, half] of halves) {
    await using tape = await smallTape('Auto', [{ current_balance: 1, original_balance: whole, vehicle_value: half }]);
    const ratio = { expr: { num: 'original_balance', den: 'current_balance', scale: 0.5 } };
    const product = { field: 'vehicle_value', value_field: 'original_balance', factor: 0.5 };
    const rules: Condition[] = [
      ...(['eq', 'lte', 'gte'] as const).flatMap((op) => [
        { ...ratio, op, value: half },
        { ...product, op },
      ]),
      ...(['neq', 'lt', 'gt'] as const).flatMap((op) => [{ not: { ...ratio, op, value: half } }, { not: { ...product, op } }]),
      { ...ratio, op: 'between', value: [half, half] },
    ];
    const { rows } = await outcomesOf(tape, setOf(rules, 'fail'));
    assert.deepEqual(rows[0].failures, [], String(whole));
  }
});

test('declared columns are read from the source text, mapped or not; a column that is not there is missing everywhere', async () => {
  const loans = [1, 2, 3].map((n) => ({ current_balance: n }));
  const source = [
    { 'Dealer-ID': ' 0012 ', Miles: '$1,200', Sold: '01/31/2020' },
    { 'Dealer-ID': 'x', Miles: 'many', Sold: '2020-13-45' },
    { 'Dealer-ID': '', Miles: '12%', Sold: '02/28/2021' },
  ];
  await using tape = await smallTape('Auto', loans, source);
  const set: CriteriaSet = {
    loan_type: 'Auto',
    custom_fields: { dealer_id: 'string', miles: 'number', sold: 'date', absent: 'string' },
    loan_rules: [
      { id: 'DEALER', rule: { field: 'dealer_id', op: 'eq', value: '0012' } },
      { id: 'MILES', rule: { field: 'miles', op: 'in', value: [1200, 12] } },
      { id: 'SOLD', rule: { field: 'sold', op: 'before', value: '2021-01-01' } },
      { id: 'ABSENT', severity: 'warn', rule: { field: 'absent', op: 'eq', value: 'x' } },
    ],
  };
  const result = await runCriteria({ ...tape, set });
  const { rows } = await readOutcomes({ ...tape, set, outcomesPath: result.outcomesPath, page: 1, limit: 10 });
  assert.deepEqual(
    rows.map(({ failures }) => failures.map(({ rule_id, reason }) => `${rule_id} ${reason}`)),
    [
      ['ABSENT MISSING'],
      ['DEALER BREACH', 'MILES MISSING', 'SOLD MISSING', 'ABSENT MISSING'],
      ['DEALER MISSING', 'SOLD BREACH', 'ABSENT MISSING'],
    ],
  );
  assert.deepEqual(result.absent_columns, ['absent']);
  assert.deepEqual(rows[1].failures[0], {
    rule_id: 'DEALER',
    name: 'DEALER',
    field: 'dealer_id',
    operator: 'eq',
    expected: '0012',
    actual: 'x',
    reason: 'BREACH',
    severity: 'fail',
  });
});

test('an aborted run stops and leaves no table behind', async () => {
  await using tape = await smallTape('Auto', [{ current_balance: 1 }]);
  const set = setOf([{ field: 'ltv', op: 'gte', value: 5 }], 'fail');
  await assert.rejects(runCriteria({ ...tape, set, signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.deepEqual(await tape.engine.rows('SELECT table_name FROM duckdb_tables()'), []);
});

test('an outcome file has one row per loan in the order of the tape', async () => {
  await using tape = await smallTape('Auto', [{ current_balance: 3 }, { current_balance: 2 }, { current_balance: 1 }]);
  const { outcomesPath } = await runCriteria({ ...tape, set: setOf([], 'fail') });
  const rows = await tape.engine.rows<{ row_number: number; outcome: string }>(
    `SELECT row_number, outcome FROM ${parquet(outcomesPath)}`,
  );
  assert.deepEqual(
    rows,
    [1, 2, 3].map((row_number) => ({ row_number, outcome: 'PASSED' })),
  );
});
