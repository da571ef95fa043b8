import type { Field } from './field.ts';

type Names = { aliases: readonly string[]; standIns?: Field['standIns'] };

/** Names that mean the same field whatever the type of the loans: originators bring the words of one trade to the next. */
export const COMMON_NAMES: Readonly<Record<string, Names>> = {
  loan_id: { aliases: ['Loan Identifier', 'Prospectus Loan ID', 'Asset Number'] },
  obligor_id: { aliases: ['Customer ID', 'Customer Number', 'Borrower ID', 'Borrower Number', 'Obligor ID', 'Client ID'] },
  reporting_date: { aliases: ['Monthly Reporting Period', 'Reporting Period End Date'] },
  origination_date: {
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
    ],
  },
  maturity_date: { aliases: ['Final Payment Date'] },
  original_balance: {
    aliases: ['Original UPB', 'Orig UPB', 'Original Principal', 'Original Principal Balance', 'Funded Amount', 'Amount Funded'],
  },
  current_balance: {
    aliases: [
      'Principal Balance',
      'Outstanding Balance',
      'Outstanding Principal Balance',
      'Outstanding Principal',
      'Unpaid Principal Balance',
      'UPB',
      'Current UPB',
      'Cur UPB',
      'Curr UPB',
      'Actual UPB',
      'Balance',
    ],
    standIns: { Balance: 'a balance that is not said to be the current one' },
  },
  original_term_months: { aliases: ['Term', 'Loan Term', 'Term in Months'] },
  remaining_term_months: { aliases: ['Months Remaining', 'Months to Maturity', 'Remaining Months to Maturity'] },
  interest_rate: {
    aliases: ['Contract Rate', 'Coupon', 'Current Rate', 'Note Rate', 'Current Note Rate', 'Borrower Rate', 'WAC'],
  },
  scheduled_payment: { aliases: ['Installment', 'P&I', 'Monthly P&I'] },
  credit_score: { aliases: ['Bureau Score', 'Original FICO', 'Orig FICO', 'Classic FICO'] },
  dti: { aliases: ['Original DTI', 'Back End DTI', 'Debt-To-Income (DTI)', 'Original Debt-to-Income (DTI) Ratio'] },
  ltv: { aliases: ['OLTV', 'Loan-To-Value (LTV)', 'Original Loan-to-Value (LTV)'] },
};
