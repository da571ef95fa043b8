import { STATE_CODES } from '../../dictionary/dictionary.ts';
import { templatesFor } from './template.ts';

const { loan, pool } = templatesFor('Auto');
const AMERICREDIT = 'AmeriCredit receivables characteristics, several vintages (contract clause)';
const HONDA = 'Honda Auto Receivables (contract clause)';
const CAPITAL_ONE = 'Capital One Auto 2001-B and a warehouse amendment (contract clauses)';
const MARINE = 'Deutsche Financial marine and RV loans (contract clause)';
const USED_CARS = 'Used-car and floorplan lending criteria (contract clauses)';
const NO_WORDS = ['N', 'NO', 'FALSE', '0'];
const NOT_TRUCK = { field: 'vehicle_type', op: 'neq', value: 'TRUCK' } as const;
const TRUCK = { field: 'vehicle_type', op: 'eq', value: 'TRUCK' } as const;

export const AUTO_TEMPLATES = [
  loan('C001', 'Remaining maturity of 3 to 72 months', AMERICREDIT, {
    field: 'remaining_term_months',
    op: 'between',
    value: [3, 72],
  }),
  loan('C002', 'Original term of 3 to 72 months', AMERICREDIT, { field: 'original_term_months', op: 'between', value: [3, 72] }),
  loan('C003', 'Principal balance of $250 to $85,000 at cut-off', AMERICREDIT, {
    field: 'current_balance',
    op: 'between',
    value: [250, 85000],
  }),
  loan('C004', 'APR of 1 % to 33 %', AMERICREDIT, { field: 'interest_rate', op: 'between', value: [1, 33] }),
  loan('C005', 'Not more than 30 days past due at cut-off', AMERICREDIT, { field: 'days_past_due', op: 'lte', value: 30 }),
  loan(
    'C006',
    'The seller advanced nothing to cure a delinquency',
    AMERICREDIT,
    { field: 'cured_by_advance', op: 'in', value: NO_WORDS },
    { custom_fields: { cured_by_advance: 'string' } },
  ),
  loan(
    'C007',
    'Billing address of the obligor in the United States',
    AMERICREDIT,
    { field: 'state', op: 'in', value_set: 'US_STATES' },
    { value_sets: { US_STATES: [...STATE_CODES] } },
  ),
  loan(
    'C008',
    'The obligor is a natural person',
    AMERICREDIT,
    { field: 'obligor_type', op: 'eq', value: 'NATURAL_PERSON' },
    { custom_fields: { obligor_type: 'string' } },
  ),
  pool('C009', 'Original term of 72 months: at most 40 % of the pool', AMERICREDIT, [
    { type: 'share', where: { field: 'original_term_months', op: 'eq', value: 72 }, op: 'lte', value: 0.4 },
  ]),
  pool('C010', 'Texas and California together: at most 35 %', AMERICREDIT, [
    { type: 'share', where: { field: 'state', op: 'in', value: ['TX', 'CA'] }, op: 'lte', value: 0.35 },
  ]),
  loan('C011', 'Original schedule of at most 72 payments', HONDA, { field: 'original_term_months', op: 'lte', value: 72 }),
  loan('C012', 'Contract rate of at least 0.50 %', HONDA, { field: 'interest_rate', op: 'gte', value: 0.5 }),
  loan(
    'C013',
    'The obligor is not in bankruptcy',
    HONDA,
    { field: 'in_bankruptcy', op: 'in', value: NO_WORDS },
    { custom_fields: { in_bankruptcy: 'string' } },
  ),
  loan('C014', 'Secured by a new or used Honda or Acura', HONDA, { field: 'vehicle_make', op: 'in', value: ['HONDA', 'ACURA'] }),
  pool('C015', 'Weighted-average contract rate of at least 16.5 %', CAPITAL_ONE, [
    { type: 'weighted_average', field: 'interest_rate', op: 'gte', value: 16.5 },
  ]),
  pool('C016', 'Weighted-average remaining term of at most 63 months', CAPITAL_ONE, [
    { type: 'weighted_average', field: 'remaining_term_months', op: 'lte', value: 63 },
  ]),
  pool('C017', 'Average loan-to-value of at most 115 %', CAPITAL_ONE, [
    { type: 'weighted_average', field: 'ltv', op: 'lte', value: 115 },
  ]),
  pool(
    'C018',
    'Referral contracts: at most 5 % of the pool',
    CAPITAL_ONE,
    [{ type: 'share', where: { field: 'channel', op: 'eq', value: 'REFERRAL' }, op: 'lte', value: 0.05 }],
    {
      custom_fields: { channel: 'string' },
    },
  ),
  loan('C019', 'Marine and RV: remaining term 2 to 240, original term 12 to 240 months', MARINE, {
    all: [
      { field: 'remaining_term_months', op: 'between', value: [2, 240] },
      { field: 'original_term_months', op: 'between', value: [12, 240] },
    ],
  }),
  loan('C020', 'Marine and RV: original balance of $1,313.31 to $889,770.23', MARINE, {
    field: 'original_balance',
    op: 'between',
    value: [1313.31, 889770.23],
  }),
  loan('C021', 'Marine and RV: APR of 4.00 % to 18.50 %', MARINE, { field: 'interest_rate', op: 'between', value: [4, 18.5] }),
  pool('C022', 'No state above 5 %, but CA 19.74, FL 9.20, OR 6.93, TX 11.06 %', MARINE, [
    {
      type: 'concentration',
      group_by: ['state'],
      op: 'lte',
      value: 0.05,
      exceptions: { CA: 0.1974, FL: 0.092, OR: 0.0693, TX: 0.1106 },
    },
  ]),
  pool(
    'C023',
    'Step-rate contracts: at most 1 %',
    MARINE,
    [{ type: 'share', where: { field: 'rate_structure', op: 'eq', value: 'STEP' }, op: 'lte', value: 0.01 }],
    {
      custom_fields: { rate_structure: 'string' },
    },
  ),
  pool(
    'C024',
    'One dealer at most 4 %, the 20 largest dealers at most 20 %',
    'Credit Acceptance warehouse (contract clause)',
    [
      { type: 'concentration', group_by: ['dealer_id'], op: 'lte', value: 0.04 },
      { type: 'concentration', group_by: ['dealer_id'], top: 20, op: 'lte', value: 0.2 },
    ],
    { custom_fields: { dealer_id: 'string' } },
  ),
  loan(
    'C025',
    'Vehicle age at most 7 years (trucks 8), mileage at most 100,000 (trucks 125,000)',
    USED_CARS,
    {
      any: [
        { all: [NOT_TRUCK, { field: 'vehicle_age_years', op: 'lte', value: 7 }, { field: 'mileage', op: 'lte', value: 100000 }] },
        { all: [TRUCK, { field: 'vehicle_age_years', op: 'lte', value: 8 }, { field: 'mileage', op: 'lte', value: 125000 }] },
      ],
    },
    { custom_fields: { vehicle_type: 'string', vehicle_age_years: 'number', mileage: 'number' } },
  ),
  loan('C026', 'Price at most 140 % of the wholesale value', USED_CARS, { field: 'ltv', op: 'lte', value: 140 }),
  pool(
    'C027',
    'Prime: weighted-average score of at least 680 with a missing score counted as 300; commercial obligors at most 15 %',
    'TALF-type eligibility rule',
    [
      { type: 'weighted_average', field: 'credit_score', missing_as: 300, op: 'gte', value: 680 },
      { type: 'share', where: { field: 'obligor_type', op: 'eq', value: 'COMMERCIAL' }, op: 'lte', value: 0.15 },
    ],
    { custom_fields: { obligor_type: 'string' } },
  ),
];
