import type pg from 'pg';
import type { Logger } from 'pino';
import { createIdGenerator, type IdGenerator } from '../ids.ts';
import { connectAlone, OF_LIMITER, OF_REQUESTS, OF_WORK, type Patience, queryTimeout } from './connection.ts';
import { PipelinedRead } from './pipelined-read.ts';
import { createReadLanes, type ReadLanes } from './read-lanes.ts';
import { isSilence, openPool, type ConnectionPool } from './pool.ts';
import { createSignals, type Signals } from './signals.ts';
import { createStatements, type Statements } from './statements.ts';

/**
 * The rows that a transaction may see: those of one organization; those of investors (their own, and the market's view of others); or,
 * for workers and the operator, the whole platform's.
 */
export type Scope = { organization: string } | { market: readonly string[] } | { platform: true };

/** Reads in a transaction. Statements are prepared once per connection under a name derived from their text. */
export type Reader = {
  /** The time zone whose dates are the dates of the business. */
  zone: string;
  rows<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** The only row, or null. */
  one<Row>(sql: string, params?: readonly unknown[]): Promise<Row | null>;
};

/** A transaction. */
export type Tx = Reader & {
  /**
   * The platform's time when the transaction began or, of the locks that it took before it changed anything, when it got the last: the
   * database's clock plus the time by which a sandbox advanced it. Acts on one record are thereby told in the order in which they took place.
   */
  readonly now: Date;
  /** The same moment on the database's own clock, as text that keeps its microseconds. */
  readonly moment: string;
  /**
   * An id for a record of this transaction. It sorts after the ids made before it in this transaction, and after those of transactions
   * that had ended at `now`.
   */
  newId: IdGenerator;
  /** Number of rows changed. */
  exec(sql: string, params?: readonly unknown[]): Promise<number>;
  /**
   * A statement that is sent together with COMMIT, after everything else: for a lock that every transaction waits for. `then` gets its
   * rows after the commit.
   */
  atCommit<Row>(sql: string, params: readonly unknown[], then?: (rows: Row[]) => void): void;
  /** Runs after a successful commit; its errors do not fail the transaction. */
  afterCommit(action: () => void): void;
  /** Events, deliveries and jobs that this transaction makes, by their ids: the log of requests shows them. They count when it has committed. */
  caused: Caused[];
  /** The operation has found its record as it was asked to make it: nothing that its audit entry would tell has happened. */
  unchanged: boolean;
  /** Wakes the listeners of the channel, in every process, once this transaction has committed. */
  signal(channel: string): void;
};

/** A record that a transaction made for an organization, for others to work on. */
export type Caused = { organization_id: string; id: string };

