import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { selectPage } from '../../platform/db/page.ts';
import { APPROVAL_ACTS, type ApprovalAct } from '../../platform/http/approval-acts.ts';
import { type StoredRecord, storedRecord } from '../../platform/http/stored-record.ts';
import type { Right } from '../../platform/http/member-rights.ts';
import type { Id } from '../../platform/ids.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { type ApprovalRow, type ApprovalStatus, RIGHT_OF } from './approval.ts';

export const APPROVAL_RECORD = storedRecord('approvals', 'approval_id');

/** How many people each act needs. */
export type Policy = Record<ApprovalAct, number>;

export async function findPolicy(tx: Reader): Promise<Policy> {
  const rows = await tx.rows<{ act: ApprovalAct; needed: number }>('select act, needed from approval_policy');
  const policy = Object.fromEntries(rows.map(({ act, needed }) => [act, needed])) as Policy;
  const missing = APPROVAL_ACTS.filter((act) => policy[act] === undefined);
  // Without its number an act would pass as if it needed nobody.
  if (missing.length > 0) throw new Error(`the approval policy says nothing of ${missing.join(', ')}`);
  return policy;
}

/** The policy, a row for each act, as one record: that of one act stands for all of them. */
export const POLICY_RECORD: StoredRecord = {
  table: 'approval_policy',
  where: `r.act = 'POLICY_SET' and $1::text is not null`,
  fields: '(select jsonb_object_agg(p.act, p.needed) from approval_policy p)',
  hold: lockPolicy,
};

/** Keeps acts from being asked for, and approved, while the policy changes. */
export async function lockPolicy(tx: Tx): Promise<void> {
  await tx.rows('select from approval_policy order by act for update');
}

export async function updatePolicy(tx: Tx, policy: Policy): Promise<void> {
  await tx.exec(
    'update approval_policy p set needed = n.needed from unnest($1::text[], $2::integer[]) as n(act, needed) where n.act = p.act',
    [Object.keys(policy), Object.values(policy)],
  );
}

const ADMINS = APPROVAL_ACTS.filter((act) => RIGHT_OF[act] === 'ADMIN').map((act) => `'${act}'`);
const NEEDED_RIGHT = `case when a.act in (${ADMINS.join(', ')}) then 'ADMIN' else 'APPROVE' end`;
const STANDING = `m.status = 'ACTIVE' and m.removed_at is null and o.status = 'ACTIVE' and o.roles = '{operator}'`;

// While it waits only those count who could still do it themselves, as the person of the identity provider that they were (`identityOf`): a member
// that was bound to another one since does not count twice.
const GIVEN = `(select count(distinct people.identity)::integer from (
    select a.requested_identity as identity, a.requested_by as member_id where a.requested_identity is not null
    union all select d.identity, d.member_id from approval_decisions d where d.approval_id = a.approval_id and d.decision = 'APPROVED'
  ) people where a.status <> 'PENDING' or exists (select from members m join organizations o using (organization_id)
    where m.member_id = people.member_id and encode(sha256(convert_to(m.issuer || chr(10) || m.subject, 'UTF8')), 'hex') = people.identity and ${STANDING} and ${NEEDED_RIGHT} = any(m.rights)))`;

const DECISIONS = `coalesce((select json_agg(json_build_object('member_id', d.member_id, 'name', m.name, 'decision', d.decision, 'reason', d.reason,
    'at', to_char(d.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by d.at)
  from approval_decisions d join members m using (member_id) where d.approval_id = a.approval_id), '[]')`;

const APPROVALS = `(select a.approval_id, a.organization_id, o.name as organization, a.act, a.operation, a.params, a.body, a.entity_id, a.status,
    case when a.status = 'PENDING' then greatest(a.needed, p.needed) else a.needed end as needed, ${GIVEN} as given, a.requested_by,
    a.requested_identity, coalesce(m.name, k.label, k.requester) as requested_by_name, ${DECISIONS} as decisions, ${NEEDED_RIGHT} as needed_right,
    a.created_at, a.updated_at, a.expires_at, a.ended_at, a.result, a.failure, a.token_fetched_at
  from approvals a join approval_policy p using (act) join organizations o using (organization_id)
  left join members m on m.member_id = a.requested_by left join keys k on k.key_id = a.requested_by) a`;
const APPROVAL = `approval_id, organization_id, organization, act, operation, params, body, entity_id, status, needed, given, requested_by,
  requested_identity, requested_by_name, decisions, created_at, updated_at, expires_at, ended_at, result, failure, token_fetched_at`;

export function findApproval(tx: Reader, approvalId: Id<'apr'>): Promise<ApprovalRow | null> {
  return tx.one<ApprovalRow>(`select ${APPROVAL} from ${APPROVALS} where approval_id = $1`, [approvalId]);
}

/** The approval, which nobody else can decide on until the end of the transaction. */
export async function lockApproval(tx: Tx, approvalId: Id<'apr'>): Promise<ApprovalRow | null> {
  await tx.rows('select from approvals where approval_id = $1 for update', [approvalId]);
  return findApproval(tx, approvalId);
}

