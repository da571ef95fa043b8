import type { JobWithMetadata, PgBoss, SendOptions } from 'pg-boss';
import type { Tx } from '../db/database.ts';
import { inTime } from '../in-time.ts';
import { isOutage } from './attempts.ts';
import { createBoss } from './boss.ts';
import { followClock } from './clock-steps.ts';
import { HEARTBEAT_SECONDS, RETRY_LIMIT } from './queue-schema.ts';
import { isStopping, WorkerStopping } from './stopping.ts';
import { withoutValues } from '../safe-error.ts';
import { refuseFullQueue, START_TURN, takeTurn } from './turns.ts';

/** The names of the jobs. The program that uses the queue merges its own into this interface. */
export interface JobNames {}

/** Work that runs after its transaction has committed, in any process that works. */
export type JobName = keyof JobNames & string;

export type JobData = Record<string, string | number | boolean | null>;

/**
 * `signal` is aborted when the worker stops (`isStopping`) and when another worker has taken over the job: the handler then ends with an
 * error and leaves its record unchanged. `last`: the queue makes no further attempt, so the record must not wait for one.
 */
export type JobHandler = (data: JobData, signal: AbortSignal, last: boolean) => Promise<void>;

export type JobHandlers = Record<JobName, JobHandler>;

export type WorkOptions = {
  concurrency?: number;
  /** Scheduled jobs: name → cron expression. */
  schedules?: Partial<Record<JobName, string>>;
};

export type Jobs = {
  /**
   * Queues work inside the caller's transaction: after a rollback there is no job. Jobs whose data have an `organization_id` take turns
   * with those of other organizations; 429 when the organization has too many waiting. `jobs` in the data says how many jobs this one
   * will queue. `accepted`: the job belongs to work that was accepted before, and is queued regardless of the limit. `id`: the one under
   * which the organization follows the work.
   */
  enqueue(tx: Tx, name: JobName, data: JobData, options?: { accepted?: boolean; id?: string }): Promise<void>;
  /** Data of the queued and running jobs of a name. */
  live(tx: Tx, name: JobName): Promise<JobData[]>;
  /** Takes jobs until it is stopped; another process takes over the jobs of a killed one. */
  work(handlers: JobHandlers, options?: WorkOptions): Promise<void>;
  /** Runs the queued jobs in this process until none is left; returns their number. */
  drain(handlers: JobHandlers): Promise<number>;
  /**
   * Takes no more jobs, aborts the running ones, waits for them (bounded), and hands back those that have not ended; jobs can still be
   * queued. Never fails.
   */
  stop(): Promise<void>;
  /** Stops, and closes the connections. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type JobsOptions = {
  url: string;
  names: readonly JobName[];
  onError(error: Error): void;
  /** Brings what waits outside the queue back to the present, where the clock of the database was set back; it may be called more than once. */
  onClockSetBack?: () => Promise<void>;
  /** False: a queue that only its own process drains, without schedules, takeover and listening. */
  supervise?: boolean;
  /** How long jobs may take to end when they stop. */
  stopTimeoutMs?: number;
  /** Called at every statement's end. */
  onStatement?: () => void;
};

export async function openJobs(options: JobsOptions): Promise<Jobs> {
  const { url, supervise = true, onStatement, onError } = options;
  const onDeaf = (reason: unknown) => onError(new Error('the news of queued jobs is not received', { cause: reason }));
  const boss = createBoss(url, { supervise, onDeaf, ...(onStatement ? { onStatement } : {}) });
  boss.on('error', onError);
  await boss.start();
  const jobs = new JobQueue(boss, options);
  if (supervise) jobs.followClock();
  return jobs;
}

type Running = { name: JobName; job: JobWithMetadata<JobData> };

const STOP_MS = 10_000;
const HAND_BACK_MS = 5_000;
const POLL_SECONDS = 2;
const FOLLOW_CLOCK_MS = 10_000;

class JobQueue implements Jobs {
  readonly #boss: PgBoss;
  readonly #options: JobsOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Running>();

  constructor(boss: PgBoss, options: JobsOptions) {
    this.#boss = boss;
    this.#options = options;
  }

  /** Lets no step of the database's clock hold the queue up, until it is closed. */
  followClock(): void {
    const follow = (): void => {
      followClock(this.#boss, this.#options.onClockSetBack).catch(
        (error: Error) => this.#stopping.signal.aborted || this.#options.onError(error),
      );
    };
    follow();
    const timer = setInterval(follow, FOLLOW_CLOCK_MS).unref();
    this.#stopping.signal.addEventListener('abort', () => clearInterval(timer));
  }

  async enqueue(
    tx: Tx,
    name: JobName,
    data: JobData,
    { accepted = false, id }: { accepted?: boolean; id?: string } = {},
  ): Promise<void> {
    const options: SendOptions = {
      db: { executeSql: async (sql, values) => ({ rows: await tx.rows(sql, values) }) },
    };
    if (typeof data.organization_id === 'string') {
      if (!accepted) await refuseFullQueue(tx, data.organization_id, typeof data.jobs === 'number' ? data.jobs : 1);
      options.priority = await takeTurn(tx, name, data.organization_id);
      options.group = { id: data.organization_id };
    }
    await this.#boss.send(name, data, options);
    if (id !== undefined && typeof data.organization_id === 'string')
      tx.caused.push({ organization_id: data.organization_id, id });
  }

