import { moveSubscription } from '../subscriptions/subscription.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import { findSubscription, type SubscriptionRow } from '../subscriptions/queries.ts';
import { bookSettlement } from './ledger-queries.ts';
import { findSubscriptionOfAllocation, findSubscriptionProgress, findTrade, type TradeRow } from './queries.ts';
import { settledAmounts } from '../remittances/trade-amounts.ts';
import { moveTrade } from './trade.ts';
import { holdSecuritization } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';

/** A trade to decide on, and the reason. */
export type TradeDecision<Reason = string | null> = { trade_id: Id<'trd'>; reason: Reason };

/**
 * Settles a trade: delivery versus payment. Face and cash, the position, the subscription's progress and `trade.settled` commit together
 * or not at all. A FAILED trade becomes PENDING_SETTLEMENT first. 409 from any other status.
 */
export async function settleTrade(tx: Tx, decider: Decider, { trade_id, reason }: TradeDecision): Promise<TradeRow> {
  const { trade, sellerId } = await lockTrade(tx, decider, trade_id);
  const pending =
    trade.status === 'FAILED'
      ? await moveTrade(tx, decider, trade, { to: 'PENDING_SETTLEMENT', reason: 'settlement retried' })
      : trade;
  const settled = await moveTrade(tx, decider, pending, { to: 'SETTLED', reason, amounts: await settledAmounts(tx, trade_id) });
  await bookSettlement(tx, settled, sellerId);
  await progressSubscription(tx, settled);
  return settled;
}

/** One side did not deliver: nothing is booked; settlement may be retried or the trade cancelled. */
export async function failTrade(tx: Tx, decider: Decider, { trade_id, reason }: TradeDecision<string>): Promise<TradeRow> {
  const { trade } = await lockTrade(tx, decider, trade_id);
  return moveTrade(tx, decider, trade, { to: 'FAILED', reason });
}

/** Retries the settlement of a failed trade. */
export async function retryTrade(tx: Tx, decider: Decider, { trade_id, reason }: TradeDecision): Promise<TradeRow> {
  const { trade } = await lockTrade(tx, decider, trade_id);
  return moveTrade(tx, decider, trade, { to: 'PENDING_SETTLEMENT', reason });
}

/** Locks the deal before the trade, in the order of every operation on a deal's records. */
export async function lockTrade(tx: Tx, decider: Decider, tradeId: Id<'trd'>): Promise<{ trade: TradeRow; sellerId: Id<'org'> }> {
  const found = orNotFound(await findTrade(tx, null, tradeId), 'trade');
  const deal = orNotFound(await holdSecuritization(tx, found.deal_id), 'deal');
  const trade = orNotFound(await findTrade(tx, null, tradeId, true), 'trade');
  refuseOwnOrganization(decider, trade.organization_id, deal.organization_id);
  return { trade, sellerId: deal.organization_id };
}

export async function lockSubscriptionOf(tx: Tx, trade: TradeRow): Promise<SubscriptionRow | null> {
  const subscriptionId = await findSubscriptionOfAllocation(tx, trade.allocation_id);
  return subscriptionId ? findSubscription(tx, null, subscriptionId, true) : null;
}

/** allocated → funded with the first settled trade; → settled when no trade or allocation of it is open. */
async function progressSubscription(tx: Tx, trade: TradeRow): Promise<void> {
  const subscription = await lockSubscriptionOf(tx, trade);
  if (!subscription) return;
  const { live, unanswered } = await findSubscriptionProgress(tx, subscription.subscription_id);
  const funded = subscription.status === 'allocated' ? await moveSubscription(tx, subscription, 'funded') : subscription;
  if (live + unanswered === 0) await moveSubscription(tx, funded, 'settled');
}
