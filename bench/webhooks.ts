// Deliveries end to end beside a bare loop that signs and posts the same bodies from memory, in the same run.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { queueDeliveries } from '../src/events/deliveries.ts';
import { startDeliveries } from '../src/features/webhooks/engine.ts';
import { newId } from '../src/platform/ids.ts';
import { newSecret, signedHeaders } from '../src/features/webhooks/signature.ts';
import { type Gateway, startGateway } from '../test/support/gateway.ts';
import { quantile } from '../test/support/quantile.ts';

const RECEIVERS = 50;
const BODY_BYTES = 1_024;
const PAIRS = 3;
const DATA = { deal_id: 'deal_bench', filler: '' };

type Receivers = { ports: number[]; ask(what: 'take' | 'release'): Promise<Taken>; stop(): void };
/** Arrivals since the last query: port index, and the time on the machine's clock. */
type Taken = { count: number; byReceiver: number[]; arrivals: [string, number][] };

/** `npm run bench -- webhooks [deliveries]` */
export async function run(args: string[]): Promise<void> {
  const total = Number(args[0] ?? 20_000);
  countStatements();
  const receivers = await startReceivers(100);
  try {
    const bare = await bareLoop(receivers, total);
    const sustained = await measureSustained(receivers, total);
    const latency = await measureLatency(receivers);
    // Alternating, so that other work on the machine affects both alike.
    const pairs: [number, number][] = [];
    for (let pair = 0; pair < PAIRS; pair += 1)
      pairs.push([await measureMixed(receivers, 0, 0), await measureMixed(receivers, 20, 10)]);
    const [healthy = 0, mixed = 0] = pairs.toSorted((a, b) => a[1] / a[0] - b[1] / b[0])[Math.floor(PAIRS / 2)] ?? [];
    const burst = await measureBurst(receivers);
    const ratio = sustained.perSecond / bare;
    const table: [string, string][] = [
      ['bare loop: sign and post from memory', `${bare.toFixed(0)}/s`],
      [`sustained, ${RECEIVERS} receivers, ${BODY_BYTES} B bodies`, `${sustained.perSecond.toFixed(0)}/s`],
      ['ratio', ratio.toFixed(2)],
      ['SQL statements per delivery', sustained.statements.toFixed(3)],
      ['commit to first byte, idle: p50', `${latency.p50.toFixed(1)} ms`],
      ['commit to first byte, idle: p99', `${latency.p99.toFixed(1)} ms`],
      ['70 healthy of 100, alone', `${healthy.toFixed(0)}/s`],
      ['beside 20 that hang and 10 that fail', `${mixed.toFixed(0)}/s (${((100 * mixed) / healthy).toFixed(0)} %)`],
      ['single event beside a burst of 50,000: p50', `${burst.p50.toFixed(0)} ms`],
      ['single event beside a burst of 50,000: p99', `${burst.p99.toFixed(0)} ms`],
    ];
    for (const [name, value] of table) process.stdout.write(`${name.padEnd(48)} ${value.padStart(16)}\n`);
    process.stdout.write(
      `${JSON.stringify({
        bench: 'webhooks',
        ratio: Number(ratio.toFixed(3)),
        deliveries_per_s: Math.round(sustained.perSecond),
        bare_per_s: Math.round(bare),
        statements_per_delivery: Number(sustained.statements.toFixed(3)),
        idle_p50_ms: Number(latency.p50.toFixed(1)),
        idle_p99_ms: Number(latency.p99.toFixed(1)),
        healthy_share_beside_hanging: Number((mixed / healthy).toFixed(3)),
        burst_other_p99_ms: Math.round(burst.p99),
      })}\n`,
    );
  } finally {
    receivers.stop();
  }
}

async function bareLoop(receivers: Receivers, total: number): Promise<number> {
  const secret = newSecret();
  const body = bodyOf();
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 512 });
  let next = 0;
  const startedAt = performance.now();
  const loop = async (): Promise<void> => {
    while (next < total) {
      const index = next++;
      const message = { eventId: newId('evt'), deliveryId: newId('dlv'), event: 'deal.status_changed', body };
      const headers = signedHeaders(message, { current: secret, previous: null }, Date.now());
      await postOnce(agent, receivers.ports[index % RECEIVERS] as number, headers, body);
    }
  };
  await Promise.all(Array.from({ length: RECEIVERS * 8 }, loop));
  const perSecond = (1_000 * total) / (performance.now() - startedAt);
  agent.destroy();
  await receivers.ask('take');
  return perSecond;
}

