import { emit } from '../../events/emit.ts';
import type { Emission, Notice, PlatformEvent } from '../../events/events.ts';
import { formatAmount } from '../../finance/money.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { moveSubscriptions, type SubscriptionMove } from '../subscriptions/subscription.ts';
import type { SettledAmounts } from '../remittances/trade-amounts.ts';
import { listSubscriptionProgress, listTradeParties, type TradeParties, type TradeRow, type TradeStatus } from './queries.ts';
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

/** Moves a locked trade, with an audit entry, and tells both sides; 409 when the table has no such move. */
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
    actor: decider.actor_id,
    action: `trade.${to.toLowerCase()}`,
    entity_type: 'trade',
    entity_id: trade.trade_id,
    before: { status: trade.status },
    after: { status: to, ...amounts },
    reason,
  });
  await tellTrades(tx, to, [{ trade: moved, reason }]);
  return moved;
}

/** Ends those of locked subscriptions of which nothing is open any more: settled where a trade of it settled, else as its last part ended. */
export async function concludeSubscriptions(
  tx: Tx,
  rows: readonly SubscriptionRow[],
  { to, reason }: { to: 'cancelled' | 'expired'; reason: string },
): Promise<void> {
  const progress = await listSubscriptionProgress(
    tx,
    rows.map(({ subscription_id }) => subscription_id),
  );
  const moves = rows.flatMap((row): SubscriptionMove[] => {
    const { live = 0, settled = 0, unanswered = 0 } = progress.get(row.subscription_id) ?? {};
    if (live + unanswered > 0) return [];
    if (row.status === 'funded' && settled > 0) return [{ row, to: 'settled' }];
    return row.status === 'allocated' && settled === 0 ? [{ row, to, reason }] : [];
  });
  if (moves.length > 0) await moveSubscriptions(tx, moves);
}

/** A trade as it is after its move. */
export type MovedTrade = { trade: TradeRow; reason: string | null };

/** Tells both sides of trades of the same move: the investor, and the originator without the buyer. */
export async function tellTrades(tx: Tx, to: TradeStatus, moved: readonly MovedTrade[]): Promise<void> {
  if (moved.length === 0) return;
  const parties = await listTradeParties(
    tx,
    moved.map(({ trade }) => trade.trade_id),
  );
  await emit(
    tx,
    moved.flatMap((each) => {
      const sides = parties.get(each.trade.trade_id);
      if (!sides) throw new Error(`${each.trade.trade_id} has no sides`);
      return emissionsOf(each, sides, to, tx.now.toISOString());
    }),
  );
}

function emissionsOf({ trade, reason }: MovedTrade, { seller_id, buyer }: TradeParties, to: TradeStatus, at: string): Emission[] {
  const side = (organization_id: string, whose: string, reason: string | null): Emission => ({
    organization_id,
    ...eventOf(trade, to, at, reason),
    alert: noticeOf(trade, to, whose, reason),
  });
  const unnamed = reason === null ? null : withoutBuyer(reason, [buyer, trade.organization_id]);
  return [side(trade.organization_id, 'Your trade', reason), side(seller_id, 'A trade in your deal', unnamed)];
}

function eventOf(trade: TradeRow, to: TradeStatus, at: string, reason: string | null): PlatformEvent {
  const { trade_id, deal_id, tranche_id, face, net_amount, settlement_date } = trade;
  const data = { trade_id, deal_id, tranche_id, face, net_amount, settlement_date };
  if (to === 'SETTLED') return { event: 'trade.settled', data: { ...data, settled_at: at } };
  if (to === 'FAILED') return { event: 'trade.failed', data: { ...data, failed_at: at, reason } };
  if (to === 'CANCELLED') return { event: 'trade.cancelled', data: { ...data, cancelled_at: at, reason } };
  return { event: 'trade.retried', data: { ...data, retried_at: at, reason } };
}

const OUTCOMES: Record<TradeStatus, { done: string; priority: Notice['priority'] }> = {
  SETTLED: { done: 'settled', priority: 'MEDIUM' },
  FAILED: { done: 'failed to settle', priority: 'HIGH' },
  CANCELLED: { done: 'was cancelled', priority: 'HIGH' },
  PENDING_SETTLEMENT: { done: 'waits for settlement again', priority: 'MEDIUM' },
};

function noticeOf(trade: TradeRow, to: TradeStatus, whose: string, reason: string | null): Notice {
  const amounts = `Face of ${formatAmount(trade.face)} ${to === 'SETTLED' ? 'was delivered ' : ''}against ${formatAmount(trade.net_amount)}, settlement date ${trade.settlement_date}.`;
  const { done, priority } = OUTCOMES[to];
  return {
    category: 'trade',
    priority,
    title: `${whose} ${done}`,
    message: to === 'SETTLED' || reason === null ? amounts : `${amounts} Reason: ${reason}`,
    entity_type: 'trade',
    entity_id: trade.trade_id,
  };
}

/** The reason for the originator's eyes: an operator may have written the buyer's name into it. */
function withoutBuyer(reason: string, names: readonly string[]): string {
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return reason.replace(new RegExp(escaped.join('|'), 'gi'), 'the buyer');
}
