import type { Deps } from '../../platform/deps.ts';
import {
  claimFileSweep,
  deleteExpiredUploads,
  dropDeadReceivers,
  forgetRemovedObject,
  listRemovedObjects,
  listUnnamed,
} from './sweep-queries.ts';

/** Longer than the slowest upload of the largest file takes at the least rate. */
const UNFINISHED_HOURS = 12;
const BATCH = 500;
/** Where the platform's objects are. */
const FOLDERS = ['uploads', 'tapes', 'criteria', 'pools', 'calculations'] as const;

/** Removes uploads that were never completed, with whatever was stored for them, and what killed processes left in the store. */
export async function sweepUploads(deps: Deps, unfinishedHours = UNFINISHED_HOURS): Promise<void> {
  const before = new Date(Date.now() - unfinishedHours * 3_600_000);
  const expired = await deps.db.tx({ platform: true }, async (tx) => {
    await dropDeadReceivers(tx);
    return deleteExpiredUploads(tx);
  });
  const objects = await deleteRemovedObjects(deps);
  const unfinished = await deps.store.removeUnfinished(FOLDERS, before);
  const orphans = (await deps.db.tx({ platform: true }, claimFileSweep)) ? await deleteOrphans(deps, before) : 0;
  const removed = { expired, objects, unfinished, orphans };
  if (Object.values(removed).some((number) => number > 0))
    deps.log.info(removed, 'uploads that were never completed were removed');
}

/** Deletes objects that no row names any more; one whose deletion fails is tried again by the next sweep. */
async function deleteRemovedObjects(deps: Deps): Promise<number> {
  const keys = await deps.db.tx({ platform: true }, (tx) => listRemovedObjects(tx, BATCH));
  for (const key of keys) {
    await deps.store.delete(key);
    await deps.db.tx({ platform: true }, (tx) => forgetRemovedObject(tx, key));
  }
  return keys.length;
}

/** Local files of uploads that no row names: of a process that was killed between file and row, or of rows that are gone. */
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
