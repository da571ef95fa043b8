import assert from 'node:assert/strict';
import { test } from 'node:test';
import { likenessOf } from '../testing/likeness.ts';
import { LOAN_TYPES, type LoanType } from '../types.ts';
import { isOf, SECONDARY_NAMES } from './secondary-names.ts';
import { FOREIGN_NAMES } from './foreign-names.ts';
import { dictionary, findField, comparedHeader } from './dictionary.ts';

/** The fields that a header names almost certainly, the likeliest first. */
function certainFields(loanType: LoanType, header: string): string[] {
  return dictionary(loanType)
    .map((field) => ({ field: field.field, score: likenessOf(header, field).score }))
    .filter(({ score }) => score >= 0.95 - 1e-9)
    .sort((a, b) => b.score - a.score)
    .map(({ field }) => field);
}

/** `names` are headers by field, separated by `|`; `unlike` are headers of the source that no field means. */
type Source = { source: string; loanType: LoanType; names: Readonly<Record<string, string>>; unlike: string };

const SOURCES: readonly Source[] = [
  {
    // Commission Implementing Regulation (EU) 2020/1225, annex II, and the FCA's copy of it
    source: 'ESMA annex 2, residential',
    loanType: 'Mortgage',
    names: {
      defaulted_amount: 'RREL71|Default Amount',
      loan_id: 'RREL2|Original Underlying Exposure Identifier',
      obligor_id: 'RREL4|Original Obligor Identifier',
      reporting_date: 'RREL6|Data Cut-Off Date',
      origination_date: 'RREL23|Origination Date',
      maturity_date: 'RREL24|Maturity Date',
      original_term_months: 'RREL25|Original Term',
      channel: 'RREL26|Origination Channel',
      loan_purpose: 'RREL27|Purpose',
      original_balance: 'RREL29|Original Principal Balance',
      current_balance: 'RREL30|Current Principal Balance',
      amortization_type: 'RREL42|Interest Rate Type',
      dti: 'RREL40|Debt To Income Ratio',
      interest_rate: 'RREL43|Current Interest Rate',
      days_past_due: 'RREL68|Number Of Days In Arrears',
      occupancy: 'RREC7|Occupancy Type',
      property_type: 'RREC9|Property Type',
      ltv: 'RREC16|Original Loan-To-Value',
      rate_cap: 'Interest Rate Cap',
      rate_floor: 'Interest Rate Floor',
      rate_reset_months: 'Interest Rate Reset Interval',
      margin: 'Current Interest Rate Margin',
    },
    unlike:
      'RREL1|Unique Identifier|RREL3|New Underlying Exposure Identifier|RREL5|RREL11|RREL35|RREL7|Pool Addition Date|RREL9|Redemption Date|RREL16|Primary Income|RREL31|Prior Principal Balances|' +
      'RREL33|Total Credit Limit|RREL34|Purchase Price|RREL67|Arrears Balance|RREL72|Default Date',
  },
  {
    // as above, annex IV: the FCA's page of it
    source: 'ESMA annex 4, corporate',
    loanType: 'Business',
    names: {
      loan_id: 'CRPL2|Original Underlying Exposure Identifier',
      obligor_id: 'CRPL4|Original Obligor Identifier',
      reporting_date: 'CRPL6|AsOfDate',
      maturity_date: 'CRPL34|Maturity Date',
      original_balance: 'CRPL38|Original Principal Balance',
      current_balance: 'CRPL39|Current Principal Balance',
      rate_type: 'CRPL52|Interest Rate Type',
      interest_rate: 'CRPL53|Current Interest Rate',
      margin: 'CRPL56|Current Interest Rate Margin',
      days_past_due: 'CRPL78|Number Of Days In Arrears',
      status: 'CRPL79|Account Status',
    },
    unlike: 'CRPL1|Unique Identifier|CRPL14|CRPL17|Revenue|CRPL41|Market Value|CRPL43|Purchase Price|CRPL77|CRPL82|Default Date',
  },
  {
    // as above, annex V
    source: 'ESMA annex 5, automobile',
    loanType: 'Auto',
    names: {
      loan_id: 'AUTL2|Original Underlying Exposure Identifier',
      obligor_id: 'AUTL4|Original Obligor Identifier',
      reporting_date: 'AUTL6|Data Cut-Off Date',
      state: 'AUTL10|Geographic Region - Obligor',
      origination_date: 'AUTL24|Origination Date',
      maturity_date: 'AUTL25|Maturity Date',
      original_term_months: 'AUTL26|Original Term',
      original_balance: 'AUTL29|Original Principal Balance',
      current_balance: 'AUTL30|Current Principal Balance',
      scheduled_payment: 'AUTL37|Payment Due',
      interest_rate: 'AUTL40|Current Interest Rate',
      margin: 'AUTL43|Current Interest Rate Margin',
      vehicle_make: 'AUTL53|Manufacturer',
      vehicle_model: 'AUTL54|Model',
      vehicle_model_year: 'AUTL55|Year Of Registration',
      new_used: 'AUTL56|New Or Used',
      ltv: 'AUTL59|Original Loan-To-Value',
      vehicle_value: 'AUTL60|Original Valuation Amount',
      days_past_due: 'AUTL69|Number Of Days In Arrears',
      charged_off_amount: 'AUTL72|Default Amount',
    },
    unlike:
      'AUTL1|Unique Identifier|AUTL31|Purchase Price|AUTL38|Balloon Amount|AUTL39|Down Payment Amount|AUTL57|AUTL61|' +
      'Original Residual Value Of Vehicle|AUTL68|Arrears Balance|AUTL70|Account Status|AUTL73|Default Date|AUTL76|Sale Price',
  },
  {
    // as above, annex VI, the fields that are listed in the published schemas
    source: 'ESMA annex 6, consumer',
    loanType: 'Personal',
    names: {
      defaulted_amount: 'Default Amount',
      loan_id: 'CMRL2',
      obligor_id: 'CMRL4',
      reporting_date: 'CMRL6|Data Cut-Off Date',
      state: 'CMRL10|Geographic Region - Obligor',
      annual_income: 'CMRL15|Primary Income',
      income_verified: 'CMRL18|Primary Income Verification',
      origination_date: 'CMRL21|Origination Date',
      maturity_date: 'CMRL22|Maturity Date',
      original_term_months: 'CMRL23|Original Term',
      origination_channel: 'CMRL24|Origination Channel',
      loan_purpose: 'CMRL25|Purpose',
      original_balance: 'CMRL27|Original Principal Balance',
      current_balance: 'CMRL28|Current Principal Balance',
      scheduled_payment: 'CMRL36|Payment Due',
      interest_rate: 'Current Interest Rate',
      days_past_due: 'Number Of Days In Arrears',
    },
    unlike: 'CMRL1|Unique Identifier|CMRL12|Employment Status|Account Status|Primary Income Type|Purchase Price',
  },
  {
    // as above, annex VII
    source: 'ESMA annex 7, credit card',
    loanType: 'Credit Card',
    names: {
      account_id: 'CCDL2',
      reporting_date: 'CCDL6|Data Cut-Off Date',
      obligor_id: 'CCDL4',
      state: 'CCDL9|Geographic Region - Obligor',
      annual_income: 'CCDL14|Primary Income',
      open_date: 'CCDL19|Origination Date',
      currency: 'CCDL21|Currency Denomination',
      current_balance: 'CCDL22|Current Principal Balance',
      credit_limit: 'CCDL23|Total Credit Limit',
      min_payment_due: 'CCDL28|Payment Due',
      apr: 'CCDL29|Current Interest Rate',
      rate_index: 'CCDL30|Current Interest Rate Index',
      restructured_date: 'CCDL33|Date Of Restructuring',
      last_in_arrears_date: 'CCDL34|Date Last In Arrears',
      days_past_due: 'CCDL35|Number Of Days In Arrears',
      arrears_balance: 'CCDL36|Arrears Balance',
      account_status: 'CCDL37|Account Status',
    },
    unlike: 'CCDL1|Unique Identifier|CCDL24|Purchase Price|CCDL31|Current Interest Rate Index Tenor|Primary Income Currency',
  },
  {
    // Schedule AL (17 CFR 229.1125) item 3, element names of EX-102
    source: 'ABS-EE auto loan',
    loanType: 'Auto',
    names: {
      loan_id: 'assetNumber',
      originator_name: 'originatorName',
      reporting_date: 'reportingPeriodEndingDate',
      origination_date: 'originationDate',
      first_payment_date: 'originalFirstPaymentDate',
      maturity_date: 'loanMaturityDate',
      original_balance: 'originalLoanAmount',
      current_balance: 'reportingPeriodActualEndBalanceAmount',
      original_term_months: 'originalLoanTerm',
      remaining_term_months: 'remainingTermToMaturityNumber',
      interest_rate: 'originalInterestRatePercentage',
      rate_type: 'originalInterestRateTypeCode',
      scheduled_payment: 'reportingPeriodScheduledPaymentAmount|nextReportingPeriodPaymentAmountDue',
      credit_score: 'obligorCreditScore',
      state: 'obligorGeographicLocation',
      new_used: 'vehicleNewUsedCode',
      vehicle_make: 'vehicleManufacturerName',
      vehicle_model: 'vehicleModelName',
      vehicle_model_year: 'vehicleModelYear',
      vehicle_value: 'vehicleValueAmount',
      pti: 'paymentToIncomePercentage',
      days_past_due: 'currentDelinquencyStatus',
      interest_paid_through_date: 'interestPaidThroughDate',
      subvented: 'subvented',
      co_obligor: 'coObligorIndicator',
      modified: 'reportingPeriodModificationIndicator',
      zero_balance_code: 'zeroBalanceCode',
      charged_off_amount: 'chargedoffPrincipalAmount',
      recovered_amount: 'recoveredAmount',
    },
    unlike:
      'assetTypeNumber|reportingPeriodBeginningDate|nextInterestRatePercentage|reportingPeriodInterestRatePercentage|reportingPeriodBeginningLoanBalanceAmount|' +
      'scheduledInterestAmount|scheduledPrincipalAmount|totalActualAmountPaid|vehicleValueSourceCode|vehicleTypeCode|' +
      'obligorCreditScoreType|zeroBalanceEffectiveDate|repurchaseAmount|gracePeriodNumber|servicingFeePercentage',
  },
  {
    // Schedule AL item 4
    source: 'ABS-EE auto lease',
    loanType: 'Auto',
    names: {
      reporting_date: 'reportingPeriodEndDate',
      original_balance: 'acquisitionCost',
      original_term_months: 'originalLeaseTermNumber',
      maturity_date: 'scheduledTerminationDate',
      credit_score: 'lesseeCreditScore',
      co_obligor: 'coLesseePresentIndicator',
      state: 'lesseeGeographicLocation',
      remaining_term_months: 'remainingTermNumber',
      current_balance: 'reportingPeriodEndingActualBalanceAmount',
      charged_off_amount: 'chargedOffAmount',
    },
    unlike:
      'reportingPeriodBeginDate|reportingPeriodSecuritizationValueAmount|reportingPeriodEndActualSecuritizationAmount|' +
      'baseResidualValue|contractResidualValue|securitizationDiscountRate|lesseeCreditScoreType|liquidationProceedsAmount',
  },
  {
    // Schedule AL item 2 and the CREFC names that its definitions use
    source: 'ABS-EE commercial mortgage and CREFC',
    loanType: 'Business',
    names: {
      loan_id: 'assetNumber|Prospectus Loan ID',
      maturity_date: 'maturityDate',
      original_balance: 'originalLoanAmount',
      current_balance: 'reportPeriodEndActualBalanceAmount|Current Ending Scheduled Balance',
      original_term_months: 'originalTermLoanNumber',
      interest_rate: 'reportPeriodInterestRatePercentage|Current Note Rate',
      rate_type: 'originalInterestRateTypeCode',
      dscr: 'mostRecentDebtServiceCoverageNetOperatingIncomePercentage',
      margin: 'armMarginNumber',
      rate_cap: 'lifetimeRateCapPercentage',
      rate_floor: 'lifetimeRateFloorPercentage',
      next_rate_reset_date: 'nextInterestRateChangeAdjustmentDate',
    },
    unlike:
      'reportPeriodEndScheduledLoanBalanceAmount|scheduledPrincipalBalanceSecuritizationAmount|' +
      'interestRateSecuritizationPercentage|originalInterestRatePercentage|debtServiceCoverageNetOperatingIncomeSecuritizationPercentage|paidThroughDate|' +
      'propertyState|propertyCity|propertyZip|Total Loan Amount at Origination|nextInterestRatePercentage',
  },
  {
    // column names of Fannie Mae's statistical summary code for the Single-Family Loan Performance Data
    source: 'Fannie Mae',
    loanType: 'Mortgage',
    names: {
      loan_id: 'LOAN_ID|Loan Identifier',
      reporting_date: 'ACT_PERIOD|Monthly Reporting Period',
      channel: 'CHANNEL|ORIG_CHN',
      interest_rate: 'CURR_RATE|curr_rte|Original Interest Rate|Current Interest Rate',
      original_balance: 'ORIG_UPB|orig_amt|Original UPB',
      current_balance: 'CURRENT_UPB|act_upb|Current Actual UPB',
      original_term_months: 'ORIG_TERM|orig_trm|Original Loan Term',
      origination_date: 'ORIG_DATE|Origination Date',
      first_payment_date: 'FIRST_PAY|First Payment Date',
      loan_age_months: 'LOAN_AGE|Loan Age',
      remaining_term_months: 'REM_MONTHS|rem_mths|Remaining Months to Legal Maturity|Remaining Months To Maturity',
      maturity_date: 'MATR_DT|Maturity Date',
      ltv: 'OLTV|Original Loan to Value Ratio (LTV)',
      cltv: 'OCLTV|Original Combined Loan to Value Ratio (CLTV)',
      borrower_count: 'NUM_BO|Number of Borrowers',
      dti: 'DTI|Debt-To-Income (DTI)',
      credit_score: 'CSCORE_B|Borrower Credit Score at Origination',
      first_time_buyer: 'FIRST_FLAG|FTHB_FLG|First Time Home Buyer Indicator',
      loan_purpose: 'PURPOSE|Loan Purpose',
      property_type: 'PROP|PROP_TYP|Property Type',
      units: 'NO_UNITS|NUM_UNIT|Number of Units',
      occupancy: 'OCC_STAT|Occupancy Status',
      state: 'STATE|Property State',
      zip3: 'ZIP|zip_3|Zip Code Short',
      mi_percent: 'MI_PCT|Mortgage Insurance Percentage',
      amortization_type: 'PRODUCT|prod_type|Amortization Type',
      days_past_due: 'DLQ_STATUS|Current Loan Delinquency Status',
      modified: 'MOD_FLAG|Modification Flag',
      zero_balance_code: 'Zero_Bal_Code|Zero Balance Code',
      periodic_rate_cap: 'PERIODIC_INTEREST_RATE_CAP',
      rate_cap: 'LIFETIME_INTEREST_RATE_CAP',
    },
    unlike:
      'POOL_ID|ORIG_RATE|ORIG_CLASSIC_FICO|SELLER|SERVICER|MASTER_SERVICER|ISSUANCE_UPB|ADJ_REM_MONTHS|CSCORE_C|MSA|PPMT_FLG|IO|ZB_DTE|LAST_UPB|RPRCH_DTE|' +
      'CURR_SCHD_PRNCPL|NON_INTEREST_BEARING_UPB|INTEREST_BEARING_UPB|ISSUE_SCOREB|CURR_SCOREB|CURR_CLASSIC_FICO|' +
      'INITIAL_INTEREST_RATE_CAP|FORECLOSURE_DATE|MI_TYPE|ORIGINAL_LIST_PRICE|ARM_INDEX',
  },
  {
    // file layouts of the Single-Family Loan-Level Dataset
    source: 'Freddie Mac',
    loanType: 'Mortgage',
    names: {
      credit_score: 'CREDIT SCORE|CLASSIC FICO',
      first_payment_date: 'FIRST PAYMENT DATE',
      first_time_buyer: 'FIRST TIME HOMEBUYER FLAG|FIRST TIME HOMEBUYER INDICATOR',
      maturity_date: 'MATURITY DATE',
      mi_percent: 'MORTGAGE INSURANCE PERCENTAGE (MI %)',
      units: 'NUMBER OF UNITS',
      occupancy: 'OCCUPANCY STATUS',
      cltv: 'ORIGINAL COMBINED LOAN-TO-VALUE (CLTV)',
      dti: 'ORIGINAL DEBT-TO-INCOME (DTI) RATIO',
      original_balance: 'ORIGINAL UPB',
      ltv: 'ORIGINAL LOAN-TO-VALUE (LTV)',
      interest_rate: 'ORIGINAL INTEREST RATE|CURRENT INTEREST RATE',
      channel: 'CHANNEL',
      amortization_type: 'AMORTIZATION TYPE|AMORTIZATION TYPE (FORMERLY PRODUCT TYPE)',
      state: 'PROPERTY STATE',
      property_type: 'PROPERTY TYPE',
      zip3: 'POSTAL CODE',
      loan_id: 'LOAN SEQUENCE NUMBER|LOAN IDENTIFIER',
      loan_purpose: 'LOAN PURPOSE',
      original_term_months: 'ORIGINAL LOAN TERM',
      borrower_count: 'NUMBER OF BORROWERS',
      reporting_date: 'MONTHLY REPORTING PERIOD',
      current_balance: 'CURRENT ACTUAL UPB',
      days_past_due: 'CURRENT LOAN DELINQUENCY STATUS',
      loan_age_months: 'LOAN AGE',
      remaining_term_months: 'REMAINING MONTHS TO LEGAL MATURITY',
      modified: 'MODIFICATION FLAG',
      zero_balance_code: 'ZERO BALANCE CODE',
    },
    unlike:
      'PRE-HARP LOAN SEQUENCE NUMBER|PROPERTY VALUATION METHOD|SELLER NAME|PROGRAM INDICATOR|DEFECT SETTLEMENT DATE|' +
      'ZERO BALANCE EFFECTIVE DATE|CURRENT DEFERRED UPB|CURRENT NON-INTEREST BEARING UPB|ESTIMATED LOAN-TO-VALUE (ELTV)|' +
      'ZERO BALANCE REMOVAL UPB|INTEREST BEARING UPB|STEP MODIFICATION FLAG|DELINQUENCY DUE TO DISASTER|VANTAGESCORE 4.0|' +
      'DUE DATE OF LAST PAID INSTALLMENT (DDLPI)',
  },
  {
    // MISMO reference model, elements of the loan
    source: 'MISMO',
    loanType: 'Mortgage',
    names: {
      loan_id: 'LoanIdentifier',
      origination_date: 'NoteDate',
      maturity_date: 'LoanMaturityDate',
      original_balance: 'NoteAmount',
      interest_rate: 'NoteRatePercent',
      ltv: 'LTVRatioPercent',
      cltv: 'CombinedLTVRatioPercent',
      dti: 'TotalDebtExpenseRatioPercent|BorrowerTotalDebtExpenseRatioPercent',
      units: 'FinancedUnitCount',
      loan_purpose: 'LoanPurposeType',
      occupancy: 'PropertyUsageType',
      lien_position: 'LienPriorityType',
      amortization_type: 'AmortizationType',
    },
    unlike: 'MortgageType|EscrowWaiverIndicator|CreditScoreValue',
  },
  {
    // public loan application register from 2018, CFPB
    source: 'HMDA',
    loanType: 'Mortgage',
    names: {
      original_balance: 'loan_amount',
      original_term_months: 'loan_term',
      interest_rate: 'interest_rate',
      cltv: 'combined_loan_to_value_ratio',
      dti: 'debt_to_income_ratio',
      loan_purpose: 'loan_purpose',
      lien_position: 'lien_status',
      occupancy: 'occupancy_type',
      state: 'state_code',
      units: 'total_units',
    },
    unlike:
      'activity_year|lei|loan_type|action_taken|rate_spread|property_value|county_code|income|construction_method|' +
      'derived_dwelling_category|purchaser_type|hoepa_status|applicant_credit_score_type|prepayment_penalty_term|intro_rate_period',
  },
  {
    // column names of the loan files, 2007 to 2020
    source: 'LendingClub',
    loanType: 'Personal',
    names: {
      loan_id: 'id',
      obligor_id: 'member_id',
      requested_amount: 'loan_amnt',
      original_balance: 'funded_amnt',
      original_term_months: 'term',
      interest_rate: 'int_rate',
      scheduled_payment: 'installment',
      grade: 'grade|sub_grade',
      employment_length_years: 'emp_length',
      home_ownership: 'home_ownership',
      annual_income: 'annual_inc',
      income_verified: 'verification_status',
      origination_date: 'issue_d',
      loan_status: 'loan_status',
      loan_purpose: 'purpose',
      zip3: 'zip_code',
      state: 'addr_state',
      dti: 'dti',
      credit_score: 'fico_range_low',
      inquiries_recent: 'inq_last_6mths',
      bankruptcies: 'pub_rec|pub_rec_bankruptcies',
      current_balance: 'out_prncp',
      joint_application: 'application_type',
    },
    unlike:
      'funded_amnt_inv|out_prncp_inv|fico_range_high|last_fico_range_low|last_fico_range_high|last_pymnt_d|next_pymnt_d|' +
      'last_pymnt_amnt|total_pymnt|revol_bal|revol_util|annual_inc_joint|dti_joint|verification_status_joint|delinq_2yrs|' +
      'earliest_cr_line|last_credit_pull_d|hardship_status|pymnt_plan|title|emp_title|policy_code',
  },
  {
    // column names of the public loan data, 81 variables
    source: 'Prosper',
    loanType: 'Personal',
    names: {
      loan_id: 'LoanNumber',
      obligor_id: 'MemberKey',
      origination_date: 'LoanOriginationDate',
      original_balance: 'LoanOriginalAmount',
      original_term_months: 'Term',
      interest_rate: 'BorrowerRate',
      scheduled_payment: 'MonthlyLoanPayment',
      credit_score: 'CreditScoreRangeLower',
      dti: 'DebtToIncomeRatio',
      annual_income: 'StatedMonthlyIncome',
      state: 'BorrowerState',
      grade: 'ProsperRating (Alpha)',
      days_past_due: 'LoanCurrentDaysDelinquent',
      loan_status: 'LoanStatus',
      inquiries_recent: 'InquiriesLast6Months',
    },
    unlike:
      'ListingKey|LoanKey|CreditGrade|ListingNumber|ListingCreationDate|ClosedDate|BorrowerAPR|LenderYield|EstimatedLoss|ProsperRating (numeric)|' +
      'ProsperScore|CreditScoreRangeUpper|AmountDelinquent|IncomeRange|IncomeVerifiable|EmploymentStatusDuration|Investors|' +
      'ProsperPrincipalOutstanding|LoanOriginationQuarter|LoanMonthsSinceOrigination|LP_NetPrincipalLoss|IsBorrowerHomeowner',
  },
  {
    // SBA: 7(a) and 504 FOIA files, column names of 2024, and the older national file
    source: 'SBA',
    loanType: 'Business',
    names: {
      obligor_name: 'borrname',
      city: 'borrcity|City',
      state: 'borrstate|State',
      zip: 'borrzip|Zip',
      lender: 'bankname|Bank',
      approved_amount: 'grossapproval|GrAppv',
      guarantee_amount: 'sbaguaranteedapproval|SBA_Appv',
      approval_date: 'approvaldate|ApprovalDate',
      disbursement_date: 'firstdisbursementdate|DisbursementDate',
      interest_rate: 'initialinterestrate',
      rate_type: 'fixedorvariableinterestind',
      original_term_months: 'terminmonths|Term',
      naics: 'naicscode|NAICS',
      business_type: 'businesstype',
      new_business: 'businessage|NewExist',
      status: 'loanstatus|MIS_Status',
      charge_off_amount: 'grosschargeoffamount|ChgOffPrinGr',
      revolving: 'revolverstatus|RevLineCr',
      loan_id: 'LoanNr_ChkDgt',
      employees: 'NoEmp',
      original_balance: 'DisbursementGross',
      current_balance: 'BalanceGross',
    },
    unlike:
      'borrstreet|bankcity|bankstate|bankzip|approvalfy|processingmethod|subprogram|naicsdescription|projectstate|projectcounty|' +
      'paidinfulldate|chargeoffdate|jobssupported|collateralind|soldsecmrktind|BankState|ChgOffDate|CreateJob|UrbanRural|LowDoc',
  },
  {
    // SBA: PPP FOIA
    source: 'PPP',
    loanType: 'Business',
    names: {
      loan_id: 'LoanNumber',
      approval_date: 'DateApproved',
      city: 'BorrowerCity',
      state: 'BorrowerState',
      zip: 'BorrowerZip',
      status: 'LoanStatus',
      original_term_months: 'Term',
      guarantee_pct: 'SBAGuarantyPercentage',
      approved_amount: 'InitialApprovalAmount',
      lender: 'OriginatingLender',
      new_business: 'BusinessAgeDescription',
      employees: 'JobsReported',
      naics: 'NAICSCode',
      business_type: 'BusinessType',
    },
    unlike:
      'LoanStatusDate|CurrentApprovalAmount|UndisbursedAmount|ServicingLenderName|ServicingLenderState|ServicingLenderZip|' +
      'ProjectState|ProjectZip|ForgivenessAmount|ForgivenessDate|OriginatingLenderState|BorrowerAddress|ProcessingMethod',
  },
  {
    // UCI default of credit card clients
    source: 'UCI credit card',
    loanType: 'Credit Card',
    names: {
      account_id: 'ID',
      credit_limit: 'LIMIT_BAL',
      age_years: 'AGE',
      days_past_due: 'PAY_0',
      current_balance: 'BILL_AMT1',
      previous_balance: 'BILL_AMT2',
      last_payment_amount: 'PAY_AMT1',
    },
    unlike: 'SEX|EDUCATION|MARRIAGE|PAY_2|PAY_3|BILL_AMT3|BILL_AMT6|PAY_AMT2|PAY_AMT6|default payment next month',
  },
  {
    // Berka, PKDD'99
    source: 'Berka',
    loanType: 'Personal',
    names: {
      loan_id: 'loan_id',
      obligor_id: 'account_id',
      origination_date: 'date',
      original_balance: 'amount',
      original_term_months: 'duration',
      scheduled_payment: 'payments',
      loan_status: 'status',
    },
    unlike: 'district_id|frequency|operation|k_symbol',
  },
  {
    // usual abbreviations of servicers' tapes, and numbered headers
    source: 'servicers of mortgages',
    loanType: 'Mortgage',
    names: {
      loan_id: 'Ln #|Loan #|Loan No|Acct #|Acct No|1. Loan Number',
      original_balance: 'Ln Amt|Loan Amt|Orig Bal|Orig UPB',
      current_balance: 'UPB|Cur UPB|Cur Bal|Curr Bal',
      origination_date: 'Orig Dt|Note Date',
      maturity_date: 'Mat Dt|Mat Date',
      interest_rate: 'Int Rt|Int Rate|WAC|Coupon',
      units: '# of Units',
      remaining_term_months: 'Rem Term',
    },
    unlike: 'Amount|Date|Type|Status|Loan|Acct|Net Rate Type|Prior UPB|Scheduled Balance|Next Rate|Rate Index Type',
  },
  {
    source: 'Ginnie Mae, and servicers of Britain and Australia',
    loanType: 'Mortgage',
    names: {
      loan_id: 'Disclosure Sequence Number|Loan Account No',
      obligor_id: 'Borrower Identifier',
      reporting_date: 'Pool Cut-off Date',
      origination_date: 'Disbursement Date',
      ltv: 'Loan-To-Value Ratio (LTV)|LTV Ratio|Original LVR',
      cltv: 'Combined Loan-To-Value Ratio (CLTV)',
      margin: 'Loan Gross Margin|Interest Margin',
      rate_cap: 'Lifetime Cap',
      days_past_due: 'Days In Arrears|Number of Months in Arrears|Months Delinquent',
    },
    unlike:
      'Current LTV|Current LVR|Arrears Balance|Loan To Value Ratio|Months Pre-Paid|Refinance Type|UPB at Issuance|Property Region',
  },
  {
    source: 'lessors of equipment',
    loanType: 'Business',
    names: {
      loan_id: 'Lease No.|Lease Number',
      obligor_name: 'Lessee',
      approval_date: 'Contract Start|Lease Start Date|Origination Date',
      original_balance: 'Equipment Cost',
      current_balance: 'Net Investment',
      interest_rate: 'Implicit Rate',
    },
    unlike: 'Residual|Payments Remaining|Payment|Guarantor|Equipment Type',
  },
  {
    source: 'servicers of personal loans',
    loanType: 'Personal',
    names: {
      loan_id: 'Ln #|Loan No|Acct #|Acct No',
      original_balance: 'Ln Amt|Loan Amt|Orig Bal',
      current_balance: 'Cur UPB|UPB|Cur Bal',
      origination_date: 'Iss Dt|Issue Dt|Orig Dt',
      maturity_date: 'Mat Dt',
      interest_rate: 'Int Rt|Int Rate',
      scheduled_payment: 'Mo Pmt|Pmt Amt',
    },
    unlike: 'Type|Acct|Prior Balance|Next Pmt Dt|Last Pmt Amt|Int Rate Type Code',
  },
  {
    source: 'servicers of auto loans',
    loanType: 'Auto',
    names: {
      loan_id: 'Acct #|Acct No|Contract #|Loan #',
      original_balance: 'Amt Financed|Orig Bal|Ln Amt',
      current_balance: 'Cur Bal|Curr Bal|UPB',
      vehicle_model: '12. Model|12) Model|Veh Model',
      vehicle_make: 'Veh Make',
      interest_rate: 'Int Rt|APR',
      scheduled_payment: 'P&I|Mo Pmt',
    },
    unlike: '12 Model Code|Amount|Status|Vehicle Type|Prior Balance|Next Payment Date',
  },
];

