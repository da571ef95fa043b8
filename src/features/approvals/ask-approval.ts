import { alertOperators } from '../../events/emit.ts';
import { businessDeadline, deadlineInWords } from '../../finance/business-date.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { tryOut } from '../../platform/db/savepoint.ts';
import { type ActRequest, type ApprovalGate, PendingApproval } from '../../platform/http/approval-gate.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { hashRequest } from '../../platform/http/idempotency.ts';
import type { ApprovalRow } from './approval.ts';
import { endApproval } from './end-approval.ts';
import { findPending, findPolicy, insertApproval } from './queries.ts';

/** Business days in which an act has to be approved. */
const BUSINESS_DAYS = 3;

/**
 * Does an act that needs one person or a key. Of one that needs more it makes sure that it could be done now, so that its 404, 409 and 422
 * are told to who asks, and keeps the request.
 */
export const approvalGate: ApprovalGate = async (tx, request, work) => {
  const policy = await findPolicy(tx);
  const needed = Math.max(policy[request.act], ...(await request.also(tx)).map((act) => policy[act]));
  if (needed <= 1) return work(tx);
  await tryOut(tx, work);
  return pendingOf(await askApproval(tx, request, needed));
};

/** Keeps the request of an act and tells the operators. The same request that waits already is the same approval. */
async function askApproval(tx: Tx, request: ActRequest, needed: number): Promise<ApprovalRow> {
  const { act, operation, caller } = request;
  const params = (request.params ?? {}) as Record<string, string>;
  const body = request.body ?? null;
  const request_hash = hashRequest(`${operation} ${caller.organization_id}`, JSON.stringify(params), body);
  const known = await findPending(tx, request_hash);
  if (known && known.expires_at > tx.now) return known;
  if (known) await endApproval(tx, known, { to: 'EXPIRED', actor: 'platform' });
  const approval_id = tx.newId('apr');
  const entity_id = Object.values(params)[0] ?? null;
  const inserted = await insertApproval(tx, {
    approval_id,
    organization_id: caller.organization_id,
    act,
    operation,
    params,
    body,
    entity_id,
    needed,
    requested_by: caller.actor_id,
    requested_identity: caller.person?.identity ?? null,
    expires_at: businessDeadline(tx.now, BUSINESS_DAYS, tx.zone),
    request_hash,
  });
  const kept = await findPending(tx, request_hash);
  if (!kept) throw new ApiError('CONFLICT', 'The same request was made, and ended, at this moment: try again.');
  if (!inserted) return kept;
  audit(tx, {
    organization_id: caller.organization_id,
    actor: caller.actor_id,
    action: 'approval.requested',
    entity_type: 'approval',
    entity_id: approval_id,
    after: { act, entity_id, needed: kept.needed, expires_at: kept.expires_at.toISOString() },
  });
  await alertOperators(tx, 'approval.requested', {
    category: 'approval',
    priority: 'HIGH',
    title: `${act} waits for approval`,
    message: `${kept.requested_by_name ?? kept.requested_by} asked for ${act}${entity_id ? ` of ${entity_id}` : ''}: it needs ${kept.needed} people and has ${kept.given}. Decide by ${deadlineInWords(kept.expires_at, tx.zone)}.`,
    entity_type: 'approval',
    entity_id: approval_id,
  });
  return kept;
}

const pendingOf = ({ approval_id, act, needed, given, expires_at }: ApprovalRow): PendingApproval =>
  new PendingApproval({ approval_id, act, status: 'PENDING', needed, given, expires_at: expires_at.toISOString() });
