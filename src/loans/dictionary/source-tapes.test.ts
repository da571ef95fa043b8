import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fannieMae } from '../testing/layout-rows.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType } from '../types.ts';

type Room = Awaited<ReturnType<typeof openRoom>>;

/** The tape of a header and rows of text, as it is read. */
async function take(room: Room, loanType: LoanType, header: string, rows: readonly string[]) {
  const tape = await room.take({ loanType, csv: `${[header, ...rows].join('\n')}\n` });
  return { tape, sources: Object.fromEntries(tape.mapping.mappings.map(({ source, target }) => [target, source])) };
}

test('a European tape below 2 % is no tape of fractions, and its no-data options are missing values', async () => {
  await using room = await openRoom();
  const header = 'RREL1,RREL2,RREL3,RREL11,RREL23,RREL24,RREL27,RREL29,RREL30,RREL40,RREL42,RREL43,RREL68,RREC7,RREC9';
  const rows = Array.from(
    { length: 40 },
    (_, index) =>
      `POOL-1,A${index},B${index},DE300,2019-05-01,2044-05-01,${index % 2 ? 'PURC' : 'RMRT'},200000,${180000 - index},` +
      `${index === 0 ? 'ND5' : '32.5'},FXRL,${index === 1 ? 'ND1' : '1.25'},${index === 2 ? 'ND5' : '0'},FOWN,RHOS`,
  );
  const { tape, sources } = await take(room, 'Mortgage', header, rows);
  assert.deepEqual(
    [sources.loan_id, sources.state, sources.interest_rate, sources.amortization_type],
    ['RREL2', undefined, 'RREL43', 'RREL42'],
  );
  assert.deepEqual(
    await tape.loans(
      'max(interest_rate)::VARCHAR AS rate, count(interest_rate) AS rates, count(dti) AS dtis, count(days_past_due) AS days, ' +
        'max(occupancy) AS occupancy, max(property_type) AS property, max(loan_purpose) AS purpose, max(amortization_type) AS type',
    ),
    [
      {
        rate: '1.250000',
        rates: 39,
        dtis: 39,
        days: 39,
        occupancy: 'PRIMARY',
        property: 'SF',
        purpose: 'REFI',
        type: 'FIXED',
      },
    ],
  );
  assert.deepEqual(await tape.issues('UNREADABLE_VALUE'), []);
});

test('a Fannie Mae tape takes the current rate, its months of delinquency and its insurance in percent', async () => {
  await using room = await openRoom();
  const header = 'LOAN_ID,ACT_PERIOD,ORIG_RATE,CURR_RATE,ORIG_UPB,CURRENT_UPB,MI_PCT,DLQ_STATUS,NUM_BO,OCC_STAT';
  const rows = Array.from(
    { length: 40 },
    (_, index) =>
      `${100_000_000_000 + index},012020,6.5,4.25,100000,90000,${index === 0 ? '25' : '0'},${index === 1 ? '02' : '00'},99,P`,
  );
  const { tape, sources } = await take(room, 'Mortgage', header, rows);
  assert.deepEqual([sources.interest_rate, sources.mi_percent], ['CURR_RATE', 'MI_PCT']);
  assert.deepEqual(
    await tape.loans(
      'max(interest_rate)::VARCHAR AS rate, max(mi_percent)::VARCHAR AS insured, max(days_past_due)::VARCHAR AS days, count(borrower_count) AS borrowers',
    ),
    [{ rate: '4.250000', insured: '25.000000', days: '60.000000', borrowers: 0 }],
  );
});

test('the numbers of HMDA are read where its names are', async () => {
  await using room = await openRoom();
  const header = 'state_code,loan_purpose,lien_status,occupancy_type,loan_amount,combined_loan_to_value_ratio,loan_term';
  const rows = ['OH,1,1,1,255000,80,360', 'TX,31,2,2,105000,Exempt,180', 'CA,32,1,3,305000,75.5,360', 'NY,2,1,1,95000,90,240'];
  const { tape } = await take(room, 'Mortgage', header, rows);
  assert.deepEqual(await tape.loans('loan_purpose, occupancy, cltv::VARCHAR AS cltv, state'), [
    { loan_purpose: 'PURCHASE', occupancy: 'PRIMARY', cltv: '80.000000', state: 'OH' },
    { loan_purpose: 'REFI', occupancy: 'SECOND', cltv: null, state: 'TX' },
    { loan_purpose: 'CASHOUT', occupancy: 'INVESTOR', cltv: '75.500000', state: 'CA' },
    { loan_purpose: null, occupancy: 'PRIMARY', cltv: '90.000000', state: 'NY' },
  ]);
});

test('a Prosper tape takes the rate of the note, a year of income and the status in its words', async () => {
  await using room = await openRoom();
  const header =
    'ListingKey,LoanNumber,LoanStatus,BorrowerAPR,BorrowerRate,LoanOriginalAmount,StatedMonthlyIncome,DebtToIncomeRatio';
  const rows = ['k1,1,Completed,0.1652,0.158,9425,3083.3333,0.17', 'k2,2,Past Due (31-60 days),0.1202,0.092,10000,6125,0.18'];
  const { tape, sources } = await take(room, 'Personal', header, rows);
  assert.deepEqual([sources.loan_id, sources.interest_rate], ['LoanNumber', 'BorrowerRate']);
  assert.deepEqual(await tape.loans('interest_rate::VARCHAR AS rate, annual_income::VARCHAR AS income, loan_status'), [
    { rate: '15.800000', income: '36999.999600', loan_status: 'PAID' },
    { rate: '9.200000', income: '73500.000000', loan_status: 'LATE_31_120' },
  ]);
});

test('the file of Fannie Mae without a header is read by the names of its layout, and that is told', async () => {
  await using room = await openRoom();
  const row = (index: number) => fannieMae(110, { 1: `1000073651${10 + index}`, 11: `${248113 - index}.52` }).join('|');
  const rows = Array.from({ length: 30 }, (_, index) => row(index));
  const { tape, sources } = await take(room, 'Mortgage', rows[0] ?? '', rows.slice(1));
  assert.equal(tape.rows, 30);
  assert.deepEqual(
    [
      sources.loan_id,
      sources.interest_rate,
      sources.original_balance,
      sources.current_balance,
      sources.origination_date,
      sources.state,
    ],
    ['LOAN_ID', 'CURR_RATE', 'ORIG_UPB', 'CURRENT_UPB', 'ORIG_DATE', 'STATE'],
  );
  const [loan] = await tape.loans(
    'loan_id, current_balance::VARCHAR AS balance, origination_date::VARCHAR AS opened, interest_rate::VARCHAR AS rate',
  );
  assert.deepEqual(loan, { loan_id: '100007365110', balance: '248113.520000', opened: '2019-11-01', rate: '4.125000' });
  assert.equal((await tape.issues('LAYOUT_RECOGNISED')).length, 1);
});
