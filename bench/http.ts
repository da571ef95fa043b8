// GET /v1/api/alerts?limit=20, authenticated, limited, counted and logged, beside a bare Fastify route that runs the same two statements, and
// beside the same gateway with SLUICE_REQUEST_LOG=off.
import { type ChildProcess, fork } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import pg from 'pg';
import { start } from '../src/commands/serve.ts';
import { readConfig } from '../src/config.ts';
import { raiseAlert } from '../src/events/emit.ts';
import { issueKey } from '../src/features/keys/issue-key.ts';
import { addUpTotals } from '../src/platform/db/kept-totals.ts';
import { platformActor } from '../src/platform/http/platform-actor.ts';
import { quantile } from '../test/support/quantile.ts';

const CONNECTIONS = 64;
const POOL = 20;
const ROUND_SECONDS = 1;
const ROUNDS = 15;
const ALERTS = 200;

type Ready = { url: string; token: string; databaseUrl: string; organizationId: string };
type Server = { child: ChildProcess; ready: Ready };
/** `cpuMicros` is of the server process, `allMicros` also of the database, where the system tells it. */
type Round = { responsesPerSecond: number; cpuMicros: number; allMicros: number };
type Rounds = { gateway: Round; unlogged: Round; bare: Round };

/** `rounds` (default 15) of one second for each server; `ratio` and `log_ratio`, of the gateway with its log to that without, are medians of the rounds. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? ROUNDS);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const servers: Server[] = [];
  try {
    const { token, databaseUrl, organizationId } = (await startServer(servers, ['host', dataDir])).ready;
    // Both are started in the same way beside the process that has the database.
    const gateway = await startServer(servers, ['gateway', dataDir, databaseUrl]);
    const unlogged = await startServer(servers, ['unlogged', dataDir, databaseUrl]);
    const bare = await startServer(servers, ['bare', databaseUrl, organizationId]);
    const all = { gateway, unlogged, bare };
    for (let warm = 0; warm < 2; warm += 1) for (const server of Object.values(all)) await load(server, token, dataDir);
    const measured: Rounds[] = [];
    // Short alternating rounds, so that other work on the machine affects all alike.
    for (let round = 0; round < rounds; round += 1) {
      const names = ['unlogged', 'gateway', 'bare'] as const;
      const of: Partial<Rounds> = {};
      for (const name of round % 2 === 0 ? names : names.toReversed()) of[name] = await load(all[name], token, dataDir);
      if (of.gateway && of.unlogged && of.bare) measured.push({ gateway: of.gateway, unlogged: of.unlogged, bare: of.bare });
    }
    report(measured);
  } finally {
    for (const { child } of servers.reverse()) await ended(child);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function report(rounds: readonly Rounds[]): void {
  process.stdout.write(
    'gateway/s\tunlogged/s\tbare/s\tratio\tlog ratio\tCPU µs of gateway, unlogged, bare (server and database, per response)\n',
  );
  for (const { gateway, unlogged, bare } of rounds) {
    const rates = [gateway, unlogged, bare].map(({ responsesPerSecond }) => responsesPerSecond.toFixed(0));
    const ratios = [bare, unlogged].map((other) => (gateway.responsesPerSecond / other.responsesPerSecond).toFixed(2));
    const cpu = [gateway, unlogged, bare].map(({ allMicros }) => allMicros.toFixed(0));
    process.stdout.write(`${[...rates, ...ratios, ...cpu].join('\t')}\n`);
  }
  const middle = (values: number[], part = 0.5): number => Number(quantile(values, part).toFixed(3));
  const ratios = rounds.map(({ gateway, bare }) => gateway.responsesPerSecond / bare.responsesPerSecond);
  const logRatios = rounds.map(({ gateway, unlogged }) => gateway.responsesPerSecond / unlogged.responsesPerSecond);
  const rate = (name: keyof Rounds): number => Math.round(middle(rounds.map((round) => round[name].responsesPerSecond)));
  process.stdout.write(
    `${JSON.stringify({
      bench: 'http',
      ratio: middle(ratios),
      limit: 0.85,
      unlogged_ratio: middle(rounds.map(({ unlogged, bare }) => unlogged.responsesPerSecond / bare.responsesPerSecond)),
      unlogged_limit: 0.9,
      quartiles: [middle(ratios, 0.25), middle(ratios, 0.75)],
      log_ratio: middle(logRatios),
      log_limit: 0.95,
      log_quartiles: [middle(logRatios, 0.25), middle(logRatios, 0.75)],
      gateway_per_second: rate('gateway'),
      unlogged_per_second: rate('unlogged'),
      bare_per_second: rate('bare'),
      cpu_ratio: middle(rounds.map((round) => round.bare.cpuMicros / round.gateway.cpuMicros)),
      log_cpu_ratio: middle(rounds.map((round) => round.unlogged.allMicros / round.gateway.allMicros)),
      rounds: rounds.length,
      connections: CONNECTIONS,
    })}\n`,
  );
}

async function startServer(servers: Server[], args: string[]): Promise<Server> {
  const child = fork(fileURLToPath(import.meta.url), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ready = await answerOf<Ready>(child);
  const server = { child, ready };
  servers.push(server);
  return server;
}

function answerOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null): void => reject(new Error(`the server ended with ${code}`));
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('exit', failed);
      resolve(message as Message);
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** One round over 64 kept-alive connections, each with one request in flight. */
async function load({ child, ready }: Server, token: string, dataDir: string): Promise<Round> {
  const cpu = async (): Promise<number> => {
    const answer = answerOf<number>(child);
    child.send('cpu');
    return answer;
  };
  const { hostname, port, pathname, search } = new URL(ready.url);
  const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\naccept: */*\r\n\r\n`;
  const [cpuBefore, databaseBefore] = [await cpu(), databaseCpuMicros(dataDir)];
  const began = performance.now();
  const until = began + ROUND_SECONDS * 1000;
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => ask(Number(port), hostname, request, until)));
  const seconds = (performance.now() - began) / 1000;
  const responses = counts.reduce((sum, count) => sum + count, 0);
  const cpuMicros = ((await cpu()) - cpuBefore) / responses;
  const allMicros = cpuMicros + (databaseCpuMicros(dataDir) - databaseBefore) / responses;
  return { responsesPerSecond: responses / seconds, cpuMicros, allMicros };
}

const TICK_MICROS = 10_000;

/** Processor time of the embedded database's processes so far; 0 where the system does not tell it. */
function databaseCpuMicros(dataDir: string): number {
  try {
    const [file = ''] = globSync('**/postmaster.pid', { cwd: dataDir });
    const server = Number(readFileSync(join(dataDir, file), 'utf8').split('\n')[0]);
    return globSync('[0-9]*/stat', { cwd: '/proc' }).reduce((sum, stat) => sum + ticksOf(stat, server), 0) * TICK_MICROS;
  } catch {
    return 0;
  }
}

function ticksOf(stat: string, parent: number): number {
  try {
    const fields = readFileSync(join('/proc', stat), 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[1]) === parent ? Number(fields[11]) + Number(fields[12]) : 0;
  } catch {
    return 0;
  }
}

/** Sends the request again after each response; a client on raw sockets takes less of the shared processors than one on node:http. */
function ask(port: number, host: string, request: string, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host, noDelay: true });
    let responses = 0;
    let held = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      held += chunk;
      const head = held.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(held.slice(0, head))?.[1]);
      if (held.length < head + 4 + length) return;
      if (!held.startsWith('HTTP/1.1 200 ')) return void socket.destroy(new Error(`answered ${held.slice(0, 300)}`));
      held = '';
      responses += 1;
      if (performance.now() < until) return void socket.write(request);
      socket.removeAllListeners('close').destroy();
      resolve(responses);
    });
  });
}

