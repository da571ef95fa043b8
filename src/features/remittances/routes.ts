import { recordOfPath } from '../../platform/http/record-version.ts';
import { mapPage } from '../../platform/db/page.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { findPool, POOL_RECORD } from '../pools/queries.ts';
import { wirePoolDetail } from '../pools/pool-view.ts';
import { findLastRemittance, listRemittances } from './queries.ts';
import { RemittanceBodySchema, toRemittance } from './report.ts';
import { reportRemittance } from './report-remittance.ts';
import { PoolDetailSchema, RemittanceReplySchema, wireRemittance } from './wire.ts';

const tag = 'Pools';
const poolId = pathId('poolId', 'pool');

export const remittanceRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a pool with its structure and its last servicer report',
    params: poolId,
    reply: PoolDetailSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        const last = await findLastRemittance(tx, caller.organization_id, pool.pool_id);
        return { ...wirePoolDetail(pool), last_remittance: last && wireRemittance(last) };
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/api/originator/pools/:poolId/remittances',
    access: 'originator',
    audit: {
      action: 'remittance.reported',
      entity_type: 'remittance',
      id: 'remittance_id',
      after: ['pool_id', 'deal_id', 'period', 'payment_date'],
    },
    tag,
    summary: 'Send the servicer report of a payment date',
    description:
      'The report must tie, to the cent, to itself and to the previous one; the errors name every finding. Balances, factors, positions and triggers follow. Figures may be named as in servicer reports or as in the rows of a calculation.',
    params: poolId,
    body: RemittanceBodySchema,
    reply: RemittanceReplySchema,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT', 'REMITTANCE_DOES_NOT_TIE'],
    handler: ({ caller, params, body, write }) => {
      const report = toRemittance(body);
      return write(async (tx) => wireRemittance(await reportRemittance(tx, caller, params.poolId, report)));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/remittances',
    access: 'originator',
    tag,
    summary: 'List the reports of a pool, newest first',
    params: poolId,
    query: pageQuery(CreatedBetween),
    reply: RemittanceReplySchema,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, query, read }) =>
      read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        return mapPage(await listRemittances(tx, caller.organization_id, pool.pool_id, query), wireRemittance);
      }),
  }),
];
