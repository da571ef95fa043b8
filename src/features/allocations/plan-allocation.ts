import type { Tx } from '../../platform/db/database.ts';
import { type AllocationMethod, RULE_VERSION } from './allocate.ts';
import { type DealMarks, marketYield, markRequired, salePrice } from './sale.ts';
import type { NewAllocation, RoundBid } from './queries.ts';
import { type Bidder, bidderId, loadRefusals } from './eligibility.ts';
import { lockOfferedTranches, lockOpenOrders, type OfferedTranche, type OrderRow } from '../orders/queries.ts';
import {
  responseDeadline,
  type UnplacedBid,
  type RoundResult,
  type RoundTerms,
  runRound,
  sourceId,
  toAllocations,
} from './round.ts';
import { lockSubscriptions, type SubscriptionRow } from '../subscriptions/queries.ts';
import type { SecuritizationDeal } from '../securitizations/queries.ts';

type TrancheRound = {
  tranche: OfferedTranche;
  round_id: string;
  terms: RoundTerms;
  result: RoundResult;
  price: string | null;
  allocations: NewAllocation[];
};

/** An allocation before any of it is written: the round of each tranche, and the bidders that are refused, with the reason. */
export type AllocationPlan = {
  runs: TrancheRound[];
  orders: OrderRow[];
  confirmed: SubscriptionRow[];
  pending: SubscriptionRow[];
  refusals: ReadonlyMap<string, string>;
};

/**
 * Loads and locks the books and runs the rule over every offered tranche. 422 when a tranche with bids would clear at a yield and has no mark
 * to be priced from.
 */
export async function planAllocation(
  tx: Tx,
  deal: SecuritizationDeal,
  method: AllocationMethod,
  marks: DealMarks,
): Promise<AllocationPlan> {
  const tranches = await lockOfferedTranches(tx, deal.deal_id);
  const subscriptions = await lockSubscriptions(tx, deal.deal_id, ['confirmed', 'pending_confirmation']);
  const orders = await lockOpenOrders(tx, deal.deal_id);
  const confirmed = subscriptions.filter((each) => each.status === 'confirmed');
  const refusals = await loadRefusals(tx, deal, tranches, [...orders, ...confirmed]);
  const expires_at = responseDeadline(tx.now, tx.zone);
  const runs: TrancheRound[] = [];
  for (const tranche of tranches) {
    const takesPart = (row: Bidder) => row.tranche_id === tranche.tranche_id && !refusals.has(bidderId(row));
    const bids = [
      ...orders.filter(takesPart).map((row) => bidOfOrder(row, tranche)),
      ...confirmed.filter(takesPart).map((row) => bidOfSubscription(row, tranche)),
    ];
    const mark = marks.get(tranche.tranche_id);
    const terms: RoundTerms = {
      method,
      size: tranche.original_balance,
      increment: tranche.increment,
      market_yield: marketYield(method, tranche, mark),
      rule_version: RULE_VERSION,
    };
    const result = await runRound(bids, terms);
    const price = salePrice(method, result.yield, mark);
    const round_id = tx.newId('alr');
    const round = { round_id, deal_id: deal.deal_id, tranche_id: tranche.tranche_id, method, yield: result.yield, price };
    const allocations = toAllocations(result, round, { expires_at, newId: () => tx.newId('all') });
    runs.push({ tranche, round_id, terms, result, price, allocations });
  }
  const unpriced = runs.filter(({ result, price }) => result.bids.length > 0 && price === null);
  if (unpriced.length > 0) {
    throw markRequired(unpriced.map(({ tranche: { tranche_id, tranche } }) => ({ tranche_id, tranche })));
  }
  return {
    runs,
    orders,
    confirmed,
    pending: subscriptions.filter((each) => each.status === 'pending_confirmation'),
    refusals,
  };
}

/** A fill below the denomination could not be delivered, so every bid has at least that minimum. */
function bidOfOrder(row: OrderRow, tranche: OfferedTranche): UnplacedBid {
  return {
    ...sourceOf(row),
    amount: row.amount.toFixed(2),
    minimum_amount: Math.max(row.minimum_amount ?? 0, Number(tranche.denomination)).toFixed(2),
    limit_yield: row.limit_yield,
    placed_at: row.placed_at.toISOString(),
  };
}

/** A confirmed subscription is an order at market, with the priority of the time at which it was made or last raised. */
function bidOfSubscription(row: SubscriptionRow, tranche: OfferedTranche): UnplacedBid {
  return {
    ...sourceOf(row),
    amount: row.subscription_amount.toFixed(2),
    minimum_amount: tranche.denomination,
    limit_yield: null,
    placed_at: row.placed_at.toISOString(),
  };
}

export const sourceOf = (row: Bidder): Pick<RoundBid, 'organization_id' | 'order_id' | 'subscription_id'> => ({
  organization_id: row.organization_id,
  order_id: 'order_id' in row ? row.order_id : null,
  subscription_id: 'order_id' in row ? null : row.subscription_id,
});

type BidderOutcome = { amount: bigint; reason: string };

/** What each bidder is allotted and why, by order or subscription id. */
export function outcomes({ runs, refusals }: AllocationPlan): Map<string, BidderOutcome> {
  const all = new Map<string, BidderOutcome>();
  for (const [id, reason] of refusals) all.set(id, { amount: 0n, reason });
  for (const { result } of runs) {
    for (const [index, { amount, reason }] of result.fills.entries()) {
      all.set(sourceId(result.bids[index] as RoundBid), { amount, reason });
    }
  }
  return all;
}
