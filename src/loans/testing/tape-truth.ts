import type { LoanType } from '../types.ts';

/**
 * Where a field stands on a tape: its column, and others that would be as right because they are published as the same quantity.
 * `unit` is how the source writes the field: what one of its numbers is times, or the form of its dates.
 */
export type FieldTruth = { columns: readonly [string, ...string[]]; unit?: SourceUnit };

export type SourceUnit = { times: number } | { dates: 'MM/YYYY' | 'MM-DD-YYYY' | 'MM/DD/YYYY' | 'YYYY-MM-DD' };

/** Field → its column or columns. A column that is not named here has no canonical field. */
export type TapeTruth = { path: string; loanType: LoanType; fields: Readonly<Record<string, FieldTruth>> };

/**
 * Which column of each published tape is which canonical field. Decided by reading the header, the values and what the source publishes
 * about the column, and never from what the mapping does: the mapping is scored against it. Only names of columns are here, no values.
 */
export const TAPE_TRUTHS: readonly TapeTruth[] = [
  // EX-102 (SEC Schedule AL, item 3) with columns that its publisher added: `_clean` and `_char` repeat a column, the rest are theirs.
  ...['auto/world_omni_rows1_4000.csv', 'auto/world_omni_first1000_typed.xlsx'].map(
    (path): TapeTruth => ({ path, loanType: 'Auto', fields: autoFields(path.endsWith('.xlsx')) }),
  ),
  // SBA, loans of the Paycheck Protection Program: what was approved was lent. CD is the congressional district.
  ...['ppp_foia_up_to_150k_VI.csv', 'ppp_foia_up_to_150k_GU.csv', 'ppp_foia_up_to_150k_AK.csv', 'ppp_VI_date_cells.xlsx'].map(
    (name): TapeTruth => ({
      path: `business/${name}`,
      loanType: 'Business',
      fields: {
        approval_date: { columns: ['DateApproved'], unit: { dates: name.endsWith('.xlsx') ? 'YYYY-MM-DD' : 'MM/DD/YYYY' } },
        original_balance: { columns: ['LoanAmount'] },
        naics: { columns: ['NAICSCode'] },
        business_type: { columns: ['BusinessType'] },
        employees: { columns: ['JobsRetained'] },
        city: { columns: ['City'] },
        state: { columns: ['State'] },
        zip: { columns: ['Zip'] },
        lender: { columns: ['Lender'] },
      },
    }),
  ),
  {
    // UCI, default of credit card clients: PAY_0, BILL_AMT1 and PAY_AMT1 are of September 2005, the newest month.
    path: 'creditcard/uci_first10000_two_header_rows.xlsx',
    loanType: 'Credit Card',
    fields: {
      account_id: { columns: ['ID'] },
      credit_limit: { columns: ['LIMIT_BAL'] },
      current_balance: { columns: ['BILL_AMT1'] },
      previous_balance: { columns: ['BILL_AMT2'] },
      last_payment_amount: { columns: ['PAY_AMT1'] },
      days_past_due: { columns: ['PAY_0'] },
      age_years: { columns: ['AGE'] },
    },
  },
  {
    path: 'creditcard/berka_czech_card.csv',
    loanType: 'Credit Card',
    fields: {
      account_id: { columns: ['card_id'] },
      obligor_id: { columns: ['disp_id'] },
      card_type: { columns: ['type'] },
      open_date: { columns: ['issued'], unit: { dates: 'YYYY-MM-DD' } },
    },
  },
  // Boston Fed: `apr` is the appraised value and no rate, `typur` the kind of purchaser and no purpose, `mi` the income of the tract.
  ...['mortgage/boston_fed_hmda_loanapp.csv', 'mortgage/boston_fed_hmda_loanapp.xlsx'].map(
    (path): TapeTruth => ({
      path,
      loanType: 'Mortgage',
      fields: {
        loan_id: { columns: ['rownames'] },
        original_balance: { columns: ['loanamt'], unit: { times: 1_000 } },
        original_term_months: { columns: ['term'] },
        amortization_type: { columns: ['fixadj'] },
        ltv: { columns: ['loanprc'], unit: { times: 100 } },
        dti: { columns: ['obrat'] },
        occupancy: { columns: ['occ'] },
        property_type: { columns: ['prop'] },
        units: { columns: ['unit'] },
      },
    }),
  ),
  {
    // Lending Club. pub_rec counts all derogatory public records; the published schema lets it stand for the bankruptcies.
    path: 'personal/LoanStats3a_trimmed_by_publisher.csv',
    loanType: 'Personal',
    fields: {
      original_balance: { columns: ['loan_amnt'] },
      original_term_months: { columns: ['term'] },
      employment_length_years: { columns: ['emp_length'] },
      home_ownership: { columns: ['home_ownership'] },
      annual_income: { columns: ['annual_inc'] },
      income_verified: { columns: ['verification_status'] },
      zip3: { columns: ['zip_code'] },
      state: { columns: ['addr_state'] },
      inquiries_recent: { columns: ['inq_last_6mths'] },
      bankruptcies: { columns: ['pub_rec'] },
      loan_status: { columns: ['loan_status'] },
    },
  },
  {
    path: 'personal/berka_czech_loan.csv',
    loanType: 'Personal',
    fields: {
      loan_id: { columns: ['loan_id'] },
      obligor_id: { columns: ['account_id'] },
      origination_date: { columns: ['Date'], unit: { dates: 'YYYY-MM-DD' } },
      original_balance: { columns: ['amount'] },
      original_term_months: { columns: ['duration'] },
      scheduled_payment: { columns: ['payments'] },
      loan_status: { columns: ['status'] },
    },
  },
  {
    path: 'personal/loansData_lendingclub_2500.csv',
    loanType: 'Personal',
    fields: {
      requested_amount: { columns: ['Amount.Requested'] },
      original_balance: { columns: ['Amount.Funded.By.Investors'] },
      interest_rate: { columns: ['Interest.Rate'] },
      original_term_months: { columns: ['Loan.Length'] },
      loan_purpose: { columns: ['Loan.Purpose'] },
      dti: { columns: ['Debt.To.Income.Ratio'] },
      state: { columns: ['State'] },
      home_ownership: { columns: ['Home.Ownership'] },
      annual_income: { columns: ['Monthly.Income'], unit: { times: 12 } },
      credit_score: { columns: ['FICO.Range'] },
      inquiries_recent: { columns: ['Inquiries.in.the.Last.6.Months'] },
      employment_length_years: { columns: ['Employment.Length'] },
    },
  },
  ...['csv', 'xlsx'].map(
    (extension): TapeTruth => ({
      path: `student/lendingclub_educational_purpose_rows.${extension}`,
      loanType: 'Student',
      fields: {
        original_balance: { columns: ['Amount.Funded.By.Investors'] },
        original_term_months: { columns: ['Loan.Length'] },
        interest_rate: { columns: ['Interest.Rate'] },
        credit_score: { columns: ['FICO.Range'] },
        annual_income: { columns: ['Monthly.Income'], unit: { times: 12 } },
        state: { columns: ['State'] },
      },
    }),
  ),
];

