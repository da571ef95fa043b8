import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { isDatabaseUnavailable } from '../unavailable.ts';
import type { Patience } from './connection.ts';
import { type Database, openDatabase, type Seen } from './database.ts';
import { isBroken } from './pool.ts';
import { refuseSharedSessions, SharedSessions } from './pooler.ts';

/**
 * A place in the log of the primary, taken when a request arrives. A standby that has replayed up to it has everything that was
 * acknowledged to anyone before: the caller's own writes, and what an event told of.
 */
export type Position = Seen;

/** Expressions of a statement on the primary whose row then has a `Position`. */
export const POSITION = 'pg_current_wal_flush_lsn()::text as lsn, sluice_primary_name() as primary';

export type Reads = Pick<Database, 'peek' | 'read'>;

/** A server that follows the primary and takes reads in its place. */
export type Replica = AsyncDisposable & {
  /** Reads that see everything up to the position: on the replica when it has it, otherwise on the primary. */
  reads(position: Position): Reads;
};

export type ReplicaOptions = {
  url: string;
  role: string | null;
  zone: string;
  primary: Database;
  metrics: Pick<Metrics, 'replicaReads'>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** A replica that does not respond is left soon: a read is then made on the primary, within the time of a request. */
const OF_REPLICA: Patience = { connectMs: 500, statementMs: 1_000 };

/** Marks the primary by its name; not when this is another one by now. */
const MARK = `insert into primary_mark (name) select $1 where sluice_primary_name() = $1
  on conflict (only_row) do update set name = excluded.name where primary_mark.name <> excluded.name`;
const IS_PREPARED = `select to_regprocedure('sluice_require_replayed(pg_lsn, text)') is not null as prepared,
  rolsuper or rolbypassrls as unbound from pg_roles where rolname = current_user`;

/** Why the replica as a whole takes no reads. */
type Trouble = 'behind' | 'foreign' | 'away';

/** How long it is left alone after each; twice as long each time when it stays behind. */
const REST_MS: Record<Trouble, number> = { behind: 10, foreign: 1_000, away: 5_000 };
const LONGEST_REST_MS = 5_000;
/** A replica that serves nothing for this long is told of, whatever the reason. */
const TOLD_AFTER_MS = 10_000;

/** Opens the replica. One that cannot be reached yet is asked again; only a pooler that mixes sessions is an error. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, role, zone, primary, metrics } = options;
  const db = openDatabase({ url, role, zone, patience: OF_REPLICA });
  const state = new State(options.log);
  let prepared = false;
  let marked: string | null = null;
  /** What is seen to in the background: no read waits for a replica that is away, or for a primary that cannot commit yet. */
  let pending: Promise<void> | null = null;

  const prepare = async (): Promise<void> => {
    try {
      await refuseSharedSessions(url, 'DATABASE_REPLICA_URL', OF_REPLICA);
      const [found] = await db.direct<{ prepared: boolean; unbound: boolean }>(IS_PREPARED);
      if (!found?.prepared) throw new Error('it has not the tables of this version');
      if (found.unbound) throw new Error('row security does not bind its login');
      prepared = true;
    } catch (error) {
      state.rest('away', error);
      if (error instanceof SharedSessions) throw error;
    }
  };
  const mark = async (name: string): Promise<void> => {
    try {
      await primary.direct(MARK, [name]);
      marked = name;
    } catch (error) {
      state.rest('foreign', error);
    }
  };
  const isReady = (name: string): boolean => {
    const ready = prepared && marked === name;
    if (!ready)
      pending ??= (prepared ? mark(name) : prepare())
        .catch(() => {})
        .finally(() => {
          pending = null;
        });
    return ready;
  };
  const read = async <Result>(position: Position, work: (on: Reads) => Promise<Result>): Promise<Result> => {
    if (state.isResting() || !isReady(position.primary)) {
      metrics.replicaReads.inc({ outcome: 'resting' });
      return work(primary);
    }
    try {
      const result = await work(db.seeing(position));
      metrics.replicaReads.inc({ outcome: 'served' });
      state.serves();
      return result;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (!outcome) throw error;
      metrics.replicaReads.inc({ outcome });
      // The mark may have gone with the other tables of a sandbox.
      if (outcome === 'foreign') marked = null;
      if (outcome === 'away') prepared = false;
      if (outcome !== 'failed') state.rest(outcome, error);
      return work(primary);
    }
  };

  try {
    await prepare();
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
  return {
    reads: (position) => ({
      peek: (scope, work) => read(position, (on) => on.peek(scope, work)),
      read: (scope, work) => read(position, (on) => on.read(scope, work)),
    }),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

/** Fails where the replica does not follow the primary, or has not what the primary has now within two seconds. */
export async function checkReplica(primary: Database, url: string): Promise<void> {
  await refuseSharedSessions(url, 'DATABASE_REPLICA_URL', OF_REPLICA);
  await using db = openDatabase({ url, max: 1, patience: OF_REPLICA });
  const [position] = await primary.direct<Position>(`select ${POSITION}`);
  if (!position) throw new Error('the primary has no position');
  await primary.direct(MARK, [position.primary]);
  const replica = db.seeing(position);
  for (const deadline = performance.now() + 2_000; ; await sleep(20)) {
    try {
      await replica.peek({ platform: true }, (reader) => reader.rows('select'));
      return;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'behind' || outcome === 'foreign') {
        if (performance.now() < deadline) continue;
        throw new Error(
          outcome === 'behind' ? 'more than 2 seconds behind the primary' : 'no standby of the primary of DATABASE_URL',
        );
      }
      throw error;
    }
  }
}

/**
 * What an error says of the replica: its trouble, or that one statement failed, which says nothing of the next. Null: it is the error of the
 * work itself, which would have it on the primary too.
 */
function outcomeOf(error: unknown): Trouble | 'failed' | null {
  const { code } = error as { code?: unknown };
  if (code === 'SL001') return 'behind';
  if (code === 'SL002') return 'foreign';
  if (!(error instanceof pg.DatabaseError) && !isDatabaseUnavailable(error)) return null;
  return isBroken(error) ? 'away' : 'failed';
}

/** Whether the replica is asked, and what the log is told of it: when it takes no reads, and when it takes them again. */
class State {
  readonly #log: ReplicaOptions['log'];
  #restsUntil = 0;
  /** Reads in a row that found it behind. */
  #behind = 0;
  #idleSince: number | null = null;
  #told = false;

  constructor(log: ReplicaOptions['log']) {
    this.#log = log;
  }

  isResting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  serves(): void {
    if (this.#told) this.#log.info('the replica takes reads again');
    this.#behind = 0;
    this.#idleSince = null;
    this.#told = false;
  }

  rest(trouble: Trouble, error: unknown): void {
    const now = performance.now();
    // Reads that had begun together say it once.
    if (trouble === 'behind' && now < this.#restsUntil) return;
    this.#restsUntil = Math.max(this.#restsUntil, now + Math.min(REST_MS[trouble] * 2 ** this.#behind, LONGEST_REST_MS));
    this.#behind += trouble === 'behind' ? 1 : 0;
    this.#idleSince ??= now;
    if (this.#told || (trouble !== 'away' && now < this.#idleSince + TOLD_AFTER_MS)) return;
    this.#told = true;
    this.#log.warn({ trouble, err: error }, 'the replica takes no reads: all go to the primary');
  }
}
