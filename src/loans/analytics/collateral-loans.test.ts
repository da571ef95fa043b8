import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { NO_SEGMENT, UNDECIDED_SEGMENT } from '../../finance/loan-columns.ts';
import { dictionary } from '../dictionary/dictionary.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { copyToParquet, parquet } from '../engine/sql.ts';
import { columnType } from '../dictionary/field.ts';
import type { LoanType } from '../types.ts';
import { type CollateralInput, readCollateral } from './collateral-loans.ts';
import { writePoolTable } from './pool-table.ts';

let workDir = '';
let engine: Engine;
before(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'collateral-'));
  engine = await openEngine({ workDir, allowedDirectories: [] });
});
after(async () => {
  await engine.close();
  await rm(workDir, { recursive: true });
});

type Cells = Record<string, string>;

/** A loan table of a type: SQL per field, NULL where a row says nothing. */
async function loanTable(type: LoanType, rows: Cells[], name = 'loans'): Promise<string> {
  const path = join(workDir, `${name}-${type.replace(' ', '')}.parquet`);
  const selects = rows.map((row, index) => {
    const columns = dictionary(type).map(
      (field) => `CAST(${row[field.field] ?? 'NULL'} AS ${columnType(field)}) AS "${field.field}"`,
    );
    const id = type === 'Credit Card' ? [`'${index + 1}' AS loan_id`] : [];
    return `SELECT ${[`${row.row_number ?? index + 1} AS row_number`, ...id, ...columns].join(', ')}`;
  });
  await engine.run(copyToParquet(selects.join(' UNION ALL '), path));
  return path;
}

const CUT_OFF = '2026-11-30';

async function pooled(
  type: LoanType,
  rows: Cells[],
  { useScheduledPayment = false, segmentations }: Pick<CollateralInput, 'useScheduledPayment' | 'segmentations'> = {},
) {
  const path = join(workDir, `pool-${type.replace(' ', '')}.parquet`);
  const sources = [
    { deal_id: 'deal_1', deal_number: 3, tape_version: 1, loansPath: await loanTable(type, rows), outcomesPaths: [] },
  ];
  const table = await writePoolTable({ engine, loanType: type, cutOff: CUT_OFF, sources, condition: null, path });
  const average = (text: string | null) => (text === null ? null : Number(text));
  const averages = { averageRatePercent: average(table.wac), averageRemainingMonths: average(table.wam) };
  const { loans, segments, warnings } = await readCollateral({
    engine,
    path,
    loanType: type,
    cutOff: CUT_OFF,
    useScheduledPayment,
    ...(segmentations ? { segmentations } : {}),
    ...averages,
  });
  return { table, loans: [...loans], segments, warnings };
}

test('rate, term and age come from the tape, and from dates where it does not have them', async () => {
  const { loans } = await pooled('Mortgage', [
    {
      current_balance: '100000',
      interest_rate: '6.5',
      remaining_term_months: '300',
      loan_age_months: '58',
      original_term_months: '360',
    },
    { current_balance: '50000', interest_rate: '5', maturity_date: `DATE '2036-12-01'`, original_term_months: '360' },
    { current_balance: '25000', interest_rate: '4', remaining_term_months: '100', origination_date: `DATE '2016-11-15'` },
  ]);
  assert.deepEqual(
    loans.map(({ balance, ratePercent, remainingMonths, ageMonths, originalMonths }) => [
      balance,
      ratePercent,
      remainingMonths,
      ageMonths,
      originalMonths,
    ]),
    [
      [100_000, 6.5, 300, 58, 360],
      [50_000, 5, 121, 239, 360],
      [25_000, 4, 100, 120, 220],
    ],
  );
});

test('a loan without rate or term has the average of the pool, and the result says so', async () => {
  const { loans, warnings, table } = await pooled('Auto', [
    { current_balance: '30000', interest_rate: '6', remaining_term_months: '40' },
    { current_balance: '10000', interest_rate: '10', remaining_term_months: '60' },
    { current_balance: '5000' },
    { current_balance: '0', interest_rate: '9', remaining_term_months: '10' },
  ]);
  assert.deepEqual([table.loan_count, table.balance, table.wac, table.wam], [4, '45000.00', '7.000000', '45.000000']);
  assert.deepEqual([loans.length, loans[2].ratePercent, loans[2].remainingMonths], [3, 7, 45]);
  assert.deepEqual(warnings, [
    '1 loans have no balance above zero: they are left out',
    '1 loans have no rate: the average of the pool is used, 7 %',
    '1 loans have no remaining term: the average of the pool is used, 45 months',
  ]);
  assert.equal(table.warnings.length, 3);
});

