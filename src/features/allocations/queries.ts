import { storedRecord } from '../../platform/http/stored-record.ts';
import type { AllocationMethod, RuleVersion } from './allocate.ts';
import type { Tx } from '../../platform/db/database.ts';
import { inParts } from '../../platform/db/in-parts.ts';
import { newestFirst, type Page } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type ListFilter, listFilters } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';

export const ALLOCATION_RECORD = storedRecord('allocations', 'allocation_id', { without: ['expiry_told_at'] });

export const ALLOCATION_STATUSES = ['ISSUED', 'ACCEPTED', 'DECLINED', 'EXPIRED'] as const;
export type AllocationStatus = (typeof ALLOCATION_STATUSES)[number];

export type AllocationRow = {
  allocation_id: Id<'all'>;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  round_id: string;
  entry: number;
  order_id: Id<'ord'> | null;
  subscription_id: Id<'sub'> | null;
  requested_amount: number;
  allocated_amount: number;
  fill_ratio: number;
  yield: number | null;
  /** Null: cleared at a yield before prices were fixed at the issue; it is priced when it is accepted. */
  price: number | null;
  method: AllocationMethod;
  reason: string;
  status: AllocationStatus;
  expires_at: Date;
  created_at: Date;
  decided_at: Date | null;
  trade_id: Id<'trd'> | null;
};

const ALLOCATION = `a.allocation_id, a.organization_id, a.deal_id, a.tranche_id, a.round_id, a.entry, a.order_id, a.subscription_id,
  a.requested_amount::float8 as requested_amount, a.allocated_amount::float8 as allocated_amount, a.fill_ratio::float8 as fill_ratio,
  a.yield::float8 as yield, a.price::float8 as price, a.method, a.reason, a.status, a.expires_at, a.created_at, a.decided_at,
  (select trade_id from trades where trades.allocation_id = a.allocation_id) as trade_id`;

export type NewAllocation = Omit<
  AllocationRow,
  'requested_amount' | 'allocated_amount' | 'price' | 'fill_ratio' | 'created_at' | 'decided_at' | 'trade_id' | 'status'
> & { requested_amount: string; allocated_amount: string; price: string | null };

export async function insertAllocations(tx: Tx, rows: readonly NewAllocation[]): Promise<void> {
  for (const some of inParts(rows)) await insertSome(tx, some);
}

async function insertSome(tx: Tx, rows: readonly NewAllocation[]): Promise<void> {
  await tx.exec(
    `insert into allocations (allocation_id, organization_id, deal_id, tranche_id, round_id, entry, order_id, subscription_id, requested_amount,
       allocated_amount, fill_ratio, yield, price, method, reason, expires_at, created_at)
     select allocation_id, organization_id, deal_id, tranche_id, round_id, entry, order_id, subscription_id, requested_amount,
       allocated_amount, round(allocated_amount / requested_amount, 8), yield, price, method, reason, expires_at, $2
     from jsonb_to_recordset($1) as r (allocation_id text, organization_id text, deal_id text, tranche_id text, round_id text, entry integer,
       order_id text, subscription_id text, requested_amount numeric, allocated_amount numeric, yield numeric, price numeric, method text, reason text, expires_at timestamptz)`,
    [JSON.stringify(rows), tx.now],
  );
}

export function findAllocation(
  tx: Tx,
  organizationId: Id<'org'> | null,
  allocationId: Id<'all'>,
  lock = false,
): Promise<AllocationRow | null> {
  return tx.one<AllocationRow>(
    `select ${ALLOCATION} from allocations a where a.allocation_id = $1 and ($2::text is null or a.organization_id = $2) ${lock ? 'for update' : ''}`,
    [allocationId, organizationId],
  );
}

export function listAllocations(tx: Tx, organizationId: Id<'org'> | null, filter: ListFilter): Promise<Page<AllocationRow>> {
  return selectPage(
    tx,
    {
      select: ALLOCATION,
      from: 'allocations a',
      filters: listFilters(organizationId, filter),
      order: newestFirst('a.created_at', 'a.allocation_id'),
      apart: 'all',
    },
    filter,
  );
}

