import type { AuditEntry } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidTransition } from '../../platform/http/errors.ts';
import { type SubscriptionRow, type SubscriptionStatus, updateSubscription } from './queries.ts';

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
