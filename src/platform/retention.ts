import type { Database } from './db/database.ts';

const BATCH_ROWS = 5_000;
const BATCHES_PER_RUN = 100;

/**
 * Deletes expired rows in bounded batches, each in a transaction of its own, so that no lock is held for long and no statement times out;
 * the next run continues. The statement's $1 is the batch size. Returns the number of deleted rows.
 */
export async function deleteInBatches(
  db: Database,
  sql: string,
  { rows = BATCH_ROWS, batches = BATCHES_PER_RUN }: { rows?: number; batches?: number } = {},
): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const gone = await db.tx({ platform: true }, (tx) => tx.exec(sql, [rows]));
    deleted += gone;
    if (gone < rows) break;
  }
  return deleted;
}
