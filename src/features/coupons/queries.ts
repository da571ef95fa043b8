import type { Remittance, RemittanceState } from '../../finance/structure/remittance.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { Pool } from '../pools/queries.ts';

/** A pool of an issued deal, as its coupons follow from it. */
export type IssuedPool = Pick<Pool, 'organization_id' | 'pool_id' | 'balance' | 'wac' | 'cut_off_date' | 'closing_date'> & {
  structure: Structure;
  deal_id: Id<'deal'>;
};

type OfPool = Pick<Pool, 'organization_id' | 'pool_id'>;

/** A report of a pool as accruals follow from it. */
export type ReportedPayment = {
  period: number;
  payment_date: string;
  applied: boolean;
  /** Indices of its period by name, percent a year. */
  fixings: Record<string, number> | null;
};

/** The reports of pools in the order of their periods, whatever their status. */
export async function listPaymentsOf(tx: Tx, pools: readonly OfPool[]): Promise<ReportedPayment[][]> {
  const rows = await tx.rows<ReportedPayment & { pool_id: Id<'pool'> }>(
    `select pool_id, period, payment_date::text as payment_date, status = 'APPLIED' as applied, report->'fixings' as fixings
     from remittances join unnest($1::text[], $2::text[]) as of (organization_id, pool_id) using (organization_id, pool_id)
     order by pool_id, period`,
    [pools.map(({ organization_id }) => organization_id), pools.map(({ pool_id }) => pool_id)],
  );
  const ofPool = Map.groupBy(rows, ({ pool_id }) => pool_id);
  return pools.map(({ pool_id }) => ofPool.get(pool_id) ?? []);
}

export async function listPayments(tx: Tx, pool: OfPool): Promise<ReportedPayment[]> {
  return (await listPaymentsOf(tx, [pool]))[0] ?? [];
}

export type Report = { report: Remittance; state: RemittanceState };

/** The reports of periods of pools with the states after them; null for a period without one. In the order of the periods. */
export async function listReports(tx: Tx, periods: readonly (OfPool & { period: number })[]): Promise<(Report | null)[]> {
  const rows = await tx.rows<Report & { pool_id: Id<'pool'>; period: number }>(
    `select pool_id, period, report, state_after as state from remittances
     join json_to_recordset($1) as of (organization_id text, pool_id text, period integer) using (organization_id, pool_id, period)`,
    [JSON.stringify(periods)],
  );
  const nameOf = (of: { pool_id: Id<'pool'>; period: number }): string => `${of.pool_id} ${of.period}`;
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return periods.map((each) => byName.get(nameOf(each)) ?? null);
}

/** An index, and the day of which a coupon has it. */
export type Observation = { index: string; day: string };

/** The recorded fixings of indices, percent a year: the latest up to the day, else the first after it; null without any. In the order of the observations. */
export function listObserved(
  tx: Tx,
  observations: readonly Observation[],
): Promise<({ date: string; rate: number } | { date: null; rate: null })[]> {
  if (observations.length === 0) return Promise.resolve([]);
  return tx.rows(
    `select f.date::text as date, f.rate::float8 as rate
     from rows from (json_to_recordset($1) as (index text, day date)) with ordinality as o (index, day, place)
       left join lateral (
         (select x.date, x.rate, 1 as turn from fixings x where x.index = o.index and x.date <= o.day order by x.date desc limit 1)
         union all
         (select x.date, x.rate, 2 from fixings x where x.index = o.index and x.date > o.day order by x.date limit 1)
         order by turn limit 1) f on true
     order by o.place`,
    [JSON.stringify(observations)],
  );
}

/** True when a deal has a tranche whose coupon is not the same in every accrual. */
export async function hasVaryingCoupon(tx: Tx, dealId: Id<'deal'>): Promise<boolean> {
  return (await tx.one('select 1 from tranches where deal_id = $1 and coupon_terms is not null limit 1', [dealId])) !== null;
}

/** Sets the coupons in force of deals' tranches whose coupon varies, percent a year as decimal text. */
export async function updateCoupons(
  tx: Tx,
  coupons: readonly { deal_id: Id<'deal'>; tranche: string; coupon: string | null }[],
): Promise<void> {
  await tx.exec(
    `update tranches t set coupon = c.coupon from json_to_recordset($1) as c (deal_id text, tranche text, coupon numeric)
     where t.deal_id = c.deal_id and t.tranche = c.tranche and t.coupon_terms is not null and t.coupon is distinct from c.coupon`,
    [JSON.stringify(coupons)],
  );
}

/** The deals with a tranche that follows an index, in the order in which deals are locked. */
export async function listFollowing(tx: Tx, index: string): Promise<Id<'deal'>[]> {
  const rows = await tx.rows<{ deal_id: Id<'deal'> }>(
    `select d.deal_id from securitization_deals d
     where exists (select from tranches t where t.deal_id = d.deal_id and t.index = $1 and t.coupon_terms is not null) order by d.deal_id`,
    [index],
  );
  return rows.map(({ deal_id }) => deal_id);
}

/** Keeps deals, and with them their reports, as they are until the transaction ends; locked in this order. */
export async function holdDeals(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<void> {
  await tx.rows('select sluice_hold_deal(deal_id, false) from unnest($1::text[]) as deal_id', [dealIds]);
}

/** The pools of deals, as coupons follow from them. In the platform's scope. */
export function listIssuedPools(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<IssuedPool[]> {
  return tx.rows<IssuedPool>(
    `select p.organization_id, p.pool_id, p.balance::text as balance, p.wac::text as wac, p.cut_off_date::text as cut_off_date,
       p.closing_date::text as closing_date, p.structure, d.deal_id
     from securitization_deals d join pools p using (organization_id, pool_id) where d.deal_id = any($1) and p.structure is not null`,
    [dealIds],
  );
}

/** One after the other: fixings are recorded, and coupons made of them that nobody else sees yet. Until the transaction ends. */
export async function lockFixings(tx: Tx): Promise<void> {
  await tx.rows(`select pg_advisory_xact_lock(hashtextextended('fixings', 21))`);
}
