import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType } from '../types.ts';

/** One row that breaks one rule: header and values beside a sound id and amount. */
type Case = { loanType: LoanType; rule: string; field: string; columns: Record<string, string>; actual?: string };

const CASES: Case[] = [
  { loanType: 'Auto', rule: 'OUT_OF_RANGE', field: 'credit_score', columns: { FICO: '1200' }, actual: '1200' },
  { loanType: 'Auto', rule: 'OUT_OF_RANGE', field: 'interest_rate', columns: { APR: '36.01%' }, actual: '36.01%' },
  { loanType: 'Auto', rule: 'OUT_OF_RANGE', field: 'current_balance', columns: { 'Current Balance': '-100.01' } },
  { loanType: 'Auto', rule: 'OUT_OF_RANGE', field: 'vehicle_model_year', columns: { 'Model Year': '2028' } },
  { loanType: 'Auto', rule: 'OUT_OF_RANGE', field: 'origination_date', columns: { 'Contract Date': '1989-12-31' } },
  { loanType: 'Auto', rule: 'DATE_IN_FUTURE', field: 'origination_date', columns: { 'Contract Date': '2026-11-21' } },
  { loanType: 'Auto', rule: 'NOT_WHOLE', field: 'original_term_months', columns: { 'Original Term': '60.5' } },
  {
    loanType: 'Auto',
    rule: 'MATURITY_NOT_AFTER_ORIGINATION',
    field: 'maturity_date',
    columns: { 'Contract Date': '2020-01-01', Maturity: '2020-01-01' },
  },
  {
    loanType: 'Auto',
    rule: 'FIRST_PAYMENT_BEFORE_ORIGINATION',
    field: 'first_payment_date',
    columns: { 'Contract Date': '2020-01-01', 'First Pmt Date': '2019-12-31' },
  },
  {
    loanType: 'Auto',
    rule: 'MATURITY_BEFORE_FIRST_PAYMENT',
    field: 'maturity_date',
    columns: { 'First Pmt Date': '2020-02-01', Maturity: '2020-01-01' },
  },
  {
    loanType: 'Auto',
    rule: 'REPORTED_BEFORE_ORIGINATION',
    field: 'reporting_date',
    columns: { 'Contract Date': '2020-01-01', 'Cutoff Date': '2019-12-31' },
  },
  {
    loanType: 'Auto',
    rule: 'REMAINING_TERM_ABOVE_ORIGINAL',
    field: 'remaining_term_months',
    columns: { 'Original Term': '60', 'Rem Term': '73' },
  },
  {
    loanType: 'Auto',
    rule: 'TERM_DISAGREES_WITH_DATES',
    field: 'original_term_months',
    columns: { 'Original Term': '60', 'Contract Date': '2020-01-01', Maturity: '2027-01-01' },
  },
  {
    loanType: 'Auto',
    rule: 'MODEL_YEAR_AFTER_ORIGINATION',
    field: 'vehicle_model_year',
    columns: { 'Model Year': '2023', 'Contract Date': '2020-01-01' },
  },
  { loanType: 'Auto', rule: 'BALANCE_ABOVE_ORIGINAL', field: 'current_balance', columns: { 'Current Balance': '12000.01' } },
  { loanType: 'Auto', rule: 'LTV_DISAGREES', field: 'ltv', columns: { LTV: '90%', MSRP: '10000' } },
  {
    loanType: 'Auto',
    rule: 'PAYMENT_IMPLAUSIBLE',
    field: 'scheduled_payment',
    columns: { 'Monthly Payment': '1200', APR: '6%', 'Original Term': '60' },
  },
  {
    loanType: 'Auto',
    rule: 'CHARGE_OFF_ABOVE_ORIGINAL',
    field: 'charged_off_amount',
    columns: { 'Charge-Off Amount': '12000.01' },
  },
  {
    loanType: 'Auto',
    rule: 'ZERO_BALANCE_CODE_WITH_BALANCE',
    field: 'zero_balance_code',
    columns: { 'Zero Balance Code': '4', 'Current Balance': '9000' },
  },
  { loanType: 'Auto', rule: 'STATE_CODE_UNKNOWN', field: 'state', columns: { Obligor_State: 'ZZ' } },
  { loanType: 'Mortgage', rule: 'CLTV_BELOW_LTV', field: 'cltv', columns: { CLTV: '79%', LTV: '80%' } },
  { loanType: 'Mortgage', rule: 'NET_RATE_ABOVE_RATE', field: 'net_rate', columns: { 'Net Rate': '6.1%', 'Note Rate': '6%' } },
  {
    loanType: 'Mortgage',
    rule: 'OUT_OF_RANGE',
    field: 'original_term_months',
    columns: { 'Loan Term': '999999.375' },
    actual: '999999.375',
  },
  { loanType: 'Mortgage', rule: 'BALANCE_ABOVE_ORIGINAL', field: 'current_balance', columns: { 'Current UPB': '12500.01' } },
  { loanType: 'Personal', rule: 'FUNDED_ABOVE_REQUESTED', field: 'original_balance', columns: { 'Amount.Requested': '9999' } },
  {
    loanType: 'Personal',
    rule: 'STATUS_DISAGREES_WITH_DELINQUENCY',
    field: 'loan_status',
    columns: { loan_status: 'Current', DPD: '31' },
  },
  {
    loanType: 'Personal',
    rule: 'PAID_WITH_BALANCE',
    field: 'loan_status',
    columns: { loan_status: 'Fully Paid', out_prncp: '5' },
  },
  {
    loanType: 'Personal',
    rule: 'REMAINING_TERM_ABOVE_ORIGINAL',
    field: 'remaining_term_months',
    columns: { term: '36', remaining_term: '37' },
  },
  {
    loanType: 'Business',
    rule: 'DISBURSED_BEFORE_APPROVAL',
    field: 'disbursement_date',
    columns: { DateApproved: '2020-05-01', DisbursementDate: '2020-04-30' },
  },
  {
    loanType: 'Business',
    rule: 'GUARANTEE_ABOVE_APPROVED',
    field: 'guarantee_amount',
    columns: { SBA_Appv: '101', GrAppv: '100' },
  },
  {
    loanType: 'Student',
    rule: 'LAST_DISBURSEMENT_BEFORE_FIRST',
    field: 'final_disbursement_date',
    columns: { 'Disbursement Date': '2020-05-01', 'Final Disbursement Date': '2020-04-30' },
  },
  {
    loanType: 'Credit Card',
    rule: 'UTILIZATION_DISAGREES',
    field: 'utilization',
    columns: { Utilization: '80%', 'Current Balance': '5000' },
  },
];

