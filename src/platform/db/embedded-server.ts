import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isRunning } from '../running.ts';
import { createWhole } from './file-lock.ts';
import { endOrphans } from './orphans.ts';
import { packagedProgram } from './packaged-postgres.ts';
import { lastFailure, logSize } from './server-log.ts';

const SUPERUSER = 'sluice';
export const START_TIMEOUT_MS = 60_000;
const RETRY_MS = 500;
const STOP_TIMEOUT_MS = 10_000;
const FIRST_PORT = 15_432;
/** Linux gives clients ports from here on, others from higher ones. */
const PORTS_OF_CLIENTS = 32_768;

export type ServerOptions = {
  directory: string;
  settings?: Record<string, string>;
  log?: (line: string) => void;
  /** The port at which processes know the server: it is waited for, and no other port is taken. */
  port?: number;
  /** How long a start is retried. */
  timeoutMs?: number;
};

/**
 * Makes sure that a server runs on the files in `directory`; returns the address of each of its databases. The caller holds the
 * directory's lock.
 */
export async function startServer(options: ServerOptions): Promise<(database: string) => string> {
  const { directory } = options;
  const data = join(directory, 'data');
  const password = readOrMakePassword(directory);
  if (!existsSync(join(data, 'PG_VERSION'))) initialise(directory, data);
  const port = (await joinRunning(data, password)) ?? (await boot(directory, data, password, options));
  return (database) => `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Stops the server in an orderly way and waits until it has exited. */
export async function stopServer(directory: string): Promise<void> {
  const data = join(directory, 'data');
  const running = readPostmaster(data);
  if (!running) return;
  process.kill(running.pid, 'SIGINT');
  for (let waited = 0; waited < STOP_TIMEOUT_MS && existsSync(join(data, 'postmaster.pid')); waited += 20) await sleep(20);
}

function readOrMakePassword(directory: string): string {
  const path = join(directory, 'password');
  createWhole(path, randomBytes(24).toString('base64url'));
  return readFileSync(path, 'utf8').trim();
}

/** Creates the server's files in a temporary place and then moves them, so that an interrupted start leaves nothing half done. */
function initialise(directory: string, data: string): void {
  const unfinished = `${data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  const { command, args, env } = packagedProgram('initdb', [
    '-D',
    unfinished,
    '-U',
    SUPERUSER,
    '--auth=scram-sha-256',
    `--pwfile=${join(directory, 'password')}`,
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  const result = spawnSync(command, args, { encoding: 'utf8', env, cwd: directory });
  writeFileSync(join(directory, 'initdb.log'), `${result.stdout}${result.stderr}`, { mode: 0o600 });
  if (result.status !== 0) {
    throw new Error(`the embedded PostgreSQL could not be initialised: ${result.error?.message ?? result.stderr.trim()}`);
  }
  rmSync(data, { recursive: true, force: true });
  renameSync(unfinished, data);
  // initdb has synced the files; the new name of their folder is synced here.
  const parent = openSync(directory, 'r');
  fsyncSync(parent);
  closeSync(parent);
}

/** The port of a server that already runs on these files, or null. The server's own setting of its data directory decides. */
async function joinRunning(data: string, password: string): Promise<number | null> {
  const running = readPostmaster(data);
  if (!running) return null;
  return (await dataDirectoryAt(running.port, password)) === data ? running.port : null;
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

async function boot(directory: string, data: string, password: string, options: ServerOptions): Promise<number> {
  const deadline = Date.now() + (options.timeoutMs ?? START_TIMEOUT_MS);
  const logPath = join(directory, 'postgres.log');
  for (let said = ''; ; ) {
    const port = options.port ?? (await choosePort(directory));
    const before = logSize(logPath);
    const server = launch(directory, data, port, options.settings ?? {});
    if (await isReady(port, password, server, deadline)) {
      writeFileSync(join(directory, 'port'), String(port), { mode: 0o600 });
      return port;
    }
    // A killed postmaster may have left processes that prevent a new one from starting, and its shared memory may take some seconds to
    // disappear.
    const ended = hasEnded(server) && !isRunning(readPostmaster(data)?.pid ?? 0) ? await endOrphans(data) : 0;
    if (ended > 0) options.log?.(`ended ${ended} process(es) that a killed database server had left on ${data}`);
    const refusal = lastFailure(logPath, before) || said || `see ${logPath}`;
    if (Date.now() + RETRY_MS > deadline) throw new Error(`the embedded PostgreSQL did not start: ${refusal}`);
    if (refusal !== said) options.log?.(`waiting for the embedded PostgreSQL: ${refusal}`);
    said = refusal;
    if (ended === 0) await sleep(RETRY_MS);
    // What refuses the start may be a server that was too busy to respond before.
    const joined = await joinRunning(data, password);
    if (joined !== null) return joined;
  }
}

/**
 * The port of the last start if it is free, so that processes that know it find the server again; otherwise any port below the range that
 * the system assigns to clients. A port in that range may be taken while the server is away, even by a client that tries to connect to
 * it.
 */
async function choosePort(directory: string): Promise<number> {
  const last = Number(readText(join(directory, 'port')));
  if (last > 0 && (await isFree(last))) return last;
  for (;;) {
    const port = randomInt(FIRST_PORT, PORTS_OF_CLIENTS);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
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
  const { command, args, env } = packagedProgram('postgres', [
    '-D',
    data,
    '-p',
    String(port),
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const log = openSync(join(directory, 'postgres.log'), 'a', 0o600);
  // Its own process group: Ctrl-C must reach only the gateway, which then stops its server in an orderly way.
  const child = spawn(command, args, { env, cwd: directory, stdio: ['ignore', log, log], detached: true });
  child.unref();
  closeSync(log);
  return child;
}

async function isReady(port: number, password: string, server: ChildProcess, deadline: number): Promise<boolean> {
  while (Date.now() < deadline && !hasEnded(server)) {
    if ((await dataDirectoryAt(port, password)) !== null) return true;
    await sleep(20);
  }
  return false;
}

const hasEnded = (server: ChildProcess): boolean => server.exitCode !== null || server.signalCode !== null;

/** The data directory of the server that listens on a port; null when none responds. */
async function dataDirectoryAt(port: number, password: string): Promise<string | null> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data: string }>(`select current_setting('data_directory') as data`);
    return rows[0]?.data ?? null;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}
