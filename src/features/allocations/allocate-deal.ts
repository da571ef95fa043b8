import { formatCents } from '../../finance/money.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import type { MarkWithCash } from '../calculations/mark-cash.ts';
import { type LatestMark, listLatestMarks } from '../calculations/mark-queries.ts';
import { expireIois } from '../iois/ioi.ts';
import { toldDemand } from '../books/demand.ts';
import { keepLastDemand, listDemand } from '../books/queries.ts';
import type { AllocationMethod } from './allocate.ts';
import { issueAllocations } from './allocation.ts';
import { insertRound } from './queries.ts';
import { moveOrders } from '../orders/order.ts';
import type { OrderStatus } from '../orders/queries.ts';
import { listAudience, MARKET_MOVES, moveMarket, tellMarketMove } from '../securitizations/securitization.ts';
import { outcomes, type AllocationPlan, planAllocation } from './plan-allocation.ts';
import type { DealMarks } from './sale.ts';
import { setReasons } from '../subscriptions/queries.ts';
import { moveSubscriptions, type SubscriptionMove } from '../subscriptions/subscription.ts';
import { type DealAllocation, summarize } from './summarize-allocation.ts';
import { listStakeholders, lockSecuritization, type SecuritizationDeal, setBooksOpen } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';

/** `marks` are those of the deal's tranches, read before the transaction began. */
export type AllocationRequest = { deal_id: Id<'deal'>; method: AllocationMethod; marks: readonly MarkWithCash[] };

/**
 * Allocates every offered tranche of a deal: closes the books where they are open, keeps their demand for its owner, runs the rule over open
 * orders and confirmed subscriptions, and issues the allocations. Subscriptions that were not confirmed in time expire. 409 when the deal was
 * allocated before.
 */
export async function allocateDeal(
  tx: Tx,
  decider: Decider,
  { deal_id: dealId, method, marks }: AllocationRequest,
): Promise<DealAllocation> {
  const deal = await lockAllocatable(tx, decider, dealId);
  const plan = await planAllocation(tx, deal, method, await requireLatest(tx, dealId, marks));
  const audience = await listAudience(tx, deal);
  await keepLastDemand(tx, deal, (await listDemand(tx, dealId)).map(toldDemand));
  await setBooksOpen(tx, dealId, false);
  await expireIois(tx, dealId);
  const closed =
    deal.market_status === 'MARKETING'
      ? await moveMarket(tx, decider, deal, { to: 'BOOKS_CLOSED', reason: null, audience })
      : deal;
  for (const { tranche, round_id, terms, result, price } of plan.runs) {
    await insertRound(tx, {
      round_id,
      organization_id: deal.organization_id,
      deal_id: dealId,
      tranche_id: tranche.tranche_id,
      kind: 'OFFERING',
      ...terms,
      yield: result.yield,
      price,
      bids: result.bids,
      book_hash: result.book_hash,
    });
  }
  await issueAllocations(
    tx,
    plan.runs.flatMap((run) => run.allocations),
  );
  await recordOrderOutcomes(tx, plan);
  await recordSubscriptionOutcomes(tx, plan);
  const allocated = await MARKET_MOVES.move(tx, closed, 'ALLOCATED');
  await tellMarketMove(tx, closed, allocated.market_status, audience);
  audit(tx, {
    organization_id: deal.organization_id,
    actor: decider.actor_id,
    action: 'deal.allocated',
    entity_type: 'deal',
    entity_id: dealId,
    before: { market_status: closed.market_status },
    after: { market_status: 'ALLOCATED', method, allocations: plan.runs.flatMap((run) => run.allocations).length },
  });
  return summarize(deal, method, plan);
}

/** Computes what the allocation would be now; nothing changes. */
export async function previewAllocation(
  tx: Tx,
  decider: Decider,
  { deal_id: dealId, method, marks }: AllocationRequest,
): Promise<DealAllocation> {
  const deal = await lockAllocatable(tx, decider, dealId);
  return summarize(deal, method, await planAllocation(tx, deal, method, await requireLatest(tx, dealId, marks)));
}

/** The marks by tranche; 409 when another mark was published after they were read. */
async function requireLatest(tx: Tx, dealId: Id<'deal'>, marks: readonly MarkWithCash[]): Promise<DealMarks> {
  const latest = await listLatestMarks(tx, dealId);
  const names = (list: readonly LatestMark[]) => list.map((mark) => `${mark.tranche_id} ${mark.calculation_id}`).join();
  if (names(latest) !== names(marks)) {
    throw new ApiError('CONFLICT', 'A mark of the deal was published in the meantime: try again.');
  }
  return new Map(marks.map((mark) => [mark.tranche_id, mark]));
}

/** Locks a deal that can be allocated. Refuses an operator that is the issuer or has a stake in the book. */
async function lockAllocatable(tx: Tx, decider: Decider, dealId: Id<'deal'>): Promise<SecuritizationDeal> {
  const deal = orNotFound(await lockSecuritization(tx, dealId), 'deal');
  const book = await listStakeholders(tx, dealId);
  refuseOwnOrganization(decider, deal.organization_id, ...book.map((each) => each.organization_id));
  // Open books are closed first.
  MARKET_MOVES.check(deal.market_status, deal.market_status === 'MARKETING' ? 'BOOKS_CLOSED' : 'ALLOCATED');
  return deal;
}

async function recordOrderOutcomes(tx: Tx, plan: AllocationPlan): Promise<void> {
  const outcomeOf = outcomes(plan);
  await moveOrders(
    tx,
    plan.orders.map((row) => {
      const { amount, reason } = outcomeOf.get(row.order_id) ?? { amount: 0n, reason: 'The tranche is not on offer.' };
      return { row, to: orderStatus(row.amount, amount), reason };
    }),
  );
}

function orderStatus(requested: number, filled: bigint): OrderStatus {
  if (filled === 0n) return 'UNFILLED';
  return formatCents(filled) === requested.toFixed(2) ? 'ALLOCATED' : 'PARTIALLY_ALLOCATED';
}

/** A confirmed subscription without a fill stays confirmed, with the reason: face that comes back may still be offered to it. */
async function recordSubscriptionOutcomes(tx: Tx, plan: AllocationPlan): Promise<void> {
  const outcomeOf = outcomes(plan);
  const decided: SubscriptionMove[] = [];
  const unfilled: { subscription_id: Id<'sub'>; reason: string }[] = [];
  for (const row of plan.confirmed) {
    const { subscription_id } = row;
    const refusal = plan.refusals.get(subscription_id);
    const { amount, reason } = outcomeOf.get(subscription_id) ?? { amount: 0n, reason: 'The tranche is not on offer.' };
    if (refusal) decided.push({ row, to: 'rejected', reason: refusal });
    else if (amount > 0n) decided.push({ row, to: 'allocated' });
    else unfilled.push({ subscription_id, reason: `${reason} Face that comes back may still be offered to it.` });
  }
  await setReasons(tx, unfilled);
  const expired = plan.pending.map((row): SubscriptionMove => {
    return { row, to: 'expired', reason: 'not confirmed before the allocation' };
  });
  await moveSubscriptions(tx, [...decided, ...expired]);
}
