import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';
import { findOwner } from '../deals/queries.ts';
import type { Organization, Profile } from '../keys/queries.ts';
import { findSecuritization, listStakeholders } from '../securitizations/queries.ts';

export async function updateProfile(tx: Tx, organizationId: Id<'org'>, profile: Profile): Promise<void> {
  await tx.exec('update organizations set profile = $2, profile_set_at = $3 where organization_id = $1', [
    organizationId,
    JSON.stringify(profile),
    tx.now,
  ]);
}

export async function listOrganizations(
  tx: Tx,
  query: PageRequest & Between & { organization_id?: Id<'org'>; status?: string; deal_id?: Id<'deal'> },
): Promise<Page<Organization>> {
  const filters = [
    ['organization_id = ?', query.organization_id],
    ['status = ?', query.status],
    ...between('created_at', query),
    ['organization_id = any(?)', query.deal_id === undefined ? undefined : await listPartners(tx, query.deal_id)],
  ] as const;
  return selectPage(
    tx,
    { select: '*', from: 'organizations', filters, order: newestFirst('created_at', 'organization_id') },
    query,
  );
}

/** The owner of a deal of either kind and its stakeholders. */
async function listPartners(tx: Tx, dealId: Id<'deal'>): Promise<string[]> {
  const [owner, securitization, holders] = await Promise.all([
    findOwner(tx, dealId),
    findSecuritization(tx, dealId),
    listStakeholders(tx, dealId),
  ]);
  return [owner, securitization?.organization_id, ...holders.map((each) => each.organization_id)].flatMap((each) => each ?? []);
}
