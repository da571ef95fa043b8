import Type from 'typebox';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, pathId } from '../../platform/http/schemas.ts';
import { findPool } from '../pools/queries.ts';
import { listApplied } from '../remittances/queries.ts';
import { findClosingProjection } from './mark-queries.ts';
import { certificatePeriods, PerformancePeriodSchema } from './pool-performance.ts';

export const performanceRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/performance',
    access: 'originator',
    tag: 'Pools',
    summary: 'Read what happened to the loans of a pool, period by period, beside what was projected',
    description:
      'The periods of the applied servicer reports, ascending: balances, speeds, losses and delinquencies, and the factor, CPR and cumulative net loss that were projected for them. No periods before the first report is applied.',
    params: pathId('poolId', 'pool'),
    query: Type.Object({
      from: Type.Optional(date('Payment date on or after.')),
      to: Type.Optional(date('Payment date on or before.')),
    }),
    reply: Type.Array(PerformancePeriodSchema),
    errors: ['NOT_FOUND', 'RANGE_REVERSED'],
    handler: ({ caller, params, query, read }) => {
      if (query.from && query.to && query.from > query.to) throw new ApiError('RANGE_REVERSED');
      return read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        const reports = await listApplied(tx, pool, query);
        const projection = reports.length === 0 ? null : await findClosingProjection(tx, caller.organization_id, pool.pool_id);
        return certificatePeriods(reports, Number(pool.balance), projection);
      });
    },
  }),
];
