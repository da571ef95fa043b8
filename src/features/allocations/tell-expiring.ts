import { addDays } from '../../finance/dates.ts';
import type { Database } from '../../platform/db/database.ts';
import { tellAllocations } from './allocation.ts';
import { listExpiring, recordExpiryTold } from './queries.ts';
import { reminderTime } from './round.ts';

const BATCH = 200;
/** More calendar days than one business day before a deadline can be away, with any run of holidays. */
const AHEAD_DAYS = 10;

/** Tells investors of allocations whose response deadline is one business day away or less, each once; returns how many. */
export async function tellExpiring(db: Database): Promise<number> {
  let told = 0;
  for (;;) {
    const batch = await db.tx({ platform: true }, async (tx) => {
      const until = new Date(`${addDays(tx.now.toISOString().slice(0, 10), AHEAD_DAYS)}T00:00:00Z`);
      const near = (await listExpiring(tx, until, BATCH)).filter(({ expires_at }) => reminderTime(expires_at) <= tx.now);
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