/** All allocations of a deal's tranche, in the order of their rounds. */
export function listTrancheAllocations(tx: Tx, trancheId: Id<'trn'>): Promise<AllocationRow[]> {
  return tx.rows<AllocationRow>(
    `select ${ALLOCATION} from allocations a where a.tranche_id = $1 order by a.created_at, a.round_id, a.entry`,
    [trancheId],
  );
}

export function lockIssuedAllocations(tx: Tx, dealId: Id<'deal'>): Promise<AllocationRow[]> {
  return tx.rows<AllocationRow>(
    `select ${ALLOCATION} from allocations a where a.deal_id = $1 and a.status = 'ISSUED' order by a.allocation_id for update`,
    [dealId],
  );
}

/** An allocation below the denomination of its tranche. */
export type SmallLot = AllocationRow & { denomination: string };

/** Locks the open allocations below the denomination of the bidder of an allocation, where none of its trades in the tranche is left. */
export function lockSmallLots(tx: Tx, allocationId: Id<'all'>): Promise<SmallLot[]> {
  return tx.rows(
    `select ${ALLOCATION}, t.denomination::text as denomination
     from allocations o join allocations a on a.tranche_id = o.tranche_id
       and coalesce(a.order_id, a.subscription_id) = coalesce(o.order_id, o.subscription_id)
     join tranches t on t.tranche_id = a.tranche_id
     where o.allocation_id = $1 and a.status = 'ISSUED' and a.allocated_amount < t.denomination
       and not exists (select from allocations e join trades x using (allocation_id) where e.tranche_id = o.tranche_id
         and coalesce(e.order_id, e.subscription_id) = coalesce(o.order_id, o.subscription_id) and x.status <> 'CANCELLED')
     order by a.allocation_id for update of a`,
    [allocationId],
  );
}

/** The orders and subscriptions of a tranche of which a trade was cancelled. */
export async function listCancelledBidders(tx: Tx, trancheId: Id<'trn'>): Promise<(Id<'ord'> | Id<'sub'>)[]> {
  const rows = await tx.rows<{ bidder: Id<'ord'> | Id<'sub'> }>(
    `select distinct coalesce(a.order_id, a.subscription_id) as bidder from allocations a join trades x using (allocation_id)
     where a.tranche_id = $1 and x.status = 'CANCELLED'`,
    [trancheId],
  );
  return rows.map((row) => row.bidder);
}

/** Tranches with allocations whose response deadline has passed, the longest due first. */
export function listDueTranches(tx: Tx): Promise<Pick<AllocationRow, 'deal_id' | 'tranche_id'>[]> {
  return tx.rows(
    `select deal_id, tranche_id from allocations where status = 'ISSUED' and expires_at <= $1
     group by deal_id, tranche_id order by min(expires_at), tranche_id`,
    [tx.now],
  );
}

/** Locks allocations of a tranche whose response deadline has passed. */
export function lockDueAllocations(tx: Tx, trancheId: Id<'trn'>, limit: number): Promise<AllocationRow[]> {
  return tx.rows<AllocationRow>(
    `select ${ALLOCATION} from allocations a where a.tranche_id = $1 and a.status = 'ISSUED' and a.expires_at <= $2
     order by a.allocation_id limit $3 for update`,
    [trancheId, tx.now, limit],
  );
}

/** Open allocations that expire by then and whose investors were not told so yet, the soonest first. */
export function listExpiring(tx: Tx, until: Date, limit: number): Promise<{ allocation_id: Id<'all'>; expires_at: Date }[]> {
  return tx.rows(
    `select allocation_id, expires_at from allocations
     where status = 'ISSUED' and expiry_told_at is null and expires_at > $1 and expires_at <= $2 order by expires_at, allocation_id limit $3`,
    [tx.now, until, limit],
  );
}