for (const { loanType, rule, field, columns, actual } of CASES) {
  test(`${loanType}: ${rule} on ${field} is reported with what was seen, and the value is kept`, async () => {
    await using room = await openRoom();
    const head = loanType === 'Credit Card' ? 'account_id,Credit Limit' : 'Loan ID,Original Balance';
    const names = Object.keys(columns).map((name) => name.replace('Obligor_State', 'State'));
    const states = names.includes('State') ? '\nL2,10000,NC\nL3,10000,SC\nL4,10000,TX' : '';
    const csv = `${head},${names.join(',')}\nL1,10000,${Object.values(columns).join(',')}${states}\n`;
    const tape = await room.take({ loanType, csv });
    const found = (await tape.issues(rule)).filter((issue) => issue.field === field);
    assert.equal(found.length, 1, JSON.stringify(await tape.issues()));
    const [issue] = found;
    assert.equal(issue?.row_number, 1);
    assert.equal(issue?.severity, 'WARNING');
    assert.ok(issue?.actual && issue.expected && issue.message.length > 20, JSON.stringify(issue));
    if (actual) assert.equal(issue.actual, actual);
    const [loan] = await tape.loans(field);
    assert.notEqual(loan?.[field], null);
  });
}

test('values on the border of their range are inside it', async () => {
  await using room = await openRoom();
  const csv =
    'Loan ID,Original Balance,Current Balance,Original Term,Rem Term,APR,FICO,Contract Date,Maturity\n' +
    'L1,500000,-100,96,108,36%,900,2026-11-20,2034-11-20\nL2,500000,600000,1,0,0%,300,1990-01-01,1990-02-01\n';
  const tape = await room.take({ loanType: 'Auto', csv });
  const rows = (await tape.issues()).filter((issue) => issue.row_number !== null);
  assert.deepEqual(rows, []);
});

test('a missing value of a required field is reported for its row, one of another field is not', async () => {
  await using room = await openRoom();
  const csv = 'Loan ID,Original Balance,State,FICO\nL1,100,NC,\nL2,100,,700\nL3,100,SC,700\n';
  const tape = await room.take({ loanType: 'Auto', csv });
  assert.deepEqual(
    (await tape.issues('MISSING_VALUE')).map((issue) => [issue.row_number, issue.field]),
    [[2, 'state']],
  );
});

test('an account id with the check digit of a card number is reported and masked', async () => {
  await using room = await openRoom();
  // 4111111111111111 is the test number of ISO/IEC 7812; the second differs in its check digit
  const tape = await room.take({
    loanType: 'Credit Card',
    csv: 'account_id,Credit Limit\n4111111111111111,5\n4111111111111112,6\n',
  });
  const issues = await tape.issues('CARD_NUMBER_AS_ID');
  assert.deepEqual(
    issues.map((issue) => [issue.row_number, issue.actual]),
    [[1, '************1111']],
  );
});

test('ids of more than 15 digits are kept and reported once for the tape', async () => {
  await using room = await openRoom();
  const tape = await room.take({
    loanType: 'Auto',
    csv: 'Loan ID,Original Balance\n998989999995846784,100\n998989999995846784,200\n',
  });
  const finding = tape.tape_findings.find((finding) => finding.rule_id === 'LONG_NUMERIC_ID');
  assert.match(finding?.message ?? '', /2 ids have more than 15 digits.*2 rows share 1 ids/);
  assert.equal((await tape.issues('DUPLICATE_LOAN_ID')).length, 2);
});

test('protected attributes and numbers that stand for nothing are named', async () => {
  await using room = await openRoom();
  const csv = 'Loan ID,Original Balance,black,gdlin\nL1,100,1,1\nL2,100,0,0\nL3,100,0,666\n';
  const tape = await room.take({ loanType: 'Auto', csv });
  assert.equal(tape.tape_findings.find((finding) => finding.rule_id === 'PROTECTED_ATTRIBUTE')?.actual, 'black');
  assert.equal(tape.tape_findings.find((finding) => finding.rule_id === 'SENTINEL_SUSPECTED')?.actual, '1 × 666');
});

test('a mapped column without one readable value is reported', async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Auto', csv: 'Loan ID,Original Balance,State\nL1,100,NA\nL2,100,\n' });
  assert.equal(tape.tape_findings.find((finding) => finding.rule_id === 'EMPTY_COLUMN')?.field, 'state');
});
