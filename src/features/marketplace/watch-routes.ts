import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { notFound, orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { listWatched, unwatchDeal, watchDeal, WATCH_RECORD } from './watch-queries.ts';
import { WatchedSchema } from './wire.ts';
import { isVisible } from '../securitizations/queries.ts';

const tag = 'Investor deals';
const ONE = { page: 1, limit: 1 };

export const watchRoutes: Route[] = [
  route({
    operation: 'listWatchedDeals',
    method: 'GET',
    path: '/v1/api/investor/watchlist',
    access: 'investor',
    tag,
    summary: 'List the deals that you watch',
    query: pageQuery({ deal_id: Type.Optional(id('deal')), ...CreatedBetween }),
    reply: WatchedSchema,
    replyKind: 'page',
    handler: ({ read, caller, query }) => read((tx) => listWatched(tx, caller.organization_id, query)),
  }),
  route({
    operation: 'getWatchedDeal',
    method: 'GET',
    path: '/v1/api/investor/watchlist/:dealId',
    record: recordOfPath('dealId', WATCH_RECORD),
    access: 'investor',
    tag,
    summary: 'Read a deal that you watch; 404 when you do not',
    params: pathId('dealId', 'deal'),
    reply: WatchedSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      const { rows } = await read((tx) => listWatched(tx, caller.organization_id, { ...ONE, deal_id: params.dealId }));
      return orNotFound(rows[0] ?? null, 'watched deal');
    },
  }),
  route({
    operation: 'watchDeal',
    method: 'PUT',
    path: '/v1/api/investor/watchlist/:dealId',
    record: recordOfPath('dealId', WATCH_RECORD),
    access: 'investor',
    tag,
    summary: 'Watch a deal; watching it again changes nothing',
    params: pathId('dealId', 'deal'),
    reply: WatchedSchema,
    errors: ['NOT_FOUND'],
    handler: ({ write, caller, params }) =>
      write(async (tx) => {
        const { dealId } = params;
        if (!(await isVisible(tx, caller.organization_id, dealId))) throw notFound('deal');
        await watchDeal(tx, caller.organization_id, dealId);
        const { rows } = await listWatched(tx, caller.organization_id, { ...ONE, deal_id: dealId });
        return orNotFound(rows[0] ?? null, 'watched deal');
      }),
  }),
  route({
    operation: 'unwatchDeal',
    method: 'DELETE',
    path: '/v1/api/investor/watchlist/:dealId',
    record: recordOfPath('dealId', WATCH_RECORD),
    access: 'investor',
    tag,
    summary: 'Stop watching a deal',
    params: pathId('dealId', 'deal'),
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND'],
    handler: async ({ write, caller, params }) => {
      const removed = await write((tx) => unwatchDeal(tx, caller.organization_id, params.dealId));
      if (removed === 0) throw notFound('watched deal');
      return 'The deal is no longer watched.';
    },
  }),
];
