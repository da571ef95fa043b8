import { type ApiVersion, rememberedVersion } from '../../platform/http/api-version.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { Caller, Role } from '../../platform/http/caller.ts';
import type { Environment } from '../../config.ts';
import type { Claims } from '../../platform/tokens.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';

export const KEY_RECORD = storedRecord('keys', 'key_id', { without: ['last_used_at', 'api_version'] });
/** With its newest tax form, which its compliance profile shows. */
export const ORGANIZATION_RECORD = storedRecord('organizations', 'organization_id', {
  also: ['(select max(d.created_at) from documents d where d.organization_id = r.organization_id and d.for_profile)'],
});

export const ORGANIZATION_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;
export type OrganizationStatus = (typeof ORGANIZATION_STATUSES)[number];

/** The compliance profile of an investor, which the operator keeps; null for an organization without one. */
export type Profile = {
  kyc_status: 'VERIFIED' | 'PENDING' | 'REJECTED';
  kyc_expires_on: string | null;
  sanctions_status: 'CLEAR' | 'REVIEW' | 'HIT';
  qib: boolean;
  accredited: boolean;
  us_person: boolean;
  tax_form: 'W9_FORM' | 'W8_FORM' | null;
  erisa_plan: boolean;
  concentration_limit?: number | null;
};

export type Organization = {
  organization_id: Id<'org'>;
  name: string;
  roles: Role[];
  environments: Environment[];
  status: OrganizationStatus;
  profile: Profile | null;
  created_at: Date;
};

export type KeyRow = {
  key_id: Id<'key'>;
  organization_id: Id<'org'>;
  organization: string;
  role: Role;
  environment: Environment;
  requester: string;
  use_case: string;
  status: 'ACTIVE' | 'EXPIRED' | 'REVOKED';
  created_at: Date;
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  rotated_from: string | null;
  api_version: string | null;
  label: string | null;
  /** To within a minute; null before its first request. */
  last_used_at: Date | null;
  scopes: string[] | null;
  networks: string[] | null;
  rotation_requested_at: Date | null;
  rotation_reason: string | null;
};

const keyAt = (moment: string): string => `
  k.key_id, k.organization_id, o.name as organization, k.role, k.environment, k.requester, k.use_case,
  case when k.revoked_at <= ${moment} then 'REVOKED' when k.expires_at <= ${moment} then 'EXPIRED' else 'ACTIVE' end as status,
  k.created_at, k.issued_at, k.expires_at, k.revoked_at, k.rotated_from, k.api_version,
  k.label, k.last_used_at, k.scopes, k.networks, k.rotation_requested_at, k.rotation_reason`;
const KEY = keyAt('now()');

/** A key of the platform in whatever state. */
export type StoredKey = Caller & {
  actor_id: Id<'key'>;
  is_suspended: boolean;
  is_revoked: boolean;
  is_expired: boolean;
  is_use_old: boolean;
  revoked_at: Date | null;
};

/** Stores that a key was used, and the version of its first call; gives the version that is stored. */
export async function noteUse(tx: Tx, keyId: Id<'key'>, version: ApiVersion): Promise<ApiVersion> {
  const row = await tx.one<{ api_version: string }>(
    'update keys set api_version = coalesce(api_version, $2), last_used_at = greatest(last_used_at, now()) where key_id = $1 returning api_version',
    [keyId, version],
  );
  return rememberedVersion(row?.api_version ?? null) ?? version;
}

/** The key that claims name; null unless it is of the organization and role that they name. */
export async function findKey(tx: Tx, { jti, sub, role }: Pick<Claims, 'jti' | 'sub' | 'role'>): Promise<StoredKey | null> {
  const key = await tx.one<Omit<StoredKey, 'api_version' | 'person'> & { api_version: string | null }>(
    `select k.key_id as actor_id, k.organization_id, o.name as organization, k.role, k.environment, k.api_version, k.scopes, k.networks, k.label,
            k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as is_use_old,
            least(k.expires_at, coalesce(k.revoked_at, k.expires_at)) as expires_at, o.status <> 'ACTIVE' as is_suspended,
            coalesce(k.revoked_at <= now(), false) as is_revoked, k.revoked_at, k.expires_at <= now() as is_expired
     from keys k join organizations o using (organization_id) where k.key_id = $1 and k.organization_id = $2 and k.role = $3`,
    [jti, sub, role],
  );
  return key && { ...key, api_version: rememberedVersion(key.api_version), person: null };
}