export type Database = {
  tx<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** A transaction for reads that belong together: all of its statements see the data as it was at the first of them. */
  read<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Reads. Statements issued together are sent together with the scope, in one trip to the database and in one transaction; a statement
   * that needs the rows of another one takes another trip.
   */
  peek<Result>(scope: Scope, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /** A statement outside any tenant's rows and outside a transaction (limiter, health). */
  direct<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** The same connections with longer timeouts, for work that no request waits for. */
  patient(): Database;
  /** The same connections at another time: its transactions begin when the clock says. For what a sandbox has in its past. */
  backdated(clock: Clock): Database;
  /** The same connections, to a server whose reads fail while it has not replayed what `seen` says. */
  seeing(seen: Seen): Database;
  signals: Signals;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A position of the log of a primary, and the name of that primary. */
export type Seen = { lsn: string; primary: string };

/** The time of transactions that do not begin at the platform's. */
export type Clock = { now: Date };

export type DatabaseOptions = {
  url: string;
  max?: number;
  role?: string | null;
  settings?: Record<string, string>;
  patience?: Patience;
  /** The time zone that transactions carry; UTC where their work knows no dates. */
  zone?: string;
  /** Told when the signals of other processes are not received, and when they are again. */
  log?: Pick<Logger, 'info' | 'warn'>;
};

const NAME = 'sluice';
/** SQLSTATEs of a transaction that the database aborted because of another one: a serialization failure, a deadlock. */
const RETRIED = ['40001', '40P01'];
const ATTEMPTS = 5;

export function openDatabase(options: DatabaseOptions): Database {
  const patience = options.patience ?? OF_REQUESTS;
  const session = { url: options.url, name: NAME, patience, role: options.role ?? null, settings: options.settings ?? {} };
  const pool = openPool({ ...session, max: options.max ?? 20 });
  const statement = createStatements();
  const signals = createSignals({
    connect: () => connectAlone({ url: options.url, name: 'sluice-signals', patience: OF_LIMITER }),
    notify: (sql, params) => pool.query(statement(sql, params)),
    troubled: (reason) =>
      reason === null
        ? options.log?.info('signals of other processes are received again')
        : options.log?.warn({ err: reason }, 'no signals of other processes are received: news is found by polling'),
  });
  const connections: Connections = { pool, lanes: createReadLanes(pool), statement, signals, zone: options.zone ?? 'UTC' };
  const transaction =
    (begin: string, session: Session) =>
    <Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result> => {
      const attempt = () => inTransaction(connections, { ...session, begin }, scope, work);
      // What fails on a replica is tried on the primary.
      return session.seen ? attempt() : withRetries(attempt);
    };
  const over = (session: Session): Database => ({
    peek: (scope, work) => inPipelinedReads(connections, session, scope, work),
    tx: transaction('BEGIN', session),
    read: transaction('BEGIN ISOLATION LEVEL REPEATABLE READ', session),
    direct: async <Row>(sql: string, params: readonly unknown[] = []) => (await pool.query(statement(sql, params))).rows as Row[],
    patient: () => over({ ...session, patience: OF_WORK }),
    backdated: (clock) => over({ ...session, clock }),
    seeing: (seen) => over({ ...session, seen }),
    signals,
    [Symbol.asyncDispose]: async () => {
      await signals[Symbol.asyncDispose]();
      await pool.end();
    },
  });
  return over({});
}

/** What the transactions of a handle begin with, other than the connection's own settings. */
type Session = { patience?: Patience; clock?: Clock; seen?: Seen };

/** State that the transactions of one database share. */
type Connections = { pool: ConnectionPool; lanes: ReadLanes; statement: Statements; signals: Signals; zone: string };

async function withRetries<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (count >= ATTEMPTS || !RETRIED.includes((error as pg.DatabaseError).code ?? '')) throw error;
    }
  }
}

const SET_SCOPE = `set_config('sluice.organization', $1, true), set_config('sluice.scope', $2, true)`;
const SCOPED = `select ${SET_SCOPE}`;
const microsOf = (now: string): string => `(extract(epoch from ${now}) * 1000000)::int8 as now_micros`;
const SCOPED_AND_TIMED = `select ${SET_SCOPE}, ${microsOf('sluice_now()')}, now()::text as moment`;
/** Has the statements that follow, and `sluice_now()`, go on at the present. */
const GO_ON = `select ${microsOf('at + (select advanced from platform_clock)')}, at::text as moment,
  set_config('sluice.locked_at', at::text, true) from (select clock_timestamp() as at offset 0) present`;

/** Set another timeout, and another time, for the statements that follow in the same transaction. */
const SET_TIMEOUT = `select set_config('statement_timeout', $1, true)`;
const SET_TIME = `select set_config('sluice.now', $1, true)`;
const REQUIRE_REPLAYED = 'select sluice_require_replayed($1, $2)';

function* requirements({ seen }: Session): Generator<[sql: string, params: string[]]> {
  if (seen) yield [REQUIRE_REPLAYED, [seen.lsn, seen.primary]];
}

function* openings({ patience, clock }: Session): Generator<[sql: string, params: string[]]> {
  if (patience) yield [SET_TIMEOUT, [String(patience.statementMs)]];
  if (clock) yield [SET_TIME, [clock.now.toISOString()]];
}

function scopeParams(scope: Scope): string[] {
  if ('organization' in scope) return [scope.organization, 'organization'];
  return 'market' in scope ? [scope.market.join(), 'market'] : ['', 'platform'];
}

function inPipelinedReads<Result>(
  { lanes, statement, zone }: Connections,
  session: Session,
  scope: Scope,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  let gathering: PipelinedRead | null = null;
  const send = (): void => {
    if (gathering) lanes.send(gathering);
    gathering = null;
  };
  const gather = (): PipelinedRead => {
    if (gathering) return gathering;
    gathering = new PipelinedRead(session.patience && queryTimeout(session.patience));
    for (const [sql, params] of [...requirements(session), ...openings(session)]) gathering.open(statement(sql, params));
    gathering.open(statement(SCOPED, scopeParams(scope)));
    queueMicrotask(send);
    return gathering;
  };
  const rows = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> =>
    (await gather().add(statement(sql, params))) as Row[];
  return work({
    zone,
    rows,
    one: async <Row>(sql: string, params?: readonly unknown[]) => (await rows<Row>(sql, params))[0] ?? null,
  });
}

