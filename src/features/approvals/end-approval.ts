import { raiseAlert } from '../../events/emit.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { APPROVAL_MOVES, type ApprovalRow, type ApprovalStatus, type Failure } from './approval.ts';

type End = {
  to: Exclude<ApprovalStatus, 'PENDING'>;
  /** The person with whose decision it ends, or the part of the platform. */
  actor: string;
  reason?: string | null;
  result?: unknown;
  failure?: Failure;
};

const BECAME: Record<End['to'], string> = {
  DONE: 'was done',
  DENIED: 'was denied',
  EXPIRED: 'was not approved in time',
  FAILED: 'could not be done',
};

/** Ends an approval and tells the organization that asked. The entry of the audit log names everybody who had a part in it. */
export async function endApproval(tx: Tx, approval: ApprovalRow, { to, actor, reason, result, failure }: End): Promise<void> {
  const { approval_id, act, entity_id, needed, given, requested_by, organization_id } = approval;
  await APPROVAL_MOVES.move(tx, approval, to, {
    needed,
    ended_at: tx.now,
    ...(result === undefined ? {} : { result }),
    ...(failure ? { failure } : {}),
  });
  const people = approval.decisions.map(({ member_id, decision }) => ({ member_id, decision }));
  audit(tx, {
    organization_id,
    actor,
    action: `approval.${to.toLowerCase()}`,
    entity_type: 'approval',
    entity_id: approval_id,
    before: { status: 'PENDING' },
    after: { status: to, act, entity_id, requested_by, people, needed, given, ...(failure ? { failure } : {}) },
    reason: reason ?? null,
  });
  await raiseAlert(tx, organization_id, 'approval.ended', {
    category: 'approval',
    priority: to === 'DONE' ? 'MEDIUM' : 'HIGH',
    title: `${act} ${BECAME[to]}`,
    message: `${act}${entity_id ? ` of ${entity_id}` : ''} ${BECAME[to]}${failure ? `: ${failure.message}` : reason ? `: ${reason}` : '.'}`,
    entity_type: 'approval',
    entity_id: approval_id,
  });
}
