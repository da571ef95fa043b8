import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

const MOST_AT_ONCE = 1_000;

/** Ends claims whose process was killed: the bytes that it stored belong to no upload. */
export async function dropDeadReceivers(tx: Tx): Promise<void> {
  await tx.exec(
    `update uploads set receiver = null, receiver_until = null, receiving_key = null
     where receiver_until < now() - interval '1 minute' or receiver_until > now() + interval '1 minute'`,
  );
}

/**
 * Uploads without bytes whose address expired an hour ago, and uploads that were not completed within a day. A draft keeps its upload as
 * long as it exists.
 */
export function deleteExpiredUploads(tx: Tx): Promise<number> {
  return tx.exec(
    `delete from uploads where upload_id in (
       select u.upload_id from uploads u
       where u.status <> 'COMPLETED' and u.receiver is null
         and u.expires_at < now() - case u.status when 'UPLOADED' then interval '1 day' else interval '1 hour' end
         and not exists (select from deals d where d.deal_id = u.deal_id and d.status = 'DRAFT' and u.purpose = 'tape')
       order by u.expires_at limit ${MOST_AT_ONCE} for update skip locked)`,
  );
}

/** Records an object before it is stored, also a second time: it is removed after an hour unless a transaction claims it. */
export async function noteUnclaimed(tx: Tx, organizationId: Id<'org'>, objectKey: string): Promise<void> {
  await tx.exec(
    `insert into removed_objects (object_key, organization_id, removed_at) values ($1, $2, now() + interval '1 hour')
     on conflict (object_key) do update set removed_at = excluded.removed_at`,
    [objectKey, organizationId],
  );
}

/** Claims recorded objects so that they stay; false where storing them took so long that some may be deleted. */
export async function claimObjects(tx: Tx, keys: readonly string[]): Promise<boolean> {
  if (keys.length === 0) return true;
  const claimed = await tx.exec('delete from removed_objects where object_key = any($1) and removed_at > now()', [keys]);
  return claimed === keys.length;
}

/** Claims the objects of an attempt with its result, or throws. */
export async function claimStored(tx: Tx, keys: readonly string[]): Promise<void> {
  if (!(await claimObjects(tx, keys))) throw new Error(`storing ${keys[0]} and what belongs to it took too long`);
}

export async function listRemovedObjects(tx: Tx, most: number): Promise<string[]> {
  const rows = await tx.rows<{ object_key: string }>(
    'select object_key from removed_objects where removed_at <= now() order by removed_at limit $1',
    [most],
  );
  return rows.map((row) => row.object_key);
}

export async function forgetRemovedObject(tx: Tx, objectKey: string): Promise<void> {
  await tx.exec('delete from removed_objects where object_key = $1', [objectKey]);
}

export async function postponeRemoval(tx: Tx, objectKey: string): Promise<void> {
  await tx.exec(`update removed_objects set removed_at = now() + interval '1 hour' where object_key = $1`, [objectKey]);
}

/** True once a day, for one process. */
export async function claimFileSweep(tx: Tx): Promise<boolean> {
  const claimed = await tx.exec(
    `insert into file_sweeps (swept_at) values (now())
     on conflict (singleton) do update set swept_at = now()
       where file_sweeps.swept_at < now() - interval '1 day' or file_sweeps.swept_at > now() + interval '1 minute'`,
  );
  return claimed === 1;
}

/** Filters the keys to those that no upload, tape, bulk item or document names. */
export async function listUnnamed(tx: Tx, keys: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(
    `select key from unnest($1::text[]) key
     where not exists (select from uploads where object_key = key)
       and not exists (select from uploads where receiving_key = key)
       and not exists (select from tapes where object_key = key)
       and not exists (select from bulk_items where object_key = key)
       and not exists (select from documents where object_key = key)`,
    [keys],
  );
  return rows.map((row) => row.key);
}