test('in a pool without any rate or term loans have 0 % and one month, and the result says that there is no average', async () => {
  const { loans, warnings } = await pooled('Auto', [{ current_balance: '5000' }]);
  assert.deepEqual([loans[0].ratePercent, loans[0].remainingMonths], [0, 1]);
  assert.deepEqual(warnings, [
    '1 loans have no rate: the pool has no average, 0 % is used',
    '1 loans have no remaining term: the pool has no average, 1 month is used',
  ]);
});

test('balances of nine digits times rates keep every digit', async () => {
  const { table } = await pooled('Business', [
    { current_balance: '987654321.12', interest_rate: '7.125', remaining_term_months: '120' },
    { current_balance: '123456789.01', interest_rate: '8.375', remaining_term_months: '60' },
  ]);
  // (987654321.12 × 7.125 + 123456789.01 × 8.375) / 1111111110.13, by exact decimal arithmetic.
  assert.deepEqual([table.balance, table.wac], ['1111111110.13', '7.263889']);
});

test('a floating loan keeps index and margin, others with special terms pay level and are reported', async () => {
  const student = {
    current_balance: '1000',
    interest_rate: '5',
    remaining_term_months: '100',
    rate_type: `'VARIABLE'`,
    status: `'REPAYMENT'`,
  };
  const { loans, warnings } = await pooled('Student', [
    { ...student, index: `'SOFR'`, margin: '2.5' },
    student,
    { ...student, rate_type: `'FIXED'`, status: `'DEFERMENT'` },
  ]);
  assert.deepEqual(loans[0].floating, { index: 'SOFR', marginPercent: 2.5, resetMonths: 1 });
  assert.equal(loans[1].floating, undefined);
  assert.equal(warnings.length, 2);
});

test('interest-only, balloon, deferment, caps and resets come from the tape, counted from the cut-off', async () => {
  const loan = { current_balance: '1000', interest_rate: '5', remaining_term_months: '360' };
  const { loans, warnings } = await pooled('Mortgage', [
    { ...loan, amortization_type: `'IO'`, interest_only_months: '24' },
    { ...loan, amortization_type: `'BALLOON'`, balloon_date: `DATE '2031-12-01'` },
    { ...loan, amortization_type: `'BALLOON'`, balloon_date: `DATE '2026-11-30'` },
    {
      ...loan,
      amortization_type: `'ARM'`,
      index: `'SOFR'`,
      margin: '2.75',
      rate_cap: '9.5',
      rate_floor: '3',
      periodic_rate_cap: '1',
      rate_reset_months: '6',
      next_rate_reset_date: `DATE '2027-03-01'`,
    },
    { ...loan, amortization_type: `'FIXED'`, index: `'SOFR'`, margin: '2.75' },
    { ...loan, deferment_months: '12' },
  ]);
  const special = loans.map(({ interestOnlyMonths, balloonMonth, deferMonths, floating }) => ({
    ...(interestOnlyMonths && { interestOnlyMonths }),
    ...(balloonMonth && { balloonMonth }),
    ...(deferMonths && { deferMonths }),
    ...(floating && { floating }),
  }));
  const floating = {
    index: 'SOFR',
    marginPercent: 2.75,
    resetMonths: 6,
    firstResetMonth: 4,
    capPercent: 9.5,
    floorPercent: 3,
    periodicCapPercent: 1,
  };
  assert.deepEqual(special, [
    { interestOnlyMonths: 24 },
    { balloonMonth: 61 },
    { balloonMonth: 1 },
    { floating },
    {},
    { deferMonths: 12 },
  ]);
  assert.deepEqual(warnings, [
    '1 loans ($1,000) have a balloon that was due by the cut-off: what is left is due in the first month',
  ]);
});

test('loans past their maturity are due in the first month, are told with their balance, and take nothing from the average term', async () => {
  const loan = { current_balance: '1000.25', interest_rate: '6' };
  const { loans, table, warnings } = await pooled('Personal', [
    { ...loan, remaining_term_months: '0' },
    { ...loan, maturity_date: `DATE '2025-11-30'` },
    { ...loan, remaining_term_months: '114' },
    { ...loan },
  ]);
  assert.equal(table.wam, '38.000000');
  assert.deepEqual(
    loans.map(({ remainingMonths }) => remainingMonths),
    [1, 1, 114, 38],
  );
  assert.deepEqual(warnings, [
    '2 loans ($2,000.50) have no whole month left to their maturity, or are past it: what is left is due in the first month',
    '1 loans have no remaining term: the average of the pool is used, 38 months',
  ]);
});

test('the payment of the tape is used when it is asked for', async () => {
  const rows = [{ current_balance: '1000', interest_rate: '5', remaining_term_months: '10', scheduled_payment: '150' }];
  assert.equal((await pooled('Auto', rows)).loans[0].scheduledPayment, undefined);
  assert.equal((await pooled('Auto', rows, { useScheduledPayment: true })).loans[0].scheduledPayment, 150);
});

