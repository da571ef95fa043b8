import type { Database } from '../../platform/db/database.ts';
import { expireDue } from './decide-allocation.ts';
import { listDueTranches } from './queries.ts';

/** Most that one transaction expires, since it holds the deal. */
const BATCH = 1_000;

/**
 * Expires allocations whose response deadline has passed; returns their number. Those of a tranche expire together and their face is offered again
 * in one round: a round has the whole book, and a book of thousands that are due at the same moment would be stored as often.
 */
export async function expireAllocations(db: Database, batch: number = BATCH): Promise<number> {
  const tranches = await db.tx({ platform: true }, listDueTranches);
  let expired = 0;
  for (const each of tranches) {
    let together: number;
    do {
      together = await db.tx({ platform: true }, (tx) => expireDue(tx, each, batch));
      expired += together;
    } while (together === batch);
  }
  return expired;
}
