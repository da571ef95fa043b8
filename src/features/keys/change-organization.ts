import { audit } from '../../platform/audit.ts';
import type { Profile } from '../compliance/checks.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import { notFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import { findOrganization, lockOrganization, type Organization, type OrganizationStatus, updateProfile } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** The moves of an organization; suspending a suspended one again changes nothing. */
export const ORGANIZATION_MOVES = new Mover<Organization, 'status', OrganizationStatus>({
  noun: 'organization',
  table: 'organizations',
  key: ['organization_id'],
  column: 'status',
  moves: { ACTIVE: ['ACTIVE', 'SUSPENDED'], SUSPENDED: ['SUSPENDED', 'ACTIVE'] },
});

/** Sets the compliance profile, whole: what it leaves out is gone. */
export async function setProfile(tx: Tx, organizationId: Id<'org'>, profile: Profile, decider: Decider): Promise<Organization> {
  const organization = await lockExisting(tx, decider, organizationId);
  await updateProfile(tx, organizationId, profile);
  auditChange(tx, organizationId, decider.key_id, {
    action: 'organization.profile_set',
    before: organization.profile,
    after: profile,
  });
  return (await findOrganization(tx, organizationId)) as Organization;
}

export function suspendOrganization(
  tx: Tx,
  organizationId: Id<'org'>,
  decider: Decider,
  reason: string | null,
): Promise<Organization> {
  return setStatus(tx, organizationId, decider, { action: 'organization.suspend', status: 'SUSPENDED', reason });
}

export function resumeOrganization(
  tx: Tx,
  organizationId: Id<'org'>,
  decider: Decider,
  reason: string | null,
): Promise<Organization> {
  return setStatus(tx, organizationId, decider, { action: 'organization.resume', status: 'ACTIVE', reason });
}

type StatusChange = { action: string; status: Organization['status']; reason: string | null };

async function setStatus(
  tx: Tx,
  organizationId: Id<'org'>,
  decider: Decider,
  { action, status, reason }: StatusChange,
): Promise<Organization> {
  const organization = await lockExisting(tx, decider, organizationId);
  const changed = await ORGANIZATION_MOVES.move(tx, organization, status);
  auditChange(tx, organizationId, decider.key_id, {
    action,
    before: { status: organization.status },
    after: { status },
    reason,
  });
  return changed;
}

async function lockExisting(tx: Tx, decider: Decider, organizationId: Id<'org'>): Promise<Organization> {
  const organization = await lockOrganization(tx, organizationId);
  if (!organization) throw notFound('organization');
  refuseOwnOrganization(decider, organizationId);
  return organization;
}

type Change = { action: string; before: unknown; after: unknown; reason?: string | null };

function auditChange(tx: Tx, organizationId: Id<'org'>, actor: string, change: Change): void {
  audit(tx, {
    organization_id: organizationId,
    actor,
    entity_type: 'organization',
    entity_id: organizationId,
    ...change,
  });
}
