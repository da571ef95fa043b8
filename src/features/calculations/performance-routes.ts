import Type, { type Static } from 'typebox';
import { calendarDates, datesOf } from '../../finance/structure/periods.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, pathId, refuseReversedDates } from '../../platform/http/schemas.ts';
import { findPool, type Pool } from '../pools/queries.ts';
import { type AppliedReport, listApplied } from '../remittances/queries.ts';
import { findVisiblePool } from '../securitizations/queries.ts';
import { listPoolMonths } from '../servicing/queries.ts';
import { findClosingProjection } from '../remittances/projection-queries.ts';
import { besideProjection, type PerformancePeriod, PerformancePeriodSchema, reportedFigures } from './pool-performance.ts';
import { poolCurves, PoolCurvesSchema, tapePeriods } from './tape-performance.ts';

const PaymentDates = Type.Object({
  from: Type.Optional(date('Payment date on or after.')),
  to: Type.Optional(date('Payment date on or before.')),
});

export const performanceRoutes: Route[] = [
  route({
    operation: 'getPoolPerformance',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/performance',
    access: 'originator',
    tag: 'Pools',
    summary: 'Read what happened to the loans of a pool, period by period, beside what was projected',
    description:
      'The periods of the monthly tapes in force and of the applied servicer reports, ascending: balances, speeds, losses and delinquencies, and the factor, CPR and cumulative net loss that were projected for them. A period that has both is that of its tape (`basis`), and `ties` has the figures of the report beside it.',
    params: pathId('poolId', 'pool'),
    query: PaymentDates,
    reply: Type.Array(PerformancePeriodSchema),
    errors: ['NOT_FOUND', 'RANGE_REVERSED'],
    handler: ({ caller, params, query, read }) =>
      read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        return periodsOf(tx, pool, query);
      }),
  }),
  route({
    operation: 'getPoolPerformanceCurves',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/performance/curves',
    access: 'originator',
    tag: 'Pools',
    summary: 'Read the curves of the vintages of a pool, and how its loans rolled between states',
    description: 'From the monthly tapes in force alone, with the numbers of loans. Empty without one.',
    params: pathId('poolId', 'pool'),
    reply: PoolCurvesSchema,
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        return poolCurves(await listPoolMonths(tx, pool));
      }),
  }),
  route({
    operation: 'getMarketDealPerformance',
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/performance',
    access: 'investor',
    tag: 'Investor deals',
    summary: 'Read what happened to the loans of a deal, period by period, beside what was projected',
    description:
      'The periods of the monthly tapes in force and of the applied servicer reports, ascending, and what the marks that were published first had projected for them from the cut-off date.',
    params: pathId('dealId', 'deal'),
    query: PaymentDates,
    reply: Type.Array(PerformancePeriodSchema),
    errors: ['NOT_FOUND', 'RANGE_REVERSED'],
    handler: ({ caller, params, query, read }) =>
      read(async (tx) => {
        const pool = orNotFound(await findVisiblePool(tx, caller.organization_id, params.dealId), 'deal');
        return periodsOf(tx, pool, query, true);
      }),
  }),
];

/**
 * The periods of a pool: by its tape where one is in force, else by its report. `published`: beside the projection of published marks alone.
 * 422 for reversed bounds.
 */
async function periodsOf(
  tx: Tx,
  pool: Pool,
  query: Static<typeof PaymentDates>,
  published = false,
): Promise<PerformancePeriod[]> {
  refuseReversedDates(query);
  const reports = await listApplied(tx, pool, {});
  const months = await listPoolMonths(tx, pool);
  const latest = Math.max(0, ...months.map(({ period }) => period));
  const original = Number(pool.balance);
  const tapes = tapePeriods(months, reports, paymentDates(pool, reports, latest), { ...pool, balance: original });
  const onTape = new Set(tapes.map(({ period }) => period));
  const certificates = reports.filter(({ period }) => !onTape.has(period)).map((report) => reportedFigures(report, original));
  const periods = [...tapes, ...certificates]
    .filter(
      ({ payment_date: day }) =>
        (!query.from || (day !== null && day >= query.from)) && (!query.to || (day !== null && day <= query.to)),
    )
    .sort((a, b) => a.period - b.period);
  const projection = periods.length === 0 ? null : await findClosingProjection(tx, pool.organization_id, pool.pool_id, published);
  return besideProjection(periods, original, projection);
}

/** The payment dates of the periods up to one: those of the reports, and of the calendar for the others. */
function paymentDates(pool: Pool, reports: readonly AppliedReport[], latest: number): Map<number, string> {
  const dates = pool.structure && latest > 0 ? calendarDates(pool.structure, datesOf(pool), latest) : [];
  return new Map([
    ...dates.map((paid, index) => [index + 1, paid] as const),
    ...reports.map(({ period, report }) => [period, report.payment_date] as const),
  ]);
}
