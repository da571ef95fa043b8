import type { Remittance, RemittanceState } from '../../finance/structure/remittance.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { Pool } from '../pools/queries.ts';

type OfPool = Pick<Pool, 'organization_id' | 'pool_id'>;

/** A report of a pool as accruals follow from it. */
export type ReportedPayment = {
  period: number;
  payment_date: string;
  applied: boolean;
  /** Indices of its period by name, percent a year. */
  fixings: Record<string, number> | null;
};

/** The reports of a pool in the order of their periods, whatever their status. */
export function listPayments(tx: Tx, { organization_id, pool_id }: OfPool): Promise<ReportedPayment[]> {
  return tx.rows<ReportedPayment>(
    `select period, payment_date::text as payment_date, status = 'APPLIED' as applied, report->'fixings' as fixings
     from remittances where organization_id = $1 and pool_id = $2 order by period`,
    [organization_id, pool_id],
  );
}

/** The report of a period with the state after it; null without one. */
export function findReport(
  tx: Tx,
  { organization_id, pool_id }: OfPool,
  period: number,
): Promise<{ report: Remittance; state: RemittanceState } | null> {
  return tx.one(
    'select report, state_after as state from remittances where organization_id = $1 and pool_id = $2 and period = $3',
    [organization_id, pool_id, period],
  );
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

/** Sets the coupons in force of a deal's tranches whose coupon varies, percent a year as decimal text. */
export async function updateCoupons(
  tx: Tx,
  dealId: Id<'deal'>,
  coupons: readonly { tranche: string; coupon: string | null }[],
): Promise<void> {
  await tx.exec(
    `update tranches t set coupon = c.coupon from json_to_recordset($2) as c (tranche text, coupon numeric)
     where t.deal_id = $1 and t.tranche = c.tranche and t.coupon_terms is not null and t.coupon is distinct from c.coupon`,
    [dealId, JSON.stringify(coupons)],
  );
}

/** Pools of the deals with a tranche that follows an index, in the order in which their deals are locked. */
export function listFollowing(
  tx: Tx,
  index: string,
): Promise<{ organization_id: Id<'org'>; pool_id: Id<'pool'>; deal_id: Id<'deal'> }[]> {
  return tx.rows(
    `select d.organization_id, d.pool_id, d.deal_id from securitization_deals d
     where exists (select from tranches t where t.deal_id = d.deal_id and t.index = $1 and t.coupon_terms is not null) order by d.deal_id`,
    [index],
  );
}

/** Keeps a deal, and with it its reports, as it is until the transaction ends. */
export async function holdDeal(tx: Tx, dealId: Id<'deal'>): Promise<void> {
  await tx.rows('select sluice_hold_deal($1, false)', [dealId]);
}

/** One after the other: fixings are recorded, and coupons made of them that nobody else sees yet. Until the transaction ends. */
export async function lockFixings(tx: Tx): Promise<void> {
  await tx.rows(`select pg_advisory_xact_lock(hashtextextended('fixings', 21))`);
}