for (const { source, loanType, names, unlike } of SOURCES) {
  test(`${source}: a header that means a field leads to it, and no other header does to any`, () => {
    const led = Object.entries(names).flatMap(([field, headers]) =>
      headers.split('|').map((header) => ({ header, field, found: certainFields(loanType, header) })),
    );
    assert.deepEqual(
      led.filter(({ field, found }) => !found.includes(field)),
      [],
    );
    const strayed = unlike.split('|').map((header) => ({ header, found: certainFields(loanType, header) }));
    assert.deepEqual(
      strayed.filter(({ found }) => found.length > 0),
      [],
    );
  });
}

test('the words of one trade are understood on the tapes of the next', () => {
  for (const entry of SECONDARY_NAMES) {
    const types = LOAN_TYPES.filter((loanType) => findField(loanType, entry.field) && isOf(loanType, entry));
    assert.ok(types.length > 0, entry.field);
    for (const loanType of types)
      for (const name of entry.names) assert.notDeepEqual(certainFields(loanType, name), [], `${loanType}: ${name}`);
  }
  assert.deepEqual(certainFields('Auto', 'Original UPB'), ['original_balance']);
  assert.deepEqual(certainFields('Credit Card', 'Unpaid Principal Balance'), ['current_balance']);
  assert.deepEqual(certainFields('Mortgage', 'Funded Date'), ['origination_date']);
  // Where it means another thing it is not.
  assert.deepEqual(certainFields('Mortgage', 'APR'), []);
  assert.deepEqual(certainFields('Mortgage', 'Borrower State'), []);
});

