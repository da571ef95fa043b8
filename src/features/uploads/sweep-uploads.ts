import type { Deps } from '../../platform/deps.ts';
import { StoreRefused, StoreUnavailable } from '../../platform/files/store.ts';
import {
  claimFileSweep,
  deleteExpiredUploads,
  dropDeadReceivers,
  forgetRemovedObject,
  listRemovedObjects,
  listUnnamed,
  postponeRemoval,
} from './sweep-queries.ts';

/** Longer than the slowest permitted upload of the largest file. */
const UNFINISHED_HOURS = 12;
const BATCH = 500;
/** Where the platform's objects are that may be larger than one part of an upload to a bucket. */
const FOLDERS = ['uploads', 'tapes', 'criteria', 'pools', 'calculations', 'shared', 'pledges'] as const;

/** Removes uploads that were never completed, with their bytes, and files that killed processes left in the store. */
export async function sweepUploads(deps: Deps): Promise<void> {
  const before = new Date(Date.now() - UNFINISHED_HOURS * 3_600_000);
  const expired = await deps.db.tx({ platform: true }, async (tx) => {
    await dropDeadReceivers(tx);
    return deleteExpiredUploads(tx);
  });
  const objects = await deleteRemovedObjects(deps);
  const unfinished = await deps.store.removeUnfinished(FOLDERS, before);
  const orphans = (await deps.db.tx({ platform: true }, claimFileSweep)) ? await deleteOrphans(deps, before) : 0;
  const removed = { expired, objects, unfinished, orphans };
  if (Object.values(removed).some((number) => number > 0)) deps.log.info(removed, 'removed uploads that were never completed');
}

/** Deletes objects that no row names. If the store refuses, the object is tried again in an hour, behind the others. */
async function deleteRemovedObjects(deps: Deps): Promise<number> {
  const keys = await deps.db.tx({ platform: true }, (tx) => listRemovedObjects(tx, BATCH));
  let deleted = 0;
  for (const key of keys) {
    const refused = await deps.store.delete(key).then(() => null, refusalOf);
    await deps.db.tx({ platform: true }, (tx) => (refused ? postponeRemoval(tx, key) : forgetRemovedObject(tx, key)));
    if (refused) deps.log.warn({ object_key: key, err: refused }, 'an object that is no longer needed could not be deleted');
    else deleted += 1;
  }
  return deleted;
}

/** An error of a store that does not respond is no refusal; an object under a lock of the bucket is one, and others can be deleted. */
function refusalOf(error: Error): Error {
  if (error instanceof StoreUnavailable && !(error instanceof StoreRefused)) throw error;
  return error;
}

/** Deletes local files of uploads that no row names: left by a process that was killed between file and row, or by deleted rows. */
async function deleteOrphans(deps: Deps, before: Date): Promise<number> {
  let deleted = 0;
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    for (const key of await deps.db.tx({ platform: true }, (tx) => listUnnamed(tx, batch))) {
      await deps.store.delete(key);
      deleted += 1;
    }
    batch = [];
  };
  for await (const key of deps.store.localKeys('uploads', before)) {
    batch.push(key);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return deleted;
}
