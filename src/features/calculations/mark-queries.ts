import { roundHalfEven } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { PoolMetrics, TranchePerformance } from '../remittances/performance.ts';
import type { Id } from '../../platform/ids.ts';

export type Basis = 'ACTUAL' | 'PROJECTED';

/** A tranche on one payment date, for the reports of its holders. Percent, fractions and money as the contract says. */
export type TranchePerformanceRow = TranchePerformance & {
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  basis: Basis;
  calculation_id: Id<'calc'>;
};

/** The pool of a deal on one payment date. */
export type PoolMetricsRow = PoolMetrics & { deal_id: Id<'deal'>; basis: Basis; calculation_id: Id<'calc'> };

/**
 * Performance of the tranches of securitization deals by period: reported periods (ACTUAL), then what the deal's calculation projects
 * (PROJECTED). Null when no calculation of any of these deals was completed. Runs in the platform's scope: the caller names deals that
 * its organization may see.
 */
export async function listTranchePerformance(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<TranchePerformanceRow[] | null> {
  const deals = await listReported(tx, dealIds);
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
 * Metrics of the pools of securitization deals by period, as `listTranchePerformance` tells the tranches. Projected losses are added to
 * those that were reported: a cumulative figure goes on from where it stands.
 */
export async function listPoolMetrics(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<PoolMetricsRow[] | null> {
  const deals = await listReported(tx, dealIds);
  if (deals.length === 0) return null;
  return deals.flatMap((deal) =>
    [
      ...deal.actual.map(({ pool }) => ({ ...pool, basis: 'ACTUAL' as const })),
      ...projectedAfterReports(deal).map((row) => ({ ...row, basis: 'PROJECTED' as const })),
    ].map((row) => ({ ...row, deal_id: deal.deal_id, calculation_id: deal.calculation_id })),
  );
}

function projectedAfterReports({ actual, projection, last_period }: Reported): PoolMetrics[] {
  const projected = projection?.pool ?? [];
  const reportedLoss = actual.at(-1)?.pool.cumulative_net_loss ?? 0;
  const projectedLoss = projected.find((row) => row.period === last_period)?.cumulative_net_loss ?? 0;
  return projected
    .filter((row) => row.period > last_period)
    .map((row) => ({
      ...row,
      cumulative_net_loss: roundHalfEven(reportedLoss + row.cumulative_net_loss - projectedLoss, 6),
    }));
}

type Projection = { tranches: TranchePerformance[]; pool: PoolMetrics[] };
type Reported = {
  deal_id: Id<'deal'>;
  calculation_id: Id<'calc'>;
  projection: Projection | null;
  actual: { tranches: TranchePerformance[]; pool: PoolMetrics }[];
  last_period: number;
};

/** Deals with a completed calculation: of these the published one counts, else the latest made for marks, else the latest. */
async function listReported(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<Reported[]> {
  return tx.rows<Reported>(
    `select s.deal_id, c.calculation_id, c.projection, coalesce(r.actual, '[]') as actual, coalesce(r.last_period, 0) as last_period
     from securitization_deals s
     join lateral (
       select c.calculation_id, c.projection from calculations c
       left join lateral (select max(m.published_at) as at from marks m where m.calculation_id = c.calculation_id) p on true
       where c.pool_id = s.pool_id and c.organization_id = s.organization_id and c.status = 'COMPLETED'
       order by p.at desc nulls last, (c.purpose = 'MARK') desc, c.completed_at desc limit 1) c on true
     left join lateral (
       select json_agg(r.performance order by r.period) as actual, max(r.period) as last_period
       from remittances r where r.pool_id = s.pool_id and r.organization_id = s.organization_id) r on true
     where s.deal_id = any($1) order by s.deal_id`,
    [dealIds],
  );
}
