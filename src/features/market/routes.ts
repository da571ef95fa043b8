import Type from 'typebox';
import { listPoolMetrics, listTranchePerformance } from '../analytics/queries.ts';
import { DEAL_STATUSES } from '../deals/deal.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import {
  CreatedBetween,
  createdBetween,
  date,
  id,
  LOAN_TYPES,
  LoanTypeSchema,
  MAX_AMOUNT,
  money,
  nullable,
  oneOf,
  pageQuery,
  pathId,
  timestamp,
} from '../../platform/http/schemas.ts';
import {
  findCard,
  findPoolStrats,
  isVisible,
  listCards,
  listComparable,
  listTranches,
  listWatched,
  MARKET_STATUSES,
  type Sort,
  SORTS,
  unwatchDeal,
  watchDeal,
} from './queries.ts';

const Card = {
  id: id('deal'),
  name: Type.String(),
  asset_type: LoanTypeSchema,
  dealSize: money('Sum of the offered tranches.'),
  wa_yield: Type.Number({ description: 'Percent a year, weighted by balance: at the mark, else the coupon.' }),
  wal: nullable(Type.Number({ description: 'Weighted average life in years; null before a mark.' })),
  originator: Type.String(),
  status: Type.String(),
  market_status: oneOf(MARKET_STATUSES),
  tranche_count: Type.Integer({ description: 'Offered tranches.' }),
  minimum_investment: nullable(money('Smallest denomination of an offered tranche.')),
  closing_date: date(),
};
const CardSchema = Type.Object(Card);

const TrancheSchema = Type.Object({
  tranche_id: id('trn'),
  tranche: Type.String(),
  class: Type.String(),
  balance: money('Current balance.'),
  coupon: nullable(Type.Number({ description: 'Percent a year; null for a floater without a first coupon.' })),
  rating: nullable(Type.String()),
  seniority: Type.Integer({ description: '1 is paid first.' }),
  denomination: money('Least amount.'),
  increment: money('Step above the denomination.'),
  remaining_capacity: money('Balance less live subscriptions.'),
  wal: nullable(Type.Number({ description: 'Years, at the mark.' })),
  yield: nullable(Type.Number({ description: 'Percent a year, at the mark.' })),
  price: nullable(Type.Number({ description: 'Clean, per 100 of current balance, at the mark.' })),
});