function postOnce(agent: Agent, port: number, headers: Record<string, string | number>, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const out = httpRequest({ agent, port, host: '127.0.0.1', method: 'POST', path: '/', headers }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    out.on('error', reject);
    out.end(body);
  });
}

async function measureSustained(receivers: Receivers, total: number): Promise<{ perSecond: number; statements: number }> {
  await using gateway = await startGateway();
  const organization = await subscribeAll(gateway, receivers.ports.slice(0, RECEIVERS));
  for (let made = 0; made < total / RECEIVERS; made += 100)
    await insertEvents(gateway, organization, Math.min(100, total / RECEIVERS - made));
  const before = statements;
  await receivers.ask('take');
  const startedAt = performance.now();
  await using engine = startDeliveries(gateway.deps);
  void engine;
  await until(async () => (await waiting(gateway)) === 0);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { count } = await receivers.ask('take');
  if (count !== total) throw new Error(`${count} of ${total} deliveries arrived`);
  return { perSecond: total / seconds, statements: (statements - before) / total };
}

async function measureLatency(receivers: Receivers): Promise<{ p50: number; p99: number }> {
  await using gateway = await startGateway();
  const organization = await subscribeAll(gateway, receivers.ports.slice(0, 1));
  await using engine = startDeliveries(gateway.deps);
  void engine;
  await receivers.ask('take');
  const committed = new Map<string, number>();
  for (let index = 0; index < 200; index += 1) {
    const [id = ''] = await insertEvents(gateway, organization, 1);
    committed.set(id, now());
    await pause(15 + (index % 7) * 4);
  }
  await pause(200);
  const { arrivals } = await receivers.ask('take');
  return quantiles(arrivals.map(([id, at]) => at - (committed.get(id) ?? at)));
}

/** Deliveries per second to the healthy receivers among a hundred, of two organizations, while others hang or fail. */
async function measureMixed(receivers: Receivers, hanging: number, failing: number): Promise<number> {
  await using gateway = await startGateway();
  const healthy = 70;
  const bad = [...Array.from({ length: hanging }, () => 'hang'), ...Array.from({ length: failing }, () => 'fail')];
  const urls = receivers.ports
    .map((port, index) => `http://127.0.0.1:${port}/${bad[index - healthy] ?? 'ok'}`)
    .slice(0, healthy + bad.length);
  const organizations = [
    await subscribeAll(
      gateway,
      urls.filter((_each, index) => index % 2 === 0),
      'Even',
    ),
    await subscribeAll(
      gateway,
      urls.filter((_each, index) => index % 2 === 1),
      'Odd',
    ),
  ];
  for (const organization of organizations)
    for (let made = 0; made < 200; made += 100) await insertEvents(gateway, organization, 100);
  await receivers.ask('take');
  const wanted = healthy * 200;
  const startedAt = performance.now();
  await using engine = startDeliveries(gateway.deps, { timeoutMs: 15_000 });
  let seconds = 0;
  let arrived = 0;
  await until(async () => {
    const { byReceiver } = await receivers.ask('take');
    arrived += byReceiver.slice(0, healthy).reduce((sum, each) => sum + each, 0);
    seconds = (performance.now() - startedAt) / 1_000;
    return arrived >= wanted;
  });
  await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('delete from webhook_queue'));
  // The hanging requests are released, so that the next measurement need not wait for their deadlines.
  await receivers.ask('release');
  void engine;
  return arrived / seconds;
}

