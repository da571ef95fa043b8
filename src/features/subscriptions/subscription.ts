import type { AuditEntry } from '../../platform/audit.ts';
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

const DEAD: readonly SubscriptionStatus[] = ['rejected', 'cancelled', 'expired'];

/** Moves a locked subscription; one that ends gives its capacity back. A reason that was given before stays where none is given. */
export async function moveSubscription(
  tx: Tx,
  row: SubscriptionRow,
  to: SubscriptionStatus,
  reason: string | null = null,
): Promise<SubscriptionRow> {
  const moved = await SUBSCRIPTION_MOVES.move(tx, row, to, reason === null ? {} : { reason });
  if (DEAD.includes(to)) await returnCapacity(tx, row);
  return moved;
}

/** What a new subscription leaves in the audit log. */
export const creationOf = (actor: string, row: SubscriptionRow): AuditEntry => ({
  organization_id: row.organization_id,
  actor,
  action: 'subscription.created',
  entity_type: 'subscription',
  entity_id: row.subscription_id,
  after: {
    status: row.status,
    deal_id: row.deal_id,
    tranche_id: row.tranche_id,
    subscription_amount: row.subscription_amount,
    compliance_check_result: row.compliance_check_result,
  },
});
