import { audit } from '../../platform/audit.ts';
import type { Environment } from '../../config.ts';
import type { Profile } from '../compliance/compliance.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidField, notFound } from '../../platform/http/errors.ts';
import type { Role } from '../../platform/http/route.ts';
import { type Id } from '../../platform/ids.ts';
import {
  addRoleAndEnvironment,
  endKey,
  findKeyKinds,
  findOrganizationByLook,
  findOrganizationByName,
  insertKey,
  insertLooks,
  insertOrganization,
  type KeyRow,
  lockKey,
  lockUnfolded,
  type Organization,
} from './queries.ts';
import { keptName, looksOf } from './organization-name.ts';
import { ISSUER, signToken, type TokenKeys } from '../../platform/tokens.ts';

export const DEFAULT_LIFE_SECONDS = 90 * 86_400;
export const LONGEST_LIFE_SECONDS = 365 * 86_400;

export type KeyRequest = {
  organization: string;
  role: Role;
  environment: Environment;
  requester: string;
  use_case: string;
  expires_in_seconds?: number;
  profile?: 'verified' | 'none';
};

export type IssuedKey = { key_id: Id<'key'>; organization_id: Id<'org'>; token: string; expires_at: Date };

/** A profile that passes every compliance check, so that a first integration works where nothing is real. */
export const VERIFIED_PROFILE: Profile = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: '2099-12-31',
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: true,
  us_person: true,
  tax_form: 'W9_FORM',
  erisa_plan: false,
};

/** On a production gateway no organization begins verified, whatever the environment of its first key. */
export const defaultProfile = (gateway: string): Pick<KeyRequest, 'profile'> =>
  gateway === 'production' ? { profile: 'none' } : {};

/** Issues a key for an organization, which comes into being with its first key. The token is in the answer and nowhere else. */
export async function issueKey(tx: Tx, keys: TokenKeys, request: KeyRequest, actor: string): Promise<IssuedKey> {
  const life = request.expires_in_seconds ?? DEFAULT_LIFE_SECONDS;
  if (life < 1 || life > LONGEST_LIFE_SECONDS) throw invalidField('expires_in', 'INVALID', 'expected at most 365 days');
  // A name from before names were kept in one form goes by its own spelling.
  const organization = (await findOrganizationByName(tx, request.organization)) ?? (await findOrCreateOrganization(tx, request));
  await refuseMixedRoles(tx, organization, request.role);
  await addRoleAndEnvironment(tx, organization.organization_id, request.role, request.environment);
  return writeKey(
    tx,
    keys,
    { ...request, organization_id: organization.organization_id, lifeSeconds: life, rotated_from: null },
    actor,
    'key.issued',
  );
}

async function findOrCreateOrganization(tx: Tx, request: KeyRequest): Promise<Organization> {
  const name = keptName(request.organization);
  if (name === '') throw invalidField('organization', 'INVALID', 'expected at least one visible character');
  // Under the lock no other organization comes into being.
  for (const each of await lockUnfolded(tx)) await insertLooks(tx, each.organization_id, looksOf(each.name));
  const found = await findOrganizationByName(tx, name);
  if (found) return found;
  const looks = looksOf(name);
  const alike = await findOrganizationByLook(tx, looks);
  if (alike) throw nameTaken(name, alike);
  const profile = request.profile ?? (request.environment === 'production' ? 'none' : 'verified');
  const created = await insertOrganization(tx, {
    organization_id: tx.newId('org'),
    name,
    profile: profile === 'verified' ? VERIFIED_PROFILE : null,
  });
  await insertLooks(tx, created.organization_id, looks);
  return created;
}

function nameTaken(name: string, taken: { organization_id: Id<'org'>; name: string }): ApiError {
  const message = `"${name}" looks like "${taken.name}" (${taken.organization_id}): use that exact spelling for a key of that organization, or choose another name.`;
  return new ApiError('NAME_TAKEN', message, { errors: [{ field: 'organization', code: 'NAME_TAKEN', message }] });
}

/** Who decides about customers is none of them: an organization's keys are the operator's or a customer's. */
async function refuseMixedRoles(tx: Tx, { organization_id, name }: Organization, role: Role): Promise<void> {
  const held = await findKeyKinds(tx, organization_id);
  if (role === 'operator' ? !held.customer : !held.operator) return;
  const [kept, asked] = role === 'operator' ? ['customer', 'an operator key'] : ['operator', `a key of role ${role}`];
  throw new ApiError(
    'ROLE_CONFLICT',
    `${name} (${organization_id}) holds ${kept} keys: issue ${asked} for another organization.`,
  );
}

/** Replaces a key; the old one works on for the overlap. */
export async function rotateKey(
  tx: Tx,
  keys: TokenKeys,
  keyId: Id<'key'>,
  overlapSeconds: number,
  actor: string,
): Promise<IssuedKey> {
  const old = await lockKey(tx, keyId);
  if (!old) throw notFound('key');
  if (old.status !== 'ACTIVE') throw new ApiError('CONFLICT', `The key is ${old.status}: issue a new one.`);
  // Keys live by the real clock, which a sandbox cannot advance.
  const lifeSeconds = Math.round((old.expires_at.getTime() - old.issued_at.getTime()) / 1000);
  const issued = await writeKey(
    tx,
    keys,
    { ...old, lifeSeconds: Math.min(Math.max(lifeSeconds, 1), LONGEST_LIFE_SECONDS), rotated_from: keyId },
    actor,
    'key.rotated',
  );
  await endKey(tx, keyId, overlapSeconds);
  return issued;
}

export async function revokeKey(tx: Tx, keyId: Id<'key'>, actor: string, reason: string | null): Promise<KeyRow> {
  const key = await lockKey(tx, keyId);
  if (!key) throw notFound('key');
  await endKey(tx, keyId, 0);
  audit(tx, {
    organization_id: key.organization_id,
    actor,
    action: 'key.revoked',
    entity_type: 'key',
    entity_id: keyId,
    before: { status: key.status },
    after: { status: 'REVOKED' },
    reason,
  });
  return (await lockKey(tx, keyId)) as KeyRow;
}

type NewKey = Pick<KeyRow, 'organization_id' | 'role' | 'environment' | 'requester' | 'use_case' | 'rotated_from'> & {
  lifeSeconds: number;
};

async function writeKey(tx: Tx, keys: TokenKeys, row: NewKey, actor: string, action: string): Promise<IssuedKey> {
  const issuedSeconds = Math.floor(Date.now() / 1000);
  const key_id = tx.newId('key');
  const expires_at = new Date((issuedSeconds + row.lifeSeconds) * 1000);
  await insertKey(tx, { ...row, key_id, issued_at: new Date(issuedSeconds * 1000), expires_at });
  audit(tx, {
    organization_id: row.organization_id,
    actor,
    action,
    entity_type: 'key',
    entity_id: key_id,
    after: {
      role: row.role,
      environment: row.environment,
      requester: row.requester,
      use_case: row.use_case,
      expires_at: expires_at.toISOString(),
      rotated_from: row.rotated_from,
    },
  });
  const token = signToken(keys, {
    iss: ISSUER,
    aud: row.environment,
    sub: row.organization_id,
    jti: key_id,
    role: row.role,
    iat: issuedSeconds,
    exp: issuedSeconds + row.lifeSeconds,
  });
  return { key_id, organization_id: row.organization_id, token, expires_at };
}
