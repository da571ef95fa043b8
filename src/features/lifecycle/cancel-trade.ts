import type { Tx } from '../../platform/db/database.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import { expireSmallLots } from '../allocations/expire-small-lots.ts';
import type { TradeRow } from '../trades/queries.ts';
import { lockSubscriptionOf, lockTrade, type TradeDecision } from '../trades/settle-trade.ts';
import { concludeSubscriptions, moveTrade } from '../trades/trade.ts';

/** Cancels a trade; what was offered to add to it, and the commitment behind it, end with the last of its trades. */
export async function cancelTrade(tx: Tx, decider: Decider, { trade_id, reason }: TradeDecision<string>): Promise<TradeRow> {
  const { trade } = await lockTrade(tx, decider, trade_id);
  const cancelled = await moveTrade(tx, decider, trade, { to: 'CANCELLED', reason });
  await expireSmallLots(tx, decider.actor_id, cancelled.allocation_id);
  const subscription = await lockSubscriptionOf(tx, cancelled);
  if (subscription) await concludeSubscriptions(tx, [subscription], { to: 'cancelled', reason: 'its trade was cancelled' });
  return cancelled;
}
