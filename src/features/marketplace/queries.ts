import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { Page } from '../../platform/http/route.ts';

export const MARKET_STATUSES = ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED', 'WITHDRAWN'] as const;
export type MarketStatus = (typeof MARKET_STATUSES)[number];

export type SecuritizationDeal = {
  deal_id: string;
  organization_id: string;
  pool_id: string;
  name: string;
  asset_type: LoanType;
  offering: '144A' | '506C' | 'REG_S';
  status: string;
  market_status: MarketStatus;
  closing_date: string;
};

export type Card = {
  id: string;
  name: string;
  asset_type: LoanType;
  dealSize: number;
  wa_yield: number;
  wal: number | null;
  originator: string;
  status: string;
  market_status: MarketStatus;
  tranche_count: number;
  minimum_investment: number | null;
  closing_date: string;
};

export type TrancheRow = {
  tranche_id: string;
  tranche: string;
  class: string;
  balance: number;
  current_balance: number;
  factor: number;
  coupon: number | null;
  rating: string | null;
  seniority: number;
  denomination: number;
  increment: number;
  remaining_capacity: number;
  wal: number | null;
  yield: number | null;
  price: number | null;
};

/** The latest published mark of the tranche `t`. */
export const LATEST_MARK = `left join lateral (
  select price, yield, spread_bp, wal, duration, as_of from marks where marks.tranche_id = t.tranche_id order by published_at desc limit 1) m on true`;

/** What an investor (`?`) may see of the market: what is not withdrawn, and what it holds. */
export const VISIBLE = `(d.market_status <> 'WITHDRAWN'
  or exists (select from positions p where p.organization_id = ? and p.deal_id = d.deal_id and p.face > 0))`;

/** Deals `d` with the sums of their offered tranches `s`. */
export const MARKET = `securitization_deals d left join lateral (
  select count(*)::int as tranche_count, min(t.denomination) as minimum_investment,
    round(sum(coalesce(m.yield, t.coupon) * t.original_balance) filter (where coalesce(m.yield, t.coupon) is not null)
      / nullif(sum(t.original_balance) filter (where coalesce(m.yield, t.coupon) is not null), 0), 6) as wa_yield,
    round(sum(m.wal * t.original_balance) filter (where m.wal is not null)
      / nullif(sum(t.original_balance) filter (where m.wal is not null), 0), 6) as wal
  from tranches t ${LATEST_MARK} where t.deal_id = d.deal_id and t.offered) s on true`;

export const CARD = `d.deal_id as id, d.name, d.asset_type, d.deal_size::float8 as "dealSize", coalesce(s.wa_yield, 0)::float8 as wa_yield,
  s.wal::float8 as wal, d.originator, d.status, d.market_status, s.tranche_count,
  s.minimum_investment::float8 as minimum_investment, d.closing_date::text as closing_date`;

export const SORTS = {
  newest: 'd.created_at desc, d.deal_id desc',
  oldest: 'd.created_at, d.deal_id',
  name: 'd.name, d.deal_id',
  '-name': 'd.name desc, d.deal_id',
  dealSize: 'd.deal_size, d.deal_id',
  '-dealSize': 'd.deal_size desc, d.deal_id',
  wa_yield: 's.wa_yield nulls last, d.deal_id',
  '-wa_yield': 's.wa_yield desc nulls last, d.deal_id',
  wal: 's.wal nulls last, d.deal_id',
  '-wal': 's.wal desc nulls last, d.deal_id',
  closing_date: 'd.closing_date, d.deal_id',
  '-closing_date': 'd.closing_date desc, d.deal_id',
} as const;
export type Sort = keyof typeof SORTS;

export type MarketFilter = {
  page: number;
  limit: number;
  status?: string;
  market_status?: MarketStatus;
  asset_type?: string;
  type?: string;
  min_size?: number;
  max_size?: number;
  min_yield?: number;
  q?: string;
  sort?: Sort;
  from: Date | null;
  to: Date | null;
};

/** Cards of the deals that the investor may see. */
export function listCards(tx: Tx, investorId: string, filter: MarketFilter): Promise<Page<Card>> {
  const filters: Filter[] = [
    [VISIBLE, investorId],
    ['(d.status = ? or d.market_status = ?)', filter.status],
    ['d.market_status = ?', filter.market_status],
    ['d.asset_type = ?', filter.asset_type],
    ['d.asset_type = ?', filter.type],
    ['d.deal_size >= ?', filter.min_size],
    ['d.deal_size <= ?', filter.max_size],
    ['s.wa_yield >= ?', filter.min_yield],
    [`(strpos(lower(d.name), lower(?)) > 0 or strpos(lower(d.originator), lower(?)) > 0)`, filter.q],
    ['d.created_at >= ?', filter.from],
    ['d.created_at < ?', filter.to],
  ];
  return selectPage<Card>(tx, { select: CARD, from: MARKET, filters, order: SORTS[filter.sort ?? 'newest'] }, filter);
}

export function findCard(tx: Tx, investorId: string, dealId: string): Promise<Card | null> {
  return tx.one<Card>(`select ${CARD} from ${MARKET} where d.deal_id = $2 and ${VISIBLE.replace('?', '$1')}`, [
    investorId,
    dealId,
  ]);
}

