import pg from 'pg';
import { connectAlone, OF_LIMITER, OF_REQUESTS, OF_WORK, type Patience, queryTimeout } from './connection.ts';
import { OneTrip } from './one-trip.ts';
import { isBroken, isSilence, openPool, type Pool } from './pool.ts';
import { createSignals, type Signals } from './signals.ts';

/**
 * Whose rows a transaction may see: one organization's; investors' (their own, and what the market shows of others'); or, for workers
 * and the operator, the whole platform's.
 */
export type Scope = { organization: string } | { market: readonly string[] } | { platform: true };

/** What can be read in a transaction. Statements are prepared once per connection under the name of their text. */
export type Reader = {
  rows<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** The only row, or null. */
  one<Row>(sql: string, params?: readonly unknown[]): Promise<Row | null>;
};

/** A transaction. */
export type Tx = Reader & {
  /** The platform's time at the start of the transaction: the database's clock plus what a sandbox advanced it by. */
  now: Date;
  /** Number of rows changed. */
  exec(sql: string, params?: readonly unknown[]): Promise<number>;
  /**
   * A statement that leaves together with COMMIT, after everything else: for a lock that every transaction waits for. `then` sees
   * its rows once the transaction has committed.
   */
  atCommit<Row>(sql: string, params: readonly unknown[], then?: (rows: Row[]) => void): void;
  /** Runs after a successful commit; what it throws is not the transaction's failure. */
  afterCommit(action: () => void): void;
  /** Wakes those who listen to the channel, in every process, once this transaction has committed. */
  signal(channel: string): void;
};

export type Database = {
  tx<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Reads. Statements that are asked for together leave together with the scope's, in one trip to the database and in one
   * transaction of their own; what is asked for after an answer takes another trip.
   */
  peek<Result>(scope: Scope, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /** A statement outside any tenant's rows and outside a transaction (limiter, health). */
  direct<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** The same connections, with time for long statements: for work that no request waits for. */
  patient(): Database;
  signals: Signals;
  [Symbol.asyncDispose](): Promise<void>;
};

export type DatabaseOptions = {
  url: string;
  max?: number;
  role?: string | null;
  settings?: Record<string, string>;
  patience?: Patience;
};

const NAME = 'sluice';
const RETRIED = new Set(['40001', '40P01']);
const ATTEMPTS = 5;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function openDatabase(options: DatabaseOptions): Database {
  const patience = options.patience ?? OF_REQUESTS;
  const session = { url: options.url, name: NAME, patience, role: options.role ?? null, settings: options.settings ?? {} };
  const pool = openPool({ ...session, max: options.max ?? 20 });
  const signals = createSignals({
    connect: () => connectAlone({ url: options.url, name: 'sluice-signals', patience: OF_LIMITER }),
    notify: (sql, params) => pool.query(statement(sql, params)),
  });
  const database: Database = {
    peek: (scope, work) => inOneTrip(pool, scope, work),
    tx: (scope, work) => withRetries(() => inTransaction(pool, signals, scope, work)),
    direct: async <Row>(sql: string, params: readonly unknown[] = []) => (await pool.query(statement(sql, params))).rows as Row[],
    patient: () => ({
      ...database,
      peek: (scope, work) => inOneTrip(pool, scope, work, OF_WORK),
      tx: (scope, work) => withRetries(() => inTransaction(pool, signals, scope, work, OF_WORK)),
    }),
    signals,
    [Symbol.asyncDispose]: async () => {
      await signals[Symbol.asyncDispose]();
      await pool.end();
    },
  };
  return database;
}

async function withRetries<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= ATTEMPTS || !RETRIED.has((error as pg.DatabaseError).code ?? '')) throw error;
    }
  }
}

const SCOPED = `select set_config('sluice.organization', $1, true), set_config('sluice.scope', $2, true), sluice_now() as now`;

/** Another bound for the statements that follow in the same transaction. */
const TIMED = `select set_config('statement_timeout', $1, true)`;

