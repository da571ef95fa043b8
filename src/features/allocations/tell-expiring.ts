import type { Database } from '../../platform/db/database.ts';
import { tellAllocations } from './allocation.ts';
import { listExpiring, recordExpiryTold } from './queries.ts';
import { reminderTime } from './round.ts';

const BATCH = 200;
/** More than the time between a deadline and one business day before it, with any run of holidays. */
const AHEAD_MS = 10 * 86_400_000;

/** Tells investors of allocations whose response deadline is one business day away or less, each once; returns how many. */
export async function tellExpiring(db: Database): Promise<number> {
  let told = 0;
  for (;;) {
    const batch = await db.tx({ platform: true }, async (tx) => {
      const until = new Date(tx.now.getTime() + AHEAD_MS);
      const near = (await listExpiring(tx, until, BATCH)).filter(({ expires_at }) => reminderTime(expires_at, tx.zone) <= tx.now);
      const rows = await recordExpiryTold(
        tx,
        near.map((each) => each.allocation_id),
      );
      await tellAllocations(tx, 'allocation.expiring', rows);
      return rows.length;
    });
    told += batch;
    if (batch < BATCH) return told;
  }
}
