import type { PoolTest } from '../language.ts';
import { templatesFor } from './template.ts';

const { loan, pool } = templatesFor('Business');
const NAVISTAR = 'Navistar Financial retail (contract clause)';
const SBA = 'SBA 7(a) eligibility page';
const SMARTBIZ = 'SmartBiz bank criteria page';
const YES_WORDS = ['Y', 'YES', 'TRUE', '1'];

const RATING_LIMITS: [string, number][] = [
  ['bucket_1', 0.3],
  ['bucket_2', 0.175],
  ['bucket_3', 0.15],
  ['bucket_4', 0.125],
  ['unrated', 0.075],
];

export const BUSINESS_TEMPLATES = [
  pool('C028', 'A single obligor: at most 2 % of the pool', NAVISTAR, [
    { type: 'concentration', group_by: ['obligor_id'], op: 'lte', value: 0.02 },
  ]),
  pool('C029', 'Remaining term over 72 months: at most 10 %', NAVISTAR, [
    { type: 'share', where: { field: 'remaining_term_months', op: 'gt', value: 72 }, op: 'lte', value: 0.1 },
  ]),
  pool('C030', 'Weighted-average remaining term of at most 58 months', NAVISTAR, [
    { type: 'weighted_average', field: 'remaining_term_months', op: 'lte', value: 58 },
  ]),
  pool(
    'C031',
    'Not originated by the sponsor: at most 3 %',
    NAVISTAR,
    [{ type: 'share', where: { field: 'lender', op: 'not_in', value_set: 'SPONSOR' }, op: 'lte', value: 0.03 }],
    {
      value_sets: { SPONSOR: ['NAME OF THE SPONSOR'] },
    },
  ),
  pool(
    'C032',
    'Restructured receivables: at most 5 %',
    NAVISTAR,
    [{ type: 'share', where: { field: 'modified', op: 'in', value: YES_WORDS }, op: 'lte', value: 0.05 }],
    {
      custom_fields: { modified: 'string' },
    },
  ),
  pool(
    'C033',
    'Used equipment: at most 22.5 %',
    NAVISTAR,
    [{ type: 'share', where: { field: 'new_used', op: 'eq', value: 'USED' }, op: 'lte', value: 0.225 }],
    {
      custom_fields: { new_used: 'string' },
    },
  ),
  pool('C034', 'Weighted-average APR of at least 7.25 %', NAVISTAR, [
    { type: 'weighted_average', field: 'interest_rate', op: 'gte', value: 7.25 },
  ]),
  pool(
    'C035',
    'Each obligor at most 1 %; the 3 largest dealers at most 1 %, the 5 largest at most 2 %',
    'Equipment and floorplan sale agreement (contract clause)',
    [
      { type: 'concentration', group_by: ['obligor_id'], op: 'lte', value: 0.01 },
      { type: 'concentration', group_by: ['dealer_id'], top: 3, op: 'lte', value: 0.01 },
      { type: 'concentration', group_by: ['dealer_id'], top: 5, op: 'lte', value: 0.02 },
    ],
    { custom_fields: { dealer_id: 'string' } },
  ),
  pool('C036', 'Lines of credit: at most 10 % of the pool', 'OnDeck 2019-1 (rating report excerpt)', [
    { type: 'share', where: { field: 'revolving', op: 'eq', value: true }, op: 'lte', value: 0.1 },
  ]),
  loan('C037', 'SBA 7(a): loan of at most $2,000,000', SBA, { field: 'approved_amount', op: 'lte', value: 2000000 }),
  loan('C038', 'SBA 7(a): guaranteed amount of at most $1,500,000', SBA, {
    field: 'guarantee_amount',
    op: 'lte',
    value: 1500000,
  }),
  loan('C039', 'Score of at least 600 for $30,000 to $150,000 and of at least 675 above', SMARTBIZ, {
    any: [
      {
        all: [
          { field: 'original_balance', op: 'between', value: [30000, 150000] },
          { field: 'owner_credit_score', op: 'gte', value: 600 },
        ],
      },
      {
        all: [
          { field: 'original_balance', op: 'gt', value: 150000 },
          { field: 'owner_credit_score', op: 'gte', value: 675 },
        ],
      },
    ],
  }),
  loan('C040', 'Debt service coverage of at least 1.15', SMARTBIZ, { field: 'dscr', op: 'gte', value: 1.15 }),
  loan('C041', 'At least 2 years in business', SMARTBIZ, { field: 'years_in_business', op: 'gte', value: 2 }),
  loan(
    'C042',
    'No bankruptcy or foreclosure in the past 3 years',
    SMARTBIZ,
    { field: 'months_since_bankruptcy', op: 'gte', value: 36, on_missing: 'pass' },
    {
      custom_fields: { months_since_bankruptcy: 'number' },
    },
  ),
  pool(
    'C043',
    'An account debtor: at most 25 % of the receivables',
    'Factoring facility (contract clause)',
    [{ type: 'concentration', group_by: ['account_debtor_id'], op: 'lte', value: 0.25 }],
    { custom_fields: { account_debtor_id: 'string' } },
  ),
  pool(
    'C044',
    'Limits by rank: the largest, second, third and every other industry',
    'Middle-market CLO facility; its percentages were not published, those here are examples',
    [{ type: 'concentration', group_by: ['industry'], rank_limits: [0.2, 0.15, 0.12], op: 'lte', value: 0.1 }],
    { custom_fields: { industry: 'string' }, illustrative: true },
  ),
  pool(
    'C045',
    'An obligor at most 30, 17.5, 15, 12.5 or 7.5 % of the pool, by rating bucket',
    'Trade-receivables facility (contract clause)',
    RATING_LIMITS.map(
      ([bucket, value]): Omit<PoolTest, 'id'> => ({
        type: 'concentration',
        where: { field: 'obligor_rating_bucket', op: 'eq', value: bucket },
        group_by: ['obligor_id'],
        op: 'lte',
        value,
      }),
    ),
    { custom_fields: { obligor_rating_bucket: 'string' } },
  ),
  pool(
    'C064',
    'A manufacturer at most 2 %, but Chrysler 4, Ford 7, GM 7 %',
    'Dealer floorplan and fleet series supplement (contract clause)',
    [
      {
        type: 'concentration',
        group_by: ['manufacturer'],
        op: 'lte',
        value: 0.02,
        exceptions: { CHRYSLER: 0.04, FORD: 0.07, GM: 0.07 },
      },
    ],
    { custom_fields: { manufacturer: 'string' } },
  ),
];