function scopeParams(scope: Scope): string[] {
  if ('organization' in scope) return [scope.organization, 'organization'];
  return 'market' in scope ? [scope.market.join(), 'market'] : ['', 'platform'];
}

async function inOneTrip<Result>(
  pool: Pool,
  scope: Scope,
  work: (reader: Reader) => Promise<Result>,
  patience?: Patience,
): Promise<Result> {
  const client = await pool.connect();
  let open: OneTrip | null = null;
  let broken: Error | undefined;
  const leave = (): void => {
    if (open) client.query(open);
    open = null;
  };
  const board = (): OneTrip => {
    if (open) return open;
    open = new OneTrip(patience && queryTimeout(patience));
    if (patience) open.add(statement(TIMED, [String(patience.statementMs)])).catch(() => {});
    open.add(statement(SCOPED, scopeParams(scope))).catch(() => {});
    queueMicrotask(leave);
    return open;
  };
  const rows = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> => {
    try {
      return (await board().add(statement(sql, params))).rows as Row[];
    } catch (error) {
      if (isBroken(error)) broken = error as Error;
      throw error;
    }
  };
  try {
    return await work({
      rows,
      one: async <Row>(sql: string, params?: readonly unknown[]) => (await rows<Row>(sql, params))[0] ?? null,
    });
  } finally {
    leave();
    client.release(broken);
  }
}

async function inTransaction<Result>(
  pool: Pool,
  signals: Signals,
  scope: Scope,
  work: (tx: Tx) => Promise<Result>,
  patience?: Patience,
): Promise<Result> {
  const client = await pool.connect();
  const last: (() => Promise<() => void>)[] = [];
  const after: (() => void)[] = [];
  let broken: Error | undefined;
  const query = <Row extends pg.QueryResultRow>(sql: string, params: readonly unknown[] = []) =>
    client.query<Row>(statement(sql, params, patience));
  try {
    const [, , scoped] = await Promise.all([
      client.query('BEGIN'),
      patience ? query(TIMED, [String(patience.statementMs)]) : null,
      query<{ now: Date }>(SCOPED, scopeParams(scope)),
    ]);
    const result = await work({
      now: scoped.rows[0]?.now ?? new Date(),
      rows: async <Row>(sql: string, params?: readonly unknown[]) => (await query(sql, params)).rows as Row[],
      one: async <Row>(sql: string, params?: readonly unknown[]) =>
        ((await query(sql, params)).rows[0] as Row | undefined) ?? null,
      exec: async (sql, params) => (await query(sql, params)).rowCount ?? 0,
      atCommit: <Row>(sql: string, params: readonly unknown[], then?: (rows: Row[]) => void) =>
        void last.push(async () => {
          const { rows } = await query(sql, params);
          return () => then?.(rows as Row[]);
        }),
      afterCommit: (action) => after.push(action),
      signal: (channel) => after.push(() => signals.send(channel)),
    });
    const ending = Promise.all(last.map((send) => send()));
    const committing = client.query('COMMIT');
    committing.catch(() => {});
    const seen = await ending;
    const committed = await committing;
    // After a failed statement COMMIT answers with ROLLBACK and no error.
    if (committed.command !== 'COMMIT') throw new Error('the transaction was rolled back by the database');
    for (const show of seen) show();
    for (const action of after) action();
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

const names = new Map<string, string>();
const NAMED_STATEMENTS = 2_000;

function statement(sql: string, params: readonly unknown[], patience?: Patience): pg.QueryConfig {
  let name = names.get(sql);
  if (!name && names.size < NAMED_STATEMENTS) {
    name = `s${names.size}`;
    names.set(sql, name);
  }
  return {
    text: sql,
    values: params as unknown[],
    ...(name ? { name } : {}),
    ...(patience ? { query_timeout: queryTimeout(patience) } : {}),
  };
}

/** Name of the violated constraint of a database refusal, or null. */
export function violatedConstraint(error: unknown): string | null {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code && code.startsWith('23') && constraint ? constraint : null;
}
