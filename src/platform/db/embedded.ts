import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ensureDatabase, LOGIN, loginPassword } from './embedded-login.ts';
import { type ServerOptions, START_TIMEOUT_MS, startServer, stopServer } from './embedded-server.ts';
import { lockFile } from './file-lock.ts';

const LOCK = 'start.lock';
const LOCK_TIMEOUT_MS = 2 * START_TIMEOUT_MS;
/** A silent server must not delay the end of a process. */
const LEAVE_TIMEOUT_MS = 5_000;
/** Key of the advisory lock that every process shares while it uses the server. */
const PRESENCE = 7_305_823_012;

/** A running PostgreSQL that lives in a directory. */
export type EmbeddedPostgres = {
  /** Address of the database for its administrator, who creates and migrates it. */
  url: string;
  /** The administrator's address of another database of the server. */
  databaseUrl(name: string): string;
  /** Address of the database for the gateway: a login without rights over the server or the tables. */
  gatewayUrl: string;
  /** Stops the server unless another process of the gateway uses it. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = Omit<ServerOptions, 'port'> & {
  /** Restarts the server when it disappears while this process uses it. */
  revive?: boolean;
};

/**
 * Starts or joins the packaged PostgreSQL whose files are in `directory`. Two processes that start at the same time share one server; a
 * server that outlived its parent is found through postmaster.pid and reused.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  let stopping = false;
  let reviving: Promise<void> | undefined;
  const { url, gatewayUrl, ...first } = await joinServer(options);
  let { presence } = first;
  const watch = (): void => {
    void presence.lost.then(() => {
      if (!stopping && options.revive) reviving = revive();
    });
  };
  const revive = async (): Promise<void> => {
    options.log?.('the embedded PostgreSQL has stopped: starting it again');
    presence = (await rejoinServer({ ...options, port: Number(new URL(url('sluice')).port) }, () => stopping)) ?? presence;
    watch();
  };
  watch();
  return {
    url: url('sluice'),
    databaseUrl: url,
    gatewayUrl: gatewayUrl('sluice'),
    stop: async () => {
      stopping = true;
      await reviving;
      await leaveServer(options.directory, presence);
    },
  };
}

type Joined = { url: (database: string) => string; gatewayUrl: (database: string) => string; presence: Presence };

async function joinServer(options: ServerOptions): Promise<Joined> {
  const release = await lockFile(join(options.directory, LOCK), LOCK_TIMEOUT_MS);
  try {
    const url = await startServer(options);
    const password = loginPassword(options.directory);
    await ensureDatabase(url('postgres'), 'sluice', password);
    const gatewayUrl = (database: string): string => Object.assign(new URL(url(database)), { username: LOGIN, password }).href;
    return { url, gatewayUrl, presence: await announcePresence(gatewayUrl('postgres')) };
  } finally {
    release();
  }
}

async function rejoinServer(options: ServerOptions, isStopping: () => boolean): Promise<Presence | null> {
  while (!isStopping()) {
    try {
      return (await joinServer(options)).presence;
    } catch (error) {
      options.log?.(`the embedded PostgreSQL could not be started again, and is tried in a second: ${(error as Error).message}`);
      await sleep(1_000, undefined, { ref: false });
    }
  }
  return null;
}

/** Tells other processes that this one uses the server: a shared lock that ends with its session. */
type Presence = { client: PresenceClient; lost: Promise<void> };

/** Members that its types leave out; they decide whether a connection keeps the process alive. */
type PresenceClient = pg.Client & { ref(): void; unref(): void };

async function announcePresence(url: string): Promise<Presence> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: START_TIMEOUT_MS,
    query_timeout: START_TIMEOUT_MS,
    application_name: 'sluice-presence',
  }) as PresenceClient;
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  client.on('error', () => {});
  await client.connect();
  await client.query('select pg_advisory_lock_shared($1)', [PRESENCE]);
  // The lock represents this process and must not keep it alive.
  client.unref();
  return { client, lost };
}

/** Ends this process's use of the server, and the server itself when no other process uses it. */
async function leaveServer(directory: string, { client }: Presence): Promise<void> {
  const release = await lockFile(join(directory, LOCK), LOCK_TIMEOUT_MS);
  try {
    client.ref();
    const leave = { values: [PRESENCE], query_timeout: LEAVE_TIMEOUT_MS };
    await client.query({ ...leave, text: 'select pg_advisory_unlock_shared($1)' });
    const { rows } = await client.query<{ last: boolean }>({ ...leave, text: 'select pg_try_advisory_lock($1) as last' });
    await client.end();
    if (rows[0]?.last) await stopServer(directory);
  } catch {
    // The server does not respond: it cannot be stopped in an orderly way, and the next start finds its files.
  } finally {
    release();
  }
}
