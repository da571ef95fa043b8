import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { assess, INVESTOR_CHECKS } from './compliance.ts';
import { loadFacts } from './facts-queries.ts';
import { findSubscription, lockBook, type SubscriptionRow } from './subscription-queries.ts';
import { ComplianceRefusal } from './refusal.ts';
import { checkMove, moveSubscription } from './subscription.ts';

/**
 * The operator confirms a subscription: the investor's checks are run again and none of them may fail; what only needs a review is
 * decided by this act.
 */
export async function confirmSubscription(
  tx: Tx,
  actor: string,
  subscriptionId: string,
  reason: string | null,
): Promise<SubscriptionRow> {
  const row = await lockSubscription(tx, null, subscriptionId);
  checkMove(row, 'confirmed');
  const amount = row.subscription_amount.toFixed(2);
  const facts = await loadFacts(tx, { ...row, amount });
  if (!facts) throw notFound('deal');
  const { result, findings } = assess(facts, INVESTOR_CHECKS);
  if (result === 'failed') {
    throw new ComplianceRefusal(
      { action: 'subscription.confirmation_refused', deal_id: row.deal_id, tranche_id: row.tranche_id, amount },
      findings,
    );
  }
  return decided(tx, actor, row, await moveSubscription(tx, row, 'confirmed', reason), reason);
}

/** The operator rejects a subscription; its capacity is free again. */
export async function rejectSubscription(
  tx: Tx,
  actor: string,
  subscriptionId: string,
  reason: string,
): Promise<SubscriptionRow> {
  const row = await lockSubscription(tx, null, subscriptionId);
  return decided(tx, actor, row, await moveSubscription(tx, row, 'rejected', reason), reason);
}

/** The investor takes its subscription back, which it may until the books close. */
export async function cancelSubscription(tx: Tx, organizationId: string, subscriptionId: string): Promise<SubscriptionRow> {
  const found = await findSubscription(tx, organizationId, subscriptionId);
  if (!found) throw notFound('subscription');
  const { open } = await lockBook(tx, found.tranche_id);
  const row = (await findSubscription(tx, organizationId, subscriptionId, true)) ?? found;
  checkMove(row, 'cancelled');
  if (!open) throw new ApiError('BOOKS_CLOSED', 'The books are closed: the subscription can no longer be cancelled.');
  return moveSubscription(tx, row, 'cancelled', 'cancelled by the investor');
}

/** Locks the tranche's book first, as everybody does who changes commitments, then the subscription. */
async function lockSubscription(tx: Tx, organizationId: string | null, subscriptionId: string): Promise<SubscriptionRow> {
  const found = await findSubscription(tx, organizationId, subscriptionId);
  if (!found) throw notFound('subscription');
  await lockBook(tx, found.tranche_id);
  return (await findSubscription(tx, organizationId, subscriptionId, true)) ?? found;
}

async function decided(
  tx: Tx,
  actor: string,
  before: SubscriptionRow,
  after: SubscriptionRow,
  reason: string | null,
): Promise<SubscriptionRow> {
  audit(tx, {
    organization_id: before.organization_id,
    actor,
    action: `subscription.${after.status}`,
    entity_type: 'subscription',
    entity_id: before.subscription_id,
    before: { status: before.status },
    after: { status: after.status },
    reason,
  });
  return after;
}
