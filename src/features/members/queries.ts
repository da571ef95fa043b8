import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { selectPage } from '../../platform/db/page.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Id } from '../../platform/ids.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { lockOrganization } from '../keys/queries.ts';
import { MEMBER_MOVES, type MemberRow, type MemberStatus } from './member.ts';

/** A member who was removed is no record any more. Its organization is locked first, as every operation does. */
export const MEMBER_RECORD = {
  ...storedRecord('members', 'member_id', {
    without: ['last_sign_in_at'],
    hold: (tx, _id, organizationId) => lockOrganization(tx, organizationId),
  }),
  where: 'r.member_id = $1 and r.removed_at is null',
};

/** A person as the provider of the sign-in knows it. */
export type Person = { issuer: string; subject: string };

const MEMBERS = `(select m.member_id, m.organization_id, o.name as organization, o.status as organization_status, o.roles, m.email, m.name, m.rights,
  m.status, m.issuer, m.subject, m.subject is not null as is_bound, m.invited_by, m.created_at, m.updated_at, m.last_sign_in_at
  from members m join organizations o using (organization_id) where m.removed_at is null) listed`;
const MEMBER = `member_id, organization_id, organization, organization_status, roles, email, name, rights, status, is_bound, invited_by,
  created_at, updated_at, last_sign_in_at`;

/** The members of an organization, or of all that the transaction reaches. */
export function listMembers(
  tx: Tx,
  organizationId: Id<'org'> | null,
  filter: PageRequest & Between & { status?: MemberStatus },
): Promise<Page<MemberRow>> {
  const filters = [
    ['organization_id = ?', organizationId],
    ['status = ?', filter.status],
    ...between('created_at', filter),
  ] as const;
  return selectPage(tx, { select: MEMBER, from: MEMBERS, filters, order: newestFirst('created_at', 'member_id') }, filter);
}

/** A member that was not removed, whatever its status, with its organization. */
export function findMember(tx: Reader, memberId: Id<'mem'>): Promise<MemberRow | null> {
  return tx.one<MemberRow>(`select ${MEMBER} from ${MEMBERS} where member_id = $1`, [memberId]);
}

/** Keeps a member as it is until the end of the transaction; a sign-in changes it without the lock of the organization. */
export async function holdMember(tx: Tx, memberId: Id<'mem'>): Promise<void> {
  await tx.rows('select from members where member_id = $1 for update', [memberId]);
}

/** Keeps all members that a person is as they are until the end of the transaction. */
export async function holdMembersOfPerson(tx: Tx, { issuer, subject }: Person): Promise<void> {
  await tx.rows('select from members where issuer = $1 and subject = $2 order by member_id for update', [issuer, subject]);
}

/** As whom a person may act: one member for each of its organizations, whatever the status of either. */
export function findMembersOfPerson(tx: Reader, { issuer, subject }: Person): Promise<MemberRow[]> {
  return tx.rows<MemberRow>(
    `select ${MEMBER} from ${MEMBERS} where issuer = $1 and subject = $2 order by organization, organization_id`,
    [issuer, subject],
  );
}

/**
 * Binds a person to the members with its address, in every organization in which it has none yet; `email` must be verified by the provider.
 * An invited member becomes ACTIVE, a suspended one stays so. A member whose name nobody knew gets that of the person.
 */
export async function bindByEmail(
  tx: Tx,
  { issuer, subject, email, name }: Person & { email: string; name: string | null },
): Promise<Pick<MemberRow, 'member_id' | 'organization_id'>[]> {
  // Sign-ins of one person take turns: under two addresses at once, each would find that the organization has no member of theirs yet.
  await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 109))', [JSON.stringify([issuer, subject])]);
  const bound = 'issuer = $1, subject = $2, name = case when name = email then coalesce($4, name) else name end, updated_at = $5';
  const unbound = `email = lower($3) and subject is null and removed_at is null and not exists (select from members other
    where other.organization_id = members.organization_id and other.issuer = $1 and other.subject = $2 and other.removed_at is null)`;
  const values = [issuer, subject, email, name, tx.now];
  const invited = await tx.rows<Pick<MemberRow, 'member_id' | 'organization_id'>>(
    `${MEMBER_MOVES.updateSql('INVITED', 'ACTIVE')}, ${bound} where status = 'INVITED' and ${unbound} returning member_id, organization_id`,
    values,
  );
  const suspended = await tx.rows<Pick<MemberRow, 'member_id' | 'organization_id'>>(
    `update members set ${bound} where status = 'SUSPENDED' and ${unbound} returning member_id, organization_id`,
    values,
  );
  return [...invited, ...suspended];
}

/** Adds a member who is invited; false if the organization has one with the address. */
export async function insertMember(
  tx: Tx,
  row: Pick<MemberRow, 'member_id' | 'organization_id' | 'email' | 'name' | 'rights' | 'invited_by'>,
): Promise<boolean> {
  const added = await tx.exec(
    `insert into members (member_id, organization_id, email, name, rights, invited_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (organization_id, email) where removed_at is null do nothing`,
    [row.member_id, row.organization_id, row.email, row.name, row.rights, row.invited_by, tx.now],
  );
  return added === 1;
}

export async function updateMember(
  tx: Tx,
  memberId: Id<'mem'>,
  { name, rights }: Pick<MemberRow, 'name' | 'rights'>,
): Promise<void> {
  await tx.exec('update members set name = $2, rights = $3, updated_at = $4 where member_id = $1', [
    memberId,
    name,
    rights,
    tx.now,
  ]);
}

/** Forgets which person of the identity provider a member is. */
export async function unbindMember(tx: Tx, memberId: Id<'mem'>): Promise<void> {
  await tx.exec('update members set issuer = null, subject = null, updated_at = $2 where member_id = $1', [memberId, tx.now]);
}

export async function markRemoved(tx: Tx, memberId: Id<'mem'>): Promise<void> {
  await tx.exec('update members set removed_at = $2, updated_at = $2 where member_id = $1', [memberId, tx.now]);
}

/** Whether the organization has another member who can change its members. */
export async function hasOtherAdmin(
  tx: Tx,
  { organization_id, member_id }: Pick<MemberRow, 'organization_id' | 'member_id'>,
): Promise<boolean> {
  const other = await tx.one(
    `select 1 from members where organization_id = $1 and member_id <> $2 and removed_at is null and status <> 'SUSPENDED'
       and 'ADMIN' = any(rights) limit 1`,
    [organization_id, member_id],
  );
  return other !== null;
}

/** Signs a member out everywhere. */
export async function deleteSessions(tx: Tx, memberId: Id<'mem'>): Promise<void> {
  await tx.exec('delete from sessions where member_id = $1', [memberId]);
}

/** The newest sign-in of a member. */
export async function noteSignIn(tx: Tx, memberId: Id<'mem'>): Promise<void> {
  await tx.exec('update members set last_sign_in_at = $2 where member_id = $1', [memberId, tx.now]);
}

/** Everybody who could sign in, with the organizations of each: for the page of Development. */
export function listPeople(tx: Tx): Promise<{ email: string; name: string; places: string }[]> {
  return tx.rows(
    `select email, min(name) as name, string_agg(organization || ' (' || array_to_string(rights, ', ') || ')', '; ' order by organization) as places
     from ${MEMBERS} where status <> 'SUSPENDED' and organization_status = 'ACTIVE' group by email order by email limit 200`,
  );
}
