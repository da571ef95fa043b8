import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization, type Actor } from '../../platform/http/own-organization.ts';
import { assess, INVESTOR_CHECKS } from '../compliance/checks.ts';
import { loadFacts } from '../compliance/queries.ts';
import { findSubscription, lockBook, type SubscriptionRow } from './queries.ts';
import { moveSubscription, SUBSCRIPTION_MOVES } from './subscription.ts';
import { findSecuritization } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';
import { ComplianceRefusal } from '../compliance/compliance.ts';

/**
 * The operator confirms a subscription. The investor's checks run again and none of them may fail; the confirmation also decides an
 * open compliance review.
 */
export async function confirmSubscription(
  tx: Tx,
  decider: Decider,
  { subscription_id, reason }: { subscription_id: Id<'sub'>; reason: string | null },
): Promise<SubscriptionRow> {
  const row = await lockForDecision(tx, decider, subscription_id);
  SUBSCRIPTION_MOVES.check(row.status, 'confirmed');
  const amount = row.subscription_amount.toFixed(2);
  const facts = orNotFound(await loadFacts(tx, { ...row, amount }), 'deal');
  const { result, findings } = assess(facts, INVESTOR_CHECKS);
  if (result === 'failed') {
    throw new ComplianceRefusal(
      { action: 'subscription.confirmation_refused', deal_id: row.deal_id, tranche_id: row.tranche_id, amount },
      findings,
    );
  }
  return auditDecision(tx, decider, row, await moveSubscription(tx, row, 'confirmed', reason), reason);
}

/** The operator rejects a subscription; its capacity is free again. */
export async function rejectSubscription(
  tx: Tx,
  decider: Decider,
  { subscription_id, reason }: { subscription_id: Id<'sub'>; reason: string },
): Promise<SubscriptionRow> {
  const row = await lockForDecision(tx, decider, subscription_id);
  return auditDecision(tx, decider, row, await moveSubscription(tx, row, 'rejected', reason), reason);
}

/** The investor cancels its subscription, which it may do until the books close. */
export async function cancelSubscription(tx: Tx, actor: Actor, subscriptionId: Id<'sub'>): Promise<SubscriptionRow> {
  const { organization_id } = actor;
  const found = orNotFound(await findSubscription(tx, organization_id, subscriptionId), 'subscription');
  const { open } = await lockBook(tx, found.tranche_id);
  const row = (await findSubscription(tx, organization_id, subscriptionId, true)) ?? found;
  SUBSCRIPTION_MOVES.check(row.status, 'cancelled');
  if (!open) throw new ApiError('BOOKS_CLOSED', 'The books are closed: the subscription can no longer be cancelled.');
  return moveSubscription(tx, row, 'cancelled', 'cancelled by the investor');
}

/** Locks the tranche's book, then the subscription: the order of every operation that changes commitments. */
async function lockForDecision(tx: Tx, decider: Decider, subscriptionId: Id<'sub'>): Promise<SubscriptionRow> {
  const found = orNotFound(await findSubscription(tx, null, subscriptionId), 'subscription');
  const deal = await findSecuritization(tx, found.deal_id);
  refuseOwnOrganization(decider, found.organization_id, deal?.organization_id);
  await lockBook(tx, found.tranche_id);
  return (await findSubscription(tx, null, subscriptionId, true)) ?? found;
}

async function auditDecision(
  tx: Tx,
  decider: Decider,
  before: SubscriptionRow,
  after: SubscriptionRow,
  reason: string | null,
): Promise<SubscriptionRow> {
  audit(tx, {
    organization_id: before.organization_id,
    actor: decider.actor_id,
    action: `subscription.${after.status}`,
    entity_type: 'subscription',
    entity_id: before.subscription_id,
    before: { status: before.status },
    after: { status: after.status },
    reason,
  });
  return after;
}
