import Type, { type Static } from 'typebox';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, pathId } from '../../platform/http/schemas.ts';
import { findPool, type Pool } from '../pools/queries.ts';
import { findClosingProjection } from '../remittances/projection-queries.ts';
import { listApplied } from '../remittances/queries.ts';
import { findVisiblePool } from '../securitizations/queries.ts';
import { certificatePeriods, type PerformancePeriod, PerformancePeriodSchema } from './pool-performance.ts';

const PaymentDates = Type.Object({
  from: Type.Optional(date('Payment date on or after.')),
  to: Type.Optional(date('Payment date on or before.')),
});

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
    query: PaymentDates,
    reply: Type.Array(PerformancePeriodSchema),
    errors: ['NOT_FOUND', 'RANGE_REVERSED'],
    handler: ({ caller, params, query, read }) => {
      refuseReversed(query);
      return read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        return periodsOf(tx, pool, query);
      });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/performance',
    access: 'investor',
    tag: 'Investor deals',
    summary: 'Read what happened to the loans of a deal, period by period, beside what was projected',
    description:
      'The periods of the applied servicer reports, ascending, and what the marks that were published first had projected for them from the cut-off date.',
    params: pathId('dealId', 'deal'),
    query: PaymentDates,
    reply: Type.Array(PerformancePeriodSchema),
    errors: ['NOT_FOUND', 'RANGE_REVERSED'],
    handler: ({ caller, params, query, read }) => {
      refuseReversed(query);
      return read(async (tx) => {
        const pool = orNotFound(await findVisiblePool(tx, caller.organization_id, params.dealId), 'deal');
        return periodsOf(tx, pool, query, true);
      });
    },
  }),
];

function refuseReversed({ from, to }: Static<typeof PaymentDates>): void {
  if (from && to && from > to) throw new ApiError('RANGE_REVERSED');
}

/** The periods of a pool. `published`: beside the projection of published marks alone. */
async function periodsOf(
  tx: Tx,
  pool: Pool,
  query: Static<typeof PaymentDates>,
  published = false,
): Promise<PerformancePeriod[]> {
  const reports = await listApplied(tx, pool, query);
  const projection = reports.length === 0 ? null : await findClosingProjection(tx, pool.organization_id, pool.pool_id, published);
  return certificatePeriods(reports, Number(pool.balance), projection);
}