/** True when the investor may see the deal. */
export async function isVisible(tx: Tx, investorId: string, dealId: string): Promise<boolean> {
  const row = await tx.one(`select 1 from securitization_deals d where d.deal_id = $2 and ${VISIBLE.replace('?', '$1')}`, [
    investorId,
    dealId,
  ]);
  return row !== null;
}

const COMPARABLES = 20;

/** Deals of the same asset type whose size is within 25 % of the deal's, nearest size first, then by id. */
export function listComparable(tx: Tx, investorId: string, dealId: string): Promise<Card[]> {
  return tx.rows<Card>(
    `select ${CARD} from securitization_deals own join ${MARKET}
       on d.asset_type = own.asset_type and d.deal_id <> own.deal_id
       and d.deal_size between own.deal_size * 0.75 and own.deal_size * 1.25
     where own.deal_id = $2 and ${VISIBLE.replace('?', '$1')}
     order by abs(d.deal_size - own.deal_size), d.deal_id limit ${COMPARABLES}`,
    [investorId, dealId],
  );
}

const TRANCHE = `t.tranche_id, t.tranche, t.class, t.original_balance::float8 as balance, t.current_balance::float8 as current_balance,
  t.factor::float8 as factor, t.coupon::float8 as coupon, t.rating, t.seniority, t.denomination::float8 as denomination, t.increment::float8 as increment,
  (b.capacity - b.committed)::float8 as remaining_capacity, m.wal::float8 as wal, m.yield::float8 as yield, m.price::float8 as price`;

/** The offered tranches of a deal, most senior first. The deal's visibility is the caller's to check. */
export function listTranches(tx: Tx, dealId: string, page: { page: number; limit: number }): Promise<Page<TrancheRow>> {
  return selectPage<TrancheRow>(
    tx,
    {
      select: TRANCHE,
      from: `tranches t join tranche_books b using (tranche_id) ${LATEST_MARK}`,
      filters: [['t.offered and t.deal_id = ?', dealId]],
      order: 't.seniority, t.tranche',
    },
    page,
  );
}

export type PoolStrats = {
  loan_type: string;
  loan_count: number;
  balance: number;
  wac: number | null;
  wam: number | null;
  cut_off_date: string;
};

/** The pool behind a deal as it was formed. */
export function findPoolStrats(tx: Tx, dealId: string): Promise<PoolStrats | null> {
  return tx.one<PoolStrats>(
    `select p.loan_type, p.loan_count, p.balance::float8 as balance, p.wac::float8 as wac, p.wam::float8 as wam,
       p.cut_off_date::text as cut_off_date
     from securitization_deals d join pools p using (pool_id) where d.deal_id = $1`,
    [dealId],
  );
}

const DEAL = `deal_id, organization_id, pool_id, name, asset_type, offering, status, market_status, closing_date::text as closing_date`;

/** The deal under a row lock: every move of its market status takes it first. */
export async function lockSecuritization(tx: Tx, dealId: string): Promise<SecuritizationDeal | null> {
  await tx.rows('select sluice_hold_deal($1, true)', [dealId]);
  return findSecuritization(tx, dealId);
}

/** Keeps the deal's market status as it is until the transaction ends; others may hold it too. */
export async function holdSecuritization(tx: Tx, dealId: string): Promise<SecuritizationDeal | null> {
  await tx.rows('select sluice_hold_deal($1, false)', [dealId]);
  return findSecuritization(tx, dealId);
}

export function findSecuritization(tx: Tx, dealId: string): Promise<SecuritizationDeal | null> {
  return tx.one<SecuritizationDeal>(`select ${DEAL} from securitization_deals where deal_id = $1`, [dealId]);
}

export async function updateMarketStatus(tx: Tx, dealId: string, to: MarketStatus): Promise<void> {
  await tx.exec(
    `update securitization_deals set market_status = $2, status = case when $2 = 'WITHDRAWN' then 'WITHDRAWN' else status end, updated_at = $3
     where deal_id = $1`,
    [dealId, to, tx.now],
  );
}

/** Opens or closes the books of every tranche. Whoever subscribes at this moment waits for it and then sees it. */
export async function setBooksOpen(tx: Tx, dealId: string, open: boolean): Promise<void> {
  await tx.rows('select 1 from tranche_books where deal_id = $1 order by tranche_id for update', [dealId]);
  await tx.exec('update tranche_books set open = $2 where deal_id = $1', [dealId, open]);
}

/** Holds the deal's books as they are until the transaction ends; true when they are open. */
export async function holdBooksOpen(tx: Tx, dealId: string): Promise<boolean> {
  const row = await tx.one<{ open: boolean | null }>('select sluice_hold_books($1) as open', [dealId]);
  if (!row?.open) return false;
  const deal = await findSecuritization(tx, dealId);
  return deal?.market_status === 'MARKETING';
}

/** Organizations with a stake in a deal: an indication, a commitment, an order, an allocation, a trade or a holding. */
export function listStakeholders(tx: Tx, dealId: string): Promise<{ organization_id: string }[]> {
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

/** What a change of the market does to the pool behind the deal; a withdrawn deal frees its loans. */
export async function closePool(tx: Tx, poolId: string, status: 'CLOSED' | 'CANCELLED'): Promise<void> {
  await tx.exec('update pools set status = $2, updated_at = $3 where pool_id = $1', [poolId, status, tx.now]);
  if (status === 'CANCELLED') await tx.exec('update pool_claims set live = false where pool_id = $1', [poolId]);
}
