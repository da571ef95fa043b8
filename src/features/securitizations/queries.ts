import { storedRecord } from '../../platform/http/stored-record.ts';
import type { LoanType } from '../../loans/types.ts';
import type { DealStatus, MarketStatus } from '../deals/queries.ts';
import type { Tx } from '../../platform/db/database.ts';
import { findPoolOfDeal, type Pool } from '../pools/queries.ts';
import type { Id } from '../../platform/ids.ts';

/** A securitization deal with its tranches, their latest marks, its reports, its structure and its disclosure; the capacity that is left is counted, no part of it. */
export const SECURITIZATION_RECORD = storedRecord('securitization_deals', 'deal_id', {
  also: [
    `(select jsonb_agg(to_jsonb(t) order by t.tranche_id) from tranches t where t.deal_id = r.deal_id)`,
    `(select max(m.published_at) from marks m where m.deal_id = r.deal_id)`,
    `(select max(c.completed_at) from calculations c where c.pool_id = r.pool_id)`,
    `(select to_jsonb(m) - 'state' from remittances m where m.deal_id = r.deal_id order by m.period desc limit 1)`,
    `(select jsonb_build_array(p.structure_version, p.disclosure_version) from pools p where p.pool_id = r.pool_id)`,
  ],
});

export type SecuritizationDeal = {
  deal_id: Id<'deal'>;
  organization_id: Id<'org'>;
  pool_id: Id<'pool'>;
  name: string;
  asset_type: LoanType;
  /** Original face of the offered tranches. */
  deal_size: number;
  offering: '144A' | '506C' | 'REG_S';
  status: DealStatus;
  market_status: MarketStatus;
  updated_at: Date;
  closing_date: string;
};

/** The latest published mark of the tranche `t`. */
export const LATEST_MARK = 'left join latest_marks m on m.tranche_id = t.tranche_id';

/**
 * The deals that an investor may see: all that are not withdrawn, and of those the ones in which it ever had an indication, an order, a
 * subscription or a trade, or holds a position. `investor` is the SQL of its id.
 */
export const visibleTo = (investor: string): string => `(d.market_status <> 'WITHDRAWN' or (
  select exists (select from iois x where x.organization_id = i.id and x.deal_id = d.deal_id)
    or exists (select from orders x where x.organization_id = i.id and x.deal_id = d.deal_id)
    or exists (select from subscriptions x where x.organization_id = i.id and x.deal_id = d.deal_id)
    or exists (select from trades x where x.organization_id = i.id and x.deal_id = d.deal_id)
    or exists (select from positions x where x.organization_id = i.id and x.deal_id = d.deal_id and x.face > 0)
  from (select ${investor}::text as id) i))`;

/** The same with a placeholder for the investor. */
export const VISIBLE = visibleTo('?');

const DEAL = `updated_at, deal_id, organization_id, pool_id, name, asset_type, offering, status, market_status, deal_size::float8 as deal_size,
  closing_date::text as closing_date`;

/** The deal under a row lock: every move of its market status takes it first. */
export async function lockSecuritization(tx: Tx, dealId: Id<'deal'>): Promise<SecuritizationDeal | null> {
  await tx.rows('select sluice_hold_deal($1, true)', [dealId]);
  return findSecuritization(tx, dealId);
}

/** Keeps the deal's market status unchanged until the transaction ends; other transactions may hold it at the same time. */
export async function holdSecuritization(tx: Tx, dealId: Id<'deal'>): Promise<SecuritizationDeal | null> {
  await tx.rows('select sluice_hold_deal($1, false)', [dealId]);
  return findSecuritization(tx, dealId);
}

export function findSecuritization(tx: Tx, dealId: Id<'deal'>): Promise<SecuritizationDeal | null> {
  return tx.one<SecuritizationDeal>(`select ${DEAL} from securitization_deals where deal_id = $1`, [dealId]);
}

/** True when the investor may see the deal. */
export async function isVisible(tx: Tx, investorId: Id<'org'>, dealId: Id<'deal'>): Promise<boolean> {
  const row = await tx.one(`select 1 from securitization_deals d where d.deal_id = $2 and ${visibleTo('$1')}`, [
    investorId,
    dealId,
  ]);
  return row !== null;
}

/** The pool behind a deal that an investor sees; null where it does not, and behind a withdrawn deal: that pool is its owner's again. */
export async function findVisiblePool(tx: Tx, investorId: Id<'org'>, dealId: Id<'deal'>): Promise<Pool | null> {
  if (!(await isVisible(tx, investorId, dealId))) return null;
  const pool = await findPoolOfDeal(tx, dealId);
  return pool?.deal_id === dealId && pool.status !== 'CANCELLED' ? pool : null;
}

/** Opens or closes the books of every tranche. A concurrent subscription waits for this and then sees the new state. */
export async function setBooksOpen(tx: Tx, dealId: Id<'deal'>, open: boolean): Promise<void> {
  await tx.rows('select 1 from tranche_books where deal_id = $1 order by tranche_id for update', [dealId]);
  await tx.exec('update tranche_books set open = $2 where deal_id = $1', [dealId, open]);
}

