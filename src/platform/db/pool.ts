import pg from 'pg';
import { clientConfig, Connection, type ConnectionOptions, sessionSettings } from './connection.ts';

/** Shared connections, each used by one user at a time. */
export type ConnectionPool = {
  connect(): Promise<pg.PoolClient>;
  query(statement: pg.QueryConfig): Promise<pg.QueryResult>;
  end(): Promise<void>;
};

export type PoolOptions = ConnectionOptions & { max: number };

const IDLE_MS = 30_000;

/**
 * Opens a pool. A broken or silent connection is discarded. When one falls silent the idle ones are suspect too, and all of them are
 * replaced, so that the next user does not wait for the next dead one.
 */
export function openPool(options: PoolOptions): ConnectionPool {
  const endings = new Set<Promise<void>>();
  let current = make();

  function make(): pg.Pool {
    const pool = new pg.Pool({
      ...clientConfig(options),
      Client: Connection,
      max: options.max,
      pipeline: true,
      idleTimeoutMillis: IDLE_MS,
      onConnect: (client) => client.query(sessionSettings(options)),
    });
    pool.on('error', () => {});
    // The pool listens to idle connections only; a busy one that breaks fails its queries.
    pool.on('connect', (client) => client.on('error', () => {}));
    pool.on('release', (error: Error | undefined) => {
      if (isSilence(error) && pool === current) {
        current = make();
        const ending = pool.end().finally(() => endings.delete(ending));
        endings.add(ending);
      }
    });
    return pool;
  }

  return {
    connect: () => current.connect(),
    query: (statement) => current.query(statement),
    end: async () => {
      await Promise.all([...endings, current.end()]);
    },
  };
}

/** The driver's error when no message came in time. It has closed the connection, since other statements on it would wait as well. */
export const isSilence = (error: unknown): error is Error => error instanceof Error && error.message === 'Query read timeout';

/**
 * Whether a failed statement leaves its connection unusable: after an ordinary error the session continues, after a fatal one it ends.
 */
export function isBroken(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.severity === 'FATAL' || error.severity === 'PANIC';
}
