import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquet } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { type CommonColumns, commonColumns } from './columns.ts';
import { type LoanCells, openLoanFiles } from './testing/loan-file.ts';

/** The common quantities of loans, as numbers where they are numbers. */
async function quantities(type: LoanType, loans: readonly LoanCells[], ...names: (keyof CommonColumns)[]) {
  await using files = await openLoanFiles();
  const path = await files.write(type, loans);
  const columns = commonColumns(type, '2026-06-30');
  const selected = names.map((name) => `${columns[name]} AS ${name}`);
  const rows = await files.engine.rows<Record<string, string | number | null>>(
    `SELECT ${selected.join(', ')} FROM ${parquet(path)} ORDER BY row_number`,
  );
  return rows.map((row) =>
    names.map((name) => {
      const value = row[name];
      return typeof value === 'string' && /^-?[\d.]+$/.test(value) ? Number(value) : value;
    }),
  );
}

test('the age of a loan is that of the tape, else original less remaining term, else counted from its origination', async () => {
  const full = { loan_age_months: 7, original_term_months: 360, remaining_term_months: 300, origination_date: '2020-06-30' };
  const loans: LoanCells[] = [
    full,
    { ...full, loan_age_months: null },
    { ...full, loan_age_months: null, original_term_months: null },
    { origination_date: '2025-12-31' },
    {},
  ];
  assert.deepEqual(await quantities('Mortgage', loans, 'age'), [[7], [60], [72], [6], [null]]);
});

test('an age below zero is none, and an unknown one stays unknown', async () => {
  const loans: LoanCells[] = [
    { original_term_months: 60, remaining_term_months: 61 },
    { origination_date: '2026-08-01' },
    { original_term_months: 60 },
  ];
  assert.deepEqual(await quantities('Auto', loans, 'age'), [[0], [0], [null]]);
});

test('the remaining term counts whole calendar months to maturity, and none is left past it', async () => {
  const loans: LoanCells[] = [
    { maturity_date: '2026-07-01' },
    { maturity_date: '2026-06-30' },
    { maturity_date: '2027-05-31' },
    { maturity_date: '2026-05-31' },
  ];
  assert.deepEqual(await quantities('Auto', loans, 'remaining'), [[1], [0], [11], [0]]);
});

test('each loan type has its quantities under its own names', async () => {
  assert.deepEqual(
    await quantities(
      'Credit Card',
      [{ current_balance: 5, apr: 20, credit_limit: 100, charge_off_amount: 3, open_date: '2025-06-30' }],
      'balance',
      'rate',
      'original_balance',
      'charged_off',
      'age',
      'remaining',
    ),
    [[5, 20, 100, 3, 12, null]],
  );
  assert.deepEqual(
    await quantities(
      'Business',
      [{ interest_rate: 7, owner_credit_score: 700, charge_off_amount: 2, obligor_id: 'b' }],
      'balance',
      'rate',
      'credit_score',
      'charged_off',
      'obligor',
    ),
    [[0, 7, 700, 2, 'b']],
  );
  assert.deepEqual(
    await quantities(
      'Auto',
      [{ charged_off_amount: 2, credit_score: 700, obligor_id: '' }],
      'charged_off',
      'credit_score',
      'obligor',
    ),
    [[2, 700, '']],
  );
  assert.deepEqual(await quantities('Student', [{ credit_score: 690 }], 'charged_off', 'credit_score'), [[null, 690]]);
});

test('a loan is as old as its first date: disbursement, else approval', async () => {
  const loans: LoanCells[] = [{ approval_date: '2024-01-15', disbursement_date: '2024-03-15' }, { approval_date: '2024-01-15' }];
  const [both, approved] = await quantities('Business', loans, 'originated');
  assert.deepEqual([both, approved], [['2024-03-15'], ['2024-01-15']]);
});
