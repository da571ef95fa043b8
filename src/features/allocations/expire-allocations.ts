import type { Database } from '../../platform/db/database.ts';
import { expireAllocation } from './decide-allocation.ts';
import { listDueAllocations } from './queries.ts';

const BATCH = 200;

/** Expires allocations whose response deadline has passed, each in a transaction of its own; returns their number. */
export async function expireAllocations(db: Database): Promise<number> {
  const due = await db.tx({ platform: true }, (tx) => listDueAllocations(tx, BATCH));
  let expired = 0;
  for (const each of due) {
    if (await db.tx({ platform: true }, (tx) => expireAllocation(tx, each))) expired += 1;
  }
  return expired;
}
