import type { Environment } from '../../config.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Caller, RefusedSession } from '../../platform/http/caller.ts';
import { findSession, noteSessionUse, type StoredSession } from './queries.ts';
import { hashOf, identityOf, roleOfMembers } from './session.ts';

/**
 * Finds the person of a session's cookie. Nothing is cached: whoever is signed out, suspended or removed is out with the next request, on
 * every node.
 */
export function createPersonAuthenticator(options: { db: Database; environment: Environment }) {
  return async (cookie: string): Promise<Caller | RefusedSession> => {
    const found = await options.db.tx({ platform: true }, async (tx) => {
      const session = await findSession(tx, hashOf(cookie));
      if (session?.is_use_old) await noteSessionUse(tx, session.session_hash);
      return session;
    });
    return judge(found, options.environment);
  };
}

function judge(session: StoredSession | null, environment: Environment): Caller | RefusedSession {
  if (!session)
    return { refused: 'SESSION_EXPIRED', message: 'The session has ended or was never begun here: sign in at /auth/login.' };
  const { member } = session;
  if (!session.is_chosen)
    return {
      refused: 'ORGANIZATION_REQUIRED',
      message: 'You are a member of several organizations: choose one with POST /auth/organization.',
    };
  if (!member) return { refused: 'SESSION_EXPIRED', message: 'You are no member of the organization any more: sign in again.' };
  if (member.is_suspended)
    return { refused: 'ORGANIZATION_SUSPENDED', message: 'Your organization is suspended: ask the operator to resume it.' };
  const role = roleOfMembers(member.roles);
  if (role === null)
    return { refused: 'SESSION_EXPIRED', message: 'Your organization has no role yet: ask the operator for its first key.' };
  return {
    actor_id: member.member_id,
    organization_id: member.organization_id,
    organization: member.organization,
    role,
    environment,
    api_version: null,
    expires_at: session.expires_at,
    scopes: null,
    networks: null,
    label: null,
    person: {
      identity: identityOf(session),
      email: member.email,
      name: member.name,
      rights: member.rights,
      session_hash: session.session_hash,
      csrf: session.csrf,
    },
  };
}
