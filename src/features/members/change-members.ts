import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidField, notFound, orNotFound } from '../../platform/http/errors.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import type { Right } from '../../platform/http/member-rights.ts';
import type { Id } from '../../platform/ids.ts';
import { lockOrganization } from '../keys/queries.ts';
import { inOrder, isAdmin, MEMBER_MOVES, memberEmail, type MemberRow, statusAfter } from './member.ts';
import {
  deleteSessions,
  findMember,
  hasOtherAdmin,
  holdMember,
  insertMember,
  markRemoved,
  unbindMember,
  updateMember,
} from './queries.ts';

/** Invites a person. At its first sign-in its verified address finds the member. */
export async function addMember(
  tx: Tx,
  actor: Decider,
  input: { organization_id: Id<'org'>; email: string; name: string; rights: readonly Right[] },
): Promise<MemberRow> {
  const { organization_id, name } = input;
  const email = memberEmail(input.email);
  if (email === null) throw invalidField('email', 'INVALID', 'expected an e-mail address such as ada@example.com');
  await lockOrganization(tx, organization_id);
  const member_id = tx.newId('mem');
  const row = { member_id, organization_id, email, name, rights: inOrder(input.rights), invited_by: actor.actor_id };
  if (!(await insertMember(tx, row)))
    throw new ApiError(
      'CONFLICT',
      `The organization has a member with the address ${email}: change that one, or remove it first.`,
    );
  const added = orNotFound(await findMember(tx, member_id), 'member');
  auditChange(tx, actor, added, { action: 'member.added', after: { email, ...stateOf(added) } });
  return added;
}

type MemberChange = { name?: string; rights?: readonly Right[]; status?: 'ACTIVE' | 'SUSPENDED' };
type NamedMember = { organization_id: Id<'org'>; member_id: Id<'mem'> };

/** Changes a member. Suspending signs it out; new rights count from its next request on. */
export async function changeMember(tx: Tx, actor: Decider, input: NamedMember & { change: MemberChange }): Promise<MemberRow> {
  const { change } = input;
  const member = await lockMember(tx, input);
  const after = {
    name: change.name ?? member.name,
    rights: change.rights ? inOrder(change.rights) : member.rights,
    status: change.status ? statusAfter(member, change.status) : member.status,
  };
  if (JSON.stringify(after) === JSON.stringify(stateOf(member))) return member;
  if (!isAdmin(after)) await refuseLastAdmin(tx, member);
  await updateMember(tx, member.member_id, after);
  if (after.status !== member.status) await MEMBER_MOVES.move(tx, member, after.status);
  if (after.status === 'SUSPENDED') await deleteSessions(tx, member.member_id);
  auditChange(tx, actor, member, { action: 'member.changed', before: stateOf(member), after });
  return orNotFound(await findMember(tx, member.member_id), 'member');
}

/** Signs a member out and has its verified address find it at the next sign-in, as at the first one: its provider or its account has changed. */
export async function inviteAgain(tx: Tx, actor: Decider, input: NamedMember): Promise<MemberRow> {
  const member = await lockMember(tx, input);
  if (!member.is_bound) return member;
  if (member.status === 'ACTIVE') await MEMBER_MOVES.move(tx, member, 'INVITED');
  await unbindMember(tx, member.member_id);
  await deleteSessions(tx, member.member_id);
  const after = orNotFound(await findMember(tx, member.member_id), 'member');
  auditChange(tx, actor, member, { action: 'member.invited_again', before: stateOf(member), after: stateOf(after) });
  return after;
}

/** Removes a member and signs it out. The row stays for the records that name it; the address may be invited again. */
export async function removeMember(tx: Tx, actor: Decider, input: NamedMember): Promise<MemberRow> {
  const member = await lockMember(tx, input);
  await refuseLastAdmin(tx, member);
  await markRemoved(tx, member.member_id);
  await deleteSessions(tx, member.member_id);
  auditChange(tx, actor, member, { action: 'member.removed', before: { email: member.email, ...stateOf(member) } });
  return member;
}

/** The lock of the organization keeps its other members as they are: of two changes at once, the second sees the first. */
async function lockMember(tx: Tx, { organization_id, member_id }: NamedMember): Promise<MemberRow> {
  await lockOrganization(tx, organization_id);
  await holdMember(tx, member_id);
  const member = await findMember(tx, member_id);
  if (member?.organization_id !== organization_id) throw notFound('member');
  return member;
}

async function refuseLastAdmin(tx: Tx, member: MemberRow): Promise<void> {
  if (!isAdmin(member) || (await hasOtherAdmin(tx, member))) return;
  throw new ApiError(
    'CONFLICT',
    `${member.name} is the last member of ${member.organization} with the right ADMIN who is not suspended: give ADMIN to another member first.`,
  );
}

const stateOf = ({ name, rights, status }: MemberRow) => ({ name, rights, status });

type Change = { action: string; before?: unknown; after?: unknown };

function auditChange(tx: Tx, actor: Decider, { organization_id, member_id }: NamedMember, change: Change): void {
  audit(tx, { organization_id, actor: actor.actor_id, entity_type: 'member', entity_id: member_id, ...change });
}
