import { PgBoss } from 'pg-boss';
import { OF_MIGRATIONS, OF_QUEUE } from '../db/connection.ts';
import { STEADY_CLOCK } from './clock-steps.ts';
import { openQueueDatabase, type QueueCalls } from './queue-database.ts';

export type BossOptions = Partial<QueueCalls> & {
  /** Creates and migrates the queue's own schema. */
  migrate?: boolean;
  /** Takes jobs over from killed workers, follows schedules and listens. */
  supervise?: boolean;
};

/** The queue, on connections of its own, which close when it stops. */
export function createBoss(
  url: string,
  { migrate = false, supervise = false, onStatement = () => {}, onDeaf = () => {} }: BossOptions,
): PgBoss {
  const db = openQueueDatabase(url, migrate ? OF_MIGRATIONS : OF_QUEUE, { onStatement, onDeaf });
  const boss = new PgBoss({
    db,
    migrate,
    createSchema: migrate,
    supervise,
    schedule: supervise,
    useListenNotify: supervise,
    clock: STEADY_CLOCK,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
  boss.once('stopped', () => void db.end());
  return boss;
}
