/** A published file that has no header: its columns by position. */
export type Layout = { name: string; columns: readonly string[] };

/** A layout and the shapes by which its rows are told from other rows of as many fields. */
type KnownLayout = Layout & { shapes: Readonly<Record<number, RegExp>> };

const YEAR_MONTH = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])$/;
const MONTH_YEAR = /^(?:0[1-9]|1[0-2])(?:19|20)\d{2}$/;
const AMOUNT = /^\d+(?:\.\d+)?$/;
const RATE = /^(?:\d{1,2}(?:\.\d+)?)?$/;
const COUNT = /^-?\d{1,3}$/;
const SCORE = /^(?:\d{3,4})?$/;
const STATE = /^[A-Z]{2}$/;
/** Freddie Mac: product, year and quarter of origination, number. */
const SEQUENCE_NUMBER = /^[A-Z]\d{2}Q[1-4]\d{6,8}$/;

const FANNIE_MAE = [
  'POOL_ID LOAN_ID ACT_PERIOD CHANNEL SELLER SERVICER MASTER_SERVICER ORIG_RATE CURR_RATE ORIG_UPB ISSUANCE_UPB CURRENT_UPB ORIG_TERM',
  'ORIG_DATE FIRST_PAY LOAN_AGE REM_MONTHS ADJ_REM_MONTHS MATR_DT OLTV OCLTV NUM_BO DTI CSCORE_B CSCORE_C FIRST_FLAG PURPOSE PROP',
  'NO_UNITS OCC_STAT STATE MSA ZIP MI_PCT PRODUCT PPMT_FLG IO FIRST_PAY_IO MNTHS_TO_AMTZ_IO DLQ_STATUS PMT_HISTORY MOD_FLAG',
  'MI_CANCEL_FLAG Zero_Bal_Code ZB_DTE LAST_UPB RPRCH_DTE CURR_SCHD_PRNCPL TOT_SCHD_PRNCPL UNSCHD_PRNCPL_CURR',
  'LAST_PAID_INSTALLMENT_DATE FORECLOSURE_DATE DISPOSITION_DATE FORECLOSURE_COSTS PROPERTY_PRESERVATION_AND_REPAIR_COSTS',
  'ASSET_RECOVERY_COSTS MISCELLANEOUS_HOLDING_EXPENSES_AND_CREDITS ASSOCIATED_TAXES_FOR_HOLDING_PROPERTY NET_SALES_PROCEEDS',
  'CREDIT_ENHANCEMENT_PROCEEDS REPURCHASES_MAKE_WHOLE_PROCEEDS OTHER_FORECLOSURE_PROCEEDS NON_INTEREST_BEARING_UPB',
  'PRINCIPAL_FORGIVENESS_AMOUNT ORIGINAL_LIST_START_DATE ORIGINAL_LIST_PRICE CURRENT_LIST_START_DATE CURRENT_LIST_PRICE',
  'ISSUE_SCOREB ISSUE_SCOREC CURR_SCOREB CURR_SCOREC MI_TYPE SERV_IND CURRENT_PERIOD_MODIFICATION_LOSS_AMOUNT',
  'CUMULATIVE_MODIFICATION_LOSS_AMOUNT CURRENT_PERIOD_CREDIT_EVENT_NET_GAIN_OR_LOSS CUMULATIVE_CREDIT_EVENT_NET_GAIN_OR_LOSS',
  'HOMEREADY_PROGRAM_INDICATOR FORECLOSURE_PRINCIPAL_WRITE_OFF_AMOUNT RELOCATION_MORTGAGE_INDICATOR ZERO_BALANCE_CODE_CHANGE_DATE',
  'LOAN_HOLDBACK_INDICATOR LOAN_HOLDBACK_EFFECTIVE_DATE DELINQUENT_ACCRUED_INTEREST PROPERTY_INSPECTION_WAIVER_INDICATOR',
  'HIGH_BALANCE_LOAN_INDICATOR ARM_5_YR_INDICATOR ARM_PRODUCT_TYPE MONTHS_UNTIL_FIRST_PAYMENT_RESET',
  'MONTHS_BETWEEN_SUBSEQUENT_PAYMENT_RESET INTEREST_RATE_CHANGE_DATE PAYMENT_CHANGE_DATE ARM_INDEX ARM_CAP_STRUCTURE',
  'INITIAL_INTEREST_RATE_CAP PERIODIC_INTEREST_RATE_CAP LIFETIME_INTEREST_RATE_CAP MARGIN BALLOON_INDICATOR PLAN_NUMBER',
  'FORBEARANCE_INDICATOR HIGH_LOAN_TO_VALUE_HLTV_REFINANCE_OPTION_INDICATOR DEAL_NAME RE_PROCS_FLAG ADR_TYPE ADR_COUNT ADR_UPB',
  'PAYMENT_DEFERRAL_MOD_EVENT_FLAG INTEREST_BEARING_UPB ORIG_CLASSIC_FICO ISSUE_CLASSIC_FICO CURR_CLASSIC_FICO',
]
  .join(' ')
  .split(' ');

const FREDDIE_MAC_ORIGINATION = [
  'Credit Score',
  'First Payment Date',
  'First Time Homebuyer Flag',
  'Maturity Date',
  'Metropolitan Statistical Area (MSA) Or Metropolitan Division',
  'Mortgage Insurance Percentage (MI %)',
  'Number of Units',
  'Occupancy Status',
  'Original Combined Loan-to-Value (CLTV)',
  'Original Debt-to-Income (DTI) Ratio',
  'Original UPB',
  'Original Loan-to-Value (LTV)',
  'Original Interest Rate',
  'Channel',
  'Prepayment Penalty Mortgage (PPM) Flag',
  'Amortization Type',
  'Property State',
  'Property Type',
  'Postal Code',
  'Loan Sequence Number',
  'Loan Purpose',
  'Original Loan Term',
  'Number of Borrowers',
  'Seller Name',
];
const FREDDIE_MAC_PROGRAMS = [
  'Super Conforming Flag',
  'Pre-HARP Loan Sequence Number',
  'Program Indicator',
  'HARP Indicator',
  'Property Valuation Method',
  'Interest Only (I/O) Indicator',
];

