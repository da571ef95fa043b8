import type { Database, Reader, Tx } from '../../platform/db/database.ts';
import { isMember } from '../../platform/http/actor-fields.ts';
import type { Right } from '../../platform/http/member-rights.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Caller, Role } from '../../platform/http/caller.ts';
import type { Id } from '../../platform/ids.ts';
import { isActorInForce } from '../keys/queries.ts';

/** A person as the identity provider names them. */
export type Identity = { issuer: string; subject: string };

export type SignIn = { nonce: string; code_verifier: string; return_to: string };

/** Hours after its last request, and after its beginning, at which a session ends. */
const IDLE_HOURS = 8;
export const MOST_HOURS = 24;
export const SIGN_IN_MINUTES = 10;

const IN_FORCE = `s.expires_at > now() and s.last_used_at > now() - interval '${IDLE_HOURS} hours'`;

export type StoredSession = Identity & {
  session_hash: string;
  csrf: string;
  is_use_old: boolean;
  expires_at: Date;
  /** The member that the person has chosen; null before, and where it is no member any more. */
  member: {
    member_id: Id<'mem'>;
    email: string;
    name: string;
    rights: Right[];
    organization_id: Id<'org'>;
    organization: string;
    roles: Role[];
    is_suspended: boolean;
  } | null;
  /** Whether an organization was chosen, whatever became of the member. */
  is_chosen: boolean;
};

/** The session in force of this name. In the platform's scope, or that of the organization that was chosen in it. */
export async function findSession(tx: Reader, sessionHash: string): Promise<StoredSession | null> {
  return await tx.one<StoredSession>(
    `select s.session_hash, s.issuer, s.subject, s.csrf, s.member_id is not null as is_chosen,
       s.last_used_at < now() - interval '1 minute' as is_use_old,
       least(s.expires_at, s.last_used_at + interval '${IDLE_HOURS} hours') as expires_at,
       case when m.member_id is null then null else jsonb_build_object('member_id', m.member_id, 'email', m.email, 'name', m.name,
         'rights', m.rights, 'organization_id', o.organization_id, 'organization', o.name, 'roles', o.roles,
         'is_suspended', o.status <> 'ACTIVE') end as member
     from sessions s
       left join members m on m.member_id = s.member_id and m.status = 'ACTIVE' and m.removed_at is null
       left join organizations o on o.organization_id = m.organization_id
     where s.session_hash = $1 and ${IN_FORCE}`,
    [sessionHash],
  );
}

/** Who has what outlives its request, such as a signed address: a key, or a person in the session in which they asked for it. */
export type Holder = Actor & { session_hash: string | null };

export const holderOf = ({ organization_id, actor_id, person }: Asker): Holder => ({
  organization_id,
  actor_id,
  session_hash: person?.session_hash ?? null,
});
export type Asker = Pick<Caller, 'organization_id' | 'actor_id' | 'person'>;

/** Whether the key, or the session and its member, and the organization are in force. In the scope of the organization or the platform. */
export async function isHolderInForce(tx: Reader, holder: Holder, environment: string): Promise<boolean> {
  if (!isMember(holder.actor_id)) return isActorInForce(tx, holder, environment);
  const session = holder.session_hash === null ? null : await findSession(tx, holder.session_hash);
  return session?.member?.member_id === holder.actor_id && !session.member.is_suspended;
}

export const isCallerInForce = (tx: Reader, caller: Asker & Pick<Caller, 'environment'>): Promise<boolean> =>
  isHolderInForce(tx, holderOf(caller), caller.environment);

export async function noteSessionUse(tx: Tx, sessionHash: string): Promise<void> {
  await tx.exec('update sessions set last_used_at = greatest(last_used_at, now()) where session_hash = $1', [sessionHash]);
}

export async function insertSession(
  tx: Tx,
  row: Identity & {
    session_hash: string;
    csrf: string;
    organization_id: Id<'org'> | null;
    member_id: Id<'mem'> | null;
  },
): Promise<void> {
  await tx.exec(
    `insert into sessions (session_hash, issuer, subject, organization_id, member_id, csrf, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + interval '${MOST_HOURS} hours')`,
    [row.session_hash, row.issuer, row.subject, row.organization_id, row.member_id, row.csrf],
  );
}

/** Gives a session another name and member: the cookie of before is worth nothing afterwards. False where the session has ended. */
export async function renameSession(
  tx: Tx,
  from: string,
  to: { session_hash: string; csrf: string; organization_id: Id<'org'>; member_id: Id<'mem'> },
): Promise<boolean> {
  const changed = await tx.exec(
    `update sessions s set session_hash = $2, csrf = $3, organization_id = $4, member_id = $5, last_used_at = now()
     where s.session_hash = $1 and ${IN_FORCE}`,
    [from, to.session_hash, to.csrf, to.organization_id, to.member_id],
  );
  return changed === 1;
}

/** Ends a session, or with `everywhere` all of its person. False where none was left to end. */
export async function deleteSession(tx: Tx, session: Identity & { session_hash: string }, everywhere: boolean): Promise<boolean> {
  const ended = await tx.exec('delete from sessions where session_hash = $1 or ($2 and issuer = $3 and subject = $4)', [
    session.session_hash,
    everywhere,
    session.issuer,
    session.subject,
  ]);
  return ended > 0;
}

export async function insertSignIn(tx: Tx, stateHash: string, { nonce, code_verifier, return_to }: SignIn): Promise<void> {
  await tx.exec('insert into sign_ins (state_hash, nonce, code_verifier, return_to) values ($1, $2, $3, $4)', [
    stateHash,
    nonce,
    code_verifier,
    return_to,
  ]);
}

/** Takes the sign-in of a state, which no other callback gets again. */
export async function takeSignIn(tx: Tx, stateHash: string): Promise<SignIn | null> {
  return await tx.one<SignIn>(
    `delete from sign_ins where state_hash = $1 and created_at > now() - interval '${SIGN_IN_MINUTES} minutes' returning nonce, code_verifier, return_to`,
    [stateHash],
  );
}

/** Removes sessions that have ended and sign-ins that were not finished. */
export function deleteEndedSessions(db: Database): Promise<number> {
  return db.tx({ platform: true }, async (tx) => {
    const sessions = await tx.exec(`delete from sessions s where not (${IN_FORCE})`);
    const signIns = await tx.exec(`delete from sign_ins where created_at <= now() - interval '${SIGN_IN_MINUTES} minutes'`);
    return sessions + signIns;
  });
}
