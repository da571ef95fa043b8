import type pg from 'pg';
import { clientConfig, Connection, OF_REQUESTS, type Patience } from './connection.ts';

/** Number of sessions that compete for the server of the first one; a pooler with more servers gives the first session another one. */
const RIVALS = 3;

/**
 * Refuses an address whose sessions do not keep their server: a pooler in transaction or statement mode gives each transaction any free
 * server, and with it another session's role, settings, prepared statements, locks and subscriptions. A pooler in session mode works like
 * a direct connection.
 */
export async function refuseSharedSessions(url: string, setting = 'DATABASE_URL', patience = OF_REQUESTS): Promise<void> {
  const first = await connect(url, patience);
  try {
    const pid = await serverOf(first);
    // A pooler invents the process id that it reports to its clients.
    if (pid === (first as pg.Client & { processID: number | null }).processID) return;
    if (await isShared(url, patience, first, pid)) throw new SharedSessions(setting);
  } finally {
    await first.end();
  }
}

export class SharedSessions extends Error {
  constructor(setting: string) {
    super(
      `${setting} leads to a connection pooler in transaction or statement mode, where one session’s role, settings, locks and ` +
        'prepared statements reach another: set pool_mode = session for this database (PgBouncer), or give the address of PostgreSQL itself',
    );
  }
}

/** True when a transaction of another session gets the server of the first one, or the first is given another server in the meantime. */
async function isShared(url: string, patience: Patience, first: pg.Client, pid: number): Promise<boolean> {
  const rivals: pg.Client[] = [];
  try {
    for (let count = 0; count < RIVALS; count += 1) {
      const rival = await connect(url, patience);
      rivals.push(rival);
      await rival.query('begin');
      if ((await serverOf(rival)) === pid) return true;
    }
    return (await serverOf(first)) !== pid;
  } catch (error) {
    // A pooler in statement mode allows no transaction.
    if (/transaction blocks not allowed/i.test((error as Error).message)) return true;
    throw error;
  } finally {
    await Promise.all(rivals.map((rival) => rival.end()));
  }
}

/** No settings: they may stay on a server that others share. */
async function connect(url: string, patience: Patience): Promise<pg.Client> {
  const client = new Connection(clientConfig({ url, name: 'sluice-probe', patience }));
  client.on('error', () => {});
  return client.connect();
}

async function serverOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
