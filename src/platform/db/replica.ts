import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { isDatabaseUnavailable } from '../unavailable.ts';
import type { Patience } from './connection.ts';
import { type Database, openDatabase } from './database.ts';
import { isBroken } from './pool.ts';
import { refuseSharedSessions, SharedSessions } from './pooler.ts';

/**
 * A place in the log of the primary, taken when a request arrives. A standby that has replayed up to it has everything that was
 * acknowledged to anyone before: the caller's own writes, and what an event told of.
 */
export type Position = { lsn: string; timeline: string };

/** Expressions of a statement on the primary whose row then has a `Position`. */
export const POSITION = `pg_current_wal_flush_lsn()::text as lsn, left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) as timeline`;

export type Reads = Pick<Database, 'peek' | 'tx'>;

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

/** A read goes to the primary soon when the replica does not respond, so that both together stay within the time of a request. */
const OF_REPLICA: Patience = { connectMs: 1_000, statementMs: 3_000 };

/** Marks the primary by its name, if it is not, and returns the name. */
const MARK = `with here as (select sluice_primary_name() as name), marked as (
    insert into primary_mark (name) select name from here
    on conflict (only_row) do update set name = excluded.name where primary_mark.name <> excluded.name)
  select name from here`;
const IS_PREPARED = `select to_regprocedure('sluice_require_replayed(pg_lsn, text)') is not null as prepared`;

type Outcome = 'behind' | 'foreign' | 'away' | 'failed';

/** How long the replica is left alone after each; twice as long each time when it stays behind. A statement that fails by itself says nothing of the next. */
const REST_MS: Record<Outcome, number> = { behind: 10, foreign: 1_000, away: 5_000, failed: 0 };
const LONGEST_REST_MS = 5_000;
/** A replica that serves nothing for this long is told of, whatever the reason. */
const TOLD_AFTER_MS = 10_000;

/** Opens the replica. One that cannot be reached yet is asked again; only a pooler that mixes sessions is an error. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, role, zone, primary } = options;
  const db = openDatabase({ url, role, zone, patience: OF_REPLICA });
  const state = new State(options);
  let prepared = false;
  let preparing: Promise<void> | null = null;
  let marking: { timeline: string; name: Promise<string> } | null = null;

  const prepare = async (): Promise<void> => {
    try {
      await refuseSharedSessions(url, 'DATABASE_REPLICA_URL', OF_REPLICA);
      const [row] = await db.direct<{ prepared: boolean }>(IS_PREPARED);
      if (!row?.prepared) throw new Error('it has not the tables of this version');
      prepared = true;
    } catch (error) {
      state.failed('away', error);
      if (error instanceof SharedSessions) throw error;
    }
  };
  /** The first read after a failure asks in the background, and goes to the primary like all others in the meantime. */
  const isPrepared = (): boolean => {
    if (!prepared) {
      preparing ??= prepare()
        .catch(() => {})
        .finally(() => {
          preparing = null;
        });
    }
    return prepared;
  };
  const nameOf = (timeline: string): Promise<string> => {
    if (marking?.timeline !== timeline) {
      const name = primary.direct<{ name: string }>(MARK).then(([row]) => row?.name ?? '');
      marking = { timeline, name };
      name.catch(() => {
        marking = null;
      });
    }
    return marking.name;
  };
  const read = async <Result>({ lsn, timeline }: Position, work: (on: Reads) => Promise<Result>): Promise<Result> => {
    if (state.isResting() || !isPrepared()) {
      state.left();
      return work(primary);
    }
    const seen = { lsn, primary: await nameOf(timeline) };
    try {
      const result = await work(db.seeing(seen));
      state.served();
      return result;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (!outcome) throw error;
      // The mark may have gone with the other tables of a sandbox.
      if (outcome === 'foreign') marking = null;
      state.failed(outcome, error);
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
      tx: (scope, work) => read(position, (on) => on.tx(scope, work)),
    }),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

/** Fails where the replica does not follow the primary, or has not what the primary has now within two seconds. */
export async function checkReplica(primary: Database, url: string): Promise<void> {
  await refuseSharedSessions(url, 'DATABASE_REPLICA_URL', OF_REPLICA);
  await using db = openDatabase({ url, max: 1, patience: OF_REPLICA });
  const [marked] = await primary.direct<{ name: string }>(MARK);
  const [position] = await primary.direct<Position>(`select ${POSITION}`);
  const replica = db.seeing({ lsn: position?.lsn ?? '', primary: marked?.name ?? '' });
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

/** What an error says of the replica; null: it is the error of the work itself, which would have it on the primary too. */
function outcomeOf(error: unknown): Outcome | null {
  const { code } = error as { code?: unknown };
  if (code === 'SL001') return 'behind';
  if (code === 'SL002') return 'foreign';
  if (!(error instanceof pg.DatabaseError) && !isDatabaseUnavailable(error)) return null;
  return isBroken(error) ? 'away' : 'failed';
}

/** How the replica does: counted for each read, and told in the log when it serves none and when it serves again. */
class State {
  readonly #options: Pick<ReplicaOptions, 'metrics' | 'log'>;
  #restsUntil = 0;
  /** Reads in a row that found it behind. */
  #behind = 0;
  #idleSince: number | null = null;
  #told = false;

  constructor(options: Pick<ReplicaOptions, 'metrics' | 'log'>) {
    this.#options = options;
  }

  isResting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  /** A read went to the primary without asking. */
  left(): void {
    this.#options.metrics.replicaReads.inc({ outcome: 'resting' });
  }

  served(): void {
    this.#options.metrics.replicaReads.inc({ outcome: 'served' });
    if (this.#told) this.#options.log.info('the replica takes reads again');
    this.#behind = 0;
    this.#idleSince = null;
    this.#told = false;
  }

  failed(outcome: Outcome, error: unknown): void {
    this.#options.metrics.replicaReads.inc({ outcome });
    if (outcome === 'failed') return;
    const now = performance.now();
    this.#restsUntil = now + Math.min(REST_MS[outcome] * 2 ** this.#behind, LONGEST_REST_MS);
    this.#behind += outcome === 'behind' ? 1 : 0;
    this.#idleSince ??= now;
    if (this.#told || (outcome !== 'away' && now < this.#idleSince + TOLD_AFTER_MS)) return;
    this.#told = true;
    this.#options.log.warn({ outcome, reason: (error as Error).message }, 'the replica takes no reads: all go to the primary');
  }
}
