// GET /v1/api/alerts?limit=20, authenticated, limited and counted, beside a bare Fastify route that runs the same two statements.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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
import { platformActor } from '../src/platform/http/own-organization.ts';

const CONNECTIONS = 64;
const POOL = 20;
const ROUND_SECONDS = 1;
const ROUNDS = 15;
const ALERTS = 200;

type Ready = { url: string; token: string; databaseUrl: string; organizationId: string };
type Server = { child: ChildProcess; ready: Ready };
type Round = { responsesPerSecond: number; cpuMicros: number };

/** `rounds` (default 15) pairs of one second each; `ratio` is the median of the pairs' ratios. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? ROUNDS);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const servers: Server[] = [];
  try {
    const gateway = await startServer(servers, ['gateway', dataDir]);
    const bare = await startServer(servers, ['bare', gateway.ready.databaseUrl, gateway.ready.organizationId]);
    const pairs: { gateway: Round; bare: Round }[] = [];
    for (let warm = 0; warm < 2; warm += 1) {
      await load(gateway, gateway.ready.token);
      await load(bare, gateway.ready.token);
    }
    // Short alternating rounds, so that other work on the machine affects both alike.
    for (let round = 0; round < rounds; round += 1) {
      const first = round % 2 === 0 ? await load(gateway, gateway.ready.token) : null;
      const plain = await load(bare, gateway.ready.token);
      pairs.push({ gateway: first ?? (await load(gateway, gateway.ready.token)), bare: plain });
    }
    report(pairs);
  } finally {
    for (const { child } of servers.reverse()) await ended(child);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function report(pairs: readonly { gateway: Round; bare: Round }[]): void {
  process.stdout.write('gateway/s\tbare/s\tratio\tgateway CPU µs\tbare CPU µs (of the server process, per response)\n');
  for (const { gateway, bare } of pairs) {
    process.stdout.write(
      `${gateway.responsesPerSecond.toFixed(0)}\t${bare.responsesPerSecond.toFixed(0)}\t${(gateway.responsesPerSecond / bare.responsesPerSecond).toFixed(2)}\t${gateway.cpuMicros.toFixed(0)}\t${bare.cpuMicros.toFixed(0)}\n`,
    );
  }
  const ratios = pairs.map(({ gateway, bare }) => gateway.responsesPerSecond / bare.responsesPerSecond);
  const middle = (values: number[], part = 0.5): number =>
    Number(([...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0).toFixed(3));
  process.stdout.write(
    `${JSON.stringify({
      bench: 'http',
      ratio: middle(ratios),
      limit: 0.5,
      quartiles: [middle(ratios, 0.25), middle(ratios, 0.75)],
      gateway_per_second: Math.round(middle(pairs.map((pair) => pair.gateway.responsesPerSecond))),
      bare_per_second: Math.round(middle(pairs.map((pair) => pair.bare.responsesPerSecond))),
      cpu_ratio: middle(pairs.map((pair) => pair.bare.cpuMicros / pair.gateway.cpuMicros)),
      rounds: pairs.length,
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
async function load({ child, ready }: Server, token: string): Promise<Round> {
  const cpu = async (): Promise<number> => {
    const answer = answerOf<number>(child);
    child.send('cpu');
    return answer;
  };
  const { hostname, port, pathname, search } = new URL(ready.url);
  const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\naccept: */*\r\n\r\n`;
  const cpuBefore = await cpu();
  const began = performance.now();
  const until = began + ROUND_SECONDS * 1000;
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => ask(Number(port), hostname, request, until)));
  const seconds = (performance.now() - began) / 1000;
  const responses = counts.reduce((sum, count) => sum + count, 0);
  return { responsesPerSecond: responses / seconds, cpuMicros: ((await cpu()) - cpuBefore) / responses };
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

async function serveGateway(dataDir: string): Promise<Ready> {
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
  process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
  return {
    url: `${running.address}/v1/api/alerts?limit=20`,
    token: key.token,
    databaseUrl: runtime.databaseUrl,
    organizationId: key.organization_id,
  };
}

/** The same two prepared statements over the same rows, with Fastify's own serialisation and nothing else. */
async function serveBare(databaseUrl: string, organizationId: string): Promise<Ready> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL });
  pool.on('error', () => {});
  await pool.query('vacuum analyze alerts');
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

if (process.argv[2] === 'gateway' || process.argv[2] === 'bare') {
  const [, , kind, first = '', second = ''] = process.argv;
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.send?.(kind === 'gateway' ? await serveGateway(first) : await serveBare(first, second));
}
