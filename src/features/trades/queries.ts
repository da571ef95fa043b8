import { storedRecord } from '../../platform/http/stored-record.ts';
import type { IssueTerms, PricedTrade } from '../../finance/settlement.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type ListFilter, listFilters } from '../../platform/db/list-filter.ts';
import { paymentDay } from '../pools/queries.ts';
import { withCorrections } from '../remittances/trade-queries.ts';
import type { Id } from '../../platform/ids.ts';

export const TRADE_RECORD = storedRecord('trades', 'trade_id');

export const TRADE_STATUSES = ['PENDING_SETTLEMENT', 'SETTLED', 'FAILED', 'CANCELLED'] as const;
export type TradeStatus = (typeof TRADE_STATUSES)[number];

export type TradeRow = {
  trade_id: Id<'trd'>;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  allocation_id: Id<'all'>;
  side: 'BUY';
  face: number;
  factor: number;
  price: number;
  yield: number | null;
  principal_amount: number;
  accrued_interest: number;
  net_amount: number;
  trade_date: string;
  settlement_date: string;
  /** Where its interest begins; null for a trade from before this was kept. */
  accrued_from: string | null;
  /** What the net amount has changed by since it settled. */
  corrected_amount: number;
  status: TradeStatus;
  reason: string | null;
  settled_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const tradeWith = (
  amounts: string,
): string => `trade_id, organization_id, deal_id, tranche_id, allocation_id, side, face::float8 as face,
  price::float8 as price, yield::float8 as yield, ${amounts}, trade_date::text as trade_date, settlement_date::text as settlement_date,
  status, reason, settled_at, created_at, updated_at`;
/** A trade that has not settled, or as it settled. */
const TRADE =
  tradeWith(`factor::float8 as factor, principal_amount::float8 as principal_amount, accrued_interest::float8 as accrued_interest,
  net_amount::float8 as net_amount, accrued_from::text as accrued_from, 0::float8 as corrected_amount`);
/** A trade with what corrected it since. */
const CORRECTED =
  tradeWith(`coalesce(new_factor, factor)::float8 as factor, (principal_amount + more_principal)::float8 as principal_amount,
  (accrued_interest + more_interest)::float8 as accrued_interest, (net_amount + more_principal + more_interest)::float8 as net_amount,
  coalesce(new_accrued_from, accrued_from)::text as accrued_from, (more_principal + more_interest)::float8 as corrected_amount`);
const CORRECTED_TRADES = `trades ${withCorrections('trades')}`;

/** The terms of a tranche from which the amounts of a trade follow. */
export function findTradeTerms(tx: Tx, trancheId: Id<'trn'>): Promise<IssueTerms | null> {
  return tx.one<IssueTerms>(
    `select t.coupon::text as coupon, t.day_count, t.dated_date::text as dated_date, t.accrued_from::text as accrued_from,
       t.factor::text as factor, d.closing_date::text as closing_date, ${paymentDay('p')} as payment_day
     from tranches t join securitization_deals d using (deal_id) left join pools p using (pool_id) where t.tranche_id = $1`,
    [trancheId],
  );
}

export type NewTrade = Pick<TradeRow, 'trade_id' | 'organization_id' | 'deal_id' | 'tranche_id' | 'allocation_id' | 'yield'> &
  PricedTrade & { face: string };

export async function insertTrade(tx: Tx, row: NewTrade): Promise<TradeRow> {
  const created = await tx.one<TradeRow>(
    `insert into trades (trade_id, organization_id, deal_id, tranche_id, allocation_id, face, factor, price, yield, principal_amount,
       accrued_interest, net_amount, trade_date, settlement_date, accrued_from, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16) returning ${TRADE}`,
    [
      row.trade_id,
      row.organization_id,
      row.deal_id,
      row.tranche_id,
      row.allocation_id,
      row.face,
      row.factor,
      row.price,
      row.yield,
      row.principal_amount,
      row.accrued_interest,
      row.net_amount,
      row.trade_date,
      row.settlement_date,
      row.accrued_from,
      tx.now,
    ],
  );
  return created as TradeRow;
}

/** `organizationId` null: any organization's (the operator). */
export function findTrade(tx: Tx, organizationId: Id<'org'> | null, tradeId: Id<'trd'>, lock = false): Promise<TradeRow | null> {
  return tx.one<TradeRow>(
    `select ${CORRECTED} from ${CORRECTED_TRADES} where trade_id = $1 and ($2::text is null or organization_id = $2) ${lock ? 'for update of trades' : ''}`,
    [tradeId, organizationId],
  );
}

export function listTrades(tx: Tx, organizationId: Id<'org'> | null, filter: ListFilter): Promise<Page<TradeRow>> {
  const filters = listFilters(organizationId, filter);
  return selectPage(
    tx,
    {
      select: CORRECTED,
      from: CORRECTED_TRADES,
      countFrom: 'trades',
      filters,
      order: newestFirst('created_at', 'trade_id'),
      apart: 'all',
    },
    filter,
  );
}

/** Every trade of an organization, newest first. */
export function listTradeHistory(tx: Tx, organizationId: Id<'org'>): Promise<TradeRow[]> {
  return tx.rows<TradeRow>(
    `select ${CORRECTED} from ${CORRECTED_TRADES} where organization_id = $1 order by created_at desc, trade_id desc`,
    [organizationId],
  );
}

/** The seller of a trade, and the name of its buyer. */
export type TradeParties = { seller_id: Id<'org'>; buyer: string };

export async function listTradeParties(tx: Tx, tradeIds: readonly Id<'trd'>[]): Promise<Map<Id<'trd'>, TradeParties>> {
  const rows = await tx.rows<TradeParties & { trade_id: Id<'trd'> }>(
    `select t.trade_id, d.organization_id as seller_id, o.name as buyer
     from trades t join securitization_deals d using (deal_id) join organizations o on o.organization_id = t.organization_id
     where t.trade_id = any($1)`,
    [tradeIds],
  );
  return new Map(rows.map((row) => [row.trade_id, row]));
}

export function lockUnsettledTrades(tx: Tx, dealId: Id<'deal'>): Promise<TradeRow[]> {
  return tx.rows<TradeRow>(
    `select ${TRADE} from trades where deal_id = $1 and status in ('PENDING_SETTLEMENT', 'FAILED') order by trade_id for update`,
    [dealId],
  );
}

export async function hasSettledTrades(tx: Tx, dealId: Id<'deal'>): Promise<boolean> {
  return (await tx.one(`select 1 from trades where deal_id = $1 and status = 'SETTLED' limit 1`, [dealId])) !== null;
}

export type SubscriptionProgress = { live: number; settled: number; unanswered: number };

/** Counts the trades behind each subscription by status, and the allocations that still wait for a response. */
export async function listSubscriptionProgress(
  tx: Tx,
  subscriptionIds: readonly Id<'sub'>[],
): Promise<Map<Id<'sub'>, SubscriptionProgress>> {
  const rows = await tx.rows<SubscriptionProgress & { subscription_id: Id<'sub'> }>(
    `select a.subscription_id, count(*) filter (where t.status in ('PENDING_SETTLEMENT', 'FAILED'))::int as live,
       count(*) filter (where t.status = 'SETTLED')::int as settled, count(*) filter (where a.status = 'ISSUED')::int as unanswered
     from allocations a left join trades t using (allocation_id) where a.subscription_id = any($1) group by a.subscription_id`,
    [subscriptionIds],
  );
  return new Map(rows.map((row) => [row.subscription_id, row]));
}

export async function findSubscriptionProgress(tx: Tx, subscriptionId: Id<'sub'>): Promise<SubscriptionProgress> {
  const progress = await listSubscriptionProgress(tx, [subscriptionId]);
  return progress.get(subscriptionId) ?? { live: 0, settled: 0, unanswered: 0 };
}

export async function findSubscriptionOfAllocation(tx: Tx, allocationId: Id<'all'>): Promise<Id<'sub'> | null> {
  const row = await tx.one<{ subscription_id: Id<'sub'> | null }>(
    'select subscription_id from allocations where allocation_id = $1',
    [allocationId],
  );
  return row?.subscription_id ?? null;
}
