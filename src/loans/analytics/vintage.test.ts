import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoanType } from '../types.ts';
import { type LoanCells, openLoanFiles } from './testing/loan-file.ts';
import { rollRates, vintages } from './vintage.ts';

async function vintagesOf(loans: readonly LoanCells[], unit: 'month' | 'quarter' = 'quarter', type: LoanType = 'Auto') {
  await using files = await openLoanFiles();
  return await vintages(files.engine, await files.write(type, loans), type, '2026-06-30', unit);
}

async function rollsOf(older: readonly LoanCells[], newer: readonly LoanCells[], loanType: LoanType = 'Auto') {
  await using files = await openLoanFiles();
  const [olderPath, newerPath] = [await files.write(loanType, older), await files.write(loanType, newer)];
  const rolls = await rollRates(files.engine, { loanType, olderPath, newerPath, matchContent: false });
  return rolls.map(({ from, to, loan_count, balance, rate }) => [from, to, loan_count, balance, rate]);
}

test('loans without ids roll by their content, whatever their order', async () => {
  const loan = (original_balance: number, days_past_due: number) => ({
    original_balance,
    current_balance: original_balance,
    origination_date: '2024-01-15',
    days_past_due,
  });
  const numbered = (...loans: LoanCells[]) => loans.map((each, index) => ({ loan_id: String(index + 1), ...each }));
  await using files = await openLoanFiles();
  const olderPath = await files.write('Auto', numbered(loan(100, 0), loan(200, 45), loan(300, 0), loan(300, 0)));
  const newerPath = await files.write('Auto', numbered(loan(300, 0), loan(200, 75), loan(100, 0), loan(300, 40)));
  const rolls = await rollRates(files.engine, { loanType: 'Auto', olderPath, newerPath, matchContent: true });
  assert.deepEqual(
    rolls.map(({ from, to, loan_count }) => [from, to, loan_count]),
    [
      ['CURRENT', 'CURRENT', 2],
      ['CURRENT', '30-59', 1],
      ['30-59', '60-89', 1],
    ],
  );
});

test('vintages come oldest first, loans without a date last, by quarter or by month', async () => {
  const dates = ['2026-01-31', '2025-12-31', '2026-03-01', null, '2026-04-01'];
  const loans = dates.map((origination_date) => ({ current_balance: 1, origination_date }));
  assert.deepEqual(
    (await vintagesOf(loans)).map(({ vintage, loan_count }) => [vintage, loan_count]),
    [
      ['2025-Q4', 1],
      ['2026-Q1', 2],
      ['2026-Q2', 1],
      ['(missing)', 1],
    ],
  );
  assert.deepEqual(
    (await vintagesOf(loans, 'month')).map(({ vintage }) => vintage),
    ['2025-12', '2026-01', '2026-03', '2026-04', '(missing)'],
  );
});

test('a vintage has its factor, its losses and its arrears in percent', async () => {
  const loan = { origination_date: '2025-01-15', original_balance: 1_000 };
  const [vintage] = await vintagesOf([
    { ...loan, current_balance: 400, days_past_due: 0 },
    { ...loan, current_balance: 100, days_past_due: 29 },
    { ...loan, current_balance: 50, days_past_due: 30 },
    { ...loan, current_balance: 25, days_past_due: 59 },
    { ...loan, current_balance: 100, days_past_due: 60 },
    { ...loan, current_balance: 200, days_past_due: 89 },
    { ...loan, current_balance: 75, days_past_due: 90 },
    { ...loan, current_balance: 50, days_past_due: 400, charged_off_amount: 80.5 },
  ]);
  assert.ok(vintage);
  assert.deepEqual(
    [vintage.balance, vintage.original_balance, vintage.factor, vintage.charged_off, vintage.loss_rate],
    [1_000, 8_000, 0.125, 80.5, 1.00625],
  );
  assert.deepEqual([vintage.delinquent_30, vintage.delinquent_60, vintage.delinquent_90], [7.5, 30, 12.5]);
});

test('what the tape does not tell is null, not zero', async () => {
  const [silent] = await vintagesOf([{ origination_date: '2025-01-15', current_balance: 10 }]);
  assert.ok(silent);
  assert.deepEqual(
    [silent.factor, silent.charged_off, silent.loss_rate, silent.delinquent_30, silent.delinquent_60, silent.delinquent_90],
    [null, null, null, null, null, null],
  );
  const [current] = await vintagesOf([
    { origination_date: '2025-01-15', current_balance: 10, days_past_due: 0, original_balance: 20, charged_off_amount: 0 },
  ]);
  assert.ok(current);
  assert.deepEqual([current.factor, current.charged_off, current.loss_rate, current.delinquent_30], [0.5, 0, 0, 0]);
});

test('a loan without a value is in neither part of a rate, as in averages', async () => {
  const loan = { origination_date: '2025-01-15', current_balance: 100, original_balance: 200, days_past_due: 45 };
  const [vintage] = await vintagesOf([
    { ...loan, charged_off_amount: 10 },
    // Without its days, and without its original balance.
    { ...loan, current_balance: 300, days_past_due: null },
    { ...loan, current_balance: 150, original_balance: null, charged_off_amount: 40, days_past_due: 0 },
  ]);
  assert.ok(vintage);
  assert.deepEqual([vintage.balance, vintage.original_balance, vintage.charged_off], [550, 400, 50]);
  assert.deepEqual([vintage.factor, vintage.loss_rate, vintage.delinquent_30], [1, 2.5, 40]);
});

test('a vintage that is paid off has a factor of zero and no share of arrears', async () => {
  const [paid] = await vintagesOf([
    { origination_date: '2025-01-15', current_balance: 0, original_balance: 20, days_past_due: 45 },
  ]);
  assert.ok(paid);
  assert.deepEqual([paid.factor, paid.delinquent_30, paid.averages.wac], [0, null, null]);
});

