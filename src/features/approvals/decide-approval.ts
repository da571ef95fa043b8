import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { inSavepoint, tryOut } from '../../platform/db/savepoint.ts';
import { ApiError, invalidTransition, orNotFound } from '../../platform/http/errors.ts';
import type { Caller, Person } from '../../platform/http/caller.ts';
import type { Id } from '../../platform/ids.ts';
import { isActorInForce } from '../keys/queries.ts';
import { type ApprovalRow, RIGHT_OF } from './approval.ts';
import { endApproval } from './end-approval.ts';
import { identityOf } from '../sessions/session.ts';
import { findApproval, findSignInOf, insertDecision, lockApproval } from './queries.ts';

/** Does a kept act in a transaction, as who asked for it but for another organization where one is given; returns its response. */
export type Perform = (tx: Tx, approval: ApprovalRow, organizationId?: Id<'org'>) => Promise<unknown>;
type Decision = { approval_id: Id<'apr'>; reason: string | null };

/**
 * A person's approval. With the last one that is needed the act is done in the same transaction, on the state of that moment; where that
 * does not allow it any more, the approval is FAILED with the reason.
 */
export async function approve(tx: Tx, caller: Caller, decision: Decision, perform: Perform): Promise<ApprovalRow> {
  const before = await lockPending(tx, decision.approval_id);
  const person = await personFor(tx, caller, before, perform);
  await recordDecision(tx, caller, person, before, { ...decision, decision: 'APPROVED' });
  const approval = orNotFound(await findApproval(tx, before.approval_id), 'approval');
  if (approval.given >= approval.needed) await performAct(tx, caller, approval, perform);
  return orNotFound(await findApproval(tx, before.approval_id), 'approval');
}

/** A person's refusal ends it. */
export async function deny(tx: Tx, caller: Caller, decision: Decision, perform: Perform): Promise<ApprovalRow> {
  const before = await lockPending(tx, decision.approval_id);
  const person = await personFor(tx, caller, before, perform);
  await recordDecision(tx, caller, person, before, { ...decision, decision: 'DENIED' });
  const approval = orNotFound(await findApproval(tx, before.approval_id), 'approval');
  await endApproval(tx, approval, { to: 'DENIED', actor: caller.actor_id, reason: decision.reason });
  return orNotFound(await findApproval(tx, before.approval_id), 'approval');
}

async function lockPending(tx: Tx, approvalId: Id<'apr'>): Promise<ApprovalRow> {
  const approval = orNotFound(await lockApproval(tx, approvalId), 'approval');
  if (approval.status !== 'PENDING') throw invalidTransition('approval', approval.status, []);
  if (approval.expires_at <= tx.now)
    throw new ApiError(
      'INVALID_TRANSITION',
      `It could be approved until ${approval.expires_at.toISOString()}: ask for the act again.`,
      {
        extra: { current_status: 'EXPIRED', allowed: [] },
      },
    );
  return approval;
}

/** The person who decides: with the right of the act, another one than who asked or whom it is about, and on nothing of their own organization. */
async function personFor(tx: Tx, caller: Caller, approval: ApprovalRow, perform: Perform): Promise<Person> {
  const right = RIGHT_OF[approval.act];
  const { person } = caller;
  if (!person?.rights.includes(right))
    throw new ApiError(
      'RIGHT_REQUIRED',
      `${approval.act} needs the right ${right} of everybody who decides on it, and you have ${person?.rights.join(', ')}.`,
      { extra: { rights: person?.rights ?? [], needed: [right] } },
    );
  if (person.identity === approval.requested_identity || caller.actor_id === approval.requested_by)
    throw new ApiError('SAME_PERSON', 'You have asked for this act: another person has to decide on it.', {
      extra: { decided_by: [caller.actor_id] },
    });
  if (approval.entity_id === caller.actor_id || (await isMembershipOf(tx, approval.entity_id, person.identity)))
    throw new ApiError('SAME_PERSON', 'The act is about your own membership: another person has to decide on it.', {
      extra: { decided_by: [] },
    });
  if (caller.organization_id !== approval.organization_id) await refuseOwnRecord(tx, approval, caller, perform);
  return person;
}

/** One person may be a member of several operators, under an id in each. */
async function isMembershipOf(tx: Tx, entityId: string | null, identity: string): Promise<boolean> {
  const known = entityId === null ? null : await findSignInOf(tx, entityId);
  return known !== null && identityOf(known) === identity;
}

/** An operator that holds customer keys too decides nothing about its own organization, whoever asked. */
async function refuseOwnRecord(tx: Tx, approval: ApprovalRow, { organization_id }: Caller, perform: Perform): Promise<void> {
  try {
    await tryOut(tx, (part) => perform(part, approval, organization_id));
  } catch (error) {
    // What else keeps the act from being done is told when it is done.
    if (error instanceof ApiError && error.code !== 'OWN_ORGANIZATION') return;
    throw error;
  }
}

async function recordDecision(
  tx: Tx,
  caller: Caller,
  person: Person,
  { approval_id, act, entity_id, organization_id, decisions }: ApprovalRow,
  { decision, reason }: { decision: 'APPROVED' | 'DENIED'; reason: string | null },
): Promise<void> {
  const said = { approval_id, identity: person.identity, organization_id: caller.organization_id, member_id: caller.actor_id };
  if (!(await insertDecision(tx, { ...said, decision, reason })))
    throw new ApiError('SAME_PERSON', 'You have decided on this act before: another person has to.', {
      extra: { decided_by: decisions.map((each) => each.member_id) },
    });
  if (decision === 'APPROVED')
    audit(tx, {
      organization_id,
      actor: caller.actor_id,
      action: 'approval.approved',
      entity_type: 'approval',
      entity_id: approval_id,
      after: { act, entity_id },
      reason,
    });
}

async function performAct(tx: Tx, caller: Caller, approval: ApprovalRow, perform: Perform): Promise<void> {
  const asker = { actor_id: approval.requested_by, organization_id: approval.organization_id };
  const end = { actor: caller.actor_id };
  if (!(await isActorInForce(tx, asker, caller.environment))) {
    const failure = { code: 'CONFLICT', message: 'Who asked for it may not act any more: ask for it again.' };
    return endApproval(tx, approval, { ...end, to: 'FAILED', failure });
  }
  try {
    const result = await inSavepoint(tx, (part) => perform(part, approval));
    await endApproval(tx, approval, { ...end, to: 'DONE', result });
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode >= 500) throw error;
    await endApproval(tx, approval, { ...end, to: 'FAILED', failure: { code: error.code, message: error.message } });
  }
}