/** Single events of one organization from time to time, while another works through 50,000 deliveries. */
async function measureBurst(receivers: Receivers): Promise<{ p50: number; p99: number }> {
  await using gateway = await startGateway();
  const noisy = await subscribeAll(gateway, receivers.ports.slice(0, 5), 'Noisy');
  const quiet = await subscribeAll(gateway, receivers.ports.slice(60, 61), 'Quiet');
  for (let made = 0; made < 10_000; made += 500) await insertEvents(gateway, noisy, 500);
  await receivers.ask('take');
  await using engine = startDeliveries(gateway.deps);
  void engine;
  const committed = new Map<string, number>();
  for (let index = 0; index < 100 && (await waiting(gateway)) > 100; index += 1) {
    const [id = ''] = await insertEvents(gateway, quiet, 1);
    committed.set(id, now());
    await pause(25);
  }
  await pause(1_000);
  const { arrivals } = await receivers.ask('take');
  const own = arrivals.filter(([id]) => committed.has(id));
  if (own.length < committed.size) throw new Error(`${own.length} of ${committed.size} single events arrived in time`);
  await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('delete from webhook_queue'));
  return quantiles(own.map(([id, at]) => at - (committed.get(id) ?? at)));
}

async function subscribeAll(gateway: Gateway, targets: readonly (number | string)[], name = 'Bench'): Promise<string> {
  const holder = await gateway.key('both', name);
  for (const target of targets) {
    const url = typeof target === 'string' ? target : `http://127.0.0.1:${target}/ok`;
    const answer = await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url } });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  }
  return holder.organization_id;
}

/** Events as `emit` writes them, many in one transaction; the ids. */
async function insertEvents(gateway: Gateway, organization: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('evt'));
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    await tx.exec(
      `insert into events (event_id, organization_id, event, data, body, at)
       select id, $2, 'deal.status_changed', $3, $4, sluice_now() from unnest($1::text[]) as t(id)`,
      [ids, organization, JSON.stringify(DATA), bodyOf()],
    );
    await queueDeliveries(
      tx,
      ids.map((event_id) => ({
        event_id,
        inserted_at: tx.moment,
        organization_id: organization,
        event: 'deal.status_changed',
        data: DATA,
      })),
    );
  });
  return ids;
}

const bodyOf = (): Buffer => {
  const empty = JSON.stringify({ event: 'deal.status_changed', timestamp: '2026-01-15T09:30:00.000Z', data: DATA });
  return Buffer.from(empty.replace('"filler":""', `"filler":"${'x'.repeat(BODY_BYTES - empty.length)}"`));
};

async function waiting(gateway: Gateway): Promise<number> {
  const row = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.one<{ n: number }>('select count(*)::int as n from webhook_queue'),
  );
  return row?.n ?? 0;
}

/** Every statement that this process sends to the database, including BEGIN and COMMIT. */
let statements = 0;

function countStatements(): void {
  const client = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
  const { query } = client;
  client.query = function (this: unknown, ...args: unknown[]) {
    statements += 1;
    return query.apply(this, args);
  };
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error('the deliveries did not come to an end');
    await pause(50);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const now = (): number => performance.timeOrigin + performance.now();

function quantiles(values: number[]): { p50: number; p99: number } {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}

/** The receivers run in a separate process, as in production. */
async function startReceivers(count: number): Promise<Receivers> {
  const child = fork(fileURLToPath(import.meta.url), ['receivers', String(count)]);
  const [ports] = (await once(child, 'message')) as [number[]];
  return {
    ports,
    ask: async (what) => {
      child.send(what);
      return ((await once(child, 'message')) as [Taken])[0];
    },
    stop: () => void child.kill(),
  };
}

async function receiveForever(count: number): Promise<void> {
  let taken: Taken = { count: 0, byReceiver: Array.from({ length: count }, () => 0), arrivals: [] };
  const held = new Set<import('node:http').ServerResponse>();
  const ports: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const server = createServer((incoming, response) => {
      const arrivedAt = now();
      incoming.resume();
      incoming.on('end', () => {
        taken.count += 1;
        taken.byReceiver[index] = (taken.byReceiver[index] ?? 0) + 1;
        if (taken.arrivals.length < 100_000) taken.arrivals.push([String(incoming.headers['webhook-id']), arrivedAt]);
        if (incoming.url === '/hang') return void held.add(response);
        response.writeHead(incoming.url === '/fail' ? 500 : 204).end();
      });
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  process.on('message', (what) => {
    if (what === 'release') {
      for (const response of held) response.writeHead(204).end();
      held.clear();
    }
    process.send?.(taken);
    taken = { count: 0, byReceiver: Array.from({ length: count }, () => 0), arrivals: [] };
  });
  process.send?.(ports);
}

if (process.argv[2] === 'receivers') await receiveForever(Number(process.argv[3]));