test('headers of eleven languages lead to their fields, with accents and without', () => {
  for (const [field, names] of Object.entries(FOREIGN_NAMES)) {
    const types = LOAN_TYPES.filter((loanType) => findField(loanType, field));
    assert.ok(types.length > 0, field);
    for (const loanType of types)
      for (const name of names.flatMap((each) => [each, each.toUpperCase(), each.normalize('NFD').replace(/\p{Mn}/gu, '')]))
        assert.deepEqual(certainFields(loanType, name), [field], `${loanType}: ${name}`);
  }
});

/** Names of two fields of a type: content and the better column decide between them. */
const SHARED_NAMES = [
  'Auto contract_number',
  'Auto contract_no',
  'Business contract_number',
  'Business contract_no',
  'Business agreement_number',
  'Business agreement_no',
  'Mortgage contract_number',
  'Mortgage contract_no',
  'Mortgage agreement_number',
  'Mortgage agreement_no',
  'Personal contract_number',
  'Personal contract_no',
  'Personal agreement_number',
  'Personal agreement_no',
  'Personal member_id',
  'Personal loan_amnt',
  'Personal loan_status',
  'Mortgage upb',
  'Business name',
  'Business borrowername',
  'Business grossapproval',
  'Business gross_approval',
];

test('a name means one field of a loan type, but for those that are names of two', () => {
  const shared = LOAN_TYPES.flatMap((loanType) => {
    const owners = new Map<string, Set<string>>();
    for (const { field, aliases } of dictionary(loanType))
      for (const name of [field, ...aliases].map(comparedHeader)) owners.set(name, (owners.get(name) ?? new Set()).add(field));
    return [...owners].filter(([, fields]) => fields.size > 1).map(([name]) => `${loanType} ${name}`);
  });
  assert.deepEqual(shared.toSorted(), SHARED_NAMES.toSorted());
});

