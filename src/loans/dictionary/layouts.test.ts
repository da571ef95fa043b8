import assert from 'node:assert/strict';
import { test } from 'node:test';
import { likenessOf } from '../testing/likeness.ts';
import { dictionary } from './dictionary.ts';
import { recogniseLayout } from './layouts.ts';
import { blankRow, fannieMae } from '../testing/layout-rows.ts';

const origination = (width: number, more: Record<number, string> = {}) =>
  blankRow(width, {
    0: '751',
    1: '202003',
    2: '9',
    3: '205002',
    5: '000',
    6: '1',
    7: 'P',
    8: '80',
    9: '999',
    10: '180000',
    11: '80',
    12: '3.625',
    13: 'R',
    14: 'N',
    15: 'FRM',
    16: 'OH',
    17: 'SF',
    18: '43200',
    19: 'F20Q10000012',
    20: 'N',
    21: '360',
    22: '2',
    23: 'Other sellers',
    ...more,
  });

const performance = (width: number, more: Record<number, string> = {}) =>
  blankRow(width, {
    0: 'F20Q10000012',
    1: '202104',
    2: '176241.18',
    3: '1',
    4: '13',
    5: '347',
    10: '3.625',
    11: '0.00',
    ...more,
  });

const layoutOf = (...rows: string[][]) => recogniseLayout(rows)?.name ?? null;

test('the files of the agencies are recognised without a header, release by release', () => {
  for (const width of [108, 110, 113])
    assert.equal(layoutOf(fannieMae(width)), 'Fannie Mae single-family loan performance', String(width));
  assert.equal(layoutOf(origination(32, { 24: 'Other servicers', 30: 'N', 31: '7' })), 'Freddie Mac single-family origination');
  assert.equal(layoutOf(origination(31, { 24: 'Other servicers', 30: 'N' })), 'Freddie Mac single-family origination');
  assert.equal(layoutOf(origination(31, { 29: 'N', 30: '9999' })), 'Freddie Mac single-family origination, from July 2026');
  assert.equal(layoutOf(performance(32), performance(32, { 3: 'RA' })), 'Freddie Mac single-family performance');
  assert.equal(layoutOf(performance(35)), 'Freddie Mac single-family performance, from July 2026');
});

test('a file is no layout by its width alone, and not with one row that is different', () => {
  assert.equal(recogniseLayout([]), null);
  assert.equal(layoutOf(blankRow(108, {})), null);
  assert.equal(layoutOf(Array.from({ length: 32 }, (_, index) => `column ${index}`)), null);
  assert.equal(layoutOf(fannieMae(109)), null);
  assert.equal(layoutOf(origination(33, { 30: 'N' })), null);
  assert.equal(layoutOf(performance(32), performance(35)), null);
  assert.equal(layoutOf(performance(32), performance(32, { 1: '202113' })), null);
  assert.equal(layoutOf(fannieMae(110), fannieMae(110, { 2: '202001' })), null);
  assert.equal(layoutOf(origination(32, { 7: 'Primary' })), null);
  const header = recogniseLayout([performance(32)])?.columns ?? [];
  assert.equal(layoutOf([...header], performance(32)), null);
});

/** The fields that the columns of a layout fill, by position. */
function fieldsOf(columns: readonly string[]): Record<number, string> {
  const fields = dictionary('Mortgage');
  const entries = columns.flatMap((column, index) =>
    fields.filter((field) => likenessOf(column, field).score >= 0.98).map(({ field }) => [index, field] as const),
  );
  return Object.fromEntries(entries);
}

test('the columns of a layout lead to the fields at their positions', () => {
  const fannie = fieldsOf(recogniseLayout([fannieMae(108)])?.columns ?? []);
  assert.deepEqual(
    [1, 2, 3, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19, 20].map((index) => fannie[index]),
    'loan_id reporting_date channel interest_rate original_balance current_balance original_term_months origination_date first_payment_date loan_age_months remaining_term_months maturity_date ltv cltv'.split(
      ' ',
    ),
  );
  assert.deepEqual(
    [21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, 33, 34, 39, 41, 43].map((index) => fannie[index]),
    [
      'borrower_count',
      'dti',
      'credit_score',
      undefined,
      'first_time_buyer',
      'loan_purpose',
      'property_type',
      'units',
      'occupancy',
      'state',
      'zip3',
      'mi_percent',
      'amortization_type',
      'days_past_due',
      'modified',
      'zero_balance_code',
    ],
  );
  const freddie = fieldsOf(recogniseLayout([origination(32)])?.columns ?? []);
  assert.deepEqual(
    [freddie[0], freddie[5], freddie[8], freddie[9], freddie[11], freddie[18], freddie[19], freddie[21]],
    ['credit_score', 'mi_percent', 'cltv', 'dti', 'ltv', 'zip3', 'loan_id', 'original_term_months'],
  );
  const monthly = fieldsOf(recogniseLayout([performance(35)])?.columns ?? []);
  assert.deepEqual(monthly, {
    0: 'loan_id',
    1: 'reporting_date',
    2: 'current_balance',
    3: 'days_past_due',
    4: 'loan_age_months',
    5: 'remaining_term_months',
    7: 'modified',
    8: 'zero_balance_code',
    10: 'interest_rate',
  });
});