const FREDDIE_MAC_PERFORMANCE = [
  'Loan Sequence Number',
  'Monthly Reporting Period',
  'Current Actual UPB',
  'Current Loan Delinquency Status',
  'Loan Age',
  'Remaining Months to Legal Maturity',
  'Defect Settlement Date',
  'Modification Flag',
  'Zero Balance Code',
  'Zero Balance Effective Date',
  'Current Interest Rate',
  'Current Non-Interest Bearing UPB',
  'Due Date of Last Paid Installment (DDLPI)',
  'MI Recoveries',
  'Net Sales Proceeds',
  'Non MI Recoveries',
  'Total Expenses',
  'Legal Costs',
  'Maintenance and Preservation Costs',
  'Taxes and Insurance',
  'Miscellaneous Expenses',
  'Actual Loss',
  'Cumulative Modification Costs',
  'Step Modification Flag',
  'Payment Deferral Flag',
  'Estimated Loan-to-Value (ELTV)',
  'Zero Balance Removal UPB',
  'Delinquent Accrued Interest',
  'Delinquency Due to Disaster',
  'Borrower Assistance Status Code',
  'Current Period Modification Costs',
  'Interest Bearing UPB',
];

const FANNIE_MAE_SHAPES = {
  1: /^\d{8,14}$/,
  2: MONTH_YEAR,
  3: /^[RCB]?$/,
  7: RATE,
  9: AMOUNT,
  12: COUNT,
  13: MONTH_YEAR,
  14: MONTH_YEAR,
  26: /^[CPRU]$/,
  29: /^[PSIU]$/,
  30: STATE,
};
const ORIGINATION_SHAPES = {
  0: SCORE,
  1: YEAR_MONTH,
  3: YEAR_MONTH,
  7: /^[PSI9]?$/,
  10: AMOUNT,
  12: RATE,
  16: STATE,
  19: SEQUENCE_NUMBER,
  20: /^[PCNR9]$/,
  21: COUNT,
};
const PERFORMANCE_SHAPES = {
  0: SEQUENCE_NUMBER,
  1: YEAR_MONTH,
  2: AMOUNT,
  3: /^(?:\d{1,3}|RA|XX)?$/,
  4: COUNT,
  5: COUNT,
  10: RATE,
};

/**
 * The layouts by release. Fannie Mae added columns at the end; Freddie Mac moved the servicer and the cancellation of the insurance to the
 * performance file in 2026. Sources: the column names of Fannie Mae's statistical summary code (108, 110 and 113 columns), the file
 * layouts of Freddie Mac's Single-Family Loan-Level Dataset (origination 31 and 32, performance 32; release 47 of July 2026: 31 and 35).
 * Names that release 47 changed are the earlier ones, since the columns are the same.
 */
const LAYOUTS: readonly KnownLayout[] = [
  ...[108, 110, 113].map((width) => ({
    name: 'Fannie Mae single-family loan performance',
    columns: FANNIE_MAE.slice(0, width),
    shapes: FANNIE_MAE_SHAPES,
  })),
  {
    name: 'Freddie Mac single-family origination',
    columns: [...FREDDIE_MAC_ORIGINATION, 'Servicer Name', ...FREDDIE_MAC_PROGRAMS],
    shapes: { ...ORIGINATION_SHAPES, 30: /^[YN]?$/ },
  },
  {
    name: 'Freddie Mac single-family origination',
    columns: [...FREDDIE_MAC_ORIGINATION, 'Servicer Name', ...FREDDIE_MAC_PROGRAMS, 'Mortgage Insurance Cancellation Indicator'],
    shapes: { ...ORIGINATION_SHAPES, 30: /^[YN]?$/ },
  },
  {
    name: 'Freddie Mac single-family origination, from July 2026',
    columns: [...FREDDIE_MAC_ORIGINATION, ...FREDDIE_MAC_PROGRAMS, 'VantageScore 4.0'],
    shapes: { ...ORIGINATION_SHAPES, 29: /^[YN]?$/, 30: /^\d{3,4}$/ },
  },
  {
    name: 'Freddie Mac single-family performance',
    columns: FREDDIE_MAC_PERFORMANCE,
    shapes: PERFORMANCE_SHAPES,
  },
  {
    name: 'Freddie Mac single-family performance, from July 2026',
    columns: [
      ...FREDDIE_MAC_PERFORMANCE,
      'Mortgage Insurance Cancellation Indicator',
      'Servicer Name',
      'Bankruptcy Cramdown Costs',
    ],
    shapes: PERFORMANCE_SHAPES,
  },
];

/**
 * The layout of a file without a header, or null. It is recognised by the number of fields and the shape of several of them in every row:
 * a header, or one row that is different, makes it another file.
 */
export function recogniseLayout(firstRows: readonly (readonly string[])[]): Layout | null {
  if (firstRows.length === 0) return null;
  const layout = LAYOUTS.find(({ columns, shapes }) =>
    firstRows.every((row) => row.length === columns.length && hasShapes(row, shapes)),
  );
  return layout ? { name: layout.name, columns: layout.columns } : null;
}

function hasShapes(row: readonly string[], shapes: KnownLayout['shapes']): boolean {
  return Object.entries(shapes).every(([index, shape]) => shape.test(row[Number(index)].trim()));
}
