import { formatCents, parseCents } from '../../finance/money.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { alertReview, checkRequest, type CheckRule } from '../compliance/compliance.ts';
import { serializeInvestor } from '../compliance/queries.ts';
import { findSubscription, lockBook, returnCapacity, type SubscriptionRow, takeCapacity, updateCommitment } from './queries.ts';
import { SUBSCRIPTION_RULE } from './subscribe.ts';
import { SUBSCRIPTION_MOVES } from './subscription.ts';

const AMENDMENT_RULE: CheckRule = { ...SUBSCRIPTION_RULE, refusal: 'subscription.amendment_refused' };

/**
 * Changes the amount of a subscription that waits for confirmation. The checks of a new subscription run again; a smaller amount keeps
 * its place in time, a larger one gets a new place. Amount as decimal text.
 */
export async function amendSubscription(
  tx: Tx,
  actor: Actor,
  { subscription_id, amount }: { subscription_id: Id<'sub'>; amount: string },
): Promise<SubscriptionRow> {
  const { organization_id } = actor;
  const before = await lockPending(tx, actor, subscription_id);
  const held = before.subscription_amount.toFixed(2);
  const { deal_id, tranche_id } = before;
  const request = { organization_id, deal_id, tranche_id, amount, without: subscription_id, held };
  const checked = await checkRequest(tx, request, AMENDMENT_RULE);
  const raise = parseCents(amount) - parseCents(held);
  await changeCapacity(tx, tranche_id, raise);
  const after = await updateCommitment(tx, {
    subscription_id,
    amount,
    placed_at: raise > 0n ? tx.now : before.placed_at,
    compliance_check_result: checked.result,
    compliance_checks: checked.findings,
  });
  audit(tx, {
    organization_id,
    actor: actor.actor_id,
    action: 'subscription.amended',
    entity_type: 'subscription',
    entity_id: subscription_id,
    before: termsOf(before),
    after: termsOf(after),
  });
  if (checked.result === 'review_required' && before.compliance_check_result === 'passed')
    await alertReview(tx, organization_id, { type: 'subscription', id: subscription_id }, checked);
  return after;
}

/**
 * Locks in the order of every operation that changes commitments: the investor, the tranche's book, the subscription. 409 when the books
 * are closed or the subscription no longer waits for confirmation.
 */
async function lockPending(tx: Tx, { organization_id }: Actor, subscriptionId: Id<'sub'>): Promise<SubscriptionRow> {
  const found = orNotFound(await findSubscription(tx, organization_id, subscriptionId), 'subscription');
  await serializeInvestor(tx, organization_id);
  const { open } = await lockBook(tx, found.tranche_id);
  const row = (await findSubscription(tx, organization_id, subscriptionId, true)) ?? found;
  if (!open) throw new ApiError('BOOKS_CLOSED', 'The books are closed: the subscription can no longer be changed.');
  SUBSCRIPTION_MOVES.check(row.status, 'confirmed');
  return row;
}

/** The book is locked and the capacity has been checked, so that a refusal here is a defect. */
async function changeCapacity(tx: Tx, tranche_id: Id<'trn'>, raise: bigint): Promise<void> {
  if (raise < 0n) await returnCapacity(tx, { tranche_id, subscription_amount: formatCents(-raise) });
  else if (raise > 0n && !(await takeCapacity(tx, tranche_id, formatCents(raise))))
    throw new Error(`the locked book of ${tranche_id} has lost capacity`);
}

const termsOf = ({ subscription_amount, placed_at, compliance_check_result }: SubscriptionRow) => ({
  subscription_amount,
  placed_at: placed_at.toISOString(),
  compliance_check_result,
});
