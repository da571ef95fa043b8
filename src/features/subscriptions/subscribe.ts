import { formatAmount } from '../../finance/money.ts';
import { audit, type AuditEntry } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { SUBSCRIPTION_CHECKS } from '../compliance/checks.ts';
import {
  alertReview,
  type CheckedRequest,
  checkRequest,
  type CheckRule,
  judgeRequest,
  requireFacts,
  ComplianceRefusal,
} from '../compliance/compliance.ts';
import { type BookFacts, type CommitmentRequest, loadFacts } from '../compliance/queries.ts';
import { findSubscription, insertSubscriptions, type NewSubscription, type SubscriptionRow } from './queries.ts';
import { SUBSCRIPTION_MOVES } from './subscription.ts';

export const SUBSCRIPTION_RULE: CheckRule = { checks: SUBSCRIPTION_CHECKS, refusal: 'subscription.refused' };

/** A subscription as requested; without a tranche, the most senior one on offer. Amount as decimal text. */
export type SubscriptionRequest = { deal_id: Id<'deal'>; tranche_id: Id<'trn'> | null; amount: string };

/**
 * Commits an investor to a tranche: runs the checks on stored facts, takes capacity and converts a live indication. Capacity and open
 * books may change between the checks and the statement that takes capacity, so that statement tests them itself. Throws 404 when the
 * investor cannot see such a deal or tranche, and a ComplianceRefusal when a check fails.
 */
export async function subscribe(tx: Tx, actor: Actor, input: SubscriptionRequest): Promise<SubscriptionRow> {
  const request = { organization_id: actor.organization_id, ...input };
  const checked = await checkRequest(tx, request, SUBSCRIPTION_RULE);
  const row = { ...newSubscription(request, checked), subscription_id: tx.newId('sub') };
  const [created] = (await insertSubscriptions(tx, [row])) ?? [];
  if (!created) return refuseLostCapacity(tx, request, checked.facts);
  audit(tx, creationEntry(actor.actor_id, created));
  if (checked.result === 'review_required') {
    await alertReview(tx, actor.organization_id, { type: 'subscription', id: created.subscription_id }, checked);
  }
  return created;
}

/** Runs the same checks without creating anything; of a subscription that would be changed, without the amount and capacity that it holds. */
export async function checkSubscription(
  tx: Tx,
  { organization_id }: Actor,
  { subscription_id, ...input }: SubscriptionRequest & { subscription_id: Id<'sub'> | null },
): Promise<CheckedRequest> {
  if (!subscription_id) return checkRequest(tx, { organization_id, ...input }, SUBSCRIPTION_RULE);
  const changed = await findSubscription(tx, organization_id, subscription_id);
  if (changed?.deal_id !== input.deal_id) throw notFound('subscription');
  SUBSCRIPTION_MOVES.check(changed.status, 'confirmed');
  const { tranche_id, subscription_amount } = changed;
  const request = { organization_id, ...input, tranche_id, without: subscription_id, held: subscription_amount.toFixed(2) };
  return checkRequest(tx, request, SUBSCRIPTION_RULE);
}

/** The row of a checked request, before it has an id. */
export function newSubscription(
  request: CommitmentRequest,
  { facts, result, findings }: CheckedRequest,
): Omit<NewSubscription, 'subscription_id'> {
  return {
    organization_id: request.organization_id,
    deal_id: request.deal_id,
    tranche_id: facts.tranche_id,
    compliance_check_result: result,
    compliance_checks: findings,
    amount: request.amount,
    created_at: facts.now,
  };
}

/** The audit entry of a new subscription. */
export const creationEntry = (actor: string, row: SubscriptionRow): AuditEntry => ({
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

/** Refuses a request that passed its checks but found no capacity at the insert: by the current facts or, if these pass, for capacity. */
async function refuseLostCapacity(tx: Tx, request: CommitmentRequest, facts: BookFacts): Promise<never> {
  const tranche = { ...request, tranche_id: facts.tranche_id };
  const { findings } = judgeRequest(tranche, requireFacts(tranche, await loadFacts(tx, tranche)), SUBSCRIPTION_RULE);
  const reason = `Tranche ${facts.tranche.tranche} no longer has ${formatAmount(request.amount)} of capacity.`;
  throw new ComplianceRefusal(
    { action: SUBSCRIPTION_RULE.refusal, deal_id: request.deal_id, tranche_id: facts.tranche_id, amount: request.amount },
    findings.map((finding) => (finding.check === 'capacity' ? { ...finding, result: 'failed', reason } : finding)),
  );
}
