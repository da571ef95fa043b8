import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { businessDeadline, endOfDay, localDate } from '../../finance/business-date.ts';
import { addBusinessDays } from '../../finance/calendar.ts';
import { formatCents, parseCents } from '../../finance/money.ts';
import { allocateByTurns, type Bid, type Offer, type AllocationOutcome } from './allocate.ts';
import type { AllocationRow, NewAllocation, RoundBid, RoundRow } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** Terms of one run of the rule over one tranche's book; amounts as decimal text. */
export type RoundTerms = Pick<RoundRow, 'method' | 'size' | 'increment' | 'market_yield' | 'rule_version'>;

export type RoundResult = AllocationOutcome & {
  /** The bids that took part, numbered from 1 in the order that breaks ties. */
  bids: RoundBid[];
  book_hash: string;
};

/** A bid before it has a place in the book. */
export type UnplacedBid = Omit<RoundBid, 'entry'>;

/** Runs the allocation rule over the bids and numbers them. */
export async function runRound(unplaced: readonly UnplacedBid[], terms: RoundTerms): Promise<RoundResult> {
  const byId = new Map<string, UnplacedBid>(unplaced.map((bid) => [sourceId(bid), bid]));
  const outcome = await allocateBesideOthers(
    unplaced.map((bid) => toBid(sourceId(bid), bid)),
    toOffer(terms),
  );
  const bids = outcome.fills.flatMap(({ bid }, index) => {
    const source = byId.get(bid.id);
    return source ? [{ ...source, entry: index + 1 }] : [];
  });
  return { ...outcome, bids, book_hash: hashBook(publicBook(bids), terms) };
}

/** A line of the book as every bidder may see it: no name and no id; `entry` breaks ties. */
export type BookEntry = { entry: number; amount: number; minimum_amount: number; limit_yield: number | null };

export function publicBook(bids: readonly RoundBid[]): BookEntry[] {
  return bids.map(({ entry, amount, minimum_amount, limit_yield }) => ({
    entry,
    amount: Number(amount),
    minimum_amount: Number(minimum_amount),
    limit_yield,
  }));
}

/** sha-256 of the terms and the book as JSON, keys in the order written here. */
export function hashBook(
  book: readonly BookEntry[],
  { method, size, increment, market_yield }: Omit<RoundTerms, 'rule_version'>,
): string {
  const terms = { method, size: Number(size), increment: Number(increment), market_yield, book };
  return createHash('sha256').update(JSON.stringify(terms)).digest('hex');
}

/** Runs the rule over the book without names, as any bidder can do with a proof. The place in the book replaces the id. */
export async function replayBook(book: readonly BookEntry[], terms: RoundTerms): Promise<AllocationOutcome> {
  const bids = book.map((line) =>
    toBid(String(line.entry).padStart(9, '0'), {
      amount: line.amount.toFixed(2),
      minimum_amount: line.minimum_amount.toFixed(2),
      limit_yield: line.limit_yield,
      placed_at: '',
    }),
  );
  return await allocateBesideOthers(bids, toOffer(terms));
}

const TURNS_AT_ONCE = 100;

/** A large book of which most drops out takes a second, in which the process answers other requests. */
async function allocateBesideOthers(bids: readonly Bid[], offer: Offer): Promise<AllocationOutcome> {
  const turns = allocateByTurns(bids, offer);
  for (let taken = 1; ; taken += 1) {
    const { done, value } = turns.next();
    if (done) return value;
    if (taken % TURNS_AT_ONCE === 0) await setImmediate();
  }
}

/** The allocations of a round: one for every fill above zero. */
export function toAllocations(
  result: RoundResult,
  round: Pick<RoundRow, 'round_id' | 'deal_id' | 'tranche_id' | 'method' | 'yield' | 'price'>,
  more: { expires_at: Date; newId: () => Id<'all'>; requested?: (bid: RoundBid) => string },
): NewAllocation[] {
  return result.fills.flatMap(({ amount, reason }, index) => {
    const bid = result.bids[index] as RoundBid;
    if (amount === 0n) return [];
    return [
      {
        allocation_id: more.newId(),
        organization_id: bid.organization_id,
        deal_id: round.deal_id,
        tranche_id: round.tranche_id,
        round_id: round.round_id,
        entry: bid.entry,
        order_id: bid.order_id,
        subscription_id: bid.subscription_id,
        requested_amount: more.requested?.(bid) ?? bid.amount,
        allocated_amount: formatCents(amount),
        yield: round.yield,
        price: round.price,
        method: round.method,
        reason,
        expires_at: more.expires_at,
      },
    ];
  });
}

/** Business days that an investor has to accept or decline. */
const RESPONSE_BUSINESS_DAYS = 2;

/** The end of the second business day after the business date. */
export const responseDeadline = (now: Date, zone: string): Date => businessDeadline(now, RESPONSE_BUSINESS_DAYS, zone);

/** When an investor is reminded of a response deadline: at the end of the business day before. */
export const reminderTime = (deadline: Date, zone: string): Date =>
  endOfDay(addBusinessDays(localDate(deadline, zone), -1, 'US_FED'), zone);

/** Face of a bidder's allocations that are issued or accepted, in cents. */
export const allocatedFace = (allocations: readonly AllocationRow[]): bigint =>
  faceOf(allocations.filter((each) => each.status === 'ISSUED' || each.status === 'ACCEPTED'));

/** Face of allocations, in cents. */
export const faceOf = (allocations: readonly AllocationRow[]): bigint =>
  allocations.reduce((sum, each) => sum + parseCents(each.allocated_amount.toFixed(2)), 0n);

/** The id of the order or subscription behind a bid. */
export function sourceId(bid: Pick<RoundBid, 'order_id' | 'subscription_id'>): Id<'ord'> | Id<'sub'> {
  const source = bid.order_id ?? bid.subscription_id;
  if (source === null) throw new Error('a bid is neither an order nor a subscription');
  return source;
}

function toBid(id: string, bid: Pick<RoundBid, 'amount' | 'minimum_amount' | 'limit_yield' | 'placed_at'>): Bid {
  return {
    id,
    amount: parseCents(bid.amount),
    minimum: parseCents(bid.minimum_amount),
    limit_yield: bid.limit_yield,
    placed_at: bid.placed_at,
  };
}

const toOffer = ({ method, size, increment, market_yield, rule_version }: RoundTerms): Offer => ({
  method,
  size: parseCents(size),
  increment: parseCents(increment),
  market_yield,
  rule_version,
});