async function inTransaction<Result>(
  connections: Connections,
  session: Session & { begin: string },
  scope: Scope,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await connections.pool.connect();
  const query: Query = (sql, params = []) => client.query(connections.statement(sql, params, session.patience));
  let broken: Error | undefined;
  try {
    // What the transaction sees may be settled with its first statement, so that what must be in it comes before.
    const required = [...requirements(session)].map(([sql, params]) => query(sql, params));
    const begun = [
      ...required,
      client.query(session.begin),
      ...[...openings(session)].map(([sql, params]) => query(sql, params)),
    ];
    const [scoped] = await Promise.all([query<Instant>(SCOPED_AND_TIMED, scopeParams(scope)), ...begun]);
    const { tx, commit } = beginTx(connections, client, query, { ...instantOf(scoped), stands: session.clock !== undefined });
    const result = await work(tx);
    await commit();
    return result;
  } catch (error) {
    if (isSilence(error)) broken = error;
    else {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
    }
    throw error;
  } finally {
    client.release(broken);
  }
}

type Query = <Row extends pg.QueryResultRow>(sql: string, params?: readonly unknown[]) => Promise<pg.QueryResult<Row>>;

/** A moment of a transaction: the platform's in microseconds since 1970, and the database's as text. */
type Instant = { now_micros: number; moment: string };

function instantOf({ rows: [instant] }: pg.QueryResult<Instant>): Instant {
  if (!instant) throw new Error('the database gave no time');
  return instant;
}

/** A statement that may wait for another transaction to end, before it changes anything. */
const WAITS = /\bfor (no key update|update|share)\b(?!.*\bskip locked\b)|\bpg_advisory_xact_lock\(/s;
const CHANGES = /^\s*(?:insert|update|delete)\b|^\s*with\b.*\b(?:insert into|delete from|(?<!for |key )update)\b/s;

function beginTx(
  { signals, zone }: Connections,
  client: pg.ClientBase,
  send: Query,
  began: Instant & { stands: boolean },
): { tx: Tx; commit(): Promise<void> } {
  let instant: Instant = began;
  let makeId = createIdGenerator(began.now_micros);
  /** Whether its time stays what it is. */
  let settled = began.stands;
  const goOn = (later: Instant): void => {
    if (later.now_micros <= instant.now_micros) return;
    makeId = createIdGenerator(later.now_micros);
    instant = later;
  };
  const query: Query = async <Row extends pg.QueryResultRow>(sql: string, params?: readonly unknown[]) => {
    settled ||= CHANGES.test(sql);
    if (settled || !WAITS.test(sql)) return send<Row>(sql, params);
    const [result, later] = await Promise.all([send<Row>(sql, params), send<Instant>(GO_ON)]);
    goOn(instantOf(later));
    return result;
  };
  const lastStatements: (() => Promise<() => void>)[] = [];
  const afterCommit: (() => void)[] = [];
  const tx: Tx = {
    zone,
    get now() {
      return new Date(Math.floor(instant.now_micros / 1_000));
    },
    get moment() {
      return instant.moment;
    },
    newId: (kind) => makeId(kind),
    rows: async <Row>(sql: string, params?: readonly unknown[]) => (await query(sql, params)).rows as Row[],
    one: async <Row>(sql: string, params?: readonly unknown[]) => ((await query(sql, params)).rows[0] as Row | undefined) ?? null,
    exec: async (sql, params) => (await query(sql, params)).rowCount ?? 0,
    atCommit: <Row>(sql: string, params: readonly unknown[], then?: (rows: Row[]) => void) =>
      void lastStatements.push(async () => {
        const { rows } = await query(sql, params);
        return () => then?.(rows as Row[]);
      }),
    afterCommit: (action) => void afterCommit.push(action),
    caused: [],
    unchanged: false,
    signal: (channel) => void afterCommit.push(() => signals.send(channel)),
  };
  const commit = async (): Promise<void> => {
    const ending = Promise.all(lastStatements.map((send) => send()));
    const committing = client.query('COMMIT');
    committing.catch(() => {});
    const seen = await ending;
    const committed = await committing;
    // After a failed statement the database responds to COMMIT with ROLLBACK and no error.
    if (committed.command !== 'COMMIT') throw new Error('the transaction was rolled back by the database');
    for (const show of seen) show();
    for (const action of afterCommit) action();
  };
  return { tx, commit };
}

/** Name of the constraint that a statement violated, or null for another error. */
export function violatedConstraint(error: unknown): string | null {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code && code.startsWith('23') && constraint ? constraint : null;
}
