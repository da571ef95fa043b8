import { alertOperators } from '../../events/emit.ts';
import { audit } from '../../platform/audit.ts';
import type { Environment } from '../../config.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { ApprovalAct } from '../../platform/http/approval-acts.ts';
import { ApiError, invalidField, notFound, orNotFound } from '../../platform/http/errors.ts';
import type { Actor, Decider } from '../../platform/http/own-organization.ts';
import type { Role } from '../../platform/http/caller.ts';
import { type Id } from '../../platform/ids.ts';
import {
  addRoleAndEnvironment,
  endKey,
  findKeyKinds,
  findKeyRow,
  findOrganizationBySkeleton,
  findOrganizationByName,
  hasMembers,
  insertKey,
  setRotationRequest,
  insertSkeletons,
  insertOrganization,
  type KeyRow,
  lockKey,
  lockWithoutSkeletons,
  type Organization,
  type Profile,
} from './queries.ts';
import type { Scope } from './scopes.ts';
import { isNet } from '../../platform/net/addresses.ts';
import { normalizeName, skeletonsOf } from './organization-name.ts';
import type { TokenKeys } from '../../platform/tokens.ts';
import { tokenOfKey } from './token-of-key.ts';

const DEFAULT_LIFE_SECONDS = 90 * 86_400;
const LONGEST_LIFE_SECONDS = 365 * 86_400;

export type KeyRequest = {
  organization: string;
  role: Role;
  environment: Environment;
  requester: string;
  use_case: string;
  expires_in_seconds?: number;
  profile?: 'verified' | 'none';
  label?: string;
  /** What the key may do of what its role may; absent: all of it. */
  scopes?: readonly Scope[];
  /** Networks that the key may be used from; absent: any. */
  networks?: readonly string[];
};

export type IssuedKey = { key_id: Id<'key'>; organization_id: Id<'org'>; token: string; expires_at: Date };

/** A profile that passes every compliance check, for environments in which a first integration has to work without real reviews. */
const VERIFIED_PROFILE: Profile = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: '2099-12-31',
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: true,
  us_person: true,
  tax_form: 'W9_FORM',
  erisa_plan: false,
};

/** On a production gateway no organization begins as verified, whatever the environment of its first key. */
export const defaultProfile = (gateway: string): Pick<KeyRequest, 'profile'> =>
  gateway === 'production' ? { profile: 'none' } : {};

/** What the profile of an organization that the key makes is. */
const profileOf = ({ profile, environment }: KeyRequest): NonNullable<KeyRequest['profile']> =>
  profile ?? (environment === 'production' ? 'none' : 'verified');

/** What issuing a key is beside that: a new organization may get the profile that passes every check. */
export async function actsOfIssuing(tx: Tx, request: KeyRequest): Promise<ApprovalAct[]> {
  if (profileOf(request) !== 'verified') return [];
  for (const name of [request.organization, normalizeName(request.organization)])
    if (await findOrganizationByName(tx, name)) return [];
  return ['PROFILE_SET'];
}

type Means = { tokens: TokenKeys };

/** Issues a key for an organization; the first key creates the organization. Only the response shows the token. */
export async function issueKey(tx: Tx, actor: Decider, request: KeyRequest, means: Means): Promise<IssuedKey> {
  const life = request.expires_in_seconds ?? DEFAULT_LIFE_SECONDS;
  const narrowed = { label: request.label ?? null, ...narrowingOf(request) };
  if (life < 1 || life > LONGEST_LIFE_SECONDS)
    throw invalidField('expires_in', 'INVALID', 'expected a second at least and 365 days at most');
  // A name that was stored before names were normalized is found by its own spelling.
  const known = await findOrganizationByName(tx, request.organization);
  const { organization, isNew } = known ? { organization: known, isNew: false } : await findOrCreateOrganization(tx, request);
  await refuseMixedRoles(tx, actor, organization, request.role);
  await addRoleAndEnvironment(tx, organization.organization_id, request.role, request.environment);
  const key = {
    ...request,
    organization_id: organization.organization_id,
    lifeSeconds: life,
    rotated_from: null,
    api_version: null,
    new_organization: isNew ? { name: organization.name, profile: organization.profile } : null,
    ...narrowed,
  };
  return writeKey(tx, actor, { ...key, action: 'key.issued' }, means);
}

