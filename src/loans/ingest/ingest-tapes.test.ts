import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType } from '../types.ts';

// each tape's oddities: ../shared/data/tapes/MANIFEST.json
type Expectation = {
  path: string;
  loanType: LoanType;
  rows: number;
  rejected: number;
  total_balance: string;
  mapped: Record<string, string>;
  decisions?: RegExp[];
  findings?: string[];
};

const TAPES: Expectation[] = [
  {
    path: 'auto/world_omni_first1000_typed.xlsx',
    loanType: 'Auto',
    rows: 1000,
    rejected: 0,
    total_balance: '24072455.07',
    mapped: { interest_rate: 'originalInterestRatePercentage', credit_score: 'obligorCreditScore' },
    decisions: [
      /"originalInterestRatePercentage": read as percent \(1000 values carry a % sign\)/,
      /"originationDate": dates read as MM\/YYYY/,
    ],
    findings: ['LONG_NUMERIC_ID', 'DUPLICATE_LOAN_IDS'],
  },
  {
    path: 'personal/LoanStats3a_trimmed_by_publisher.csv',
    loanType: 'Personal',
    rows: 39786,
    rejected: 0,
    total_balance: '446850900.00',
    mapped: { original_balance: 'loan_amnt', zip3: 'zip_code', loan_status: 'loan_status' },
    decisions: [/days_past_due: derived from loan_status/],
    findings: ['MISSING_REQUIRED_FIELD'],
  },
  {
    path: 'personal/berka_czech_loan.csv',
    loanType: 'Personal',
    rows: 682,
    rejected: 0,
    total_balance: '103261740.00',
    mapped: { original_balance: 'amount', scheduled_payment: 'payments', origination_date: 'Date' },
    decisions: [/Running Contract → CURRENT/],
    findings: ['INTEREST_FREE_SCHEDULE'],
  },
  ...(['GU', 'AK'] as const).map((state) => ({
    path: `business/ppp_foia_up_to_150k_${state}.csv`,
    loanType: 'Business' as const,
    rows: { GU: 1868, AK: 9515 }[state],
    rejected: { GU: 0, AK: 4 }[state],
    total_balance: '',
    mapped: { original_balance: 'LoanAmount', zip: 'Zip', naics: 'NAICSCode', approval_date: 'DateApproved' },
    decisions: [/loan_id: no column gives it, so row numbers serve/],
    findings: ['PROTECTED_ATTRIBUTE', 'MISSING_REQUIRED_FIELD'],
  })),
  {
    path: 'business/ppp_VI_date_cells.xlsx',
    loanType: 'Business',
    rows: 1724,
    rejected: 5,
    total_balance: '51581601.68',
    mapped: { approval_date: 'DateApproved', zip: 'Zip' },
    decisions: [/"DateApproved": dates read as YYYY-MM-DD/],
  },
  {
    path: 'creditcard/uci_first10000_two_header_rows.xlsx',
    loanType: 'Credit Card',
    rows: 10000,
    rejected: 0,
    total_balance: '498528724.00',
    mapped: { account_id: 'ID', credit_limit: 'LIMIT_BAL', days_past_due: 'PAY_0' },
    decisions: [/"PAY_0": multiplied by 30/],
    findings: ['PROTECTED_ATTRIBUTE'],
  },
  {
    path: 'mortgage/boston_fed_hmda_loanapp.xlsx',
    loanType: 'Mortgage',
    rows: 1989,
    rejected: 0,
    total_balance: '284915000.00',
    mapped: { original_balance: 'loanamt', ltv: 'loanprc', original_term_months: 'term' },
    findings: ['SCALE_ASSUMED', 'PROTECTED_ATTRIBUTE', 'SENTINEL_SUSPECTED'],
  },
  {
    path: 'student/lendingclub_educational_purpose_rows.xlsx',
    loanType: 'Student',
    rows: 15,
    rejected: 1,
    total_balance: '65850.00',
    mapped: { annual_income: 'Monthly.Income', credit_score: 'FICO.Range' },
    findings: ['MISSING_REQUIRED_FIELD'],
  },
];

for (const expected of TAPES) {
  const file = `data/tapes/${expected.path}`;
  test(`${expected.path} is read with its oddities reported`, { skip: skipWithout(file) }, async () => {
    await using room = await openRoom();
    const format = expected.path.endsWith('.xlsx') ? 'xlsx' : 'csv';
    const tape = await room.take({ loanType: expected.loanType, path: sharedPath(file) as string, format });
    assert.deepEqual([tape.rows, tape.rejected, tape.qc_failed], [expected.rows, expected.rejected, false]);
    if (expected.total_balance) assert.equal(tape.total_balance, expected.total_balance);
    for (const [target, source] of Object.entries(expected.mapped))
      assert.equal(tape.mapping.mappings.find((entry) => entry.target === target)?.source, source, target);
    for (const decision of expected.decisions ?? []) assert.match(tape.decisions.join('\n'), decision);
    for (const rule of expected.findings ?? [])
      assert.ok(
        tape.tape_findings.some((finding) => finding.rule_id === rule),
        rule,
      );
  });
}

const BOSTON = 'data/tapes/mortgage/boston_fed_hmda_loanapp.csv';

test('the nominal 80 % of the Boston tape is 80.000001, and its four impossible terms are reported', {
  skip: skipWithout(BOSTON),
}, async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Mortgage', path: sharedPath(BOSTON) as string });
  const loans = await tape.loans('count(*) FILTER (ltv = 80.000001) AS artefacts, count(*) FILTER (ltv <= 80) AS at_most');
  // 929 loans pass at most 0.80 exactly, 247 are stored as 0.800000011920929 (tape_goldens.json, mortgage_boston_fed)
  assert.deepEqual(loans, [{ artefacts: 247, at_most: 929 }]);
  const terms = (await tape.issues('OUT_OF_RANGE')).filter((issue) => issue.actual === '999999.375');
  assert.equal(terms.length, 4);
});

const CARDS = 'data/tapes/creditcard/berka_czech_card.csv';

test('a tape of cards without any amount waits for a mapping', { skip: skipWithout(CARDS) }, async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Credit Card', path: sharedPath(CARDS) as string });
  assert.deepEqual([tape.needs_mapping, tape.rows, tape.accepted], [true, 892, 0]);
});

const LENDING = 'data/tapes/personal/loansData_lendingclub_2500.csv';

test('amounts of nothing and less are rejected with their reason', { skip: skipWithout(LENDING) }, async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Personal', path: sharedPath(LENDING) as string });
  const rejected = await tape.issues('AMOUNT_NOT_POSITIVE');
  assert.equal(rejected.length, 6);
  assert.ok(rejected.some((issue) => issue.actual === '-0.01' && issue.message.includes('-0.01')));
});
