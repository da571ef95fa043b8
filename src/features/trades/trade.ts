import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidTransition } from '../../platform/http/errors.ts';
import { type TradeRow, type TradeStatus, updateTrade } from './queries.ts';

/** The moves of a trade. */
export const TRADE_MOVES: Record<TradeStatus, readonly TradeStatus[]> = {
  PENDING_SETTLEMENT: ['SETTLED', 'FAILED', 'CANCELLED'],
  FAILED: ['PENDING_SETTLEMENT', 'CANCELLED'],
  SETTLED: [],
  CANCELLED: [],
};

/** Moves a locked trade and writes who did it; 409 when the table has no such move. */
export async function moveTrade(
  tx: Tx,
  actor: string,
  trade: TradeRow,
  to: TradeStatus,
  reason: string | null,
): Promise<TradeRow> {
  const allowed = TRADE_MOVES[trade.status];
  if (!allowed.includes(to)) throw invalidTransition('trade', trade.status, allowed);
  const moved = await updateTrade(tx, trade.trade_id, to, { reason, settled_at: to === 'SETTLED' ? tx.now : null });
  audit(tx, {
    organization_id: trade.organization_id,
    actor,
    action: `trade.${to.toLowerCase()}`,
    entity_type: 'trade',
    entity_id: trade.trade_id,
    before: { status: trade.status },
    after: { status: to },
    reason,
  });
  return moved;
}
