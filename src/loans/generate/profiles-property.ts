import { addMonths } from './loan-terms.ts';
import { column, idDigits, type TapeProfile, words } from './profile.ts';

/** First-lien mortgages in the manner of agency disclosures: months as MM/YYYY, codes of one letter. */
export const MORTGAGE: TapeProfile = {
  type: 'Mortgage',
  terms: {
    terms: [180, 180, 240, 360, 360, 360, 360, 360],
    amount: [60_000, 1_100_000],
    roundTo: 1_000,
    rate: [2.75, 8.25],
    rateDigits: 3,
    score: { middle: 745, spread: 35, least: 620, most: 845 },
    maxAgeMonths: 110,
  },
  dateStyle: 'US',
  monthStyle: 'MM/YYYY',
  moneyStyle: 'PLAIN',
  percentStyle: 'PLAIN',
  columns: [
    column('Loan Identifier', 'loan_id', 'text', (loan) => idDigits(loan.number, 12)),
    column('Monthly Reporting Period', 'reporting_date', 'date', (loan) => loan.reportingDate),
    column('Origination Date', 'origination_date', 'month', (loan) => loan.originationDate),
    column('First Payment Date', 'first_payment_date', 'month', (loan) => loan.firstPaymentDate),
    column('Maturity Date', 'maturity_date', 'month', (loan) => loan.maturityDate),
    column('Original UPB', 'original_balance', 'money', (loan) => loan.originalCents),
    column('Current Actual UPB', 'current_balance', 'money', (loan) => loan.currentCents),
    column('Original Loan Term', 'original_term_months', 'integer', (loan) => loan.termMonths),
    column('Remaining Months to Maturity', 'remaining_term_months', 'integer', (loan) => loan.remainingMonths),
    column('Loan Age', 'loan_age_months', 'integer', (loan) => loan.ageMonths),
    column('Current Interest Rate', 'interest_rate', 'percent', (loan) => loan.ratePercent),
    words('Amortization Type', 'amortization_type', ['FRM', 'FRM', 'FRM', 'ARM']),
    column('Borrower Credit Score', 'credit_score', 'integer', (loan) => loan.score),
    column('Loan-To-Value (LTV)', 'ltv', 'percent', (loan) => loanToValue(loan.number)),
    column(
      'Combined Loan-To-Value (CLTV)',
      'cltv',
      'percent',
      (loan) => loanToValue(loan.number) + (loan.number % 9 === 0 ? 5 : 0),
    ),
    column('Debt-To-Income (DTI)', 'dti', 'percent', (_, random) => random.integer(12, 49)),
    words('Occupancy Status', 'occupancy', ['P', 'P', 'P', 'P', 'S', 'I']),
    words('Property Type', 'property_type', ['SF', 'SF', 'SF', 'PU', 'CO', 'MH']),
    words('Number of Units', 'units', ['1', '1', '1', '1', '1', '2']),
    words('Loan Purpose', 'loan_purpose', ['P', 'P', 'C', 'N']),
    words('Lien Position', 'lien_position', ['1']),
    column('Property State', 'state', 'text', (loan) => loan.state),
    column('Property Zip', 'zip3', 'text', (_, random) => String(random.integer(10, 999)).padStart(3, '0')),
    words('Channel', 'channel', ['R', 'R', 'B', 'C']),
    words('First Time Home Buyer Indicator', 'first_time_buyer', ['N', 'N', 'N', 'Y']),
    words('Number of Borrowers', 'borrower_count', ['1', '2', '2']),
    column('Days Delinquent', 'days_past_due', 'integer', (loan) => loan.daysPastDue),
    words('Modification Flag', 'modified', ['N']),
  ],
};

function loanToValue(number: number): number {
  return 45 + ((number * 37) % 51);
}

const TRADES = [
  ['722511', 'Phoenix'],
  ['541110', 'Boston'],
  ['621210', 'Columbus'],
  ['238220', 'Dallas'],
  ['812112', 'Tampa'],
  ['484110', 'Fresno'],
  ['111998', 'Omaha'],
];

/** Small-business loans with a government guarantee, as the agency's own files name the columns. */
export const BUSINESS: TapeProfile = {
  type: 'Business',
  terms: {
    terms: [60, 84, 84, 120, 120, 240, 300],
    amount: [15_000, 2_500_000],
    roundTo: 100,
    rate: [5.25, 14.5],
    rateDigits: 2,
    score: { middle: 715, spread: 40, least: 600, most: 840 },
    maxAgeMonths: 55,
  },
  dateStyle: 'US',
  monthStyle: 'MM/YYYY',
  moneyStyle: 'DOLLARS',
  percentStyle: 'SIGN',
  columns: [
    column('LoanNr_ChkDgt', 'loan_id', 'text', (loan) => idDigits(loan.number, 10)),
    column('Customer ID', 'obligor_id', 'text', (_, random) => `BC${random.integer(100_000, 999_999)}`),
    column('Approval Date', 'approval_date', 'date', (loan) => addMonths(loan.originationDate, -1)),
    column('Disbursement Date', 'disbursement_date', 'date', (loan) => loan.originationDate),
    column('Maturity Date', 'maturity_date', 'date', (loan) => loan.maturityDate),
    column('Approved Amount', 'approved_amount', 'money', (loan) => loan.originalCents),
    column('DisbursementGross', 'original_balance', 'money', (loan) => loan.originalCents),
    column('BalanceGross', 'current_balance', 'money', (loan) => loan.currentCents),
    column('Term', 'original_term_months', 'integer', (loan) => loan.termMonths),
    column('Remaining Term', 'remaining_term_months', 'integer', (loan) => loan.remainingMonths),
    column('Initial Interest Rate', 'interest_rate', 'percent', (loan) => loan.ratePercent),
    words('Rate Type', 'rate_type', ['V', 'V', 'F']),
    column('SBA Guaranteed Portion', 'guarantee_amount', 'money', (loan) => Math.round(loan.originalCents * 0.75)),
    column('NAICS', 'naics', 'text', (loan) => TRADES[loan.number % TRADES.length][0]),
    words('BusinessType', 'business_type', ['Corporation', 'Limited Liability Company(LLC)', 'Sole Proprietorship']),
    column('Years in Business', 'years_in_business', 'number', (_, random) => random.integer(1, 300) / 10),
    column('NoEmp', 'employees', 'integer', (_, random) => random.integer(1, 60)),
    column('Guarantor FICO', 'owner_credit_score', 'integer', (loan) => loan.score),
    column('DSCR', 'dscr', 'number', (_, random) => random.integer(105, 310) / 100),
    column('City', 'city', 'text', (loan) => TRADES[loan.number % TRADES.length][1]),
    column('State', 'state', 'text', (loan) => loan.state),
    column('Zip', 'zip', 'text', (_, random) => String(random.integer(501, 99_950)).padStart(5, '0')),
    words('Lender', 'lender', ['First Harbor Bank', 'United Fidelity Bank, FSB', 'Northline Capital']),
    column('Days Past Due', 'days_past_due', 'integer', (loan) => loan.daysPastDue),
    column('LoanStatus', 'status', 'text', (loan) => (loan.daysPastDue > 0 ? 'Delinquent' : 'Current')),
  ],
};
