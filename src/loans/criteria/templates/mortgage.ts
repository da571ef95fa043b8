import { templatesFor } from './template.ts';

const { loan, pool } = templatesFor('Mortgage');
const any = templatesFor('Any');
const JUMBO = 'Lender programme matrix (Jumbo Express)';
const WAREHOUSE = 'Warehouse concentration limits (contract clause)';
const SEQUOIA = 'Sequoia Mortgage Trust presales, statistics of jumbo pools';

export const MORTGAGE_TEMPLATES = [
  loan('C078', 'First lien on a property of 1 to 4 units', 'Warehouse definition of an eligible loan', {
    all: [
      { field: 'lien_position', op: 'eq', value: 1 },
      { field: 'units', op: 'between', value: [1, 4] },
    ],
  }),
  loan('C079', 'Score of at least 620', 'Fannie Mae automated underwriting minimum', {
    field: 'credit_score',
    op: 'gte',
    value: 620,
  }),
  loan('C080', 'LTV at most 85 %, CLTV at most 90 %, score of at least 680', JUMBO, {
    all: [
      { field: 'ltv', op: 'lte', value: 85 },
      { field: 'cltv', op: 'lte', value: 90, on_missing: 'pass' },
      { field: 'credit_score', op: 'gte', value: 680 },
    ],
  }),
  loan('C081', 'Cash-out: LTV at most 80 % and score of at least 700', JUMBO, {
    when: { field: 'loan_purpose', op: 'eq', value: 'CASHOUT' },
    then: {
      all: [
        { field: 'ltv', op: 'lte', value: 80 },
        { field: 'credit_score', op: 'gte', value: 700 },
      ],
    },
  }),
  loan('C082', 'Second home: LTV at most 75 % and score of at least 680', JUMBO, {
    when: { field: 'occupancy', op: 'eq', value: 'SECOND' },
    then: {
      all: [
        { field: 'ltv', op: 'lte', value: 75 },
        { field: 'credit_score', op: 'gte', value: 680 },
      ],
    },
  }),
  loan('C083', 'Score of at least 500, LTV at most 90 %', 'Non-QM programme (Leverage Lite)', {
    all: [
      { field: 'credit_score', op: 'gte', value: 500 },
      { field: 'ltv', op: 'lte', value: 90 },
    ],
  }),
  pool('C084', 'Second liens: at most $40,000,000', WAREHOUSE, [
    { type: 'sum', where: { field: 'lien_position', op: 'eq', value: 2 }, field: 'current_balance', op: 'lte', value: 40000000 },
  ]),
  pool('C085', '30 and more days delinquent at most $15,000,000, 60 and more at most $10,000,000', WAREHOUSE, [
    {
      type: 'sum',
      where: { field: 'days_past_due', op: 'gte', value: 30 },
      field: 'current_balance',
      op: 'lte',
      value: 15000000,
    },
    {
      type: 'sum',
      where: { field: 'days_past_due', op: 'gte', value: 60 },
      field: 'current_balance',
      op: 'lte',
      value: 10000000,
    },
  ]),
  pool('C086', 'Manufactured housing at most $40,000,000, condominiums at most $25,000,000', WAREHOUSE, [
    {
      type: 'sum',
      where: { field: 'property_type', op: 'eq', value: 'MH' },
      field: 'current_balance',
      op: 'lte',
      value: 40000000,
    },
    {
      type: 'sum',
      where: { field: 'property_type', op: 'eq', value: 'CONDO' },
      field: 'current_balance',
      op: 'lte',
      value: 25000000,
    },
  ]),
  pool(
    'C087',
    'Weighted-average score 765 to 773, LTV 67.5 to 79 %, DTI 32 to 37 %, California up to 40 %',
    SEQUOIA,
    [
      { type: 'weighted_average', field: 'credit_score', op: 'between', value: [765, 773] },
      { type: 'weighted_average', field: 'ltv', op: 'between', value: [67.5, 79] },
      { type: 'weighted_average', field: 'dti', op: 'between', value: [32, 37] },
      { type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, op: 'lte', value: 0.4 },
    ],
    { illustrative: true },
  ),
];

export const ANY_TEMPLATES = [
  any.pool(
    'C088',
    'Weighted average of a field: Σ(field × balance) / Σ balance',
    'Definition of the portfolio weighted-average receivable yield (contract clause)',
    [{ type: 'weighted_average', field: 'current_balance', op: 'gte', value: 0 }],
    { illustrative: true },
  ),
];