test('the date of a vintage is that of the loan type: disbursement before approval, the opening of a card', async () => {
  const business = await vintagesOf(
    [
      { current_balance: 1, disbursement_date: '2025-05-01', approval_date: '2025-01-01' },
      { current_balance: 1, approval_date: '2024-12-31' },
    ],
    'quarter',
    'Business',
  );
  assert.deepEqual(
    business.map(({ vintage }) => vintage),
    ['2024-Q4', '2025-Q2'],
  );
  const card = { current_balance: 250, credit_limit: 1_000, open_date: '2023-08-09', charge_off_amount: 5 };
  const [opened] = await vintagesOf([card], 'month', 'Credit Card');
  assert.deepEqual([opened?.vintage, opened?.factor, opened?.loss_rate], ['2023-08', 0.25, 0.5]);
});

const loan = (loan_id: string, days_past_due: number | null, current_balance: number) => ({
  loan_id,
  days_past_due,
  current_balance,
});

test('roll rates tell where the balance of each bucket stands on the newer tape, in percent of the bucket', async () => {
  const older = [loan('A', 0, 100), loan('B', 0, 300), loan('C', 45, 50), loan('D', 45, 150), loan('E', null, 10)];
  const newer = [loan('A', 30, 90), loan('B', 0, 290), loan('C', 0, 40), loan('D', 75, 150), loan('E', 5, 9), loan('F', 0, 999)];
  assert.deepEqual(await rollsOf(older, newer), [
    ['CURRENT', 'CURRENT', 1, 300, 75],
    ['CURRENT', '30-59', 1, 100, 25],
    ['30-59', 'CURRENT', 1, 50, 25],
    ['30-59', '60-89', 1, 150, 75],
    ['(missing)', '1-29', 1, 10, 100],
  ]);
});

test('a loan that is gone is removed, one without a balance is paid off, whatever its days are', async () => {
  const older = [loan('A', 0, 100), loan('B', 0, 100), loan('C', 0, 100), loan('D', 0, 100)];
  const newer = [loan('A', 0, 0), loan('B', 200, -5), loan('D', null, 100)];
  assert.deepEqual(await rollsOf(older, newer), [
    ['CURRENT', '(missing)', 1, 100, 25],
    ['CURRENT', 'PAID_OFF', 2, 200, 50],
    ['CURRENT', 'REMOVED', 1, 100, 25],
  ]);
});

test('buckets change on the first day of each', async () => {
  const edges: [number | null, string][] = [
    [-3, 'CURRENT'],
    [0, 'CURRENT'],
    [1, '1-29'],
    [29, '1-29'],
    [30, '30-59'],
    [59, '30-59'],
    [60, '60-89'],
    [89, '60-89'],
    [90, '90-119'],
    [119, '90-119'],
    [120, '120+'],
    [4_000, '120+'],
  ];
  const older = edges.map((_, index) => loan(`L${index}`, 0, 1));
  const newer = edges.map(([days], index) => loan(`L${index}`, days, 1));
  const rolls = await rollsOf(older, newer);
  const expected = ['CURRENT', '1-29', '30-59', '60-89', '90-119', '120+'].map((bucket) => ['CURRENT', bucket, 2, 2, 16.666667]);
  assert.deepEqual(rolls, expected);
});

test('two rows of one loan are one loan: their balances together, in the later of their buckets', async () => {
  const older = [loan('A', 0, 10), loan('A', 45, 30), loan('B', null, 60)];
  const newer = [loan('A', 0, 20), loan('A', 0, 10), loan('B', 0, 60), loan('B', null, 60)];
  assert.deepEqual(await rollsOf(older, newer), [
    ['30-59', 'CURRENT', 1, 40, 100],
    ['(missing)', 'CURRENT', 1, 60, 100],
  ]);
});

test('a bucket without any balance has no rate', async () => {
  assert.deepEqual(await rollsOf([loan('A', 0, 0)], [loan('A', 0, 0)]), [['CURRENT', 'PAID_OFF', 1, 0, null]]);
  assert.deepEqual(await rollsOf([], [loan('A', 0, 1)]), []);
});

test('a loan that was charged off is not paid off', async () => {
  const late = (loan_id: string, current_balance: number, more: LoanCells = {}) => ({
    loan_id,
    current_balance,
    days_past_due: 95,
    ...more,
  });
  const rolls = await rollsOf(
    [late('1', 600), late('2', 300), late('3', 100), late('4', 50), late('5', 40, { charged_off_amount: 60 })],
    [
      late('1', 0, { charged_off_amount: 600 }),
      // Auto loans have code 4 for a charge-off and 1 for a loan that was paid.
      late('2', 0, { zero_balance_code: '4' }),
      late('3', 0, { zero_balance_code: '1' }),
      late('4', 20, { charged_off_amount: 30 }),
      late('5', 40, { charged_off_amount: 60 }),
    ],
  );
  assert.deepEqual(rolls, [
    ['90-119', 'CHARGED_OFF', 3, 950, 90.47619],
    ['90-119', 'PAID_OFF', 1, 100, 9.52381],
    ['CHARGED_OFF', 'CHARGED_OFF', 1, 40, 100],
  ]);
  const loan = { loan_id: '1', current_balance: 500, days_past_due: 120 };
  assert.deepEqual(await rollsOf([loan], [{ ...loan, current_balance: 0, loan_status: 'CHARGED_OFF' }], 'Personal'), [
    ['120+', 'CHARGED_OFF', 1, 500, 100],
  ]);
});
