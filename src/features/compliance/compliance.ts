import { alertOperators, raiseAlert } from '../../events/emit.ts';
import { formatAmount, formatCents, parseCents } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound, ApiError } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { findOrganization } from '../keys/queries.ts';
import { type Assessment, assess, type Check, type CheckFinding } from './checks.ts';
import { type BookFacts, type CommitmentRequest, loadExposure, loadFacts, serializeInvestor } from './queries.ts';
import { audit } from '../../platform/audit.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Caller } from '../../platform/http/caller.ts';

/** The checks that a kind of request has to pass, and the audit log's name for its refusal. */
export type CheckRule = { checks: readonly Check[]; refusal: string };

/** A request that no check failed. */
export type CheckedRequest = Assessment & { result: 'passed' | 'review_required'; facts: BookFacts };

/**
 * Loads the facts of a request and runs the checks on them: 404 when no such tranche is on offer, 409 when the books are closed, a
 * ComplianceRefusal when a check fails. Requests of an investor with a concentration limit wait for each other. `without` names the order or
 * subscription that the request replaces, `held` the capacity that it holds already.
 */
export async function checkRequest(
  tx: Tx,
  request: CommitmentRequest & { without?: Id<'ord'> | Id<'sub'>; held?: string },
  rule: CheckRule,
): Promise<CheckedRequest> {
  const facts = withCapacity(requireFacts(request, await loadFacts(tx, request)), request.held);
  requireOpenBooks(facts);
  if (!hasConcentrationLimit(facts)) return judgeRequest(request, facts, rule);
  await serializeInvestor(tx, request.organization_id);
  const exposure = await loadExposure(tx, request.organization_id, request.deal_id, request.without);
  return judgeRequest(request, { ...facts, exposure }, rule);
}

/** The facts with the capacity that the request under check holds already counted as left. */
const withCapacity = (facts: BookFacts, held = '0'): BookFacts => ({
  ...facts,
  remaining: formatCents(parseCents(facts.remaining) + parseCents(held)),
});

export const requireFacts = (request: CommitmentRequest, facts: BookFacts | null): BookFacts =>
  orNotFound(facts, request.tranche_id === null ? 'deal' : 'tranche on offer');

/** 409 when the books are closed: every request that would change them gets this before any check. */
function requireOpenBooks({ books_open }: Pick<BookFacts, 'books_open'>): void {
  if (!books_open) throw new ApiError('BOOKS_CLOSED');
}

/** Whether the investor has a limit over all its commitments in one deal. */
export const hasConcentrationLimit = (facts: BookFacts): boolean => (facts.profile?.concentration_limit ?? null) !== null;

/** Runs the checks; 409 when the books are closed, a ComplianceRefusal when a check fails. */
export function judgeRequest(request: CommitmentRequest, facts: BookFacts, { checks, refusal }: CheckRule): CheckedRequest {
  requireOpenBooks(facts);
  const { result, findings } = assess(facts, checks);
  if (result !== 'failed') return { facts, result, findings };
  throw new ComplianceRefusal(
    { action: refusal, deal_id: request.deal_id, tranche_id: facts.tranche_id, amount: request.amount },
    findings,
  );
}

/** Alerts the investor that its request waits for a compliance review, and the operators, who decide it. */
export async function alertReview(
  tx: Tx,
  organizationId: Id<'org'>,
  entity: { type: 'subscription' | 'order'; id: string },
  { facts, findings }: CheckedRequest,
): Promise<void> {
  const reasons = findings.filter((finding) => finding.result === 'review_required').map((finding) => finding.reason);
  const waits = `for ${formatAmount(facts.amount)} of tranche ${facts.tranche.tranche} waits for a review: ${reasons.join(' ')}`;
  const notice = {
    category: 'compliance',
    priority: 'HIGH',
    title: `${facts.deal_name}: a compliance review is required`,
    entity_type: entity.type,
    entity_id: entity.id,
  } as const;
  await raiseAlert(tx, organizationId, 'compliance.review_required', { ...notice, message: `The ${entity.type} ${waits}` });
  const investor = orNotFound(await findOrganization(tx, organizationId), 'organization');
  await alertOperators(tx, 'compliance.review_required', {
    ...notice,
    message: `The ${entity.type} of ${investor.name} ${waits}`,
  });
}

/** The request that was refused. */
type RefusedRequest = { action: string; deal_id: Id<'deal'>; tranche_id: Id<'trn'>; amount: string };

/** 422 with every check and its reason; carries the request for the audit log. */
export class ComplianceRefusal extends ApiError {
  readonly request: RefusedRequest;
  readonly findings: readonly CheckFinding[];

  constructor(request: RefusedRequest, findings: readonly CheckFinding[]) {
    const failed = findings.filter((finding) => finding.result === 'failed');
    super('COMPLIANCE_FAILED', failed.map((finding) => finding.reason).join(' '), {
      errors: findings.map((finding) => ({
        field: null,
        code: finding.check.toUpperCase(),
        message: finding.reason,
        ...finding,
      })),
    });
    this.request = request;
    this.findings = findings;
  }
}

/** Runs an operation; a refusal rolls all of it back and is written to the audit log in a transaction of its own. */
export async function auditRefusals<Result>(deps: Deps, caller: Caller, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof ComplianceRefusal) await writeRefusal(deps, caller, error);
    throw error;
  }
}

function writeRefusal(deps: Deps, caller: Caller, { request, findings, message }: ComplianceRefusal): Promise<void> {
  return deps.db.tx({ organization: caller.organization_id }, async (tx) =>
    audit(tx, {
      organization_id: caller.organization_id,
      actor: caller.actor_id,
      action: request.action,
      entity_type: 'deal',
      entity_id: request.deal_id,
      after: {
        tranche_id: request.tranche_id,
        amount: request.amount,
        failed: findings.filter((finding) => finding.result === 'failed').map((finding) => finding.check),
      },
      reason: message,
    }),
  );
}
