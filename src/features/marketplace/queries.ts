import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { newestFirst, type Order, type Page, type PageRequest, type SortKey } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { LATEST_MARK, VISIBLE, visibleTo } from '../securitizations/queries.ts';
import type { MarketStatus } from '../deals/queries.ts';
import type { Id } from '../../platform/ids.ts';

export type DealSummary = {
  id: Id<'deal'>;
  deal_id: Id<'deal'>;
  name: string;
  asset_type: LoanType;
  dealSize: number;
  wa_yield: number;
  wa_yield_coverage: number;
  wal: number | null;
  originator: string;
  status: string;
  market_status: MarketStatus;
  tranche_count: number;
  minimum_investment: number | null;
  closing_date: string;
};

export type MarketTranche = {
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  balance: number;
  current_balance: number;
  factor: number;
  coupon: number | null;
  coupon_type: 'FIXED' | 'FLOATING';
  index: string | null;
  margin_bp: number | null;
  multiplier: number | null;
  cap: number | null;
  floor: number | null;
  coupon_terms: string | null;
  current_rate: number | null;
  rating: string | null;
  seniority: number;
  denomination: number;
  increment: number;
  remaining_capacity: number;
  wal: number | null;
  yield: number | null;
  price: number | null;
};

/** The sums of a deal's offered tranches. */
const SUMS = `count(*)::int as tranche_count, min(t.denomination) as minimum_investment,
    round(sum(coalesce(m.yield, t.coupon) * t.original_balance) filter (where coalesce(m.yield, t.coupon) is not null)
      / nullif(sum(t.original_balance) filter (where coalesce(m.yield, t.coupon) is not null), 0), 6) as wa_yield,
    round(coalesce(sum(t.original_balance) filter (where coalesce(m.yield, t.coupon) is not null), 0) / nullif(sum(t.original_balance), 0), 6)
      as wa_yield_coverage,
    round(sum(m.wal * t.original_balance) filter (where m.wal is not null)
      / nullif(sum(t.original_balance) filter (where m.wal is not null), 0), 6) as wal`;

/** Deals `d` with the sums of their offered tranches `s`, which are looked up for each deal. */
export const MARKET = `securitization_deals d left join lateral (
  select ${SUMS} from tranches t ${LATEST_MARK} where t.deal_id = d.deal_id and t.offered) s on true`;

/** The same where all deals are needed: the tranches are read once. */
const WHOLE_MARKET = `securitization_deals d left join (
  select t.deal_id, ${SUMS} from tranches t ${LATEST_MARK} where t.offered group by t.deal_id) s on s.deal_id = d.deal_id`;

export const SUMMARY = `d.deal_id as id, d.deal_id, d.name, d.asset_type, d.deal_size::float8 as "dealSize", coalesce(s.wa_yield, 0)::float8 as wa_yield,
  coalesce(s.wa_yield_coverage, 0)::float8 as wa_yield_coverage,
  s.wal::float8 as wal, d.originator, d.status, d.market_status, s.tranche_count,
  s.minimum_investment::float8 as minimum_investment, d.closing_date::text as closing_date`;

const deal: SortKey = { by: 'd.deal_id', as: 'text' };
// A figure that a deal does not have stands last in either direction.
const wa_yield: SortKey = { by: 's.wa_yield', as: 'numeric', nulls: 'last' };
const wal: SortKey = { by: 's.wal', as: 'numeric', nulls: 'last' };
const desc = true;

export const DEAL_SORTS = {
  newest: newestFirst('d.created_at', 'd.deal_id'),
  oldest: [{ by: 'd.created_at', as: 'timestamptz' }, deal],
  name: [{ by: 'd.name', as: 'text' }, deal],
  '-name': [{ by: 'd.name', as: 'text', desc }, deal],
  dealSize: [{ by: 'd.deal_size', as: 'numeric' }, deal],
  '-dealSize': [{ by: 'd.deal_size', as: 'numeric', desc }, deal],
  wa_yield: [wa_yield, deal],
  '-wa_yield': [{ ...wa_yield, desc }, deal],
  wal: [wal, deal],
  '-wal': [{ ...wal, desc }, deal],
  closing_date: [{ by: 'd.closing_date', as: 'date' }, deal],
  '-closing_date': [{ by: 'd.closing_date', as: 'date', desc }, deal],
} satisfies Record<string, Order>;
export type DealSort = keyof typeof DEAL_SORTS;

