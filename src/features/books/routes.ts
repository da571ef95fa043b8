import Type from 'typebox';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, money, nullable, oneOf, pathId } from '../../platform/http/schemas.ts';
import { MARKET_STATUSES } from '../deals/queries.ts';
import { readDealBook, readPoolBook } from './read-book.ts';

const Sum = { count: Type.Integer(), amount: money('Their sum.') };

const DemandByKind = {
  indications: Type.Object(Sum, {
    title: 'Demand',
    description:
      'Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.',
  }),
  subscriptions: Type.Object(Sum, { title: 'Demand', description: 'Live subscriptions: not rejected, cancelled or expired.' }),
  orders: Type.Object(Sum, { title: 'Demand', description: 'Open orders.' }),
};

const Tranche = {
  tranche_id: id('trn'),
  tranche: Type.String(),
  class: Type.String(),
  balance: money('Original face.'),
  ...DemandByKind,
  orders_by_limit: Type.Array(
    named('DemandAtLimit', {
      limit_yield: nullable(Type.Number({ description: 'Percent a year; null: orders at market.' })),
      ...Sum,
    }),
    { description: 'The open orders by their limit, those at market first, then limits ascending.' },
  ),
  coverage: nullable(
    Type.Number({
      description: '(Live subscriptions + open orders) / balance, a fraction of 6 decimals; null for a tranche without balance.',
    }),
  ),
};

const Book = {
  pool_id: id('pool'),
  name: Type.String(),
  deal_id: nullable(id('deal', 'The securitization deal; null before the pool is issued.')),
  market_status: nullable(oneOf(MARKET_STATUSES, 'Status on the market; null before the pool is issued.')),
};

export const bookRoutes: Route[] = [
  route({
    operation: 'getPoolBook',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/book',
    access: 'originator',
    tag: 'Pools',
    summary: 'Read the demand for the tranches of your pool',
    description:
      'Totals of each tranche on offer, and its open orders by limit yield: never who bids, nor single bids beside them. A pool that is not issued has no tranches on offer.',
    params: pathId('poolId', 'pool'),
    reply: named('PoolBook', { ...Book, tranches: Type.Array(named('TrancheDemand', Tranche)) }),
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) => read((tx) => readPoolBook(tx, caller, params.poolId)),
  }),
  route({
    operation: 'getOperatorDealBook',
    method: 'GET',
    path: '/v1/operator/deals/:dealId/book',
    access: 'operator',
    tag: 'Operator',
    summary: 'Read the demand for the tranches of a securitization deal, with its investors',
    description:
      'The single bids are in the lists of indications, subscriptions and orders, which take `deal_id`. A loan deal has no book: 404.',
    params: pathId('dealId', 'deal'),
    reply: named('DealBook', {
      ...Book,
      tranches: Type.Array(
        named('TrancheBook', {
          ...Tranche,
          investors: Type.Array(
            named('InvestorDemand', { organization_id: id('org'), organization: Type.String(), ...DemandByKind }),
            { description: 'Every investor with demand for the tranche, the largest commitment first.' },
          ),
        }),
      ),
    }),
    errors: ['NOT_FOUND'],
    handler: ({ read, params }) => read((tx) => readDealBook(tx, params.dealId)),
  }),
];