/** The process that has the database; no request is sent to it. */
async function serveHost(dataDir: string): Promise<Ready> {
  const config = readConfig({ SLUICE_DATA_DIR: dataDir, PORT: '0', SLUICE_RATE_LIMIT: '1000000000', LOG_LEVEL: 'silent' });
  const running = await start(config, { api: true, worker: false });
  const { runtime } = running;
  const key = await runtime.db.tx({ platform: true }, (tx) =>
    issueKey(
      tx,
      platformActor('bench'),
      { organization: 'Bench', role: 'both', environment: 'development', requester: 'bench', use_case: 'bench' },
      runtime,
    ),
  );
  await runtime.db.tx({ platform: true }, async (tx) => {
    for (let count = 0; count < ALERTS; count += 1) {
      await raiseAlert(tx, key.organization_id, 'loan.mapping_needed', {
        category: 'loan',
        priority: 'LOW',
        title: 'A title of some length',
        message: 'A message that says what to do about it.',
        entity_type: 'deal',
        entity_id: `deal_${count}`,
      });
    }
  });
  // As a worker does within a minute.
  await addUpTotals(runtime.db);
  process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
  return {
    url: `${running.address}/v1/api/alerts?limit=20`,
    token: key.token,
    databaseUrl: runtime.databaseUrl,
    organizationId: key.organization_id,
  };
}

async function serveGateway(dataDir: string, databaseUrl: string, requestLog: 'on' | 'off'): Promise<Ready> {
  const config = readConfig({
    SLUICE_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    SLUICE_RATE_LIMIT: '1000000000',
    SLUICE_REQUEST_LOG: requestLog,
    SLUICE_METRICS_LISTEN: 'off',
    LOG_LEVEL: 'silent',
  });
  const running = await start(config, { api: true, worker: false });
  process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
  return { url: `${running.address}/v1/api/alerts?limit=20`, token: '', databaseUrl, organizationId: '' };
}

/** The same two prepared statements over the same rows, with Fastify's own serialisation and nothing else. */
async function serveBare(databaseUrl: string, organizationId: string): Promise<Ready> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL });
  pool.on('error', () => {});
  await pool.query('vacuum analyze');
  const app = Fastify();
  app.get('/alerts', async () => {
    const [rows, count] = await Promise.all([
      pool.query({
        name: 'rows',
        text: `select alert_id as id, type, category, priority, status, title, message, created_at, entity_type, entity_id, read_at
               from alerts where organization_id = $1 order by created_at desc, alert_id desc limit 20`,
        values: [organizationId],
      }),
      pool.query({
        name: 'count',
        text: 'select count(*)::int as total from alerts where organization_id = $1',
        values: [organizationId],
      }),
    ]);
    const total = (count.rows[0] as { total: number }).total;
    return { success: true, data: rows.rows, meta: { total, page: 1, limit: 20, totalPages: Math.ceil(total / 20) } };
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
  return { url: `${address}/alerts?limit=20`, token: '', databaseUrl, organizationId };
}

const SERVERS: Record<string, (first: string, second: string) => Promise<Ready>> = {
  host: serveHost,
  gateway: (dataDir, databaseUrl) => serveGateway(dataDir, databaseUrl, 'on'),
  unlogged: (dataDir, databaseUrl) => serveGateway(dataDir, databaseUrl, 'off'),
  bare: serveBare,
};

const serving = SERVERS[process.argv[2] ?? ''];
if (serving && process.send) {
  const [, , , first = '', second = ''] = process.argv;
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.send(await serving(first, second));
}