export type MarketFilter = PageRequest &
  Between & {
    status?: string;
    market_status?: MarketStatus;
    asset_type?: string;
    type?: string;
    min_size?: number;
    max_size?: number;
    min_yield?: number;
    q?: string;
    sort?: DealSort;
  };

/** Summaries of the deals that the investor may see. */
export async function listDealSummaries(tx: Tx, investorId: Id<'org'>, filter: MarketFilter): Promise<Page<DealSummary>> {
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
    ...between('d.created_at', filter),
  ];
  const { sort = 'newest' } = filter;
  const order = DEAL_SORTS[sort];
  if (sort === 'newest')
    return await selectPage<DealSummary>(tx, { select: SUMMARY, from: MARKET, filters, order, apart: 'all' }, filter);
  // No index has these orders. Where neither filter nor order asks for a sum, the planner leaves the tranches out.
  const page = await selectPage<Pick<DealSummary, 'deal_id'>>(
    tx,
    { select: 'd.deal_id', from: WHOLE_MARKET, filters, order },
    filter,
  );
  return { ...page, rows: await listSummaries(tx, page.rows) };
}

/** Summaries of deals, in their order. */
function listSummaries(tx: Tx, deals: readonly Pick<DealSummary, 'deal_id'>[]): Promise<DealSummary[]> {
  return tx.rows<DealSummary>(
    `select ${SUMMARY} from unnest($1::text[]) with ordinality as page (id, place) join ${MARKET} on d.deal_id = page.id order by page.place`,
    [deals.map((row) => row.deal_id)],
  );
}

export function findDealSummary(tx: Tx, investorId: Id<'org'>, dealId: Id<'deal'>): Promise<DealSummary | null> {
  return tx.one<DealSummary>(`select ${SUMMARY} from ${MARKET} where d.deal_id = $2 and ${visibleTo('$1')}`, [
    investorId,
    dealId,
  ]);
}

const COMPARABLES = 20;

/** Deals of the same asset type whose size is within 25 % of the deal's, nearest size first, then by id. */
export async function listComparable(tx: Tx, investorId: Id<'org'>, dealId: Id<'deal'>): Promise<DealSummary[]> {
  const nearest = await tx.rows<Pick<DealSummary, 'deal_id'>>(
    `select d.deal_id from securitization_deals own join securitization_deals d
       on d.asset_type = own.asset_type and d.deal_id <> own.deal_id
       and d.deal_size between own.deal_size * 0.75 and own.deal_size * 1.25
     where own.deal_id = $2 and ${visibleTo('$1')}
     order by abs(d.deal_size - own.deal_size), d.deal_id limit ${COMPARABLES}`,
    [investorId, dealId],
  );
  return await listSummaries(tx, nearest);
}

const TRANCHE = `t.tranche_id, t.tranche, t.class, t.original_balance::float8 as balance, t.current_balance::float8 as current_balance,
  t.factor::float8 as factor, t.coupon::float8 as coupon, t.coupon_type, t.index, t.margin_bp::float8 as margin_bp,
  t.multiplier::float8 as multiplier, t.coupon_terms, t.cap::float8 as cap, t.floor::float8 as floor, case when t.coupon_type = 'FLOATING' then t.coupon::float8 end as current_rate, t.rating, t.seniority, t.denomination::float8 as denomination, t.increment::float8 as increment,
  (b.capacity - b.committed)::float8 as remaining_capacity, m.wal::float8 as wal, m.yield::float8 as yield, m.price::float8 as price`;

/** The offered tranches of a deal, most senior first. The caller checks that the deal is visible. */
export function listTranches(tx: Tx, dealId: Id<'deal'>, page: PageRequest): Promise<Page<MarketTranche>> {
  return selectPage<MarketTranche>(
    tx,
    {
      select: TRANCHE,
      from: `tranches t join tranche_books b using (tranche_id) ${LATEST_MARK}`,
      filters: [['t.offered and t.deal_id = ?', dealId]],
      order: [
        { by: 't.seniority', as: 'integer' },
        { by: 't.tranche', as: 'text' },
      ],
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
export function findPoolStrats(tx: Tx, dealId: Id<'deal'>): Promise<PoolStrats | null> {
  return tx.one<PoolStrats>(
    `select p.loan_type, p.loan_count, p.balance::float8 as balance, p.wac::float8 as wac, p.wam::float8 as wam,
       p.cut_off_date::text as cut_off_date
     from securitization_deals d join pools p using (pool_id) where d.deal_id = $1`,
    [dealId],
  );
}
