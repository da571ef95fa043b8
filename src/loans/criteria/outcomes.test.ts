import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CriteriaSet } from './language.ts';
import { readOutcomes } from './outcomes.ts';
import { runCriteria } from './run.ts';
import { outcomesOf } from './testing/run-small.ts';
import { smallTape } from './testing/small-tape.ts';

const SET: CriteriaSet = {
  loan_type: 'Auto',
  loan_rules: [
    { id: 'R0', rule: { field: 'ltv', op: 'gte', value: 5 } },
    { id: 'R1', rule: { field: 'ltv', op: 'lte', value: 19 } },
    { id: 'W', severity: 'warn', rule: { field: 'ltv', op: 'lte', value: 9 } },
  ],
};

test('pages filter by outcome and by rule and say how many there are in all', async () => {
  const loans = Array.from({ length: 25 }, (_, i) => ({ current_balance: 1, ltv: i }));
  await using tape = await smallTape('Auto', loans);
  const { outcomesPath } = await runCriteria({ ...tape, set: SET });
  const page = (more: object) => readOutcomes({ ...tape, set: SET, outcomesPath, page: 1, limit: 4, ...more });
  assert.deepEqual(
    [(await page({})).total, (await page({ outcome: 'PASSED' })).total, (await page({ outcome: 'WAIVED' })).total],
    [25, 15, 0],
  );
  const second = await page({ rule: 'R1', page: 2 });
  assert.deepEqual([second.total, second.rows.map(({ row_number }) => row_number)], [5, [25]]);
  assert.deepEqual(await page({ rule: 'NONE' }), { rows: [], total: 0, next: null });
});

test('what the run counted is what a page counts, by every outcome', async () => {
  const loans = Array.from({ length: 25 }, (_, ltv) => ({ loan_id: `L${ltv}`, current_balance: 1, ltv }));
  await using tape = await smallTape('Auto', loans);
  const counts = await runCriteria({ ...tape, set: SET, waivers: [{ loan_id: 'L3', rule_id: 'R0' }] });
  const input = { ...tape, set: SET, outcomesPath: counts.outcomesPath, page: 2, limit: 3 };
  for (const more of [
    {},
    { outcome: 'PASSED' },
    { outcome: 'FAILED' },
    { outcome: 'WAIVED' },
    { rule: 'R0' },
    { row: 4 },
  ] as const)
    assert.deepEqual(
      await readOutcomes({ ...input, ...more, counts }),
      await readOutcomes({ ...input, ...more }),
      JSON.stringify(more),
    );
});

test('every loan is on one page, in the order of the tape; a page beyond the end is empty and still counts', async () => {
  await using tape = await smallTape(
    'Auto',
    Array.from({ length: 11 }, (_, ltv) => ({ current_balance: 1, ltv })),
  );
  const { outcomesPath } = await runCriteria({ ...tape, set: SET });
  for (const limit of [1, 3, 10, 11, 12]) {
    const seen: number[] = [];
    for (let page = 1; page <= Math.ceil(11 / limit) + 1; page += 1) {
      const { rows, total } = await readOutcomes({ ...tape, set: SET, outcomesPath, page, limit });
      assert.ok(rows.length <= limit && total === 11);
      seen.push(...rows.map(({ row_number }) => row_number));
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 11 }, (_, index) => index + 1),
      `${limit} a page`,
    );
  }
});

test('a rule is asked for by its id: its failures, its warnings and those that were waived', async () => {
  const loans = Array.from({ length: 25 }, (_, ltv) => ({ loan_id: `L${ltv}`, current_balance: 1, ltv }));
  await using tape = await smallTape('Auto', loans);
  const waivers = [{ loan_id: 'L3', rule_id: 'R0' }];
  const { outcomesPath } = await runCriteria({ ...tape, set: SET, waivers });
  const found = async (more: object) =>
    (await readOutcomes({ ...tape, set: SET, outcomesPath, page: 1, limit: 100, ...more })).rows.map(({ loan_id }) => loan_id);
  assert.deepEqual(await found({ rule: 'R0' }), ['L0', 'L1', 'L2', 'L3', 'L4']);
  assert.deepEqual(await found({ rule: 'R0', outcome: 'WAIVED' }), ['L3']);
  assert.deepEqual(await found({ rule: 'R0', outcome: 'FAILED' }), ['L0', 'L1', 'L2', 'L4']);
  assert.deepEqual(await found({ rule: 'R0', outcome: 'PASSED' }), []);
  assert.equal((await found({ rule: 'W' })).length, 15);
  assert.equal((await found({ rule: 'W', outcome: 'PASSED' })).length, 10, 'a warned loan passes');
  for (const rule of ['r0', 'R', "R0' OR 1=1", '']) assert.deepEqual(await found({ rule }), [], rule);
});

test('a balance is exact text with two decimals or more, and zero where the tape has none', async () => {
  const balances = [0.1, 1_234_567_890.12, 0.000001, 5, null];
  const { rows, result } = await outcomesOf(
    balances.map((current_balance) => ({ current_balance })),
    { loan_rules: [] },
  );
  assert.deepEqual(
    rows.map(({ balance }) => balance),
    ['0.10', '1234567890.12', '0.000001', '5.00', '0.00'],
  );
  assert.deepEqual([result.total_balance, result.failed_balance], ['1234567895.220001', '0.00']);
});

test('each loan type has outcomes over its own fields', async () => {
  for (const loan_type of ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'] as const) {
    const rule = { field: 'days_past_due', op: 'lte', value: 30 } as const;
    const loans = [0, 30, 31, null].map((days_past_due) => ({ current_balance: 1, days_past_due }));
    const { rows } = await outcomesOf(loans, { loan_type, loan_rules: [{ id: 'DPD', rule }] });
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['PASSED', 'PASSED', 'FAILED', 'FAILED'],
      loan_type,
    );
  }
});
