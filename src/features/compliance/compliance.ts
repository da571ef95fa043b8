import { raiseAlert } from '../../events/emit.ts';
import { formatAmount } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { type Assessment, assess, type Check } from './checks.ts';
import { type BookFacts, type CommitmentRequest, loadExposure, loadFacts, serializeInvestor } from './queries.ts';
import { ComplianceRefusal } from './refusal.ts';

/** Which checks a kind of request has to pass, and what the audit log calls its refusal. */
export type CheckRule = { checks: readonly Check[]; refusal: string };

/** A request that no check failed. */
export type CheckedRequest = Assessment & { result: 'passed' | 'review_required'; facts: BookFacts };

/**
 * Loads the facts of a request and runs the checks on them: 404 when there is no such tranche on offer, a ComplianceRefusal on a failed
 * check. Requests of an investor with a concentration limit wait for each other. `without` names the order that the request replaces.
 */
export async function checkRequest(
  tx: Tx,
  request: CommitmentRequest & { without?: Id<'ord'> },
  rule: CheckRule,
): Promise<CheckedRequest> {
  const facts = requireFacts(request, await loadFacts(tx, request));
  if (!hasLimit(facts)) return judgeRequest(request, facts, rule);
  await serializeInvestor(tx, request.organization_id);
  const exposure = await loadExposure(tx, request.organization_id, request.deal_id, request.without);
  return judgeRequest(request, { ...facts, exposure }, rule);
}

export const requireFacts = (request: CommitmentRequest, facts: BookFacts | null): BookFacts =>
  orNotFound(facts, request.tranche_id === null ? 'deal' : 'tranche on offer');

/** True where the investor's commitments have a limit over all of them. */
export const hasLimit = (facts: BookFacts): boolean => (facts.profile?.concentration_limit ?? null) !== null;

/** Runs the checks; throws a ComplianceRefusal when one fails. */
export function judgeRequest(request: CommitmentRequest, facts: BookFacts, { checks, refusal }: CheckRule): CheckedRequest {
  const { result, findings } = assess(facts, checks);
  if (result !== 'failed') return { facts, result, findings };
  throw new ComplianceRefusal(
    { action: refusal, deal_id: request.deal_id, tranche_id: facts.tranche_id, amount: request.amount },
    findings,
  );
}

/** Alerts the investor that its request waits for a compliance review. */
export async function alertReview(
  tx: Tx,
  organizationId: Id<'org'>,
  entity: { type: 'subscription' | 'order'; id: string },
  { facts, findings }: CheckedRequest,
): Promise<void> {
  const reasons = findings.filter((finding) => finding.result === 'review_required').map((finding) => finding.reason);
  await raiseAlert(tx, organizationId, 'compliance.review_required', {
    category: 'compliance',
    priority: 'HIGH',
    title: `${facts.deal_name}: a compliance review is required`,
    message: `The ${entity.type} for ${formatAmount(facts.amount)} of tranche ${facts.tranche.tranche} waits for a review: ${reasons.join(' ')}`,
    entity_type: entity.type,
    entity_id: entity.id,
  });
}
