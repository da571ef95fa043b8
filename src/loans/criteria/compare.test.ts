import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Comparison, compareRuns } from './compare.ts';
import type { CriteriaSet } from './language.ts';
import { type RuleWaiver, runCriteria } from './run.ts';
import { type LoanValues, type SmallTape, smallTape } from './testing/small-tape.ts';

const LTV = { id: 'LTV', rule: { field: 'ltv', op: 'lte', value: 100 } } as const;
const STATE = { id: 'STATE', rule: { field: 'state', op: 'eq', value: 'CA' } } as const;
const WARN = { id: 'WARN', severity: 'warn', rule: { field: 'ltv', op: 'lte', value: 50 } } as const;

type Side = { loans: readonly LoanValues[]; rules: CriteriaSet['loan_rules']; waivers?: RuleWaiver[] };

async function ran(tape: SmallTape, { rules, waivers = [] }: Side) {
  const set: CriteriaSet = { loan_type: 'Auto', loan_rules: rules };
  const { outcomesPath } = await runCriteria({ ...tape, set, waivers });
  return { loansPath: tape.loansPath, outcomesPath, set };
}

/** Both tapes are read by the engine of the first, so the second one's files are copied beside it. */
async function compared(first: Side, second: Side): Promise<Comparison> {
  await using tape = await smallTape('Auto', first.loans);
  await using other = await smallTape('Auto', second.loans);
  const [a, b] = [await ran(tape, first), await ran(other, second)];
  const beside = async (path: string, name: string) => {
    const to = `${tape.outDir}/${name}.parquet`;
    await copyFile(path, to);
    return to;
  };
  const moved = {
    ...b,
    loansPath: await beside(b.loansPath, 'second-loans'),
    outcomesPath: await beside(b.outcomesPath, 'second-outcomes'),
  };
  return await compareRuns(tape.engine, a, moved);
}

const loan = (loan_id: string, current_balance: number, ltv: number | null, state = 'CA') => ({
  loan_id,
  current_balance,
  ltv,
  state,
});

test('a loan changes when it passed in one run and failed in the other, with its balance in the second', async () => {
  const found = await compared(
    { loans: [loan('A', 10, 90), loan('B', 20, 120), loan('C', 30, 90), loan('D', 40, 120)], rules: [LTV] },
    { loans: [loan('D', 44, 90), loan('C', 33, 90), loan('B', 22, 120), loan('A', 11, 120)], rules: [LTV] },
  );
  assert.deepEqual(found, {
    newly_failing: { loans: 1, balance: '11.00', loan_ids: ['A'] },
    newly_passing: { loans: 1, balance: '44.00', loan_ids: ['D'] },
    only_in_first: { loans: 0, balance: '0.00' },
    only_in_second: { loans: 0, balance: '0.00' },
    unchanged: { loans: 2, balance: '55.00' },
    rules: [{ rule_id: 'LTV', newly_failing: { loans: 1, balance: '11.00' }, newly_passing: { loans: 1, balance: '44.00' } }],
  });
});

test('loans of one tape only are counted apart, failed or not, and change no rule', async () => {
  const found = await compared(
    { loans: [loan('A', 10, 90), loan('OLD', 20, 120), loan('GONE', 5.5, 90)], rules: [LTV] },
    { loans: [loan('A', 10, 90), loan('NEW', 40, 120)], rules: [LTV] },
  );
  assert.deepEqual(
    [found.only_in_first, found.only_in_second, found.unchanged],
    [
      { loans: 2, balance: '25.50' },
      { loans: 1, balance: '40.00' },
      { loans: 1, balance: '10.00' },
    ],
  );
  assert.deepEqual([found.newly_failing.loans, found.newly_passing.loans, found.rules[0]?.newly_failing?.loans], [0, 0, 0]);
});

test('of an id that stands several times the first row is matched with the first, the second with the second', async () => {
  const found = await compared(
    { loans: [loan('A', 1, 90), loan('A', 2, 120), loan('B', 8, 90)], rules: [LTV] },
    { loans: [loan('A', 1, 120), loan('B', 8, 90), loan('A', 2, 120), loan('A', 4, 90)], rules: [LTV] },
  );
  assert.deepEqual([found.newly_failing.loan_ids, found.newly_failing.balance], [['A'], '1.00']);
  assert.deepEqual(
    [found.unchanged, found.only_in_second],
    [
      { loans: 2, balance: '10.00' },
      { loans: 1, balance: '4.00' },
    ],
  );
});

