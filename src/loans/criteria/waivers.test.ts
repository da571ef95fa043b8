import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CriteriaSet } from './language.ts';
import { idsWithoutFailure, readOutcomes } from './outcomes.ts';
import { runCriteria } from './run.ts';
import { outcomesOn } from './testing/run-small.ts';
import { smallTape } from './testing/small-tape.ts';

test('a waiver lets a loan pass as WAIVED, only for its rule, and never for a rule that is not waivable', async () => {
  const loans = [
    { loan_id: 'A', current_balance: 10, ltv: 200, state: 'CA' },
    { loan_id: 'B', current_balance: 20, ltv: 200, state: 'NY' },
    { loan_id: 'C', current_balance: 40, ltv: 90, state: 'CA' },
    { loan_id: "D'", current_balance: 80, ltv: 200, state: 'CA' },
  ];
  await using tape = await smallTape('Auto', loans);
  const set: CriteriaSet = {
    loan_type: 'Auto',
    loan_rules: [
      { id: 'LTV', rule: { field: 'ltv', op: 'lte', value: 100 } },
      { id: 'STATE', waivable: false, rule: { field: 'state', op: 'eq', value: 'CA' } },
    ],
    pool_tests: [{ id: 'N', type: 'count', op: 'gte', value: 3 }],
  };
  const waivers = [
    { loan_id: 'A', rule_id: 'LTV' },
    { loan_id: 'B', rule_id: 'LTV' },
    { loan_id: 'B', rule_id: 'STATE' },
    { loan_id: "D'", rule_id: 'LTV' },
    { loan_id: 'C', rule_id: 'NO SUCH RULE' },
  ];
  const result = await runCriteria({ ...tape, set, waivers });
  assert.deepEqual([result.passed, result.failed, result.waived, result.passed_balance], [3, 1, 2, '130.00']);
  assert.equal(result.pool_tests[0].passed, true);
  const { rows } = await readOutcomes({ ...tape, set, outcomesPath: result.outcomesPath, page: 1, limit: 10 });
  assert.deepEqual(
    rows.map(({ outcome }) => outcome),
    ['WAIVED', 'FAILED', 'PASSED', 'WAIVED'],
  );
  assert.deepEqual(
    rows[0].failures.map(({ rule_id, waived }) => [rule_id, waived]),
    [['LTV', true]],
  );
  assert.deepEqual(
    rows[1].failures.map(({ rule_id, waived }) => [rule_id, waived]),
    [
      ['LTV', true],
      ['STATE', undefined],
    ],
  );
  assert.deepEqual(
    result.rule_results.map(({ failed, waived }) => [failed, waived]),
    [
      [0, 3],
      [1, 0],
    ],
  );
});

const RULES = (count: number): CriteriaSet['loan_rules'] =>
  Array.from({ length: count }, (_, index) => ({ id: `R${index}`, rule: { field: 'ltv', op: 'lte', value: 100 } }));
const HIGH = [
  { loan_id: 'A', current_balance: 1, ltv: 130 },
  { loan_id: 'B', current_balance: 2, ltv: 130 },
];

test('a loan passes when each rule that fails it is waived, wherever the rules stand in the set', async () => {
  await using tape = await smallTape('Auto', HIGH);
  const set: CriteriaSet = { loan_type: 'Auto', loan_rules: RULES(130) };
  const all = set.loan_rules.map(({ id }) => ({ loan_id: 'A', rule_id: id }));
  const outcomes = async (waivers: typeof all) => (await outcomesOn(tape, set, waivers)).rows.map(({ outcome }) => outcome);
  assert.deepEqual(await outcomes(all), ['WAIVED', 'FAILED']);
  for (const missing of [0, 63, 64, 127, 128, 129])
    assert.deepEqual(await outcomes(all.filter((_, index) => index !== missing)), ['FAILED', 'FAILED'], `without R${missing}`);
});

test('a loan that keeps the rules passes as it would without a waiver', async () => {
  await using tape = await smallTape('Auto', [{ loan_id: 'A', current_balance: 1, ltv: 90 }]);
  const { result, rows } = await outcomesOn(tape, { loan_type: 'Auto', loan_rules: RULES(1) }, [{ loan_id: 'A', rule_id: 'R0' }]);
  assert.deepEqual([rows[0]?.outcome, result.waived, result.passed, rows[0]?.failures], ['PASSED', 0, 1, []]);
});

