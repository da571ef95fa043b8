import type { Tx } from '../../platform/db/database.ts';
import { invalidTransition } from '../../platform/http/errors.ts';
import { type SubscriptionRow, type SubscriptionStatus, updateSubscription } from './subscription-queries.ts';

/** The moves of a subscription. Capacity is held until it is rejected, cancelled or expired. */
export const SUBSCRIPTION_MOVES: Record<SubscriptionStatus, readonly SubscriptionStatus[]> = {
  pending_confirmation: ['confirmed', 'rejected', 'cancelled', 'expired'],
  confirmed: ['allocated', 'rejected', 'cancelled', 'expired'],
  allocated: ['funded', 'cancelled', 'expired'],
  funded: ['settled'],
  settled: [],
  rejected: [],
  cancelled: [],
  expired: [],
};

/** Moves a locked subscription; 409 when the table has no such move. */
export async function moveSubscription(
  tx: Tx,
  row: SubscriptionRow,
  to: SubscriptionStatus,
  reason: string | null = null,
): Promise<SubscriptionRow> {
  checkMove(row, to);
  return updateSubscription(tx, row, to, reason);
}

export function checkMove(row: SubscriptionRow, to: SubscriptionStatus): void {
  const allowed = SUBSCRIPTION_MOVES[row.status];
  if (!allowed.includes(to)) throw invalidTransition('subscription', row.status, allowed);
}