/** True while a key or member and its organization are in force. */
export async function isActorInForce(tx: Reader, holder: Actor, environment: string): Promise<boolean> {
  const row = await tx.one(
    `select 1 from organizations o where o.organization_id = $2 and o.status = 'ACTIVE' and (
       exists (select 1 from keys k where k.key_id = $1 and k.organization_id = $2 and k.environment = $3
         and k.expires_at > now() and (k.revoked_at is null or k.revoked_at > now()))
       or exists (select 1 from members m where m.member_id = $1 and m.organization_id = $2 and m.status = 'ACTIVE' and m.removed_at is null))`,
    [holder.actor_id, holder.organization_id, environment],
  );
  return row !== null;
}

/** In SQL of the platform's scope: the organizations that are suspended. What is queued for them waits until they are resumed. */
export const SUSPENDED = `(select organization_id from organizations where status = 'SUSPENDED')`;

export function findOrganization(tx: Tx, organizationId: Id<'org'>): Promise<Organization | null> {
  return tx.one<Organization>('select * from organizations where organization_id = $1', [organizationId]);
}

export function lockOrganization(tx: Tx, organizationId: Id<'org'>): Promise<Organization | null> {
  return tx.one<Organization>('select * from organizations where organization_id = $1 for update', [organizationId]);
}

export function findOrganizationByName(tx: Tx, name: string): Promise<Organization | null> {
  return tx.one<Organization>('select * from organizations where name = $1 for update', [name]);
}

export async function insertOrganization(
  tx: Tx,
  row: { organization_id: Id<'org'>; name: string; profile: unknown },
): Promise<Organization> {
  await tx.exec(
    'insert into organizations (organization_id, name, profile, created_at) values ($1, $2, $3, $4) on conflict (name) do nothing',
    [row.organization_id, row.name, row.profile === null ? null : JSON.stringify(row.profile), tx.now],
  );
  return (await findOrganizationByName(tx, row.name)) as Organization;
}

/**
 * Organizations without skeletons, because their name is older than the check or clashed; the oldest first. Only one transaction at a
 * time gets them.
 */
export async function lockWithoutSkeletons(tx: Tx): Promise<{ organization_id: Id<'org'>; name: string }[]> {
  await tx.exec(`select pg_advisory_xact_lock(hashtextextended('organization looks', 13))`);
  return tx.rows(
    `select organization_id, name from organizations o
     where not exists (select from organization_looks l where l.organization_id = o.organization_id) order by created_at, organization_id`,
  );
}

/** Stores the skeletons of an organization, except those that another one has. */
export async function insertSkeletons(tx: Tx, organizationId: Id<'org'>, skeletons: readonly string[]): Promise<void> {
  await tx.exec('insert into organization_looks (look, organization_id) select unnest($2::text[]), $1 on conflict do nothing', [
    organizationId,
    skeletons,
  ]);
}

export function findOrganizationBySkeleton(
  tx: Tx,
  skeletons: readonly string[],
): Promise<Pick<Organization, 'organization_id' | 'name'> | null> {
  return tx.one(
    'select organization_id, name from organization_looks join organizations using (organization_id) where look = any($1) order by created_at limit 1',
    [skeletons],
  );
}

const IN_FORCE = 'expires_at > now() and (revoked_at is null or revoked_at > now())';

/** Whether keys in force of an organization are the operator's, a customer's, or both. */
export async function findKeyKinds(tx: Tx, organizationId: Id<'org'>): Promise<{ operator: boolean; customer: boolean }> {
  const kinds = await tx.one<{ operator: boolean; customer: boolean }>(
    `select coalesce(bool_or(role = 'operator'), false) as operator, coalesce(bool_or(role <> 'operator'), false) as customer
     from keys where organization_id = $1 and ${IN_FORCE}`,
    [organizationId],
  );
  return kinds ?? { operator: false, customer: false };
}

/** Whether an organization has members, whatever their status. */
export async function hasMembers(tx: Tx, organizationId: Id<'org'>): Promise<boolean> {
  const rows = await tx.rows('select 1 from members where organization_id = $1 and removed_at is null limit 1', [organizationId]);
  return rows.length > 0;
}

