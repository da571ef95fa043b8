import { moveOrders } from '../orders/order.ts';
import { formatCents, parseCents } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Bidder, bidderId, loadRefusals } from './eligibility.ts';
import { RULE_VERSION } from './allocate.ts';
import {
  type AllocationRow,
  findOfferingRound,
  insertRound,
  listCancelledBidders,
  listTrancheAllocations,
  type RoundBid,
  type RoundRow,
} from './queries.ts';
import { listOrdersById, lockOfferedTranches } from '../orders/queries.ts';
import { issueAllocations } from './allocation.ts';
import { listSubscriptionsById } from '../subscriptions/queries.ts';
import {
  responseDeadline,
  allocatedFace,
  faceOf,
  type UnplacedBid,
  type RoundResult,
  runRound,
  sourceId,
  toAllocations,
} from './round.ts';
import { moveSubscriptions } from '../subscriptions/subscription.ts';
import type { SecuritizationDeal } from '../securitizations/queries.ts';

/**
 * Offers returned face again, at the yield and price of the offering, to bidders that were not filled in full and returned nothing, nor had a
 * trade cancelled. Face that is returned from this round stays with the issuer. `freed` are allocations of one tranche.
 */
export async function reofferFace(tx: Tx, deal: SecuritizationDeal, freed: readonly AllocationRow[]): Promise<void> {
  const [first] = freed;
  const offering = first && deal.market_status === 'ALLOCATED' ? await findOfferingRound(tx, first.tranche_id) : null;
  const returned = freed.filter(({ round_id }) => round_id === offering?.round_id);
  if (!offering || returned.length === 0) return;
  const allocations = await listTrancheAllocations(tx, offering.tranche_id);
  const bids = await eligibleBids(tx, deal, offering, allocations);
  const size = formatCents(faceOf(returned));
  const terms = {
    method: offering.method,
    size,
    increment: offering.increment,
    market_yield: offering.yield,
    rule_version: RULE_VERSION,
  };
  const result = await runRound(bids, terms);
  if (result.allocated === 0n) return;
  const round: RoundRow = {
    ...offering,
    ...terms,
    round_id: tx.newId('alr'),
    kind: 'REOFFER',
    bids: result.bids,
    book_hash: result.book_hash,
    created_at: tx.now,
  };
  await insertRound(tx, round);
  await issueAllocations(
    tx,
    toAllocations(result, round, { expires_at: responseDeadline(tx.now, tx.zone), newId: () => tx.newId('all') }),
  );
  await moveBidders(tx, offering, allocations, result);
}

/** The unfilled part of each bid of the offering, without bidders that returned face or are no longer eligible. */
async function eligibleBids(
  tx: Tx,
  deal: SecuritizationDeal,
  offering: RoundRow,
  allocations: readonly AllocationRow[],
): Promise<UnplacedBid[]> {
  const tranches = await lockOfferedTranches(tx, deal.deal_id);
  const denomination = tranches.find((each) => each.tranche_id === offering.tranche_id)?.denomination ?? '0.00';
  const returned = new Set([
    ...allocations.filter((each) => isReturned(each, tx.now)).map((each) => sourceId(each)),
    ...(await listCancelledBidders(tx, offering.tranche_id)),
  ]);
  const ofBidder = Map.groupBy(allocations, sourceId);
  const open = offering.bids
    .filter((bid) => !returned.has(sourceId(bid)))
    .filter((bid) => bid.limit_yield === null || (offering.yield !== null && bid.limit_yield <= offering.yield))
    .map((bid) => residual(bid, ofBidder.get(sourceId(bid)) ?? [], denomination))
    .filter((bid) => parseCents(bid.amount) > 0n);
  const rows = await loadBidders(tx, open);
  const refusals = await loadRefusals(tx, deal, tranches, rows);
  const live = new Set(rows.map(bidderId));
  return open.filter((bid) => live.has(sourceId(bid)) && !refusals.has(sourceId(bid)));
}

/** Declined or expired, or past its response deadline although housekeeping has not expired it yet. */
const isReturned = ({ status, expires_at }: AllocationRow, now: Date): boolean =>
  status === 'DECLINED' || status === 'EXPIRED' || (status === 'ISSUED' && expires_at <= now);

/**
 * What a bid still lacks. What adds to face that was accepted has no minimum; what adds to an allocation that may still be declined can be all that
 * the bidder keeps, and has the denomination.
 */
function residual(bid: RoundBid, own: readonly AllocationRow[], denomination: string): UnplacedBid {
  const { entry, ...rest } = bid;
  void entry;
  const held = allocatedFace(own);
  const least = own.some(({ status }) => status === 'ACCEPTED') ? '0.00' : denomination;
  return {
    ...rest,
    amount: formatCents(parseCents(bid.amount) - held),
    minimum_amount: held > 0n ? least : bid.minimum_amount,
  };
}

/** The live orders and subscriptions of bids, for the amounts that these still lack. */
async function loadBidders(tx: Tx, bids: readonly UnplacedBid[]): Promise<Bidder[]> {
  const amounts = new Map<string, number>(bids.map((bid) => [sourceId(bid), Number(bid.amount)]));
  const { orders, subscriptions } = await loadSources(tx, bids);
  return [
    ...orders
      .filter(({ status }) => status !== 'CANCELLED')
      .map((order) => ({ ...order, amount: amounts.get(order.order_id) ?? 0 })),
    ...subscriptions
      .filter(({ status }) => ['confirmed', 'allocated', 'funded'].includes(status))
      .map((each) => ({ ...each, subscription_amount: amounts.get(each.subscription_id) ?? 0 })),
  ];
}

async function moveBidders(
  tx: Tx,
  offering: RoundRow,
  allocations: readonly AllocationRow[],
  result: RoundResult,
): Promise<void> {
  const requested = new Map(offering.bids.map((bid) => [sourceId(bid), parseCents(bid.amount)]));
  const ofBidder = Map.groupBy(allocations, sourceId);
  const filled = result.fills.flatMap(({ amount }, index) =>
    amount === 0n ? [] : [{ bid: result.bids[index] as RoundBid, amount }],
  );
  const given = new Map<string, bigint>(
    filled.map(({ bid, amount }) => [sourceId(bid), amount + allocatedFace(ofBidder.get(sourceId(bid)) ?? [])]),
  );
  const { orders, subscriptions } = await loadSources(
    tx,
    filled.map(({ bid }) => bid),
    true,
  );
  await moveOrders(
    tx,
    orders.map((row) => ({
      row,
      to: given.get(row.order_id) === requested.get(row.order_id) ? 'ALLOCATED' : 'PARTIALLY_ALLOCATED',
      reason: 'Filled further from face that came back.',
    })),
  );
  await moveSubscriptions(
    tx,
    subscriptions
      .filter(({ status }) => status === 'confirmed')
      .map((row) => ({ row, to: 'allocated', reason: 'Filled from face that came back.' })),
  );
}

/** The orders and subscriptions behind bids. */
async function loadSources(tx: Tx, bids: readonly UnplacedBid[], lock = false) {
  const orders = await listOrdersById(
    tx,
    bids.flatMap(({ order_id }) => order_id ?? []),
    lock,
  );
  const subscriptions = await listSubscriptionsById(
    tx,
    bids.flatMap(({ order_id, subscription_id }) => (order_id === null ? (subscription_id ?? []) : [])),
    lock,
  );
  return { orders, subscriptions };
}
