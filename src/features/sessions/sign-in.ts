import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { bindByEmail, findMembersOfPerson, holdMembersOfPerson, noteSignIn } from '../members/queries.ts';
import { deleteSession, findSession, type Identity, insertSession, renameSession, type StoredSession } from './queries.ts';
import { newSecret, type Secret } from './session.ts';

/** What the identity provider has said of a person; `email` only where it has verified it. */
export type Proven = Identity & { email: string | null; name: string | null };

/**
 * Begins the session of a person, as the only member that they are, or without one until they choose. The session that the browser had
 * before ends. In the platform's scope.
 */
export async function signIn(tx: Tx, proven: Proven, before: string | null): Promise<Secret> {
  const { issuer, subject, email, name } = proven;
  if (email !== null) await bindByEmail(tx, { issuer, subject, email, name });
  const members = await heldMembers(tx, proven);
  if (members.length === 0) throw notAMember(email);
  const earlier = before === null ? null : await findSession(tx, before);
  if (earlier) await deleteSession(tx, earlier, false);
  const secret = newSecret();
  const [only] = members.length === 1 ? members : [];
  await insertSession(tx, {
    issuer,
    subject,
    session_hash: secret.hash,
    csrf: newSecret().secret,
    organization_id: only?.organization_id ?? null,
    member_id: only?.member_id ?? null,
  });
  for (const member of members) await noteSignIn(tx, member.member_id);
  if (only) audit(tx, entryOf(only, 'member.signed_in'));
  return secret;
}

/** Goes on as the member of another organization, with another cookie. */
export async function chooseOrganization(tx: Tx, session: StoredSession, organizationId: Id<'org'>): Promise<Secret> {
  const member = (await heldMembers(tx, session)).find(({ organization_id }) => organization_id === organizationId);
  if (!member) throw new ApiError('NOT_FOUND', 'You are no member of this organization: see organizations of GET /auth/me.');
  const secret = newSecret();
  const renamed = await renameSession(tx, session.session_hash, {
    session_hash: secret.hash,
    csrf: newSecret().secret,
    organization_id: member.organization_id,
    member_id: member.member_id,
  });
  // The other tab of the browser was faster.
  if (!renamed) throw new ApiError('SESSION_EXPIRED');
  audit(tx, entryOf(member, 'member.signed_in'));
  return secret;
}

export async function signOut(tx: Tx, session: StoredSession, everywhere: boolean): Promise<void> {
  // Another tab was faster: it has signed out, or goes on with this session under another cookie.
  if (!(await deleteSession(tx, session, everywhere))) throw new ApiError('SESSION_EXPIRED');
  if (session.member) audit(tx, entryOf(session.member, everywhere ? 'member.signed_out_everywhere' : 'member.signed_out'));
}

/** As whom a person may act now. */
export async function openMembers(tx: Tx, identity: Identity) {
  const members = await findMembersOfPerson(tx, identity);
  return members.filter(({ status, organization_status }) => status === 'ACTIVE' && organization_status === 'ACTIVE');
}

/** `openMembers`, kept so until the session is theirs: whoever suspends one ends its sessions, and would not see this one. */
async function heldMembers(tx: Tx, identity: Identity) {
  await holdMembersOfPerson(tx, identity);
  return await openMembers(tx, identity);
}

function notAMember(email: string | null): ApiError {
  const remedy = 'Ask an ADMIN of your organization to add you as a member, with the address of your account.';
  return new ApiError(
    'NOT_A_MEMBER',
    email === null
      ? `The identity provider has not verified an e-mail address of your account, so no member can be found by it. Have it verified, and sign in again.`
      : `No organization has a member with the address of your account, or that member is suspended or has signed in with another account. ${remedy}`,
  );
}

const entryOf = ({ organization_id, member_id }: { organization_id: Id<'org'>; member_id: Id<'mem'> }, action: string) => ({
  organization_id,
  actor: member_id,
  action,
  entity_type: 'member',
  entity_id: member_id,
});
