import type pg from 'pg';
import { type JobWithMetadata, PgBoss, type SendOptions } from 'pg-boss';
import { OF_MIGRATIONS, OF_QUEUE } from '../db/connection.ts';
import type { Tx } from '../db/database.ts';
import { oneAtATime } from '../db/migrate.ts';
import { inTime } from '../in-time.ts';
import { openQueueDatabase } from './queue-database.ts';
import { isStopping, WorkerStopping } from './stopping.ts';
import { refuseFullQueue, START_TURN, takeTurn } from './turns.ts';

/** Work of the platform that runs after its transaction has committed, in any process that works. */
export type JobName = 'ingest-tape' | 'run-criteria' | 'run-calculation' | 'bulk-ingest' | 'housekeeping';

export type JobData = Record<string, string | number | boolean | null>;

/**
 * `signal` is aborted when the worker stops (`isStopping`) and when the job has become another worker's: the handler then ends with an
 * error and leaves its record as it is. `last`: the queue makes no further attempt, so the record must not wait for one.
 */
export type JobHandler = (data: JobData, signal: AbortSignal, last: boolean) => Promise<void>;

export type Jobs = {
  /**
   * Queues work inside the caller's transaction: rolled back, no job. Jobs whose data name an `organization_id` wait in turn with those of
   * other organizations; 429 when the organization has too many waiting. `jobs` in the data says how many jobs this one will queue.
   * `accepted`: the job is part of work that was accepted before, and is queued whatever waits.
   */
  enqueue(tx: Tx, name: JobName, data: JobData, options?: { accepted?: boolean }): Promise<void>;
  /** Data of the jobs of a name that wait or run. */
  live(tx: Tx, name: JobName): Promise<JobData[]>;
  /** Takes jobs until it is stopped; a job of a killed process is taken over by another. */
  work(handlers: Record<JobName, JobHandler>, options?: { concurrency?: number }): Promise<void>;
  /** Runs what is queued, in this process, until nothing is left; how many jobs that were. */
  drain(handlers: Record<JobName, JobHandler>): Promise<number>;
  /** Takes no more jobs, aborts those that run, waits for their end (bounded), and hands back what has not ended; jobs can still be queued. Never fails. */
  stop(): Promise<void>;
  /** Stops, and closes the connections. */
  [Symbol.asyncDispose](): Promise<void>;
};

const HEARTBEAT_SECONDS = 10;
const HOUR_SECONDS = 3_600;
const STOP_MS = 10_000;
const HAND_BACK_MS = 5_000;
// Some five minutes of a dependency that does not answer; what fails by itself is given up before (MAX_ATTEMPTS).
const RETRIES = { retryLimit: 10, retryDelay: 1, retryBackoff: true, retryDelayMax: 60 };
const NAMES: readonly JobName[] = ['ingest-tape', 'run-criteria', 'run-calculation', 'bulk-ingest', 'housekeeping'];

/** Prepares the queue's own schema and queues; safe when several processes start at once. */
export async function migrateJobs(url: string): Promise<void> {
  await oneAtATime(url, async (client) => {
    const boss = createBoss(url, false, { migrate: true });
    boss.on('error', () => {});
    try {
      await boss.start();
      for (const name of NAMES) {
        await boss.createQueue(name, {
          notify: true,
          heartbeatSeconds: HEARTBEAT_SECONDS,
          expireInSeconds: 2 * HOUR_SECONDS,
          ...RETRIES,
        });
        // A queue that an earlier version made keeps that version's retries otherwise.
        await boss.updateQueue(name, RETRIES);
      }
    } finally {
      await boss.stop({ graceful: false });
    }
    await client.query(QUEUED_BY_ORGANIZATION);
    await client.query(GRANTS);
  });
}

// A login that does not own the queue's tables works with what their owner made.
const QUEUED_BY_ORGANIZATION = `do $$ begin
  if to_regclass('pgboss.sluice_queued') is null then
    create index sluice_queued on pgboss.job (group_id) where state < 'active';
  end if;
exception when insufficient_privilege then null; end $$`;

const GRANTS = `do $$ begin
  if exists (select 1 from pg_roles where rolname = 'sluice_app') then
    grant usage on schema pgboss to sluice_app;
    grant select, insert, update, delete on all tables in schema pgboss to sluice_app;
    grant execute on all functions in schema pgboss to sluice_app;
  end if;
exception when insufficient_privilege then null; end $$`;

