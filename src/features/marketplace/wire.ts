import Type from 'typebox';
import { date, id, money, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { PoolPeriodSchema, TranchePeriodSchema } from '../calculations/deal-performance.ts';
import { MARKET_STATUSES } from '../deals/queries.ts';
import { LoanTypeSchema } from '../deals/fields.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';

const summary = {
  id: id('deal'),
  deal_id: id('deal'),
  name: Type.String(),
  asset_type: LoanTypeSchema,
  dealSize: money('Sum of the offered tranches.'),
  wa_yield: Type.Number({ description: 'Percent a year, weighted by original face: at the mark, else the coupon.' }),
  wa_yield_coverage: Type.Number({
    description:
      'Share of the offered face whose yield is known and in wa_yield, 0 to 1: a floater without a mark and a fixing has none.',
  }),
  wal: nullable(Type.Number({ description: 'Weighted average life in years; null before a mark.' })),
  originator: Type.String(),
  status: Type.String(),
  market_status: namedOneOf('MarketStatus', MARKET_STATUSES),
  tranche_count: Type.Integer({ description: 'Offered tranches.' }),
  minimum_investment: nullable(money('Smallest denomination of an offered tranche.')),
  closing_date: date(),
};

/** A deal in the lists of the market. */
export const DealSummarySchema = named('MarketDealSummary', summary);
export const WatchedSchema = named('WatchedDeal', { ...summary, watched_at: timestamp() });

export const TrancheSchema = named('MarketTranche', {
  tranche_id: id('trn'),
  tranche: Type.String(),
  class: Type.String(),
  balance: money('Original face on offer; the deal size is its sum.'),
  current_balance: money('Outstanding face: face × factor.'),
  factor: Type.Number({ description: 'Current balance over original face, 8 decimals.' }),
  coupon: nullable(
    Type.Number({
      description:
        'Percent a year in the present accrual period; null where it is not known: of a floater before a fixing, of a coupon that the net rate of the loans limits while no report says that rate.',
    }),
  ),
  coupon_type: oneOf(['FIXED', 'FLOATING']),
  index: nullable(Type.String({ description: 'Index that a floater follows.' })),
  margin_bp: nullable(Type.Number({ description: 'Margin of a floater over its index, basis points, where it is one number.' })),
  multiplier: nullable(
    Type.Number({ description: 'Of a floater, what its index is multiplied with; below 0 of an inverse one.' }),
  ),
  cap: nullable(Type.Number({ description: 'Highest coupon, percent a year, where it is one number.' })),
  floor: nullable(Type.Number({ description: 'Lowest coupon, percent a year, where it is one number.' })),
  coupon_terms: nullable(
    Type.String({
      description: 'The coupon in words where it may differ from one accrual period to the next; null where it stays.',
    }),
  ),
  current_rate: nullable(
    Type.Number({
      description:
        'Rate of a floater in its present accrual period, percent a year, at the latest fixing before it until its own is recorded; null without a fixing.',
    }),
  ),
  rating: nullable(Type.String()),
  seniority: Type.Integer({ description: '1 is paid first.' }),
  denomination: money('Smallest amount.'),
  increment: money('Step above the denomination.'),
  remaining_capacity: money('Original face less live subscriptions.'),
  wal: nullable(Type.Number({ description: 'Years, at the mark.' })),
  yield: nullable(Type.Number({ description: 'Percent a year, at the mark.' })),
  price: nullable(Type.Number({ description: 'Clean, per 100 of current balance, at the mark.' })),
});

export const DealSchema = named('MarketDeal', {
  ...summary,
  tranches: Type.Array(TrancheSchema),
  strats: nullable(
    named('CollateralSummary', {
      loan_type: Type.String(),
      loan_count: Type.Integer(),
      balance: money('Balance of the pool at the cut-off.'),
      wac: nullable(Type.Number({ description: 'Weighted average coupon, percent a year.' })),
      wam: nullable(Type.Number({ description: 'Weighted average remaining term, months.' })),
      cut_off_date: date(),
    }),
  ),
  performance: Type.Optional(
    Type.Object(
      { tranche_performance: Type.Array(TranchePeriodSchema), pool_metrics: Type.Array(PoolPeriodSchema) },
      { title: 'MarketPerformance', description: 'Present once a calculation of the deal was completed.' },
    ),
  ),
});

export const ComparableSchema = named('ComparableDeal', {
  id: id('deal'),
  deal_id: id('deal'),
  name: Type.String(),
  dealSize: money('Sum of the offered tranches.'),
  asset_type: LoanTypeSchema,
  wa_yield: Type.Number({ description: 'Percent a year.' }),
  wa_yield_coverage: Type.Number({ description: 'Share of the offered face whose yield is known, 0 to 1.' }),
  wal: nullable(Type.Number({ description: 'Years.' })),
  originator: Type.String(),
  market_status: oneOf(MARKET_STATUSES),
  closing_date: date(),
});
