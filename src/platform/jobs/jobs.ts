import type pg from 'pg';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Tx } from '../db/database.ts';
import { oneAtATime } from '../db/migrate.ts';

/** Work of the platform that runs after its transaction has committed, in any process that works. */
export type JobName = 'ingest-tape' | 'run-criteria' | 'run-calculation' | 'bulk-ingest' | 'housekeeping';

export type JobData = Record<string, string | number | boolean | null>;

/** `last`: no further attempt follows, so that what fails now must be told to somebody. */
export type JobHandler = (data: JobData, signal: AbortSignal, last: boolean) => Promise<void>;

export type Jobs = {
  /** Queues work inside the caller's transaction: rolled back, no job. */
  enqueue(tx: Tx, name: JobName, data: JobData): Promise<void>;
  /** Takes jobs until it is stopped; a job of a killed process is taken over by another. */
  work(handlers: Record<JobName, JobHandler>, options?: { concurrency?: number }): Promise<void>;
  /** Runs what is queued, in this process, until nothing is left; how many jobs that were. */
  drain(handlers: Record<JobName, JobHandler>): Promise<number>;
  /** Lets running jobs end (bounded), takes no more. */
  [Symbol.asyncDispose](): Promise<void>;
};

const HEARTBEAT_SECONDS = 10;
const HOUR_SECONDS = 3_600;
const NAMES: readonly JobName[] = ['ingest-tape', 'run-criteria', 'run-calculation', 'bulk-ingest', 'housekeeping'];

/** Prepares the queue's own schema and queues; safe when several processes start at once. */
export async function migrateJobs(url: string): Promise<void> {
  await oneAtATime(url, async (client) => {
    const boss = createBoss(url, false, true);
    boss.on('error', () => {});
    try {
      await boss.start();
      for (const name of NAMES) {
        await boss.createQueue(name, {
          notify: true,
          heartbeatSeconds: HEARTBEAT_SECONDS,
          retryLimit: 5,
          retryDelay: 1,
          retryBackoff: true,
          expireInSeconds: 2 * HOUR_SECONDS,
        });
      }
    } finally {
      await boss.stop({ graceful: false });
    }
    await client.query(GRANTS);
  });
}

const GRANTS = `do $$ begin
  if exists (select 1 from pg_roles where rolname = 'sluice_app') then
    grant usage on schema pgboss to sluice_app;
    grant select, insert, update, delete on all tables in schema pgboss to sluice_app;
    grant execute on all functions in schema pgboss to sluice_app;
  end if;
exception when insufficient_privilege then null; end $$`;

/** `supervise` false: a queue that only its own process drains (no schedules, no takeover, no listening). */
export async function openJobs(
  url: string,
  onError: (error: Error) => void,
  options: { supervise?: boolean } = {},
): Promise<Jobs> {
  const boss = createBoss(url, options.supervise ?? true);
  boss.on('error', onError);
  await boss.start();
  return {
    async enqueue(tx, name, data) {
      await boss.send(name, data, { db: { executeSql: async (sql, values) => ({ rows: await tx.rows(sql, values) }) } });
    },
    async work(handlers, options = {}) {
      for (const name of NAMES) {
        const worker: { id?: string } = {};
        worker.id = await boss.work(
          name,
          {
            batchSize: 1,
            includeMetadata: true,
            pollingIntervalSeconds: 2,
            notifyPollingIntervalSeconds: 2,
            localConcurrency: options.concurrency ?? 2,
            heartbeatRefreshSeconds: HEARTBEAT_SECONDS / 3,
          },
          async ([job]: JobWithMetadata<JobData>[]) => {
            try {
              if (job) await handlers[name](job.data, job.signal, job.retryCount >= job.retryLimit);
            } finally {
              // Where one job was there may be another: the next look is at once, not after the poll.
              if (worker.id) boss.notifyWorker(worker.id);
            }
          },
        );
      }
      await boss.schedule('housekeeping', '*/5 * * * *', {});
    },
    async drain(handlers) {
      let done = 0;
      for (let found = true; found; ) {
        found = false;
        for (const name of NAMES) {
          for (const job of await boss.fetch<JobData>(name, { batchSize: 10 })) {
            await handlers[name](job.data, new AbortController().signal, false);
            await boss.complete(name, job.id);
            found = true;
            done += 1;
          }
        }
      }
      return done;
    },
    [Symbol.asyncDispose]: () => boss.stop({ graceful: true, timeout: 20_000 }),
  };
}

/** The version of the queue's own schema, or null where it has never been made. */
export async function jobQueueVersion(client: pg.Client): Promise<number | null> {
  const there = await client.query(`select 1 where to_regclass('pgboss.version') is not null`);
  if (there.rowCount === 0) return null;
  return (await client.query<{ version: number }>('select version from pgboss.version')).rows[0]?.version ?? null;
}

/** Work that ran when a database was copied runs nowhere in the copy: it is queued again, and no attempt is counted. */
export async function requeueRunning(client: pg.Client): Promise<void> {
  await client.query(`update pgboss.job set state = 'created', started_on = null, heartbeat_on = null where state = 'active'`);
}

function createBoss(url: string, running: boolean, migrate = false): PgBoss {
  return new PgBoss({
    connectionString: url,
    max: 6,
    application_name: 'sluice-jobs',
    migrate,
    createSchema: migrate,
    supervise: running,
    schedule: running,
    useListenNotify: running,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
}
