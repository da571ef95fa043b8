import { templatesFor } from './template.ts';

const personal = templatesFor('Personal');
const student = templatesFor('Student');
const card = templatesFor('Credit Card');
const PROSPER = 'Prosper listing criteria';
const UPSTART = 'Upstart bank-partner programme page';
const SLM = 'SLM/Navient 8-K Exhibit 99.1, trust student loan characteristics';
const BRAZOS = 'Refinancing lender criteria page (Brazos)';
const CARD_TRUST = 'Credit-card master trusts, eligible and ineligible accounts (contract clauses)';
const NO_WORDS = ['N', 'NO', 'FALSE', '0'];

export const PERSONAL_TEMPLATES = [
  personal.loan(
    'C065',
    'Score of the co-borrower of at least 600',
    PROSPER,
    { field: 'co_credit_score', op: 'gte', value: 600, on_missing: 'pass' },
    {
      custom_fields: { co_credit_score: 'number' },
    },
  ),
  personal.loan(
    'C066',
    'No bankruptcy within 12 months',
    PROSPER,
    { field: 'months_since_bankruptcy', op: 'gte', value: 12, on_missing: 'pass' },
    {
      custom_fields: { months_since_bankruptcy: 'number' },
    },
  ),
  personal.loan(
    'C067',
    'At least one open trade',
    PROSPER,
    { field: 'open_trades', op: 'gte', value: 1 },
    { custom_fields: { open_trades: 'number' } },
  ),
  personal.loan(
    'C068',
    'At most 2 active loans and $50,000 in total',
    PROSPER,
    {
      all: [
        { field: 'active_loans', op: 'lte', value: 2 },
        { field: 'total_outstanding', op: 'lte', value: 50000 },
      ],
    },
    { custom_fields: { active_loans: 'number', total_outstanding: 'number' } },
  ),
  personal.loan('C069', 'APR of at most 35.99 %', UPSTART, { field: 'interest_rate', op: 'lte', value: 35.99 }),
  personal.loan('C070', 'Annual income of at least $12,000', UPSTART, { field: 'annual_income', op: 'gte', value: 12000 }),
  personal.loan(
    'C071',
    'No bankruptcy on record, no excluded state, term below 84 months',
    UPSTART,
    {
      all: [
        { field: 'bankruptcies', op: 'eq', value: 0 },
        { field: 'state', op: 'not_in', value_set: 'EXCLUDED_STATES' },
        { field: 'original_term_months', op: 'lt', value: 84 },
      ],
    },
    { value_sets: { EXCLUDED_STATES: ['IA', 'WV'] } },
  ),
  personal.loan('C072', 'All-in annual rate of at most 36 %', 'CDFI small-dollar criteria', {
    field: 'interest_rate',
    op: 'lte',
    value: 36,
  }),
  personal.loan('C073', 'Balance of $300 to $7,200 and term of 6 to 38 months', 'Oportun facility and 2022-1 presale', {
    all: [
      { field: 'current_balance', op: 'between', value: [300, 7200] },
      { field: 'original_term_months', op: 'between', value: [6, 38] },
    ],
  }),
  personal.pool(
    'C074',
    'Unsecured loans: at most 62.5 %',
    'OneMain OMFIT 2023-2 presale',
    [{ type: 'share', where: { field: 'secured', op: 'in', value: NO_WORDS }, op: 'lte', value: 0.625 }],
    { custom_fields: { secured: 'string' } },
  ),
  personal.pool(
    'C077',
    'Weighted-average score about 715 and rate about 14.32 %',
    'PMIT 2019-4 presale, statistics of the pool',
    [
      { type: 'weighted_average', field: 'credit_score', op: 'gte', value: 700 },
      { type: 'weighted_average', field: 'interest_rate', op: 'lte', value: 14.5 },
    ],
    { illustrative: true },
  ),
];