test('what stands in for a field is one of its names, and never its first', () => {
  const all = LOAN_TYPES.flatMap((loanType) => dictionary(loanType));
  for (const { field, aliases, standIns } of all)
    for (const name of Object.keys(standIns)) assert.ok(aliases.indexOf(name) > 0, `${field}: ${name}`);
  assert.ok(all.some(({ standIns }) => Object.keys(standIns).length > 0));
});

test('no alias is written twice in one field', () => {
  for (const loanType of LOAN_TYPES)
    for (const { field, aliases } of dictionary(loanType)) {
      const names = aliases.map(comparedHeader);
      assert.deepEqual(
        names.filter((name, index) => names.indexOf(name) !== index),
        [],
        `${loanType} ${field}`,
      );
    }
});

test('a current rate of a mortgage is likelier than an original one', () => {
  const rate = dictionary('Mortgage').find(({ field }) => field === 'interest_rate');
  assert.ok(rate);
  const original = likenessOf('Original Interest Rate', rate).score;
  for (const header of ['Current Interest Rate', 'CURR_RATE', 'Note Rate', 'RREL43'])
    assert.ok(likenessOf(header, rate).score > original, header);
});

test('columns of the European templates read no-data options as missing and percentages as they are', () => {
  for (const [loanType, name, header] of [
    ['Mortgage', 'interest_rate', 'rrel43'],
    ['Mortgage', 'dti', 'rrel40'],
    ['Auto', 'margin', 'autl43'],
    ['Credit Card', 'apr', 'ccdl29'],
  ] as const) {
    const coding = dictionary(loanType)
      .find((field) => field.field === name)
      ?.codings.find(({ headers }) => headers.includes(header));
    assert.deepEqual([coding?.scale, coding?.codes.ND5], [1, null], `${loanType} ${name}`);
  }
  const balance = dictionary('Mortgage').find((field) => field.field === 'original_balance');
  assert.deepEqual(
    balance?.codings.map(({ headers, scale }) => [headers, scale]),
    [[['rrel29'], undefined]],
  );
  const purpose = dictionary('Mortgage').find((field) => field.field === 'loan_purpose');
  assert.deepEqual([purpose?.codes.ND1, purpose?.codes.PURC], [null, 'PURCHASE']);
  const maturity = dictionary('Mortgage').find((field) => field.field === 'maturity_date');
  assert.deepEqual(maturity?.codings, []);
});

test('the headers of a coding are normal forms of names that lead to its field', () => {
  for (const loanType of LOAN_TYPES)
    for (const { field, aliases, codings } of dictionary(loanType)) {
      const names = new Set([field, ...aliases].map(comparedHeader));
      const unknown = codings.flatMap(({ headers }) => headers).filter((header) => !names.has(header));
      assert.deepEqual(unknown, [], `${loanType} ${field}`);
    }
});