/** Organizations that hold keys in force of both kinds, from before the rule against it. */
export function listMixedOrganizations(tx: Tx): Promise<{ organization_id: Id<'org'>; name: string; keys: string[] }[]> {
  return tx.rows(
    `select organization_id, o.name, array_agg(k.key_id || ' (' || k.role || ')' order by k.key_id) as keys
     from keys k join organizations o using (organization_id) where ${IN_FORCE}
     group by 1, 2 having bool_or(k.role = 'operator') and bool_or(k.role <> 'operator') order by 1`,
  );
}

/** Adds the role of a new key. Roles of the other kind, of keys that have ended, go: an organization is an operator or a customer. */
export async function addRoleAndEnvironment(tx: Tx, organizationId: Id<'org'>, role: Role, environment: string): Promise<void> {
  await tx.exec(
    `update organizations set
       roles = (select array_agg(distinct each order by each) from unnest(roles || $2::text) each where (each = 'operator') = ($2 = 'operator')),
       environments = (select array_agg(distinct each order by each) from unnest(environments || $3::text) each)
     where organization_id = $1`,
    [organizationId, role, environment],
  );
}

export async function insertKey(
  tx: Tx,
  row: Omit<
    KeyRow,
    'status' | 'organization' | 'created_at' | 'revoked_at' | 'last_used_at' | 'rotation_requested_at' | 'rotation_reason'
  >,
): Promise<void> {
  await tx.exec(
    `insert into keys (key_id, organization_id, role, environment, requester, use_case, issued_at, expires_at, rotated_from, api_version,
       label, scopes, networks)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      row.key_id,
      row.organization_id,
      row.role,
      row.environment,
      row.requester,
      row.use_case,
      row.issued_at,
      row.expires_at,
      row.rotated_from,
      row.api_version,
      row.label,
      row.scopes,
      row.networks,
    ],
  );
}

export function findKeyRow(tx: Tx, keyId: Id<'key'>): Promise<KeyRow | null> {
  return tx.one<KeyRow>(`select ${KEY} from keys k join organizations o using (organization_id) where k.key_id = $1`, [keyId]);
}

/** The key as it is once nobody else changes it: `now()` is of the begin of the transaction, which may be before another one ended the key. */
export async function lockKey(tx: Tx, keyId: Id<'key'>): Promise<KeyRow | null> {
  await tx.rows('select from keys where key_id = $1 for update', [keyId]);
  return tx.one<KeyRow>(
    `select ${keyAt('$2::timestamptz')} from keys k join organizations o using (organization_id) where k.key_id = $1`,
    [keyId, tx.moment],
  );
}

export async function endKey(tx: Tx, keyId: Id<'key'>, overlapSeconds: number): Promise<void> {
  await tx.exec(
    `update keys set revoked_at = least(coalesce(revoked_at, 'infinity'), $3::timestamptz + make_interval(secs => $2)) where key_id = $1`,
    [keyId, overlapSeconds, tx.moment],
  );
}

/** Stores that the holder of a key asks for another in its place; asking again changes nothing but the reason. */
export async function setRotationRequest(
  tx: Tx,
  { keyId, actor, reason }: { keyId: Id<'key'>; actor: string; reason: string | null },
): Promise<void> {
  await tx.exec(
    `update keys set rotation_requested_at = coalesce(rotation_requested_at, $2), rotation_requested_by = coalesce(rotation_requested_by, $3),
       rotation_reason = coalesce($4, rotation_reason) where key_id = $1`,
    [keyId, tx.now, actor, reason],
  );
}

export function listKeys(
  tx: Tx,
  query: PageRequest & Between & { organization_id?: Id<'org'>; status?: string; rotation_requested?: boolean },
): Promise<Page<KeyRow>> {
  const from = `(select ${KEY} from keys k join organizations o using (organization_id)) listed`;
  const filters = [
    ['organization_id = ?', query.organization_id],
    ['status = ?', query.status],
    ['(rotation_requested_at is not null) = ?', query.rotation_requested],
    ...between('created_at', query),
  ] as const;
  return selectPage(tx, { select: '*', from, filters, order: newestFirst('created_at', 'key_id') }, query);
}