test('a rule that only one run has is listed without changes; a common one changes even where the outcome does not', async () => {
  const loans = [loan('A', 1, 120, 'NY'), loan('B', 2, 90, 'CA')];
  const found = await compared(
    { loans, rules: [LTV, STATE] },
    { loans: [loan('A', 1, 90, 'NY'), loan('B', 2, 90, 'CA')], rules: [STATE, LTV, WARN] },
  );
  assert.deepEqual(
    found.rules.map(({ rule_id, newly_failing, newly_passing }) => [
      rule_id,
      newly_failing?.loans ?? null,
      newly_passing?.loans ?? null,
    ]),
    [
      ['LTV', 0, 1],
      ['STATE', 0, 0],
      ['WARN', null, null],
    ],
  );
  assert.deepEqual([found.newly_passing.loans, found.unchanged.loans], [0, 2], 'A still fails by its state');
});

test('a warning that comes up is a change of its rule, not of the loan', async () => {
  const found = await compared({ loans: [loan('A', 7, 40)], rules: [WARN] }, { loans: [loan('A', 7, 60)], rules: [WARN] });
  assert.deepEqual([found.newly_failing.loans, found.unchanged.loans], [0, 1]);
  assert.deepEqual(found.rules[0]?.newly_failing, { loans: 1, balance: '7.00' });
});

test('a waiver makes a loan pass anew', async () => {
  const loans = [loan('A', 7, 120)];
  const found = await compared({ loans, rules: [LTV] }, { loans, rules: [LTV], waivers: [{ loan_id: 'A', rule_id: 'LTV' }] });
  assert.deepEqual([found.newly_passing.loan_ids, found.newly_failing.loans], [['A'], 0]);
});

test('a missing value that comes is a change like any other', async () => {
  const found = await compared({ loans: [loan('A', 7, 90)], rules: [LTV] }, { loans: [loan('A', 7, null)], rules: [LTV] });
  assert.deepEqual([found.newly_failing.loan_ids, found.rules[0]?.newly_failing?.loans], [['A'], 1]);
});

test('a run compared with itself has no change', async () => {
  const side = { loans: [loan('A', 1, 90), loan('B', 2, 120), loan('C', 3, null)], rules: [LTV, STATE] };
  const found = await compared(side, side);
  assert.deepEqual(
    [found.newly_failing.loans, found.newly_passing.loans, found.unchanged],
    [0, 0, { loans: 3, balance: '6.00' }],
  );
});

test('rules beyond the first word of bits are compared by their own places', async () => {
  const others = Array.from({ length: 70 }, (_, index) => ({ id: `R${index}`, rule: { field: 'ltv', op: 'not_null' } as const }));
  const first = { loans: [loan('A', 1, 90)], rules: [...others, LTV] };
  const second = { loans: [loan('A', 1, 120)], rules: [LTV, ...others] };
  const found = await compared(first, second);
  assert.deepEqual(
    found.rules.flatMap(({ rule_id, newly_failing, newly_passing }) =>
      newly_failing?.loans || newly_passing?.loans ? [rule_id] : [],
    ),
    ['LTV'],
  );
});

test('at most a thousand loans are named, in the order of the tape; all are counted', async () => {
  const loans = (ltv: number) => Array.from({ length: 1_005 }, (_, index) => loan(`L${1_005 - index}`, 1, ltv));
  const found = await compared({ loans: loans(90), rules: [LTV] }, { loans: loans(120), rules: [LTV] });
  const { loan_ids } = found.newly_failing;
  assert.deepEqual([found.newly_failing.loans, found.newly_failing.balance, loan_ids.length], [1_005, '1005.00', 1_000]);
  assert.deepEqual([loan_ids[0], loan_ids[1], loan_ids.at(-1)], ['L1005', 'L1004', 'L6']);
});

test('sets without rules are compared by their loans alone', async () => {
  const found = await compared(
    { loans: [loan('A', 1, 90)], rules: [] },
    { loans: [loan('A', 1, 90), loan('B', 2, 90)], rules: [] },
  );
  assert.deepEqual([found.rules, found.unchanged.loans, found.only_in_second.balance], [[], 1, '2.00']);
});