async function findOrCreateOrganization(tx: Tx, request: KeyRequest): Promise<{ organization: Organization; isNew: boolean }> {
  const name = normalizeName(request.organization);
  if (name === '') throw invalidField('organization', 'INVALID', 'expected at least one visible character');
  // The lock keeps other organizations from being created.
  for (const each of await lockWithoutSkeletons(tx)) await insertSkeletons(tx, each.organization_id, skeletonsOf(each.name));
  const found = await findOrganizationByName(tx, name);
  if (found) return { organization: found, isNew: false };
  const skeletons = skeletonsOf(name);
  const alike = await findOrganizationBySkeleton(tx, skeletons);
  if (alike) throw nameTaken(name, alike);
  const created = await insertOrganization(tx, {
    organization_id: tx.newId('org'),
    name,
    profile: profileOf(request) === 'verified' ? VERIFIED_PROFILE : null,
  });
  await insertSkeletons(tx, created.organization_id, skeletons);
  return { organization: created, isNew: true };
}

function nameTaken(name: string, taken: { organization_id: Id<'org'>; name: string }): ApiError {
  const message = `"${name}" looks like "${taken.name}" (${taken.organization_id}): use that exact spelling for a key of that organization, or choose another name.`;
  return new ApiError('NAME_TAKEN', message, { errors: [{ field: 'organization', code: 'NAME_TAKEN', message }] });
}

/**
 * An organization is either an operator or a customer: it never holds keys of both kinds. Once the keys of one kind have ended it can
 * become the other, but a customer's people never become operators so, and nobody makes a customer of the operator that they act for.
 */
async function refuseMixedRoles(tx: Tx, actor: Decider, organization: Organization, role: Role): Promise<void> {
  const fault = role === 'operator' ? await faultOfOperator(tx, organization) : await faultOfCustomer(tx, actor, organization);
  if (!fault) return;
  const requested = role === 'operator' ? 'an operator key' : `a key of role ${role}`;
  const { name, organization_id } = organization;
  throw new ApiError('ROLE_CONFLICT', `${name} (${organization_id}) ${fault}: issue ${requested} for another organization.`);
}

async function faultOfOperator(tx: Tx, { organization_id, roles }: Organization): Promise<string | null> {
  if ((await findKeyKinds(tx, organization_id)).customer) return 'holds customer keys';
  const isCustomer = roles.some((role) => role !== 'operator');
  return isCustomer && (await hasMembers(tx, organization_id)) ? 'is a customer, and its people would become operators' : null;
}

async function faultOfCustomer(tx: Tx, actor: Decider, { organization_id }: Organization): Promise<string | null> {
  if ((await findKeyKinds(tx, organization_id)).operator) return 'holds operator keys';
  return actor.organization_id === organization_id ? 'is the operator that you act for' : null;
}

/** The scopes and networks of a request without repetitions; 400 for what is no network. */
function narrowingOf({ scopes, networks }: Pick<KeyRequest, 'scopes' | 'networks'>): Pick<KeyRow, 'scopes' | 'networks'> {
  const bad = networks?.findIndex((each) => !isNet(each)) ?? -1;
  if (bad >= 0) throw invalidField(`networks.${bad}`, 'INVALID', 'expected a network such as 10.1.0.0/16 or 2001:db8::/32');
  return { scopes: scopes ? [...new Set(scopes)] : null, networks: networks ? [...new Set(networks)] : null };
}

/** Asks the operator for another key in the place of one of the organization’s own; 404 for another’s, 409 for one that is not in force. */
export async function requestRotation(
  tx: Tx,
  actor: Actor,
  { keyId, reason }: { keyId: Id<'key'>; reason: string | null },
): Promise<KeyRow> {
  const key = await lockKey(tx, keyId);
  if (key?.organization_id !== actor.organization_id) throw notFound('key');
  if (key.status !== 'ACTIVE') throw new ApiError('CONFLICT', `The key is ${key.status}: ask the operator for a new one.`);
  await setRotationRequest(tx, { keyId, actor: actor.actor_id, reason });
  if (!key.rotation_requested_at) await tellOperators(tx, key, reason);
  return orNotFound(await findKeyRow(tx, keyId), 'key');
}