test('a waiver is for the loan of that very id', async () => {
  const loans = ['A', 'a', 'A ', 'AA', "O'Neil", ''].map((loan_id) => ({ loan_id, current_balance: 1, ltv: 130 }));
  await using tape = await smallTape('Auto', loans);
  const outcomes = async (loan_id: string) => {
    const { rows } = await outcomesOn(tape, { loan_type: 'Auto', loan_rules: RULES(1) }, [{ loan_id, rule_id: 'R0' }]);
    return rows.flatMap(({ outcome, row_number }) => (outcome === 'WAIVED' ? [row_number] : []));
  };
  assert.deepEqual(await outcomes('A'), [1]);
  assert.deepEqual(await outcomes("O'Neil"), [5]);
  assert.deepEqual(await outcomes("' OR 1=1 --"), []);
});

test('every row of a loan that stands twice on the tape is waived, and the outcomes stay in the order of the tape', async () => {
  const loans = ['A', 'B', 'A', 'C'].map((loan_id) => ({ loan_id, current_balance: 1, ltv: 130 }));
  await using tape = await smallTape('Auto', loans);
  const { rows, result } = await outcomesOn(tape, { loan_type: 'Auto', loan_rules: RULES(1) }, [
    { loan_id: 'C', rule_id: 'R0' },
    { loan_id: 'A', rule_id: 'R0' },
  ]);
  assert.deepEqual(
    rows.map(({ row_number, outcome }) => [row_number, outcome]),
    [
      [1, 'WAIVED'],
      [2, 'FAILED'],
      [3, 'WAIVED'],
      [4, 'WAIVED'],
    ],
  );
  assert.equal(result.total, 4);
});

test('a warning cannot be waived and stays a warning', async () => {
  await using tape = await smallTape('Auto', HIGH);
  const set: CriteriaSet = {
    loan_type: 'Auto',
    loan_rules: [{ id: 'W', severity: 'warn', rule: { field: 'ltv', op: 'lte', value: 100 } }],
  };
  const { rows, result } = await outcomesOn(tape, set, [{ loan_id: 'A', rule_id: 'W' }]);
  assert.deepEqual([rows[0]?.outcome, rows[0]?.failures[0]?.waived, result.rule_results[0]?.waived], ['PASSED', undefined, 0]);
});

test('a missing value can be waived like a breach, and is still told as missing', async () => {
  await using tape = await smallTape('Auto', [{ loan_id: 'A', current_balance: 1 }]);
  const { rows } = await outcomesOn(tape, { loan_type: 'Auto', loan_rules: RULES(1) }, [{ loan_id: 'A', rule_id: 'R0' }]);
  assert.deepEqual([rows[0]?.outcome, rows[0]?.failures[0]?.reason, rows[0]?.failures[0]?.waived], ['WAIVED', 'MISSING', true]);
});

test('a waived loan counts in the pool, in the balance that passed, and not in the figures of its rule', async () => {
  await using tape = await smallTape('Auto', HIGH);
  const set: CriteriaSet = {
    loan_type: 'Auto',
    loan_rules: RULES(1),
    pool_tests: [{ id: 'P', type: 'sum', field: 'current_balance', op: 'gte', value: 2 }],
  };
  const { result } = await outcomesOn(tape, set, [{ loan_id: 'B', rule_id: 'R0' }]);
  assert.deepEqual(
    [result.passed, result.failed, result.waived, result.passed_balance, result.failed_balance],
    [1, 1, 1, '2.00', '1.00'],
  );
  assert.equal(result.pool_tests[0]?.actual, '2.00000000');
  assert.deepEqual(
    [result.rule_results[0]?.failed, result.rule_results[0]?.only_reason, result.rule_results[0]?.failed_balance],
    [1, 1, '1.00'],
  );
  assert.deepEqual(
    result.waterfall.map(({ step, loans }) => [step, loans]),
    [
      ['TOTAL', 2],
      ['RULE', 1],
      ['ELIGIBLE', 1],
    ],
  );
});

test('a waiver can be asked only for loans that failed: the others are named, each in its place', async () => {
  await using tape = await smallTape('Auto', [...HIGH, { loan_id: 'C', current_balance: 1, ltv: 50 }]);
  const set: CriteriaSet = { loan_type: 'Auto', loan_rules: RULES(1) };
  const { outcomesPath } = await runCriteria({ ...tape, set, waivers: [{ loan_id: 'B', rule_id: 'R0' }] });
  const without = (...ids: string[]) => idsWithoutFailure({ ...tape, outcomesPath }, ids);
  assert.deepEqual(await without('A'), []);
  assert.deepEqual(await without('nobody', 'A', 'C', "x'; --", 'B'), ['nobody', 'C', "x'; --", 'B']);
});