  async live(tx: Tx, name: JobName): Promise<JobData[]> {
    return (await tx.rows<{ data: JobData }>(LIVE, [name])).map(({ data }) => data);
  }

  async work(handlers: JobHandlers, { concurrency = 2, schedules = {} }: WorkOptions = {}): Promise<void> {
    for (const name of this.#options.names) await this.#workOn(name, handlers[name], concurrency);
    for (const [name, cron] of Object.entries<string>(schedules)) await this.#boss.schedule(name, cron, {});
  }

  async #workOn(name: JobName, handler: JobHandler, concurrency: number): Promise<void> {
    const worker: { id?: string } = {};
    const options = {
      batchSize: 1,
      includeMetadata: true,
      pollingIntervalSeconds: POLL_SECONDS,
      notifyPollingIntervalSeconds: POLL_SECONDS,
      localConcurrency: concurrency,
      heartbeatRefreshSeconds: HEARTBEAT_SECONDS / 3,
    } as const;
    worker.id = await this.#boss.work(name, options, async ([job]: JobWithMetadata<JobData>[]) => {
      try {
        if (job) await this.#runOrPutOff({ name, job }, handler, AbortSignal.any([job.signal, this.#stopping.signal]));
      } finally {
        // There may be another job: poll again at once instead of after the interval.
        if (worker.id) this.#boss.notifyWorker(worker.id);
      }
    });
  }

  async #runOrPutOff(running: Running, handler: JobHandler, signal: AbortSignal): Promise<void> {
    try {
      await this.#run(running, handler, signal);
    } catch (error) {
      const isPutOff = isOutage(error) && !signal.aborted && (await this.#putOff(running));
      // The queue stores with the job what is thrown here.
      if (!isPutOff) throw withoutValues(error);
    }
  }

  async #putOff({ name, job }: Running): Promise<boolean> {
    return (await this.#execute(PUT_OFF, [name, job.id, job.retryCount])).rows.length > 0;
  }

  async drain(handlers: JobHandlers): Promise<number> {
    let done = 0;
    for (let found = true; found; ) {
      found = false;
      for (const name of this.#options.names) {
        for (const job of await this.#boss.fetch<JobData>(name, { includeMetadata: true })) {
          await this.#run({ name, job }, handlers[name], this.#stopping.signal);
          await this.#boss.complete(name, job.id);
          found = true;
          done += 1;
        }
      }
    }
    return done;
  }

  async #run(running: Running, handler: JobHandler, signal: AbortSignal): Promise<void> {
    const { name, job } = running;
    this.#running.add(running);
    try {
      signal.throwIfAborted();
      if (job.groupId) await this.#execute(START_TURN, [name, -job.priority]);
      await handler(job.data, signal, job.retryCount >= job.retryLimit);
    } catch (error) {
      if (!isStopping(signal)) throw error;
      await this.#handBack(running).catch((failure: Error) => {
        this.#reportKept(running, failure);
        // Otherwise the queue would count the job as done.
        throw failure;
      });
    } finally {
      this.#running.delete(running);
    }
  }

  async stop(): Promise<void> {
    const { names, stopTimeoutMs = STOP_MS } = this.#options;
    this.#stopping.abort(new WorkerStopping());
    await inTime(Promise.all(names.map((name) => this.#boss.offWork(name))), stopTimeoutMs).catch(() => {});
    // Jobs that do not end in time end with the process and can no longer settle. An unreachable database does not delay the stop.
    const left = [...this.#running];
    this.#running.clear();
    await Promise.all(
      left.map((running) =>
        inTime(this.#handBack(running), HAND_BACK_MS).catch((error: Error) => this.#reportKept(running, error)),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#stopping.signal.aborted) await this.stop();
    await this.#boss.stop({ graceful: false });
  }

  #handBack({ name, job }: Running): Promise<unknown> {
    return this.#execute(HAND_BACK, [name, job.id, job.retryCount]);
  }

  #reportKept({ name, job }: Running, { message }: Error): void {
    this.#options.onError(
      new Error(
        `${name} ${job.id} could not be handed back, another worker will take it over when its heartbeat is late: ${message}`,
      ),
    );
  }

  #execute(sql: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    return this.#boss.getDb().executeSql(sql, values);
  }
}

/**
 * Gives the next attempt a new number, so that this one does not count (the limit rises with it) and so that its end cannot settle the next:
 * pg-boss identifies attempts by their number.
 */
const UNSPENT = 'started_on = null, heartbeat_on = null, retry_count = retry_count + 1, retry_limit = retry_limit + 1';
const OF_ATTEMPT = `where name = $1 and id = $2 and state = 'active' and retry_count = $3`;

/** Returns a job of this worker to the queue as if it had never started. */
const HAND_BACK = `update pgboss.job set state = 'created', ${UNSPENT} ${OF_ATTEMPT}`;

/**
 * Lets a job wait for the end of an outage: each time twice as long, up to five minutes. It spends no retry for a day: its record would be
 * given up, and its owner would have to start the work again, because a service was away for longer than the retries last.
 */
const PUT_OFF = `update pgboss.job set state = 'retry', ${UNSPENT},
    start_after = now() + least(300, 2 ^ greatest(0, least(retry_limit - ${RETRY_LIMIT}, 9))) * interval '1 second'
  ${OF_ATTEMPT} and created_on > now() - interval '1 day'
  returning id`;

const LIVE = `select data from pgboss.job where name = $1 and state in ('created', 'retry', 'active')`;