async function tellOperators(tx: Tx, { key_id, organization, label }: KeyRow, reason: string | null): Promise<void> {
  await alertOperators(tx, 'key.rotation_requested', {
    category: 'key',
    priority: 'MEDIUM',
    title: `${organization} asks for another key`,
    message: `In the place of ${label ? `${label} (${key_id})` : key_id}${reason ? `: ${reason}` : ''}. Rotate it, or ask ${organization} back.`,
    entity_type: 'key',
    entity_id: key_id,
  });
}

/** Replaces a key; the old one stays valid for the overlap. */
export async function rotateKey(
  tx: Tx,
  actor: Decider,
  { keyId, overlapSeconds }: { keyId: Id<'key'>; overlapSeconds: number },
  means: Means,
): Promise<IssuedKey> {
  const old = orNotFound(await lockKey(tx, keyId), 'key');
  if (old.status !== 'ACTIVE') throw new ApiError('CONFLICT', `The key is ${old.status}: issue a new one.`);
  // Keys expire by the real clock, which a sandbox cannot advance.
  const lifeSeconds = Math.round((old.expires_at.getTime() - old.issued_at.getTime()) / 1000);
  const life = { lifeSeconds: Math.min(Math.max(lifeSeconds, 1), LONGEST_LIFE_SECONDS) };
  const issued = await writeKey(
    tx,
    actor,
    { ...old, ...life, rotated_from: keyId, new_organization: null, action: 'key.rotated' },
    means,
  );
  await endKey(tx, keyId, overlapSeconds);
  return issued;
}

export async function revokeKey(
  tx: Tx,
  actor: Decider,
  { keyId, reason }: { keyId: Id<'key'>; reason: string | null },
): Promise<KeyRow> {
  const key = orNotFound(await lockKey(tx, keyId), 'key');
  await endKey(tx, keyId, 0);
  audit(tx, {
    organization_id: key.organization_id,
    actor: actor.actor_id,
    action: 'key.revoked',
    entity_type: 'key',
    entity_id: keyId,
    before: { status: key.status },
    after: { status: 'REVOKED' },
    reason,
  });
  return orNotFound(await lockKey(tx, keyId), 'key');
}

type NewKey = Pick<
  KeyRow,
  | 'organization_id'
  | 'role'
  | 'environment'
  | 'requester'
  | 'use_case'
  | 'rotated_from'
  | 'api_version'
  | 'label'
  | 'scopes'
  | 'networks'
> & {
  lifeSeconds: number;
  /** What the organization is that the key has made. */
  new_organization: Pick<Organization, 'name' | 'profile'> | null;
  /** The act's name in the audit log. */
  action: string;
};

async function writeKey(tx: Tx, actor: Decider, row: NewKey, { tokens }: Means): Promise<IssuedKey> {
  const issuedSeconds = Math.floor(Date.now() / 1000);
  const key_id = tx.newId('key');
  const life = { issued_at: new Date(issuedSeconds * 1000), expires_at: new Date((issuedSeconds + row.lifeSeconds) * 1000) };
  const { expires_at } = life;
  await insertKey(tx, { ...row, ...life, key_id });
  audit(tx, {
    organization_id: row.organization_id,
    actor: actor.actor_id,
    action: row.action,
    entity_type: 'key',
    entity_id: key_id,
    after: {
      role: row.role,
      environment: row.environment,
      requester: row.requester,
      use_case: row.use_case,
      expires_at: expires_at.toISOString(),
      rotated_from: row.rotated_from,
      label: row.label,
      scopes: row.scopes,
      networks: row.networks,
      new_organization: row.new_organization,
    },
  });
  return { key_id, organization_id: row.organization_id, token: tokenOfKey(tokens, { ...row, ...life, key_id }), expires_at };
}