/** The request that waits, of those alike. */
export async function findPending(tx: Tx, requestHash: string): Promise<ApprovalRow | null> {
  const row = await tx.one<{ approval_id: Id<'apr'> }>(
    `select approval_id from approvals where request_hash = $1 and status = 'PENDING' for update`,
    [requestHash],
  );
  return row && findApproval(tx, row.approval_id);
}

/** What a person may decide on: acts of their rights that wait, and on which they have said nothing. */
export type Mine = { identity: string; rights: readonly Right[] };
export type ApprovalFilter = PageRequest &
  Between & { status?: ApprovalStatus; act?: ApprovalAct; entity_id?: string; mine?: Mine | null };

/** Approvals, newest first. `mine` null: for a key, which decides on none. */
export function listApprovals(tx: Tx, filter: ApprovalFilter): Promise<Page<ApprovalRow>> {
  const { mine } = filter;
  const filters = [
    ['status = ?', filter.status],
    ['act = ?', filter.act],
    ['entity_id = ?', filter.entity_id],
    ...between('created_at', filter),
    ['? and false', mine === null ? true : undefined],
    [
      `status = 'PENDING' and requested_identity is distinct from ?
       and not exists (select from approval_decisions d where d.approval_id = a.approval_id and d.identity = ?)`,
      mine?.identity,
    ],
    ['needed_right = any(?::text[])', mine?.rights],
  ] as const;
  return selectPage(tx, { select: APPROVAL, from: APPROVALS, filters, order: newestFirst('created_at', 'approval_id') }, filter);
}

type NewApproval = Pick<
  ApprovalRow,
  | 'approval_id'
  | 'organization_id'
  | 'act'
  | 'operation'
  | 'params'
  | 'body'
  | 'entity_id'
  | 'needed'
  | 'requested_by'
  | 'requested_identity'
  | 'expires_at'
> & { request_hash: string };

/** Keeps a request; false if the same one waits already. */
export async function insertApproval(tx: Tx, row: NewApproval): Promise<boolean> {
  const inserted = await tx.exec(
    `insert into approvals (approval_id, organization_id, act, operation, params, body, entity_id, needed, requested_by, requested_identity, expires_at,
       request_hash, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) on conflict (request_hash) where status = 'PENDING' do nothing`,
    [
      row.approval_id,
      row.organization_id,
      row.act,
      row.operation,
      JSON.stringify(row.params),
      JSON.stringify(row.body),
      row.entity_id,
      row.needed,
      row.requested_by,
      row.requested_identity,
      row.expires_at,
      row.request_hash,
      tx.now,
    ],
  );
  return inserted === 1;
}

type NewDecision = {
  approval_id: Id<'apr'>;
  identity: string;
  organization_id: Id<'org'>;
  member_id: string;
  decision: 'APPROVED' | 'DENIED';
  reason: string | null;
};

/** Keeps what a person has decided; false if the person has decided before. */
export async function insertDecision(tx: Tx, row: NewDecision): Promise<boolean> {
  const inserted = await tx.exec(
    `insert into approval_decisions (approval_id, identity, organization_id, member_id, decision, reason, at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (approval_id, identity) do nothing`,
    [row.approval_id, row.identity, row.organization_id, row.member_id, row.decision, row.reason, tx.now],
  );
  await tx.exec('update approvals set updated_at = $2 where approval_id = $1', [row.approval_id, tx.now]);
  return inserted === 1;
}

/** Marks the key of an approval as fetched; false if it was before. */
export async function markTokenFetched(tx: Tx, approvalId: Id<'apr'>): Promise<boolean> {
  return (
    (await tx.exec(
      'update approvals set token_fetched_at = $2, updated_at = $2 where approval_id = $1 and token_fetched_at is null',
      [approvalId, tx.now],
    )) === 1
  );
}

/** Approvals that nobody has ended in time. */
export function listOverdue(tx: Tx, limit: number): Promise<{ approval_id: Id<'apr'> }[]> {
  return tx.rows(`select approval_id from approvals where status = 'PENDING' and expires_at <= $1 order by expires_at limit $2`, [
    tx.now,
    limit,
  ]);
}

/** How many people could do acts of each right: active members of operators. */
export async function countPeople(tx: Reader): Promise<Record<'ADMIN' | 'APPROVE', number>> {
  const row = await tx.one<Record<'ADMIN' | 'APPROVE', number>>(
    `select count(distinct (m.issuer, m.subject)) filter (where 'ADMIN' = any(m.rights))::integer as "ADMIN",
       count(distinct (m.issuer, m.subject)) filter (where 'APPROVE' = any(m.rights))::integer as "APPROVE"
     from members m join organizations o using (organization_id) where ${STANDING}`,
  );
  return row ?? { ADMIN: 0, APPROVE: 0 };
}

/** As whom a member has signed in at the identity provider; null before, and for what is no member. */
export function findSignInOf(tx: Reader, memberId: string): Promise<{ issuer: string; subject: string } | null> {
  return tx.one('select issuer, subject from members where member_id = $1 and subject is not null', [memberId]);
}
