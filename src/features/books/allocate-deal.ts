import { addBusinessDays } from '../../finance/calendar.ts';
import { formatCents } from '../../finance/money.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidTransition, notFound } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { expireIois } from '../iois/queries.ts';
import { lockSecuritization, type SecuritizationDeal, setBooksOpen, updateMarketStatus } from '../market/queries.ts';
import type { AllocationMethod } from './allocate.ts';
import { type Eligibility, loadEligibility } from './eligibility.ts';
import { insertAllocations, insertRound, type NewAllocation, type RoundBid } from './allocation-queries.ts';
import {
  lockOfferedTranches,
  lockOpenOrders,
  type OfferedTranche,
  type OrderRow,
  type OrderStatus,
  updateOrderStatuses,
} from './order-queries.ts';
import { lockSubscriptions, type SubscriptionRow } from './subscription-queries.ts';
import { type RoundAsk, type RoundResult, runRound, sourceId, toAllocations } from './round.ts';
import { moveSubscription } from './subscription.ts';

/** Business days that an investor has to accept or decline. */
const ANSWER_DAYS = 2;

export type TrancheSummary = {
  tranche_id: string;
  tranche: string;
  size: number;
  demand: number;
  allocated: number;
  yield: number | null;
  bids: number;
  book_hash: string;
};

export type Unfilled = {
  order_id: string | null;
  subscription_id: string | null;
  organization_id: string;
  tranche_id: string;
  requested_amount: number;
  reason: string;
};

export type DealAllocation = {
  deal_id: string;
  method: AllocationMethod;
  tranches: TrancheSummary[];
  allocations: NewAllocation[];
  unfilled: Unfilled[];
};

type TrancheRun = { tranche: OfferedTranche; round_id: string; result: RoundResult; allocations: NewAllocation[] };

/**
 * Allocates every offered tranche of a deal: closes the books where they are open, runs the rule over open orders and confirmed
 * subscriptions, and issues the allocations. What was not confirmed in time expires. 409 when the deal was allocated before.
 */
export async function allocateDeal(tx: Tx, actor: string, dealId: string, method: AllocationMethod): Promise<DealAllocation> {
  const deal = await lockAllocatable(tx, dealId);
  const plan = await planAllocation(tx, deal, method);
  await setBooksOpen(tx, dealId, false);
  await expireIois(tx, dealId);
  for (const { tranche, round_id, result, allocations } of plan.runs) {
    await insertRound(tx, {
      round_id,
      organization_id: deal.organization_id,
      deal_id: dealId,
      tranche_id: tranche.tranche_id,
      kind: 'OFFERING',
      method,
      size: tranche.original_balance,
      increment: tranche.increment,
      yield: result.yield,
      market_yield: marketYield(tranche),
      bids: result.bids,
      book_hash: result.book_hash,
    });
    await insertAllocations(tx, allocations);
  }
  await settleOrders(tx, plan);
  await settleSubscriptions(tx, plan);
  await updateMarketStatus(tx, dealId, 'ALLOCATED');
  await audit(tx, {
    organization_id: deal.organization_id,
    actor,
    action: 'deal.allocated',
    entity_type: 'deal',
    entity_id: dealId,
    before: { market_status: deal.market_status },
    after: { market_status: 'ALLOCATED', method, allocations: plan.runs.flatMap((run) => run.allocations).length },
  });
  return summarize(deal, method, plan);
}

/** What the allocation would be now; nothing changes. */
export async function previewAllocation(tx: Tx, dealId: string, method: AllocationMethod): Promise<DealAllocation> {
  const deal = await lockAllocatable(tx, dealId);
  return summarize(deal, method, await planAllocation(tx, deal, method));
}

async function lockAllocatable(tx: Tx, dealId: string): Promise<SecuritizationDeal> {
  const deal = await lockSecuritization(tx, dealId);
  if (!deal) throw notFound('deal');
  if (deal.market_status !== 'MARKETING' && deal.market_status !== 'BOOKS_CLOSED') {
    throw invalidTransition('deal', deal.market_status, deal.market_status === 'ALLOCATED' ? ['CLOSED', 'WITHDRAWN'] : []);
  }
  return deal;
}

type Plan = {
  runs: TrancheRun[];
  orders: OrderRow[];
  confirmed: SubscriptionRow[];
  pending: SubscriptionRow[];
  refused: Map<string, string>;
};

async function planAllocation(tx: Tx, deal: SecuritizationDeal, method: AllocationMethod): Promise<Plan> {
  const tranches = await lockOfferedTranches(tx, deal.deal_id);
  const subscriptions = await lockSubscriptions(tx, deal.deal_id, ['confirmed', 'pending_confirmation']);
  const orders = await lockOpenOrders(tx, deal.deal_id);
  const confirmed = subscriptions.filter((each) => each.status === 'confirmed');
  const eligibility = await loadEligibility(tx, deal, tranches, [...orders, ...confirmed]);
  const expires_at = answerBy(tx.now);
  const runs = tranches.map((tranche): TrancheRun => {
    const asks = [
      ...orders.map((row) => askOfOrder(row, tranche)),
      ...confirmed.map((row) => askOfSubscription(row, tranche)),
    ].filter((ask) => ask.tranche_id === tranche.tranche_id && eligibility.refusal(ask) === null);
    const terms = { method, size: tranche.original_balance, increment: tranche.increment, market_yield: marketYield(tranche) };
    const result = runRound(asks.map(withoutTranche), terms);
    const round_id = newId('alr');
    const round = { round_id, deal_id: deal.deal_id, tranche_id: tranche.tranche_id, method, yield: result.yield };
    return { tranche, round_id, result, allocations: toAllocations(result, round, { expires_at, newId: () => newId('all') }) };
  });
  return {
    runs,
    orders,
    confirmed,
    pending: subscriptions.filter((each) => each.status === 'pending_confirmation'),
    refused: refusals(eligibility, [...orders, ...confirmed]),
  };
}