/**
 * `supervise` false: a queue that only its own process drains (no schedules, no takeover, no listening). `stopTimeoutMs`: what jobs get to
 * end in when they stop. `turned`: at every statement's end.
 */
export async function openJobs(
  url: string,
  onError: (error: Error) => void,
  options: { supervise?: boolean; stopTimeoutMs?: number; turned?: () => void } = {},
): Promise<Jobs> {
  const boss = createBoss(url, options.supervise ?? true, options);
  boss.on('error', onError);
  await boss.start();
  const stopping = new AbortController();
  const taken = new Set<Taken>();
  const execute = (sql: string, values: unknown[]) => boss.getDb().executeSql(sql, values);
  const handBack = ({ name, job }: Taken) => execute(HAND_BACK, [name, job.id, job.retryCount]);
  const keptBack = ({ name, job }: Taken, { message }: Error): void =>
    onError(new Error(`${name} ${job.id} could not be handed back, another worker takes it over in a while: ${message}`));
  const run = async (one: Taken, handler: JobHandler, signal: AbortSignal): Promise<void> => {
    const { name, job } = one;
    taken.add(one);
    try {
      signal.throwIfAborted();
      if (job.groupId) await execute(START_TURN, [name, -job.priority]);
      await handler(job.data, signal, job.retryCount >= job.retryLimit);
    } catch (error) {
      if (!isStopping(signal)) throw error;
      await handBack(one).catch((failure: Error) => {
        keptBack(one, failure);
        // The queue must not take a handler that ends for work that is done.
        throw failure;
      });
    } finally {
      taken.delete(one);
    }
  };
  const stop = async (): Promise<void> => {
    stopping.abort(new WorkerStopping());
    await inTime(Promise.all(NAMES.map((name) => boss.offWork(name))), options.stopTimeoutMs ?? STOP_MS).catch(() => {});
    // What does not end in time ends with the process; nothing that it still does can settle the job. A database that is away holds up no stop.
    const left = [...taken];
    taken.clear();
    await Promise.all(left.map((one) => inTime(handBack(one), HAND_BACK_MS).catch((error: Error) => keptBack(one, error))));
  };
  return {
    async enqueue(tx, name, data, { accepted = false } = {}) {
      const options: SendOptions = {
        db: { executeSql: async (sql, values) => ({ rows: await tx.rows(sql, values) }) },
      };
      if (typeof data.organization_id === 'string') {
        if (!accepted) await refuseFullQueue(tx, data.organization_id, typeof data.jobs === 'number' ? data.jobs : 1);
        options.priority = await takeTurn(tx, name, data.organization_id);
        options.group = { id: data.organization_id };
      }
      await boss.send(name, data, options);
    },
    live: async (tx, name) => (await tx.rows<{ data: JobData }>(LIVE, [name])).map(({ data }) => data),
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
              if (job) await run({ name, job }, handlers[name], AbortSignal.any([job.signal, stopping.signal]));
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
          for (const job of await boss.fetch<JobData>(name, { includeMetadata: true })) {
            await run({ name, job }, handlers[name], stopping.signal);
            await boss.complete(name, job.id);
            found = true;
            done += 1;
          }
        }
      }
      return done;
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      if (!stopping.signal.aborted) await stop();
      await boss.stop({ graceful: false });
    },
  };
}

type Taken = { name: JobName; job: JobWithMetadata<JobData> };

/**
 * Puts a job that this worker holds back as one that was never started. Its attempt gets a number of its own, which neither counts (the
 * limit rises with it) nor lets this worker's end settle the attempt of the next one: pg-boss knows attempts by their number.
 */
const HAND_BACK = `update pgboss.job set state = 'created', started_on = null, heartbeat_on = null, retry_count = retry_count + 1, retry_limit = retry_limit + 1
  where name = $1 and id = $2 and state = 'active' and retry_count = $3`;

const LIVE = `select data from pgboss.job where name = $1 and state in ('created', 'retry', 'active')`;

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

function createBoss(url: string, running: boolean, options: { migrate?: boolean; turned?: () => void } = {}): PgBoss {
  const migrate = options.migrate ?? false;
  const db = openQueueDatabase(url, migrate ? OF_MIGRATIONS : OF_QUEUE, options.turned ?? (() => {}));
  const boss = new PgBoss({
    db,
    migrate,
    createSchema: migrate,
    supervise: running,
    schedule: running,
    useListenNotify: running,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
  boss.once('stopped', () => void db.end());
  return boss;
}