test('a payment of the tape that does not cover the interest is told, and a level one is used', async () => {
  const loan = { current_balance: '100000', interest_rate: '12', remaining_term_months: '114' };
  // Interest of a month is 1,000; one of interest only may be rounded.
  const rows = ['500', '999.99', '1500'].map((scheduled_payment) => ({ ...loan, scheduled_payment }));
  const { loans, warnings } = await pooled('Auto', rows, { useScheduledPayment: true });
  assert.deepEqual(
    loans.map(({ scheduledPayment }) => scheduledPayment),
    [undefined, 999.99, 1500],
  );
  assert.deepEqual(warnings, [
    '1 loans ($100,000) have a payment on the tape that does not cover their interest: a level payment is used',
    '1 loans ($100,002.11) have a payment on the tape that is too low to pay them off: so much is due beside it in their last month',
  ]);
});

test('a payment of the tape from a time without principal is told, and not used after it', async () => {
  const loan = { current_balance: '90000', interest_rate: '6', remaining_term_months: '41' };
  // Interest of a month is 450: after the interest-only period the payment would pay nothing down until maturity.
  const { loans, warnings } = await pooled(
    'Auto',
    [
      { ...loan, scheduled_payment: '450', interest_only_months: '12' },
      { ...loan, scheduled_payment: '2433.5', deferment_months: '6' },
    ],
    { useScheduledPayment: true },
  );
  assert.deepEqual(
    loans.map(({ scheduledPayment, interestOnlyMonths, deferMonths }) => [scheduledPayment, interestOnlyMonths, deferMonths]),
    [
      [undefined, 12, undefined],
      [undefined, undefined, 6],
    ],
  );
  assert.deepEqual(warnings, [
    '2 loans ($180,000) pay no principal yet: level payments are used from then on, not the payment of the tape',
  ]);
});