function refusals(eligibility: Eligibility, bidders: readonly (OrderRow | SubscriptionRow)[]): Map<string, string> {
  const reasons = bidders.map((row) => [idOf(row), eligibility.refusal(sourceOf(row))] as const);
  return new Map(reasons.filter((each): each is [string, string] => each[1] !== null));
}

/** The same time of day, two business days on. */
export function answerBy(now: Date): Date {
  const day = addBusinessDays(now.toISOString().slice(0, 10), ANSWER_DAYS, 'US_FED');
  return new Date(`${day}${now.toISOString().slice(10)}`);
}

export const marketYield = (tranche: Pick<OfferedTranche, 'coupon' | 'offered_yield'>): number | null =>
  tranche.offered_yield ?? tranche.coupon;

type TrancheAsk = RoundAsk & { tranche_id: string };

/** A fill below the denomination could not be delivered, so it is the least minimum of every bid. */
function askOfOrder(row: OrderRow, tranche: OfferedTranche): TrancheAsk {
  return {
    ...sourceOf(row),
    tranche_id: row.tranche_id,
    amount: row.amount.toFixed(2),
    minimum_amount: Math.max(row.minimum_amount ?? 0, Number(tranche.denomination)).toFixed(2),
    limit_yield: row.limit_yield,
    placed_at: row.placed_at.toISOString(),
  };
}

/** A confirmed subscription is an order at market, in the place that it took when it was made. */
function askOfSubscription(row: SubscriptionRow, tranche: OfferedTranche): TrancheAsk {
  return {
    ...sourceOf(row),
    tranche_id: row.tranche_id,
    amount: row.subscription_amount.toFixed(2),
    minimum_amount: tranche.denomination,
    limit_yield: null,
    placed_at: row.created_at.toISOString(),
  };
}

const withoutTranche = ({ tranche_id, ...ask }: TrancheAsk): RoundAsk => {
  void tranche_id;
  return ask;
};

const idOf = (row: OrderRow | SubscriptionRow): string => ('order_id' in row ? row.order_id : row.subscription_id);

const sourceOf = (row: OrderRow | SubscriptionRow): Pick<RoundBid, 'organization_id' | 'order_id' | 'subscription_id'> => ({
  organization_id: row.organization_id,
  order_id: 'order_id' in row ? row.order_id : null,
  subscription_id: 'order_id' in row ? null : row.subscription_id,
});

type Outcome = { amount: bigint; reason: string };

/** How each bidder fared, by order or subscription id. */
function outcomes({ runs, refused }: Plan): Map<string, Outcome> {
  const all = new Map<string, Outcome>();
  for (const [id, reason] of refused) all.set(id, { amount: 0n, reason });
  for (const { result } of runs) {
    for (const [index, { amount, reason }] of result.fills.entries()) {
      all.set(sourceId(result.bids[index] as RoundBid), { amount, reason });
    }
  }
  return all;
}

async function settleOrders(tx: Tx, plan: Plan): Promise<void> {
  const fared = outcomes(plan);
  await updateOrderStatuses(
    tx,
    plan.orders.map((order) => {
      const { amount, reason } = fared.get(order.order_id) ?? { amount: 0n, reason: 'The tranche is not on offer.' };
      return { order_id: order.order_id, status: orderStatus(order.amount, amount), reason };
    }),
  );
}

export function orderStatus(asked: number, filled: bigint): OrderStatus {
  if (filled === 0n) return 'UNFILLED';
  return formatCents(filled) === asked.toFixed(2) ? 'ALLOCATED' : 'PARTIALLY_ALLOCATED';
}

/** A confirmed subscription without a fill stays confirmed: face that comes back may still be offered to it. */
async function settleSubscriptions(tx: Tx, plan: Plan): Promise<void> {
  const fared = outcomes(plan);
  for (const row of plan.confirmed) {
    const refusal = plan.refused.get(row.subscription_id);
    if (refusal) await moveSubscription(tx, row, 'rejected', refusal);
    else if ((fared.get(row.subscription_id)?.amount ?? 0n) > 0n) await moveSubscription(tx, row, 'allocated');
  }
  for (const row of plan.pending) await moveSubscription(tx, row, 'expired', 'not confirmed before the allocation');
}

function summarize(deal: SecuritizationDeal, method: AllocationMethod, plan: Plan): DealAllocation {
  const fared = outcomes(plan);
  const unfilled = [...plan.orders, ...plan.confirmed].flatMap((row): Unfilled[] => {
    const { amount, reason } = fared.get(idOf(row)) ?? { amount: 0n, reason: '' };
    const requested_amount = 'order_id' in row ? row.amount : row.subscription_amount;
    return amount > 0n ? [] : [{ ...sourceOf(row), tranche_id: row.tranche_id, requested_amount, reason }];
  });
  return {
    deal_id: deal.deal_id,
    method,
    tranches: plan.runs.map(({ tranche, result }) => ({
      tranche_id: tranche.tranche_id,
      tranche: tranche.tranche,
      size: Number(tranche.original_balance),
      demand: Number(formatCents(result.demand)),
      allocated: Number(formatCents(result.allocated)),
      yield: result.yield,
      bids: result.bids.length,
      book_hash: result.book_hash,
    })),
    allocations: plan.runs.flatMap((run) => run.allocations),
    unfilled,
  };
}
