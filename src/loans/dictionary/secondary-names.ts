import type { LoanType } from '../types.ts';
import type { Field } from './field.ts';
import { FOREIGN_NAMES } from './foreign-names.ts';

type Names = {
  field: string;
  names: readonly string[];
  standIns?: Field['standIns'];
  only?: readonly LoanType[];
  except?: readonly LoanType[];
};

const WHOSE_PERIOD = 'an income that is not said to be that of a year';
const PRICE = 'the price of the vehicle, not its value';

/**
 * Names beside those of the sources of each type: originators bring the words of one trade to the next. A type has them where none of its
 * fields has the name already, and any other name of a field goes before one of them.
 */
export const SECONDARY_NAMES: readonly Names[] = [
  {
    field: 'loan_id',
    names: [
      'Loan Identifier',
      'Loan Reference',
      'Loan Ref',
      'Receivable Number',
      'Receivable ID',
      'Asset Number',
      'Asset ID',
      'Prospectus Loan ID',
    ],
  },
  {
    field: 'obligor_id',
    names: ['Customer ID', 'Customer Number', 'Borrower ID', 'Borrower Number', 'Obligor ID', 'Obligor Number', 'Client ID'],
  },
  {
    field: 'reporting_date',
    names: [
      'Monthly Reporting Period',
      'Reporting Period End Date',
      'Period End Date',
      'Report Date',
      'As Of',
      'Data Date',
      'Snapshot Date',
      'Month End Date',
      'Month End',
      'Statistical Cut-off Date',
    ],
  },
  {
    field: 'origination_date',
    names: [
      'Contract Date',
      'Loan Date',
      'Note Date',
      'Funded Date',
      'Funding Date',
      'Issue Date',
      'Disbursement Date',
      'First Disbursement Date',
      'Disb Date',
      'Open Date',
      'Date Opened',
      'Opened Date',
      'Account Open Date',
      'Booked Date',
      'Booking Date',
      'Loan Start Date',
      'Start Date',
      'Activation Date',
    ],
  },
  {
    field: 'first_payment_date',
    names: ['First Due Date', 'First Payment Due Date', '1st Payment Date', 'First Installment Date', 'First Instalment Date'],
  },
  {
    field: 'maturity_date',
    names: [
      'Scheduled Maturity Date',
      'Stated Maturity Date',
      'Stated Maturity',
      'Original Maturity Date',
      'Final Payment Date',
      'Final Due Date',
      'Loan End Date',
      'Contract End Date',
      'End Date',
    ],
  },
  {
    field: 'original_balance',
    names: [
      'Original UPB',
      'Orig UPB',
      'Original Principal',
      'Original Principal Balance',
      'Initial Balance',
      'Initial Principal Balance',
      'Funded Amount',
      'Amount Funded',
      'Disbursed Amount',
      'Amount Disbursed',
      'Principal Disbursed',
      'Total Disbursed',
      'Amount Advanced',
      'Principal Amount',
      'Loan Principal',
    ],
  },
  {
    field: 'current_balance',
    names: [
      'Principal Balance',
      'Current Principal',
      'Current Principal Balance',
      'Outstanding Balance',
      'Outstanding Principal Balance',
      'Outstanding Principal',
      'Outstanding Amount',
      'Amount Outstanding',
      'Unpaid Principal Balance',
      'Unpaid Balance',
      'UPB',
      'Current UPB',
      'Cur UPB',
      'Curr UPB',
      'Actual UPB',
      'Actual Balance',
      'Remaining Balance',
      'Remaining Principal',
      'Remaining Principal Balance',
      'Ending Balance',
      'Ending Principal Balance',
      'Closing Balance',
      'Cut-off Balance',
      'Cut-off Date Balance',
      'Cut-off Date Principal Balance',
      'Statistical Cut-off Balance',
      'Balance',
    ],
    standIns: { Balance: 'a balance that is not said to be the current one' },
  },
  {
    field: 'original_term_months',
    names: ['Term', 'Loan Term', 'Contract Term', 'Term in Months', 'Original Term to Maturity', 'Tenor', 'Tenure'],
  },
  // Leases and advances to businesses are paid by the day, the week or the quarter too.
  {
    field: 'original_term_months',
    names: ['Number of Payments', 'Number of Installments', 'Number of Instalments'],
    except: ['Business'],
  },
  {
    field: 'remaining_term_months',
    names: [
      'Months Remaining',
      'Months to Maturity',
      'Months Left',
      'Remaining Months to Maturity',
      'Remaining Term to Maturity',
      'Stated Remaining Term',
      'Remaining Tenor',
    ],
  },
  { field: 'remaining_term_months', names: ['Payments Remaining', 'Remaining Payments'], except: ['Business'] },
  {
    field: 'interest_rate',
    names: [
      'Contract Rate',
      'Coupon',
      'Coupon Rate',
      'Gross Coupon',
      'Current Rate',
      'Note Rate',
      'Current Note Rate',
      'Borrower Rate',
      'Customer Rate',
      'Gross Rate',
      'Nominal Rate',
      'Nominal Interest Rate',
      'Annual Interest Rate',
      'WAC',
    ],
  },
  // Of a mortgage it holds the costs of the loan.
  { field: 'interest_rate', names: ['APR', 'Annual Percentage Rate'], except: ['Mortgage', 'Business'] },
  {
    field: 'scheduled_payment',
    names: [
      'P&I',
      'P&I Payment',
      'Monthly P&I',
      'Scheduled Monthly Payment',
      'Installment',
      'Installment Amount',
      'Monthly Installment',
      'Instalment',
      'Instalment Amount',
      'Monthly Instalment',
      'Regular Payment',
      'EMI',
    ],
  },
  {
    field: 'credit_score',
    names: [
      'Bureau Score',
      'Credit Bureau Score',
      'Original Credit Score',
      'Original FICO',
      'Orig FICO',
      'Classic FICO',
      'Beacon Score',
      'Vantage Score',
    ],
  },
  {
    field: 'days_past_due',
    names: [
      'Number of Days Past Due',
      'Delinquency Days',
      'Days Late',
      'Days Overdue',
      'Overdue Days',
      'Days in Arrears',
      'Number of Days in Arrears',
      'Arrears Days',
    ],
  },
  { field: 'state', names: ['State Code', 'ST'] },
  // That of a mortgage is the state of the property.
  {
    field: 'state',
    names: [
      'Obligor State',
      'Borrower State',
      'Customer State',
      'Billing State',
      'Residence State',
      'State of Residence',
      'Address State',
    ],
    except: ['Mortgage'],
  },
  {
    field: 'annual_income',
    names: ['Gross Annual Income', 'Annual Gross Income', 'Yearly Income', 'Gross Income', 'Stated Income', 'Borrower Income'],
    standIns: { 'Gross Income': WHOSE_PERIOD, 'Stated Income': WHOSE_PERIOD, 'Borrower Income': WHOSE_PERIOD },
  },
  {
    field: 'dti',
    names: [
      'Original DTI',
      'Back End DTI',
      'Debt to Income',
      'Debt-to-Income Ratio',
      'Debt-To-Income (DTI)',
      'Original Debt-to-Income (DTI) Ratio',
    ],
  },
  { field: 'ltv', names: ['OLTV', 'LTV Ratio', 'Loan-To-Value (LTV)', 'Original Loan-to-Value (LTV)'] },
  // By type.
  { field: 'loan_id', names: ['Mortgage ID', 'Mortgage Loan Number', 'Servicer Loan Number'], only: ['Mortgage'] },
  { field: 'loan_id', names: ['Facility ID'], only: ['Business'] },
  { field: 'account_id', names: ['Account Reference', 'Account Ref'] },
  { field: 'open_date', names: ['Date Opened', 'Opened Date'] },
  { field: 'original_balance', names: ['Original Note Amount', 'Advance Amount'], only: ['Mortgage'] },
  {
    field: 'current_balance',
    names: ['Account Balance', 'Receivable Balance', 'Receivables Balance', 'Principal Receivables', 'Total Balance'],
    only: ['Credit Card'],
  },
  { field: 'credit_limit', names: ['Card Limit', 'Limit Amount', 'Total Credit Line'] },
  { field: 'min_payment_due', names: ['Min Payment', 'Min Payment Due', 'Min Pmt'] },
  { field: 'utilization', names: ['Utilization Rate', 'Credit Utilization'] },
  { field: 'interest_rate', names: ['Mortgage Rate'], only: ['Mortgage'] },
  {
    field: 'interest_rate',
    names: ['APR'],
    standIns: { APR: 'the annual percentage rate, which holds fees beside the interest' },
    only: ['Business'],
  },
  { field: 'apr', names: ['Annual Percentage Rate', 'Retail APR', 'Rate'] },
  { field: 'credit_score', names: ['Current FICO', 'Refreshed FICO', 'Updated FICO'], only: ['Credit Card'] },
  { field: 'credit_score', names: ['Representative Credit Score', 'Qualifying FICO', 'Borrower FICO'], only: ['Mortgage'] },
  { field: 'state', names: ['Cardholder State'], only: ['Credit Card'] },
  { field: 'property_type', names: ['Property Type Code', 'Dwelling Type'] },
  { field: 'occupancy', names: ['Occupancy Code'] },
  { field: 'loan_purpose', names: ['Purpose Code'], only: ['Mortgage'] },
  { field: 'loan_purpose', names: ['Use of Funds', 'Use of Proceeds'], only: ['Personal'] },
  { field: 'lien_position', names: ['Lien Priority'] },
  { field: 'zip3', names: ['Postcode'] },
  { field: 'vehicle_make', names: ['Vehicle Manufacturer', 'Collateral Make', 'Auto Make'] },
  { field: 'vehicle_model', names: ['Model Name', 'Collateral Model'] },
  { field: 'vehicle_model_year', names: ['Collateral Year', 'Auto Year'] },
  { field: 'new_used', names: ['New Used Flag', 'New/Used Indicator'] },
  {
    field: 'vehicle_value',
    names: ['Book Value', 'Retail Value', 'Vehicle Price', 'Invoice Price', 'Cash Price'],
    standIns: { 'Vehicle Price': PRICE, 'Invoice Price': PRICE, 'Cash Price': PRICE },
  },
  { field: 'employment_length_years', names: ['Years Employed', 'Years at Job', 'Employment Tenure'] },
  { field: 'home_ownership', names: ['Housing Status', 'Own/Rent', 'Residential Status'] },
  { field: 'grade', names: ['Credit Grade', 'Risk Grade', 'Loan Grade', 'Risk Tier'] },
  { field: 'program', names: ['Loan Program', 'Program Type'] },
  { field: 'status', names: ['Repayment Status'], only: ['Student'] },
  { field: 'cosigner', names: ['Cosigner Flag', 'Co-signer Flag', 'Has Cosigner'] },
  { field: 'degree', names: ['Degree Type'] },
  { field: 'dscr', names: ['Debt Service Coverage', 'Debt Service Coverage Ratio'] },
  { field: 'years_in_business', names: ['TIB'] },
];

/** The fields of a type with the names that none of them has. */
export function withSecondaryNames(
  type: LoanType,
  fields: readonly Field[],
  normalize: (name: string) => string,
): readonly Field[] {
  const taken = new Set(fields.flatMap(({ field, aliases }) => [field, ...aliases]).map(normalize));
  return fields.map((field) => {
    const given = SECONDARY_NAMES.filter((each) => each.field === field.field && isOf(type, each));
    const names = [...given.flatMap((each) => each.names), ...(FOREIGN_NAMES[field.field] ?? [])];
    const added = names.filter((name) => !taken.has(normalize(name)));
    if (added.length === 0) return field;
    const near = given.flatMap(({ standIns = {} }) => Object.entries(standIns)).filter(([name]) => added.includes(name));
    return {
      ...field,
      aliases: [...field.aliases, ...added],
      secondary: new Set(added),
      standIns: { ...field.standIns, ...Object.fromEntries(near) },
    };
  });
}

/** Whether a type has the names of an entry for a field that it has. */
export const isOf = (type: LoanType, { only, except }: Pick<Names, 'only' | 'except'>): boolean =>
  (only?.includes(type) ?? true) && !except?.includes(type);