function autoFields(percentCells: boolean): TapeTruth['fields'] {
  return {
    loan_id: { columns: ['assetNumber'] },
    originator_name: { columns: ['originatorName', 'originatorName_clean'] },
    reporting_date: { columns: ['reportingPeriodEndingDate'], unit: { dates: 'MM-DD-YYYY' } },
    origination_date: { columns: ['originationDate'], unit: { dates: 'MM/YYYY' } },
    first_payment_date: { columns: ['originalFirstPaymentDate'], unit: { dates: 'MM/YYYY' } },
    maturity_date: { columns: ['loanMaturityDate'], unit: { dates: 'MM/YYYY' } },
    original_balance: { columns: ['originalLoanAmount'] },
    current_balance: { columns: ['reportingPeriodActualEndBalanceAmount'] },
    original_term_months: { columns: ['originalLoanTerm', 'originalLoanTerm_char'] },
    remaining_term_months: { columns: ['remainingTermToMaturityNumber'] },
    // The schema publishes both as the contract rate; nextInterestRatePercentage is the one of the next period.
    interest_rate: {
      columns: [
        'originalInterestRatePercentage',
        'originalInterestRatePercentage_clean',
        'reportingPeriodInterestRatePercentage',
      ],
      ...(!percentCells && { unit: { times: 100 } }),
    },
    rate_type: { columns: ['originalInterestRateTypeCode'] },
    // The payment due next holds what is past due and is nothing where the obligor has paid ahead: it is not the payment of a month.
    scheduled_payment: { columns: ['reportingPeriodScheduledPaymentAmount'] },
    credit_score: { columns: ['obligorCreditScore', 'obligorCreditScore_clean'] },
    state: { columns: ['obligorGeographicLocation', 'obligorGeographicLocation_clean'] },
    new_used: { columns: ['vehicleNewUsedCode'] },
    vehicle_make: { columns: ['vehicleManufacturerName'] },
    vehicle_model: { columns: ['vehicleModelName'] },
    vehicle_model_year: { columns: ['vehicleModelYear'] },
    vehicle_value: { columns: ['vehicleValueAmount'] },
    pti: {
      columns: ['paymentToIncomePercentage', 'paymentToIncomePercentage_clean'],
      ...(!percentCells && { unit: { times: 100 } }),
    },
    days_past_due: { columns: ['currentDelinquencyStatus'] },
    interest_paid_through_date: { columns: ['interestPaidThroughDate'], unit: { dates: 'MM-DD-YYYY' } },
    // subvented.1 has a second kind of subvention where there are two.
    subvented: { columns: ['subvented'] },
    co_obligor: { columns: ['coObligorIndicator'] },
    modified: { columns: ['reportingPeriodModificationIndicator'] },
    zero_balance_code: { columns: ['zeroBalanceCode'] },
    charged_off_amount: { columns: ['chargedoffPrincipalAmount'] },
    recovered_amount: { columns: ['recoveredAmount'] },
  };
}