/** Records that the investors of these allocations are told of the deadline; returns those that were open and had not been told. */
export function recordExpiryTold(tx: Tx, allocationIds: readonly Id<'all'>[]): Promise<AllocationRow[]> {
  return tx.rows<AllocationRow>(
    `update allocations a set expiry_told_at = $2
     where a.allocation_id in (
         select allocation_id from allocations where allocation_id = any($1) order by allocation_id for update skip locked)
       and a.status = 'ISSUED' and a.expiry_told_at is null and a.expires_at > $2
     returning ${ALLOCATION}`,
    [allocationIds, tx.now],
  );
}

/** An allocation that keeps a deal from closing: without an answer, or accepted and not settled. */
export type OpenAllocation = {
  allocation_id: Id<'all'>;
  organization_id: Id<'org'>;
  tranche_id: Id<'trn'>;
  allocated_amount: number;
  status: AllocationStatus;
  expires_at: Date;
  trade_id: Id<'trd'> | null;
  trade_status: string | null;
};

/** The open allocations of a deal, oldest first, and how many there are. */
export async function listOpenAllocations(
  tx: Tx,
  dealId: Id<'deal'>,
  limit: number,
): Promise<{ rows: OpenAllocation[]; total: number }> {
  const rows = await tx.rows<OpenAllocation & { total: number }>(
    `select a.allocation_id, a.organization_id, a.tranche_id, a.allocated_amount::float8 as allocated_amount, a.status, a.expires_at,
       t.trade_id, t.status as trade_status, count(*) over ()::int as total
     from allocations a left join trades t using (allocation_id)
     where a.deal_id = $1 and (a.status = 'ISSUED' or (a.status = 'ACCEPTED' and t.status in ('PENDING_SETTLEMENT', 'FAILED')))
     order by a.created_at, a.allocation_id limit $2`,
    [dealId, limit],
  );
  return { rows: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

export type RoundRow = {
  round_id: string;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  kind: 'OFFERING' | 'REOFFER';
  method: AllocationMethod;
  size: string;
  increment: string;
  yield: number | null;
  market_yield: number | null;
  /** Clean price of the sale, decimal text; null when nothing is sold, and for rounds that were priced at acceptance. */
  price: string | null;
  rule_version: RuleVersion;
  bids: RoundBid[];
  book_hash: string;
  created_at: Date;
};

/** A bid of a round: its place in the book (from 1, breaks ties), its bidder and its terms, amounts as decimal text. */
export type RoundBid = {
  entry: number;
  organization_id: Id<'org'>;
  order_id: Id<'ord'> | null;
  subscription_id: Id<'sub'> | null;
  amount: string;
  minimum_amount: string;
  limit_yield: number | null;
  placed_at: string;
};

const ROUND = `round_id, organization_id, deal_id, tranche_id, kind, method, size::text as size, increment::text as increment,
  yield::float8 as yield, market_yield::float8 as market_yield, price::text as price, rule_version, bids, book_hash, created_at`;

export async function insertRound(tx: Tx, row: Omit<RoundRow, 'created_at'>): Promise<void> {
  await tx.exec(
    `insert into allocation_rounds (round_id, organization_id, deal_id, tranche_id, kind, method, size, increment, yield, market_yield, price, rule_version, bids, book_hash, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      row.round_id,
      row.organization_id,
      row.deal_id,
      row.tranche_id,
      row.kind,
      row.method,
      row.size,
      row.increment,
      row.yield,
      row.market_yield,
      row.price,
      row.rule_version,
      JSON.stringify(row.bids),
      row.book_hash,
      tx.now,
    ],
  );
}

export function findOfferingRound(tx: Tx, trancheId: Id<'trn'>): Promise<RoundRow | null> {
  return tx.one<RoundRow>(`select ${ROUND} from allocation_rounds where tranche_id = $1 and kind = 'OFFERING'`, [trancheId]);
}

export function findRound(tx: Tx, roundId: string): Promise<RoundRow | null> {
  return tx.one<RoundRow>(`select ${ROUND} from allocation_rounds where round_id = $1`, [roundId]);
}