const DealSchema = Type.Object({
  ...Card,
  tranches: Type.Array(TrancheSchema),
  strats: nullable(
    Type.Object({
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
      { tranche_performance: Type.Array(Type.Unknown()), pool_metrics: Type.Array(Type.Unknown()) },
      { description: 'There once a calculation of the deal was completed.' },
    ),
  ),
});

const ComparableSchema = Type.Object({
  id: id('deal'),
  name: Type.String(),
  dealSize: money('Sum of the offered tranches.'),
  asset_type: LoanTypeSchema,
  wa_yield: Type.Number({ description: 'Percent a year.' }),
  wal: nullable(Type.Number({ description: 'Years.' })),
  originator: Type.String(),
  market_status: oneOf(MARKET_STATUSES),
  closing_date: date(),
});

const size = Type.Number({ minimum: 0, maximum: MAX_AMOUNT });
const tag = 'Investor deals';
const PLATFORM = { platform: true } as const;
/** More tranches than any deal has. */
const ALL = { page: 1, limit: 1_000 };

export const marketRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/investor/deals',
    access: 'investor',
    tag,
    summary: 'Browse deals on the market',
    query: pageQuery({
      status: Type.Optional(oneOf([...new Set([...DEAL_STATUSES, ...MARKET_STATUSES])], 'Status or market status.')),
      type: Type.Optional(oneOf(LOAN_TYPES)),
      asset_type: Type.Optional(oneOf(LOAN_TYPES)),
      min_size: Type.Optional(size),
      max_size: Type.Optional(size),
      min_yield: Type.Optional(Type.Number({ minimum: -100, maximum: 1_000, description: 'Percent a year.' })),
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name of the deal or its originator.' }),
      ),
      sort: Type.Optional(oneOf(Object.keys(SORTS) as Sort[], 'A leading minus: descending. Default: newest.')),
      ...CreatedBetween,
    }),
    reply: CardSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ read, caller, query }) => {
      if (query.min_size !== undefined && query.max_size !== undefined && query.min_size > query.max_size) {
        throw new ApiError('RANGE_REVERSED', 'min_size is above max_size.');
      }
      const bounds = createdBetween(query);
      return read((tx) => listCards(tx, caller.organization_id, { ...query, ...bounds }), PLATFORM) as never;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId',
    access: 'investor',
    tag,
    summary: 'Read a deal with its tranches and its pool',
    params: pathId('dealId', 'deal'),
    reply: DealSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const dealId = params.dealId as string;
        const card = await findCard(tx, caller.organization_id, dealId);
        if (!card) throw notFound('deal');
        const [tranches, strats, tranche_performance, pool_metrics] = await Promise.all([
          listTranches(tx, dealId, ALL),
          findPoolStrats(tx, dealId),
          listTranchePerformance(tx, [dealId]),
          listPoolMetrics(tx, [dealId]),
        ]);
        const performance = tranche_performance ? { performance: { tranche_performance, pool_metrics: pool_metrics ?? [] } } : {};
        return { ...card, tranches: tranches.rows, strats, ...performance };
      }, PLATFORM) as never,
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/tranches',
    access: 'investor',
    tag,
    summary: 'List the tranches on offer, most senior first',
    params: pathId('dealId', 'deal'),
    query: pageQuery({}),
    reply: TrancheSchema,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params, query }) =>
      read(async (tx) => {
        if (!(await isVisible(tx, caller.organization_id, params.dealId as string))) throw notFound('deal');
        return listTranches(tx, params.dealId as string, query);
      }, PLATFORM),
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/comparable',
    access: 'investor',
    tag,
    summary: 'Find comparable deals: same asset type, size within 25 %, nearest first, at most 20',
    params: pathId('dealId', 'deal'),
    reply: Type.Array(ComparableSchema),
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        if (!(await isVisible(tx, caller.organization_id, params.dealId as string))) throw notFound('deal');
        return listComparable(tx, caller.organization_id, params.dealId as string);
      }, PLATFORM) as never,
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/watchlist',
    access: 'investor',
    tag,
    summary: 'List the deals that you watch',
    query: pageQuery({}),
    reply: Type.Object({ ...Card, watched_at: timestamp() }),
    replyKind: 'page',
    handler: ({ read, caller, query }) => read((tx) => listWatched(tx, caller.organization_id, query), PLATFORM) as never,
  }),
  route({
    method: 'PUT',
    path: '/v1/api/investor/watchlist/:dealId',
    access: 'investor',
    tag,
    summary: 'Watch a deal; watching it again changes nothing',
    params: pathId('dealId', 'deal'),
    reply: Type.Object({ deal_id: id('deal'), watched_at: timestamp() }),
    errors: ['NOT_FOUND'],
    handler: ({ write, caller, params }) =>
      write(async (tx) => {
        const deal_id = params.dealId as string;
        if (!(await isVisible(tx, caller.organization_id, deal_id))) throw notFound('deal');
        return { deal_id, watched_at: (await watchDeal(tx, caller.organization_id, deal_id)).toISOString() };
      }, PLATFORM),
  }),
  route({
    method: 'DELETE',
    path: '/v1/api/investor/watchlist/:dealId',
    access: 'investor',
    tag,
    summary: 'Stop watching a deal',
    params: pathId('dealId', 'deal'),
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND'],
    handler: async ({ write, caller, params }) => {
      const removed = await write((tx) => unwatchDeal(tx, caller.organization_id, params.dealId as string));
      if (removed === 0) throw notFound('watched deal');
      return 'The deal is no longer watched.';
    },
  }),
];
