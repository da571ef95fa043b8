import { type ActorFields, actorColumns } from '../../platform/http/actor-fields.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Page, PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { deleteInBatches } from '../../platform/retention.ts';
import type { Access, AccessAct } from './access.ts';

export type AccessRow = ActorFields & {
  organization_id: Id<'org'>;
  reader_id: Id<'org'>;
  reader: string;
  act: AccessAct;
  entity_type: Access['entity_type'];
  entity_id: string;
  what: string;
  details: Record<string, unknown>;
  at: Date;
};

/** Writes a reading into the owner's log, in the transaction of the reading. */
export async function recordAccess(
  tx: Tx,
  reader: Actor,
  { organization_id, act, entity_type, entity_id, what, details = {} }: Access,
): Promise<void> {
  await tx.exec(
    `insert into record_accesses (organization_id, reader_id, actor_id, act, entity_type, entity_id, what, details, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      organization_id,
      reader.organization_id,
      reader.actor_id,
      act,
      entity_type,
      entity_id,
      what,
      JSON.stringify(details),
      tx.now,
    ],
  );
}

export type AccessFilter = PageRequest &
  Between & { organization_id?: Id<'org'>; reader_id?: Id<'org'>; entity_id?: string; act?: AccessAct };

/** Readings of records, newest first: of one organization's, or of all. Needs the platform's scope: readers are other organizations. */
export function listRecordAccesses(tx: Tx, organizationId: Id<'org'> | null, filter: AccessFilter): Promise<Page<AccessRow>> {
  const filters: Filter[] = [
    ['a.organization_id = ?', organizationId ?? filter.organization_id],
    ['a.reader_id = ?', filter.reader_id],
    ['a.entity_id = ?', filter.entity_id],
    ['a.act = ?', filter.act],
    ...between('a.at', filter),
  ];
  return selectPage<AccessRow>(
    tx,
    {
      select: `a.organization_id, a.reader_id, o.name as reader, ${actorColumns('a.actor_id')}, a.act, a.entity_type, a.entity_id, a.what, a.details, a.at`,
      from: 'record_accesses a join organizations o on o.organization_id = a.reader_id',
      countFrom: 'record_accesses a',
      filters,
      order: [{ by: 'a.access_id', as: 'bigint', desc: true }],
    },
    filter,
  );
}

/** The log is evidence and is kept for seven years. */
const OLD = `delete from record_accesses where access_id in (
  select access_id from record_accesses where at < sluice_now() - interval '7 years' order by at limit $1 for update skip locked)`;

export const deleteOldRecordAccesses = (db: Database): Promise<number> => deleteInBatches(db, OLD);