/** Keeps the deal's books unchanged until the transaction ends; true when they are open. */
export async function holdBooksOpen(tx: Tx, dealId: Id<'deal'>): Promise<boolean> {
  const row = await tx.one<{ open: boolean | null }>('select sluice_hold_books($1) as open', [dealId]);
  if (!row?.open) return false;
  const deal = await findSecuritization(tx, dealId);
  return deal?.market_status === 'MARKETING';
}

/** Organizations with a stake in a deal: an indication, a commitment, an order, an allocation, a trade or a holding. */
export function listStakeholders(tx: Tx, dealId: Id<'deal'>): Promise<{ organization_id: Id<'org'> }[]> {
  return tx.rows(
    `select organization_id from iois where deal_id = $1 and status in ('submitted', 'converted')
     union select organization_id from subscriptions where deal_id = $1 and status not in ('rejected', 'cancelled', 'expired')
     union select organization_id from orders where deal_id = $1 and status in ('OPEN', 'ALLOCATED', 'PARTIALLY_ALLOCATED')
     union select organization_id from allocations where deal_id = $1 and status in ('ISSUED', 'ACCEPTED')
     union select organization_id from trades where deal_id = $1 and status <> 'CANCELLED'
     union select organization_id from positions where deal_id = $1 and face > 0 order by 1`,
    [dealId],
  );
}

export type NewTranche = {
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  offered: boolean;
  balance: number;
  coupon_type: string;
  coupon: number | null;
  index: string | null;
  margin_bp: number | null;
  multiplier: number | null;
  cap: number | null;
  floor: number | null;
  /** The coupon in words where it may differ from one accrual to the next. */
  coupon_terms: string | null;
  day_count: string;
  rating: string | null;
  seniority: number;
  denomination: number;
  increment: number;
  erisa_eligible: boolean;
  offered_yield: number | null;
  dated_date: string;
  final_maturity: string | null;
};

/** The securitization deal of a pool with its tranches, open to the market. */
export async function insertIssue(
  tx: Tx,
  pool: Pool,
  dealId: Id<'deal'>,
  dealSize: number,
  tranches: readonly NewTranche[],
): Promise<void> {
  await tx.exec(
    `insert into securitization_deals (deal_id, organization_id, pool_id, name, asset_type, offering, market_status, deal_size, closing_date, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'MARKETING', $7, $8, $9, $9)`,
    [dealId, pool.organization_id, pool.pool_id, pool.name, pool.loan_type, pool.offering, dealSize, pool.closing_date, tx.now],
  );
  await tx.exec(
    `insert into tranches (tranche_id, deal_id, organization_id, tranche, class, offered, original_balance, current_balance, coupon_type, coupon,
       index, margin_bp, multiplier, cap, floor, coupon_terms, day_count, rating, seniority, denomination, increment, erisa_eligible, offered_yield, dated_date, accrued_from, final_maturity)
     select tranche_id, $1, $2, tranche, class, offered, balance, balance, coupon_type, coupon, index, margin_bp, multiplier, cap, floor, coupon_terms, day_count, rating, seniority, denomination, increment,
       erisa_eligible, offered_yield, dated_date, dated_date, final_maturity
     from json_to_recordset($3) as t (tranche_id text, tranche text, class text, offered boolean, balance numeric, coupon_type text, coupon numeric,
       index text, margin_bp numeric, multiplier numeric, cap numeric, floor numeric, coupon_terms text, day_count text, rating text, seniority integer, denomination numeric, increment numeric, erisa_eligible boolean, offered_yield numeric,
       dated_date date, final_maturity date)`,
    [dealId, pool.organization_id, JSON.stringify(tranches)],
  );
}

/** What the titles of alerts say of a tranche. */
export type TrancheName = { deal_name: string; tranche: string };

export async function listTrancheNames(tx: Tx, trancheIds: readonly Id<'trn'>[]): Promise<Map<Id<'trn'>, TrancheName>> {
  const rows = await tx.rows<TrancheName & { tranche_id: Id<'trn'> }>(
    `select t.tranche_id, t.tranche, d.name as deal_name from tranches t join securitization_deals d using (deal_id)
     where t.tranche_id = any($1)`,
    [[...new Set(trancheIds)]],
  );
  return new Map(rows.map((row) => [row.tranche_id, row]));
}

/** Organizations that watch a deal. */
export function listWatchers(tx: Tx, dealId: Id<'deal'>): Promise<{ organization_id: Id<'org'> }[]> {
  return tx.rows('select organization_id from watchlist where deal_id = $1 order by organization_id', [dealId]);
}

/** Organizations that hold face of a deal. */
export function listHolders(tx: Tx, dealId: Id<'deal'>): Promise<{ organization_id: Id<'org'> }[]> {
  return tx.rows('select distinct organization_id from positions where deal_id = $1 and face > 0 order by organization_id', [
    dealId,
  ]);
}
