import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { lockOrganization, type Organization, type OrganizationStatus, type Profile } from '../keys/queries.ts';
import { ORGANIZATION_MOVES } from './organization.ts';
import { updateProfile } from './queries.ts';

/** Replaces the whole compliance profile: fields that the request leaves out are removed. */
export async function setProfile(
  tx: Tx,
  decider: Decider,
  { organizationId, profile }: { organizationId: Id<'org'>; profile: Profile },
): Promise<Organization> {
  const organization = await lockOthers(tx, decider, organizationId);
  await updateProfile(tx, organizationId, profile);
  auditChange(tx, decider, organization, {
    action: 'organization.profile_set',
    before: organization.profile,
    after: profile,
  });
  return { ...organization, profile };
}

export type StatusChange = { organizationId: Id<'org'>; reason: string | null };

export function suspendOrganization(tx: Tx, decider: Decider, change: StatusChange): Promise<Organization> {
  return setStatus(tx, decider, { ...change, action: 'organization.suspend', status: 'SUSPENDED' });
}

export function resumeOrganization(tx: Tx, decider: Decider, change: StatusChange): Promise<Organization> {
  return setStatus(tx, decider, { ...change, action: 'organization.resume', status: 'ACTIVE' });
}

async function setStatus(
  tx: Tx,
  decider: Decider,
  { organizationId, reason, action, status }: StatusChange & { action: string; status: OrganizationStatus },
): Promise<Organization> {
  const organization = await lockOthers(tx, decider, organizationId);
  const changed = await ORGANIZATION_MOVES.move(tx, organization, status);
  auditChange(tx, decider, organization, { action, before: { status: organization.status }, after: { status }, reason });
  return changed;
}

/** Locks the organization; refuses a decider of the same organization. */
async function lockOthers(tx: Tx, decider: Decider, organizationId: Id<'org'>): Promise<Organization> {
  const organization = orNotFound(await lockOrganization(tx, organizationId), 'organization');
  refuseOwnOrganization(decider, organizationId);
  return organization;
}

type Change = { action: string; before: unknown; after: unknown; reason?: string | null };

function auditChange(tx: Tx, decider: Decider, { organization_id }: Organization, change: Change): void {
  audit(tx, {
    organization_id,
    actor: decider.actor_id,
    entity_type: 'organization',
    entity_id: organization_id,
    ...change,
  });
}
