import type { LoanType } from '../types.ts';
import type { Field } from './field.ts';
import { FOREIGN_NAMES } from './foreign-names.ts';

type Names = { field: string; aliases: readonly string[]; standIns?: Field['standIns']; except?: readonly LoanType[] };

const WHOSE_PERIOD = 'an income that is not said to be that of a year';

/**
 * Names that mean the same field whatever the type of the loans, as tapes of every kind have them: originators bring the words of one trade
 * to the next. A type has them behind its own, but for those that one of its fields has already.
 */
export const COMMON_NAMES: readonly Names[] = [
  {
    field: 'loan_id',
    aliases: [
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
    aliases: ['Customer ID', 'Customer Number', 'Borrower ID', 'Borrower Number', 'Obligor ID', 'Obligor Number', 'Client ID'],
  },
  {
    field: 'reporting_date',
    aliases: [
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
    aliases: [
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
    aliases: ['First Due Date', 'First Payment Due Date', '1st Payment Date', 'First Installment Date', 'First Instalment Date'],
  },
  {
    field: 'maturity_date',
    aliases: [
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
    aliases: [
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
    aliases: [
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
    aliases: ['Term', 'Loan Term', 'Contract Term', 'Term in Months', 'Original Term to Maturity', 'Tenor', 'Tenure'],
  },
  // Leases and advances to businesses are paid by the day, the week or the quarter too.
  {
    field: 'original_term_months',
    aliases: ['Number of Payments', 'Number of Installments', 'Number of Instalments'],
    except: ['Business'],
  },
  {
    field: 'remaining_term_months',
    aliases: [
      'Months Remaining',
      'Months to Maturity',
      'Months Left',
      'Remaining Months to Maturity',
      'Remaining Term to Maturity',
      'Stated Remaining Term',
      'Remaining Tenor',
    ],
  },
  { field: 'remaining_term_months', aliases: ['Payments Remaining', 'Remaining Payments'], except: ['Business'] },
  {
    field: 'interest_rate',
    aliases: [
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
  { field: 'interest_rate', aliases: ['APR', 'Annual Percentage Rate'], except: ['Mortgage', 'Business'] },
  {
    field: 'scheduled_payment',
    aliases: [
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
    aliases: [
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
    aliases: [
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
  { field: 'state', aliases: ['State Code', 'ST'] },
  // That of a mortgage is the state of the property.
  {
    field: 'state',
    aliases: [
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
    aliases: ['Gross Annual Income', 'Annual Gross Income', 'Yearly Income', 'Gross Income', 'Stated Income', 'Borrower Income'],
    standIns: { 'Gross Income': WHOSE_PERIOD, 'Stated Income': WHOSE_PERIOD, 'Borrower Income': WHOSE_PERIOD },
  },
  {
    field: 'dti',
    aliases: [
      'Original DTI',
      'Back End DTI',
      'Debt to Income',
      'Debt-to-Income Ratio',
      'Debt-To-Income (DTI)',
      'Original Debt-to-Income (DTI) Ratio',
    ],
  },
  { field: 'ltv', aliases: ['OLTV', 'LTV Ratio', 'Loan-To-Value (LTV)', 'Original Loan-to-Value (LTV)'] },
];

/** The fields of a type with the common names that none of them has. */
export function withCommonNames(type: LoanType, fields: readonly Field[], normalize: (name: string) => string): readonly Field[] {
  const taken = new Set(fields.flatMap(({ field, aliases }) => [field, ...aliases]).map(normalize));
  return fields.map((field) => {
    const common = COMMON_NAMES.filter((names) => names.field === field.field && !names.except?.includes(type));
    const names = [...common.flatMap(({ aliases }) => aliases), ...(FOREIGN_NAMES[field.field] ?? [])];
    const added = names.filter((name) => !taken.has(normalize(name)));
    if (added.length === 0) return field;
    const standIns = Object.assign({}, ...common.map((names) => names.standIns ?? {}));
    const told = Object.fromEntries(added.flatMap((name) => (standIns[name] ? [[name, standIns[name]]] : [])));
    return { ...field, aliases: [...field.aliases, ...added], standIns: { ...field.standIns, ...told } };
  });
}
