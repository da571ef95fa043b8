import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { Tape } from './queries.ts';

/** Makes the encrypted file the tape's own, with its key; false when another attempt did, or the run is no longer the tape's. */
export async function setSealedUpload(tx: Tx, tape: Tape, sealed: { object_key: string; data_key: string }): Promise<boolean> {
  const changed = await tx.exec(
    `update tapes set object_key = $5, data_key = $6
     where organization_id = $1 and deal_id = $2 and version = $3 and run = $4 and state = 'RUNNING'
       and object_key = $7 and data_key is null and keys_destroyed_at is null`,
    [tape.organization_id, tape.deal_id, tape.version, tape.run, sealed.object_key, sealed.data_key, tape.object_key],
  );
  return changed === 1;
}

/**
 * Drops a file that was sealed if nothing needs it as it was sent any more: no tape, and no deal of a bulk submission that has still to be
 * opened. Returns whether it was dropped; its object is to be deleted then.
 */
export async function dropPlainFile(tx: Tx, organizationId: Id<'org'>, objectKey: string): Promise<boolean> {
  // Two tapes of one file would each see the other's row as it was.
  await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 100))', [objectKey]);
  const needed = await tx.one(
    `select 1 where exists (select from tapes where organization_id = $1 and object_key = $2 and keys_destroyed_at is null)
       or exists (select from bulk_items where organization_id = $1 and object_key = $2 and deal_id is null and error_code is null)`,
    [organizationId, objectKey],
  );
  if (needed) return false;
  await tx.exec('update uploads set object_key = null where organization_id = $1 and object_key = $2', [
    organizationId,
    objectKey,
  ]);
  await tx.exec('update bulk_items set object_key = null where organization_id = $1 and object_key = $2', [
    organizationId,
    objectKey,
  ]);
  await noteRemoved(tx, organizationId, [objectKey], 0);
  return true;
}

/** Long enough for the slowest download of a file that was replaced. */
export const READERS_MINUTES = 60;

/** Has objects deleted that no row names any more, after so many minutes: somebody may still be reading them. */
export async function noteRemoved(tx: Tx, organizationId: Id<'org'>, keys: readonly string[], minutes: number): Promise<void> {
  await tx.exec(
    `insert into removed_objects (object_key, organization_id, removed_at)
     select key, $1, now() + make_interval(mins => $3) from unnest($2::text[]) key on conflict (object_key) do nothing`,
    [organizationId, keys, minutes],
  );
}

/** Those of the tables of loans that no run of criteria names. */
export async function listUnusedLoans(tx: Tx, organizationId: Id<'org'>, keys: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(
    `select key from unnest($2::text[]) key where not exists (select from sc_jobs where organization_id = $1 and loans_key = key)
       and not exists (select from tapes where organization_id = $1 and loans_key = key)`,
    [organizationId, keys],
  );
  return rows.map(({ key }) => key);
}

/** The tables of loans of a version: its own, and those that runs of criteria over it name. */
export async function listLoansKeys(tx: Tx, { organization_id, deal_id, version, loans_key }: Tape): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(
    `select distinct loans_key as key from sc_jobs
     where organization_id = $1 and deal_id = $2 and tape_version = $3 and loans_key is not null`,
    [organization_id, deal_id, version],
  );
  return [...new Set([...(loans_key === null ? [] : [loans_key]), ...rows.map(({ key }) => key)])];
}

/** Puts a table of loans in the place of another one of a version, wherever that is named, and has the other one deleted. */
export async function replaceLoans(tx: Tx, { organization_id, deal_id, version }: Tape, key: string, by: string): Promise<void> {
  await tx.exec(
    'update tapes set loans_key = $5 where organization_id = $1 and deal_id = $2 and version = $3 and loans_key = $4',
    [organization_id, deal_id, version, key, by],
  );
  await tx.exec(
    'update sc_jobs set loans_key = $5 where organization_id = $1 and deal_id = $2 and tape_version = $3 and loans_key = $4',
    [organization_id, deal_id, version, key, by],
  );
  await noteRemoved(tx, organization_id, [key], 0);
}

/** Has the files of a version deleted that was not sealed, destroyed as of a moment; its loans stay as they are. */
export async function dropUnsealedTape(tx: Tx, tape: Tape, at = tx.now): Promise<void> {
  const { organization_id, deal_id, version, object_key, raw_key, issues_key } = tape;
  await tx.exec(
    `update tapes set keys_destroyed_at = $4, raw_key = null, issues_key = null where organization_id = $1 and deal_id = $2 and version = $3`,
    [organization_id, deal_id, version, at],
  );
  await noteRemoved(
    tx,
    organization_id,
    [raw_key, issues_key].filter((key) => key !== null),
    0,
  );
  await dropPlainFile(tx, organization_id, object_key);
}

/** Destroys the data keys of a deal's versions; returns their numbers. */
export async function destroyDataKeys(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<number[]> {
  const rows = await tx.rows<{ version: number }>(
    `update tapes set data_key = null, keys_destroyed_at = $3 where organization_id = $1 and deal_id = $2 and data_key is not null
     returning version`,
    [organizationId, dealId, tx.now],
  );
  return rows.map(({ version }) => version).sort((a, b) => a - b);
}

/** Of the versions that a destruction names: those that are as they were before it. A number that was given again since is another version. */
const UNDESTROYED =
  'organization_id = $1 and deal_id = $2 and version = any($3) and keys_destroyed_at is null and created_at <= $4';

/** Those of the versions that a destruction names that this database has as they were before it. */
export function listUndestroyed(
  tx: Tx,
  organizationId: Id<'org'>,
  dealId: Id<'deal'>,
  { versions, destroyedAt }: { versions: readonly number[]; destroyedAt: Date },
): Promise<Tape[]> {
  return tx.rows<Tape>(
    `select * from tapes where ${UNDESTROYED}
     order by version for update`,
    [organizationId, dealId, versions, destroyedAt],
  );
}

/** How many versions a destruction names that are still there as they were before it. */
export async function countUndestroyed(
  reader: Reader,
  organizationId: Id<'org'>,
  dealId: Id<'deal'>,
  { versions, destroyedAt }: { versions: readonly number[]; destroyedAt: Date },
): Promise<number> {
  const row = await reader.one<{ count: number }>(
    `select count(*)::int as count from tapes
     where ${UNDESTROYED}`,
    [organizationId, dealId, versions, destroyedAt],
  );
  return row?.count ?? 0;
}

/** Destroys the data key of a version, as of a moment. */
export async function destroyDataKey(tx: Tx, { organization_id, deal_id, version }: Tape, at: Date): Promise<void> {
  await tx.exec(
    'update tapes set data_key = null, keys_destroyed_at = $4 where organization_id = $1 and deal_id = $2 and version = $3',
    [organization_id, deal_id, version, at],
  );
}

/** The versions whose data keys were wrapped first and last, of those that still have one. */
export function listEdgeDataKeys(tx: Tx): Promise<(Pick<Tape, 'deal_id' | 'version'> & { data_key: string })[]> {
  const edge = (order: string) =>
    `(select deal_id, version, data_key from tapes where data_key is not null order by created_at ${order}, deal_id limit 1)`;
  return tx.rows(`${edge('asc')} union all ${edge('desc')}`);
}
