import { roundHalfEven } from '../../finance/money.ts';
import type { CalculationOpening } from '../../finance/structure/normal-request.ts';
import type { CalculationRequest } from '../../finance/structure/request.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { PeriodPerformance, PoolMetrics, ProjectedPerformance } from '../remittances/performance.ts';
import type { PoolPeriod, TranchePeriod } from './deal-performance.ts';
import type { Id } from '../../platform/ids.ts';

/** The latest published mark of an offered tranche. */
export type LatestMark = {
  tranche_id: Id<'trn'>;
  tranche: string;
  calculation_id: Id<'calc'>;
  price: number;
  /** Percent a year; null where the calculation found none. */
  yield: number | null;
};

/** A mark with the inputs of its calculation, and where the calculation's rows are stored. */
export type MarkSource = LatestMark & {
  details_key: string | null;
  settlement_date: string | null;
  request: Pick<CalculationRequest, 'yield_basis' | 'index_curves'> | null;
  structure: Structure | null;
  opening: CalculationOpening | null;
  cut_off_date: string | null;
  closing_date: string | null;
};

const LATEST_MARKS = `from tranches t join lateral (
    select calculation_id, price, yield from marks where marks.tranche_id = t.tranche_id order by published_at desc limit 1) m on true`;
const MARK = 't.tranche_id, t.tranche, m.calculation_id, m.price::float8 as price, m.yield::float8 as yield';

/** The marks of a deal's offered tranches; a tranche without one is left out. */
export function listLatestMarks(tx: Tx, dealId: Id<'deal'>): Promise<LatestMark[]> {
  return tx.rows<LatestMark>(`select ${MARK} ${LATEST_MARKS} where t.deal_id = $1 and t.offered order by t.tranche_id`, [dealId]);
}

/** The same marks with the calculations behind them. */
export function listMarkSources(tx: Tx, dealId: Id<'deal'>): Promise<MarkSource[]> {
  return tx.rows<MarkSource>(
    `select ${MARK}, c.details_key, c.result->>'settlement_date' as settlement_date, c.inputs->'request' as request, c.inputs->'structure' as structure, c.inputs->'opening' as opening,
       c.inputs->'pool'->>'cut_off_date' as cut_off_date, c.inputs->'pool'->>'closing_date' as closing_date
     ${LATEST_MARKS} left join calculations c using (calculation_id) where t.deal_id = $1 and t.offered order by t.tranche_id`,
    [dealId],
  );
}

/** A mark with the place of its calculation's rows; null where the calculation is not there. */
export type MarkedRows = Pick<LatestMark, 'tranche_id' | 'calculation_id'> & { details_key: string | null };

/** The latest marks of tranches, wherever they have one. */
export function listMarkedRows(tx: Tx, trancheIds: readonly Id<'trn'>[]): Promise<MarkedRows[]> {
  return tx.rows<MarkedRows>(
    `select t.tranche_id, m.calculation_id, c.details_key ${LATEST_MARKS} left join calculations c using (calculation_id)
     where t.tranche_id = any($1)`,
    [trancheIds],
  );
}

/**
 * Performance of the tranches of securitization deals by period: reported periods (ACTUAL), then those that the deal's calculation
 * projects (PROJECTED). Null when no calculation of any of these deals was completed. The caller names deals that its organization may
 * see.
 */
export async function listTranchePerformance(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<TranchePeriod[] | null> {
  const deals = await listDealPerformance(tx, dealIds);
  if (deals.length === 0) return null;
  const names = await tx.rows<{ deal_id: Id<'deal'>; tranche: string; tranche_id: Id<'trn'> }>(
    'select deal_id, tranche, tranche_id from tranches where deal_id = any($1) and offered order by deal_id, seniority, tranche',
    [deals.map((deal) => deal.deal_id)],
  );
  return deals.flatMap((deal) => {
    const reported = deal.actual.flatMap((period) => period.tranches);
    const projected = (deal.projection?.tranches ?? []).filter((row) => row.period > deal.last_period);
    return names
      .filter((name) => name.deal_id === deal.deal_id)
      .flatMap(({ tranche, tranche_id }) =>
        [
          ...reported.filter((row) => row.tranche === tranche).map((row) => ({ ...row, basis: 'ACTUAL' as const })),
          ...projected.filter((row) => row.tranche === tranche).map((row) => ({ ...row, basis: 'PROJECTED' as const })),
        ].map((row) => ({ ...row, deal_id: deal.deal_id, tranche_id, calculation_id: deal.calculation_id })),
      );
  });
}

/**
 * Metrics of the pools of securitization deals by period, reported and projected as in `listTranchePerformance`. Projected losses are added to
 * the reported ones, so that the cumulative figure continues.
 */
export async function listPoolMetrics(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<PoolPeriod[] | null> {
  const deals = await listDealPerformance(tx, dealIds);
  if (deals.length === 0) return null;
  return deals.flatMap((deal) =>
    [
      ...deal.actual.map(({ pool }) => ({ ...pool, basis: 'ACTUAL' as const })),
      ...projectedAfterReports(deal).map((row) => ({ ...row, basis: 'PROJECTED' as const })),
    ].map((row) => ({ ...row, deal_id: deal.deal_id, calculation_id: deal.calculation_id })),
  );
}

function projectedAfterReports({ actual, projection, last_period }: DealPerformance): PoolMetrics[] {
  const projected = projection?.pool ?? [];
  const reportedLoss = actual.at(-1)?.pool.cumulative_net_loss ?? 0;
  const before = projected.find((row) => row.period === last_period) ?? projection?.opening;
  const projectedLoss = before?.cumulative_net_loss ?? 0;
  return projected
    .filter((row) => row.period > last_period)
    .map((row) => ({
      ...row,
      cumulative_net_loss: roundHalfEven(reportedLoss + row.cumulative_net_loss - projectedLoss, 6),
    }));
}

/** Reported and projected periods of a deal, and the calculation that projects. */
type DealPerformance = {
  deal_id: Id<'deal'>;
  calculation_id: Id<'calc'>;
  projection: ProjectedPerformance | null;
  actual: PeriodPerformance[];
  last_period: number;
};

/** Deals with a completed calculation: the one published last, else the latest made for marks, else the latest. */
async function listDealPerformance(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<DealPerformance[]> {
  return tx.rows<DealPerformance>(
    `select s.deal_id, c.calculation_id, c.projection, coalesce(r.actual, '[]') as actual, coalesce(r.last_period, 0) as last_period
     from securitization_deals s
     join lateral (
       select c.calculation_id, c.projection from calculations c
       left join lateral (select max(m.published_at) as at from marks m where m.calculation_id = c.calculation_id) p on true
       where c.pool_id = s.pool_id and c.organization_id = s.organization_id and c.status = 'COMPLETED'
       order by p.at desc nulls last, (c.purpose = 'MARK') desc, c.completed_at desc limit 1) c on true
     left join lateral (
       select json_agg(r.performance order by r.period) as actual, max(r.period) as last_period
       from remittances r where r.pool_id = s.pool_id and r.organization_id = s.organization_id and r.status = 'APPLIED') r on true
     where s.deal_id = any($1) order by s.deal_id`,
    [dealIds],
  );
}
