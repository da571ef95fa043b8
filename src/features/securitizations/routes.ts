import { operatorRecord } from '../../platform/http/list-route.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { mapPage } from '../../platform/pages.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { issuePool } from './issue-pool.ts';
import { findAnyPool, listPools, type Pool, POOL_RECORD, POOL_STATUSES } from '../pools/queries.ts';
import { OperatorPoolSchema, wirePool } from '../pools/pool-view.ts';
import { LoanTypeSchema } from '../deals/fields.ts';

const poolId = pathId('poolId', 'pool');
const wireOperatorPool = (pool: Pool) => ({ ...wirePool(pool), organization_id: pool.organization_id });

export const poolOperatorRoutes: Route[] = [
  route({
    operation: 'listOperatorPools',
    method: 'GET',
    path: '/v1/operator/pools',
    access: 'operator',
    tag: 'Operator',
    summary: 'List pools of all organizations',
    query: pageQuery({
      status: Type.Optional(oneOf(POOL_STATUSES)),
      type: Type.Optional(LoanTypeSchema),
      organization_id: Type.Optional(id('org')),
      deal_id: Type.Optional(id('deal', 'A loan deal in the pool, or its securitization deal.')),
      ...CreatedBetween,
    }),
    reply: OperatorPoolSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: async ({ read, query }) =>
      mapPage(await read((tx) => listPools(tx, query.organization_id ?? null, query)), wireOperatorPool),
  }),
  operatorRecord({
    operation: 'getOperatorPool',
    path: '/v1/operator/pools/:poolId',
    summary: 'Read a pool of any organization',
    params: pathId('poolId', 'pool'),
    reply: OperatorPoolSchema,
    record: recordOfPath('poolId', POOL_RECORD),
    what: 'pool',
    find: async (tx, { poolId: wanted }) => {
      const pool = await findAnyPool(tx, wanted);
      return pool && wireOperatorPool(pool);
    },
  }),
  route({
    operation: 'issuePool',
    right: 'APPROVE',
    approval: 'POOL_ISSUE',
    method: 'POST',
    path: '/v1/operator/pools/:poolId/issue',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Issue a pool whose originator has requested it',
    description:
      'The securitization deal with its tranches appears to investors in MARKETING. Investors to whom the offering may be sold get `deal.listed` within a minute.',
    params: poolId,
    reply: OperatorPoolSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION', 'CONFLICT', 'PLEDGE_CONFLICT'],
    handler: ({ deps, caller, params, write }) =>
      write(async (tx) => {
        await issuePool(tx, caller, params.poolId, deps);
        return wireOperatorPool(orNotFound(await findAnyPool(tx, params.poolId), 'pool'));
      }),
  }),
];