export const STUDENT_TEMPLATES = [
  student.loan('C046', 'Guaranteed under the FFEL program', SLM, {
    field: 'program',
    op: 'in',
    value: ['FFELP_STAFFORD_SUB', 'FFELP_STAFFORD_UNSUB', 'FFELP_PLUS', 'FFELP_CONSOLIDATION'],
  }),
  student.loan(
    'C047',
    'Fully disbursed, the final disbursement more than 120 days before cut-off',
    SLM,
    {
      all: [
        { field: 'fully_disbursed', op: 'eq', value: true },
        { field: 'final_disbursement_date', op: 'before', value: 'as_of-120d' },
      ],
    },
    { needs_as_of: true },
  ),
  student.loan('C048', 'Not more than 210 days past due', SLM, { field: 'days_past_due', op: 'lte', value: 210 }),
  student.loan('C049', 'The borrower is not in bankruptcy', SLM, { field: 'in_bankruptcy', op: 'eq', value: false }),
  student.loan('C050', 'An allowed special-allowance index', SLM, {
    field: 'index',
    op: 'in',
    value: ['SOFR', 'LIBOR_1M', 'TBILL_91D', 'CP'],
  }),
  student.loan('C051', 'Score of at least 720, or of at least 690 with a cosigner', BRAZOS, {
    any: [
      { field: 'credit_score', op: 'gte', value: 720 },
      {
        all: [
          { field: 'cosigner', op: 'eq', value: true },
          { field: 'credit_score', op: 'gte', value: 690 },
        ],
      },
    ],
  }),
  student.loan('C052', 'Income of at least $60,000, or $30,000 with a cosigner', BRAZOS, {
    any: [
      { field: 'annual_income', op: 'gte', value: 60000 },
      {
        all: [
          { field: 'cosigner', op: 'eq', value: true },
          { field: 'annual_income', op: 'gte', value: 30000 },
        ],
      },
    ],
  }),
  student.loan('C053', 'Refinanced amount of $10,000 to $250,000, up to $400,000 for graduate degrees', BRAZOS, {
    any: [
      { field: 'original_balance', op: 'between', value: [10000, 250000] },
      {
        all: [
          { field: 'degree', op: 'in', value: ['GRADUATE', 'PROFESSIONAL'] },
          { field: 'original_balance', op: 'between', value: [10000, 400000] },
        ],
      },
    ],
  }),
  student.loan('C054', 'Bachelor degree or higher', BRAZOS, {
    field: 'degree',
    op: 'in',
    value: ['BACHELOR', 'GRADUATE', 'PROFESSIONAL'],
  }),
  student.pool(
    'C055',
    'Weighted-average remaining term about 184 months, borrower rate about 6.27 %',
    `${SLM}, statistics of a pool`,
    [
      { type: 'weighted_average', field: 'remaining_term_months', op: 'lte', value: 190 },
      { type: 'weighted_average', field: 'interest_rate', op: 'lte', value: 6.5 },
    ],
    { illustrative: true },
  ),
];

export const CARD_TEMPLATES = [
  card.loan('C056', 'The account is not charged off', CARD_TRUST, { field: 'account_status', op: 'neq', value: 'CHARGED_OFF' }),
  card.loan('C057', 'Holder not deceased; card not lost, stolen or cancelled; no fraud', CARD_TRUST, {
    field: 'account_status',
    op: 'not_in',
    value: ['DECEASED', 'LOST', 'STOLEN', 'CANCELLED', 'FRAUD'],
  }),
  card.loan(
    'C058',
    'Not a secured card; payable in the currency of the trust',
    CARD_TRUST,
    {
      all: [
        { field: 'secured', op: 'in', value: NO_WORDS },
        { field: 'currency', op: 'eq', value: 'USD', on_missing: 'pass' },
      ],
    },
    { custom_fields: { secured: 'string' } },
  ),
  card.loan(
    'C059',
    'No co-brand product of the exclusion list',
    CARD_TRUST,
    { field: 'card_type', op: 'not_in', value_set: 'EXCLUDED_COBRANDS' },
    {
      value_sets: { EXCLUDED_COBRANDS: ['NAME OF A CO-BRAND'] },
    },
  ),
];
