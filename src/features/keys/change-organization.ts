import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
import { findOrganization, lockOrganization, type Organization, updateOrganizationStatus, updateProfile } from './queries.ts';

/** Sets the compliance profile, whole: what it leaves out is gone. */
export async function setProfile(
  tx: Tx,
  organizationId: string,
  profile: Record<string, unknown>,
  actor: string,
): Promise<Organization> {
  const organization = await lockExisting(tx, organizationId);
  await updateProfile(tx, organizationId, profile);
  auditChange(tx, organizationId, actor, {
    action: 'organization.profile_set',
    before: organization.profile,
    after: profile,
  });
  return (await findOrganization(tx, organizationId)) as Organization;
}

export async function suspendOrganization(
  tx: Tx,
  organizationId: string,
  caller: Caller,
  reason: string | null,
): Promise<Organization> {
  if (organizationId === caller.organization_id)
    throw new ApiError('CONFLICT', 'An operator cannot suspend its own organization: nobody could resume it.');
  return setStatus(tx, organizationId, caller, { action: 'organization.suspend', status: 'SUSPENDED', reason });
}

export function resumeOrganization(tx: Tx, organizationId: string, caller: Caller, reason: string | null): Promise<Organization> {
  return setStatus(tx, organizationId, caller, { action: 'organization.resume', status: 'ACTIVE', reason });
}

type StatusChange = { action: string; status: Organization['status']; reason: string | null };

async function setStatus(
  tx: Tx,
  organizationId: string,
  caller: Caller,
  { action, status, reason }: StatusChange,
): Promise<Organization> {
  const organization = await lockExisting(tx, organizationId);
  await updateOrganizationStatus(tx, organizationId, status);
  auditChange(tx, organizationId, caller.key_id, {
    action,
    before: { status: organization.status },
    after: { status },
    reason,
  });
  return (await findOrganization(tx, organizationId)) as Organization;
}

async function lockExisting(tx: Tx, organizationId: string): Promise<Organization> {
  const organization = await lockOrganization(tx, organizationId);
  if (!organization) throw notFound('organization');
  return organization;
}

type Change = { action: string; before: unknown; after: unknown; reason?: string | null };

function auditChange(tx: Tx, organizationId: string, actor: string, change: Change): void {
  audit(tx, {
    organization_id: organizationId,
    actor,
    entity_type: 'organization',
    entity_id: organizationId,
    ...change,
  });
}