test('payments of the tape that leave a balance at maturity are told with what is due then', async () => {
  const loan = { current_balance: '90000', interest_rate: '6', remaining_term_months: '41' };
  // The level payment is 2,434.62. Of 2,000 a month 90,000 × 1.005^41 − 2,000 × (1.005^41 − 1) / 0.005 is left beside the last.
  const left = 90_000 * 1.005 ** 41 - (2_000 * (1.005 ** 41 - 1)) / 0.005;
  const rows = ['2000', '2430', '3000'].map((scheduled_payment) => ({ ...loan, scheduled_payment }));
  const balloon = { ...loan, scheduled_payment: '2000', balloon_date: `DATE '2028-01-31'` };
  const noInterest = { ...loan, interest_rate: '0', scheduled_payment: '1000' };
  const { loans, warnings } = await pooled('Auto', [...rows, balloon, noInterest], { useScheduledPayment: true });
  assert.deepEqual(
    loans.map(({ scheduledPayment }) => scheduledPayment),
    [2000, 2430, 3000, 2000, 1000],
  );
  const all = (left + 49_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  assert.deepEqual(warnings, [
    `2 loans ($${all}) have a payment on the tape that is too low to pay them off: so much is due beside it in their last month`,
  ]);
});

test('accounts of a card pool have no term, and the pool no average of it', async () => {
  const { loans, warnings, table } = await pooled('Credit Card', [
    { current_balance: '500.25', credit_limit: '1000', apr: '19.9' },
    { current_balance: '-20', credit_limit: '1000', apr: '21.9' },
  ]);
  assert.deepEqual([loans.length, loans[0].balance, table.wam, table.balance], [1, 500.25, null, '480.25']);
  assert.deepEqual(warnings, ['1 loans (-$20 in all) have no balance above zero: they are left out']);
  assert.ok(table.warnings.includes('1 of 2 loans have no balance above zero (-$20 in all): projections leave them out'));
});

test('a loan that is charged off does not perform: it is left out and counted, whatever its balance', async () => {
  const status: [LoanType, string][] = [
    ['Personal', 'loan_status'],
    ['Business', 'status'],
    ['Credit Card', 'account_status'],
  ];
  for (const [type, field] of status) {
    const rate = type === 'Credit Card' ? 'apr' : 'interest_rate';
    const row = { current_balance: '1000', [rate]: '9', remaining_term_months: '12' };
    const loan = type === 'Credit Card' ? { current_balance: '1000', apr: '9' } : row;
    const { loans, warnings } = await pooled(type, [
      { ...loan, [field]: `'CHARGED_OFF'` },
      loan,
      { ...loan, current_balance: '0', [field]: `'CHARGED_OFF'` },
      { ...loan, [field]: `'CHARGED_OFF'`, current_balance: '250.5' },
    ]);
    assert.deepEqual(
      loans.map(({ balance }) => balance),
      [1000],
      type,
    );
    assert.deepEqual(warnings, [
      '2 loans ($1,250.50) are charged off: they do not perform and are left out',
      '1 loans have no balance above zero: they are left out',
    ]);
  }
});

test('a code of a loss, or an amount charged off, is a charge-off as a status is; a code of payment is none', async () => {
  const loan = { interest_rate: '9', remaining_term_months: '12' };
  // Schedule AL Item 3(f)(2): 1 prepaid or matured, 3 repurchased, 4 charged off; Item 1 of mortgages: 02 third-party sale, 09 REO, 06 repurchase.
  const auto = await pooled('Auto', [
    { ...loan, current_balance: '1000.25', zero_balance_code: `'4'` },
    { ...loan, current_balance: '1', zero_balance_code: `'1'` },
    { ...loan, current_balance: '2', zero_balance_code: `'3'` },
    { ...loan, current_balance: '500', charged_off_amount: '500' },
    { ...loan, current_balance: '300', charged_off_amount: '299.99' },
    { ...loan, current_balance: '200', charged_off_amount: '150', zero_balance_code: `'4'` },
    { ...loan, current_balance: '0', charged_off_amount: '900' },
    { ...loan, current_balance: '4', charged_off_amount: '0' },
  ]);
  assert.deepEqual(
    auto.loans.map(({ balance }) => balance),
    [1, 2, 4],
  );
  assert.deepEqual(auto.warnings, [
    '3 loans ($1,700.25) are charged off: they do not perform and are left out',
    '1 loans ($300) have an amount charged off that is less than their balance: what is left does not perform either and is left out',
    '1 loans have no balance above zero: they are left out',
  ]);
  const codes = ['01', '02', '03', '06', '09', '15', '16', '96'];
  const mortgages = await pooled(
    'Mortgage',
    codes.map((code) => ({ ...loan, current_balance: String(Number(code)), zero_balance_code: `'${code}'` })),
  );
  assert.deepEqual(
    mortgages.loans.map(({ balance }) => balance),
    [1, 6, 16, 96],
  );
});

test('of a table after a month, the month says which loans perform, whatever an earlier tape said', async () => {
  const path = join(workDir, 'month.parquet');
  const loan = { current_balance: '100', interest_rate: '9', remaining_term_months: '12', charged_off_amount: '40' };
  const closing = await loanTable('Auto', [loan, loan], 'closing');
  await engine.run(
    copyToParquet(
      `SELECT 'deal_1' AS deal_id, 3 AS deal_number, *, CASE row_number WHEN 1 THEN 'CURRENT' ELSE 'DEFAULTED' END AS month_state
       FROM ${parquet(closing)}`,
      path,
    ),
  );
  const terms = { loanType: 'Auto' as const, cutOff: CUT_OFF, averageRatePercent: 9, averageRemainingMonths: 12 };
  const { loans } = await readCollateral({ engine, path, ...terms });
  assert.deepEqual([...loans].length, 1);
});

test('an amount is the double nearest to its decimals', async () => {
  const balances = ['0.01', '123456789.12', '1999999.95', '4503599627.37'];
  const rows = balances.map((current_balance, index) => ({
    current_balance,
    interest_rate: `${index}.123457`,
    remaining_term_months: '60',
  }));
  const { loans } = await pooled('Mortgage', rows);
  assert.deepEqual(
    loans.map(({ balance, ratePercent }) => [String(balance), ratePercent]),
    balances.map((balance, index) => [balance, Number(`${index}.123457`)]),
  );
});

test('a loan is in the first segment whose condition holds, unless a condition before it cannot be decided', async () => {
  const loan = { interest_rate: '5', remaining_term_months: '36' };
  const { loans, segments } = await pooled(
    'Auto',
    [
      { ...loan, current_balance: '1', credit_score: '600', state: `'CA'` },
      { ...loan, current_balance: '2', credit_score: '700', state: `'CA'` },
      { ...loan, current_balance: '0', credit_score: '700', state: `'CA'` },
      { ...loan, current_balance: '3', credit_score: '700', state: `'NY'` },
      { ...loan, current_balance: '4', state: `'CA'` },
      { ...loan, current_balance: '5', credit_score: '600' },
      { ...loan, current_balance: '6', credit_score: '700' },
    ],
    {
      segmentations: new Map([
        ['score, then state', ['credit_score < 620', `state = 'CA'`]],
        ['state', [`state = 'CA'`]],
      ]),
    },
  );
  assert.deepEqual(
    loans.map(({ balance }) => balance),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual([...(segments.get('score, then state') ?? [])], [0, 1, NO_SEGMENT, UNDECIDED_SEGMENT, 0, UNDECIDED_SEGMENT]);
  assert.deepEqual([...(segments.get('state') ?? [])], [0, 0, NO_SEGMENT, 0, UNDECIDED_SEGMENT, UNDECIDED_SEGMENT]);
});
