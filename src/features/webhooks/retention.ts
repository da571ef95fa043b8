import type { Database } from '../../platform/db/database.ts';

/** Makes coming partitions of events, deliveries and attempts and drops those whose time is over: 30 days of events, 90 of the rest. */
export async function keepPartitions(db: Database): Promise<number> {
  const row = await db.tx({ platform: true }, (tx) => tx.one<{ changed: number }>('select sluice_partition_upkeep() as changed'));
  return row?.changed ?? 0;
}
