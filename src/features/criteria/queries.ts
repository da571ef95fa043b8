import { storedRecord } from '../../platform/http/stored-record.ts';
import type { CriteriaSet } from '../../loans/criteria/language.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';

export const CRITERIA_RECORD = storedRecord('criteria', 'criteria_id');

export type CriteriaVersion = {
  criteria_id: Id<'crt'>;
  version: number;
  loan_type: string;
  name: string;
  definition: CriteriaSet;
  created_at: Date;
};

export async function insertCriteria(
  tx: Tx,
  row: { criteria_id: Id<'crt'>; organization_id: Id<'org'>; name: string; loan_type: string; definition: unknown },
): Promise<void> {
  await tx.exec('insert into criteria (criteria_id, organization_id, name, loan_type, created_at) values ($1, $2, $3, $4, $5)', [
    row.criteria_id,
    row.organization_id,
    row.name,
    row.loan_type,
    tx.now,
  ]);
  await insertVersion(tx, { ...row, version: 1 });
}

export async function insertVersion(
  tx: Tx,
  row: { criteria_id: Id<'crt'>; organization_id: Id<'org'>; version: number; definition: unknown },
): Promise<void> {
  await tx.exec(
    'insert into criteria_versions (criteria_id, version, organization_id, definition, created_at) values ($1, $2, $3, $4, $5)',
    [row.criteria_id, row.version, row.organization_id, JSON.stringify(row.definition), tx.now],
  );
}

export async function nextVersion(tx: Tx, organizationId: Id<'org'>, criteriaId: Id<'crt'>): Promise<number | null> {
  const row = await tx.one<{ latest_version: number }>(
    'update criteria set latest_version = latest_version + 1 where organization_id = $1 and criteria_id = $2 returning latest_version',
    [organizationId, criteriaId],
  );
  return row?.latest_version ?? null;
}

/** One version of a set; the latest when `version` is null. */
export function findCriteria(
  tx: Tx,
  organizationId: Id<'org'>,
  criteriaId: Id<'crt'>,
  version: number | null,
): Promise<CriteriaVersion | null> {
  return tx.one<CriteriaVersion>(
    `select c.criteria_id, v.version, c.loan_type, c.name, v.definition, v.created_at
     from criteria c join criteria_versions v on v.criteria_id = c.criteria_id and v.version = coalesce($3, c.latest_version)
     where c.organization_id = $1 and c.criteria_id = $2`,
    [organizationId, criteriaId, version],
  );
}

export function listCriteria(
  tx: Tx,
  organizationId: Id<'org'>,
  query: PageRequest & Between & { type?: string },
): Promise<Page<CriteriaVersion>> {
  return selectPage(
    tx,
    {
      select: 'c.criteria_id, v.version, c.loan_type, c.name, v.definition, v.created_at',
      from: 'criteria c join criteria_versions v on v.criteria_id = c.criteria_id and v.version = c.latest_version',
      countFrom: 'criteria c',
      filters: [['c.organization_id = ?', organizationId], ['c.loan_type = ?', query.type], ...between('c.created_at', query)],
      order: newestFirst('c.created_at', 'c.criteria_id'),
    },
    query,
  );
}
