import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { moveSubscription } from '../subscriptions/subscription.ts';
import { findSubscriptionProgress, type TradeRow, type TradeStatus } from './queries.ts';
import type { Decider } from '../../platform/http/own-organization.ts';

/** The moves of a trade. */
export const TRADE_MOVES = new Mover<TradeRow, 'status', TradeStatus>({
  noun: 'trade',
  table: 'trades',
  key: ['trade_id'],
  column: 'status',
  touches: 'updated_at',
  moves: {
    PENDING_SETTLEMENT: ['SETTLED', 'FAILED', 'CANCELLED'],
    FAILED: ['PENDING_SETTLEMENT', 'CANCELLED'],
    SETTLED: [],
    CANCELLED: [],
  },
});

/** Amounts that settling fixes. */
export type SettledAmounts = Partial<Pick<TradeRow, 'accrued_interest' | 'net_amount'>>;

/** Moves a locked trade, with an audit entry; 409 when the table has no such move. */
export async function moveTrade(
  tx: Tx,
  decider: Decider,
  trade: TradeRow,
  { to, reason, amounts = {} }: { to: TradeStatus; reason: string | null; amounts?: SettledAmounts },
): Promise<TradeRow> {
  const settled = to === 'SETTLED' ? { settled_at: tx.now, ...amounts } : {};
  const moved = await TRADE_MOVES.move(tx, trade, to, { reason, ...settled });
  audit(tx, {
    organization_id: trade.organization_id,
    actor: decider.key_id,
    action: `trade.${to.toLowerCase()}`,
    entity_type: 'trade',
    entity_id: trade.trade_id,
    before: { status: trade.status },
    after: { status: to, ...amounts },
    reason,
  });
  return moved;
}

/** Ends a locked subscription when nothing of it is open any more: settled where a trade of it settled, else as its last part ended. */
export async function concludeSubscription(
  tx: Tx,
  row: SubscriptionRow,
  { to, reason }: { to: 'cancelled' | 'expired'; reason: string },
): Promise<void> {
  const { live, settled, unanswered } = await findSubscriptionProgress(tx, row.subscription_id);
  if (live + unanswered > 0) return;
  if (row.status === 'funded' && settled > 0) await moveSubscription(tx, row, 'settled');
  if (row.status === 'allocated' && settled === 0) await moveSubscription(tx, row, to, reason);
}
