import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { listPoolMetrics, listTranchePerformance } from '../calculations/mark-queries.ts';
import { DEAL_STATUSES, MARKET_STATUSES } from '../deals/queries.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, MAX_AMOUNT, oneOf, pageQuery, pathId } from '../../platform/http/schemas.ts';
import {
  findDealSummary,
  findPoolStrats,
  listDealSummaries,
  listComparable,
  listTranches,
  type DealSort,
  DEAL_SORTS,
} from './queries.ts';
import { DealSummarySchema, ComparableSchema, DealSchema, TrancheSchema } from './wire.ts';
import { isVisible, SECURITIZATION_RECORD } from '../securitizations/queries.ts';
import { LOAN_TYPES } from '../../loans/types.ts';

const size = Type.Number({ minimum: 0, maximum: MAX_AMOUNT });
const tag = 'Investor deals';
/** More tranches than a deal can have. */
const ALL = { page: 1, limit: 1_000 };

export const marketRoutes: Route[] = [
  route({
    operation: 'listMarketDeals',
    method: 'GET',
    path: '/v1/api/investor/deals',
    access: 'investor',
    tag,
    summary: 'Browse deals on the market',
    query: pageQuery({
      status: Type.Optional(oneOf([...new Set([...DEAL_STATUSES, ...MARKET_STATUSES])], 'Status or market status.')),
      market_status: Type.Optional(oneOf(MARKET_STATUSES)),
      type: Type.Optional(oneOf(LOAN_TYPES)),
      asset_type: Type.Optional(oneOf(LOAN_TYPES)),
      min_size: Type.Optional(size),
      max_size: Type.Optional(size),
      min_yield: Type.Optional(Type.Number({ minimum: -100, maximum: 1_000, description: 'Percent a year.' })),
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name of the deal or its originator.' }),
      ),
      sort: Type.Optional(oneOf(Object.keys(DEAL_SORTS) as DealSort[], 'A leading minus: descending. Default: newest.')),
      ...CreatedBetween,
    }),
    reply: DealSummarySchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ read, caller, query }) => {
      if (query.min_size !== undefined && query.max_size !== undefined && query.min_size > query.max_size) {
        throw new ApiError('RANGE_REVERSED', 'min_size is above max_size.');
      }
      return read((tx) => listDealSummaries(tx, caller.organization_id, query));
    },
  }),
  route({
    operation: 'getMarketDeal',
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId',
    record: recordOfPath('dealId', SECURITIZATION_RECORD),
    access: 'investor',
    tag,
    summary: 'Read a deal with its tranches and its pool',
    params: pathId('dealId', 'deal'),
    reply: DealSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const { dealId } = params;
        const summary = orNotFound(await findDealSummary(tx, caller.organization_id, dealId), 'deal');
        const [tranches, strats, tranche_performance, pool_metrics] = await Promise.all([
          listTranches(tx, dealId, ALL),
          findPoolStrats(tx, dealId),
          listTranchePerformance(tx, [dealId]),
          listPoolMetrics(tx, [dealId]),
        ]);
        const performance = tranche_performance ? { performance: { tranche_performance, pool_metrics: pool_metrics ?? [] } } : {};
        return { ...summary, tranches: tranches.rows, strats, ...performance };
      }),
  }),
  route({
    operation: 'listMarketDealTranches',
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
        if (!(await isVisible(tx, caller.organization_id, params.dealId))) throw notFound('deal');
        return listTranches(tx, params.dealId, query);
      }),
  }),
  route({
    operation: 'listComparableMarketDeals',
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
        if (!(await isVisible(tx, caller.organization_id, params.dealId))) throw notFound('deal');
        return listComparable(tx, caller.organization_id, params.dealId);
      }),
  }),
];
