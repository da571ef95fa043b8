import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import { type SubscriptionRow, type SubscriptionStatus, returnCapacity } from './queries.ts';

/** The moves of a subscription. Capacity is held until it is rejected, cancelled or expired. */
export const SUBSCRIPTION_MOVES = new Mover<SubscriptionRow, 'status', SubscriptionStatus>({
  noun: 'subscription',
  table: 'subscriptions',
  key: ['subscription_id'],
  column: 'status',
  touches: 'updated_at',
  moves: {
    pending_confirmation: ['confirmed', 'rejected', 'cancelled', 'expired'],
    confirmed: ['allocated', 'rejected', 'cancelled', 'expired'],
    allocated: ['funded', 'cancelled', 'expired'],
    funded: ['settled'],
    settled: [],
    rejected: [],
    cancelled: [],
    expired: [],
  },
});

/** The column that keeps the time of a step on the way to settlement. */
const STEP_TIMES: Partial<Record<SubscriptionStatus, 'confirmed_at' | 'allocated_at' | 'funded_at' | 'settled_at'>> = {
  confirmed: 'confirmed_at',
  allocated: 'allocated_at',
  funded: 'funded_at',
  settled: 'settled_at',
};

const ENDED: readonly SubscriptionStatus[] = ['rejected', 'cancelled', 'expired'];

/** Moves a locked subscription and keeps the time of the step; one that ends gives its capacity back. Without a reason, the one stored before stays. */
export async function moveSubscription(
  tx: Tx,
  row: SubscriptionRow,
  to: SubscriptionStatus,
  reason: string | null = null,
): Promise<SubscriptionRow> {
  const step = STEP_TIMES[to];
  const moved = await SUBSCRIPTION_MOVES.move(tx, row, to, {
    ...(reason === null ? {} : { reason }),
    ...(step === undefined ? {} : { [step]: tx.now }),
  });
  if (ENDED.includes(to)) await returnCapacity(tx, row);
  return moved;
}
