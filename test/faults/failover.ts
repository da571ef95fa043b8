// The drill of `npm run drill`: writes, each read at once, go on while the primary of a cluster is killed again and again. Settings: WRITES (20,000) and KILLS (10).
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Cluster, NO_CLUSTER, startCluster } from '../support/high-availability.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { ask, createMachine, issueKey, type Machine, type Reply, type Running } from './processes.ts';

const WRITES = Number(process.env.WRITES ?? 20_000);
const KILLS = Number(process.env.KILLS ?? 10);
const LANES = 16;
/** Longest time without an acknowledged write, of the target. */
const MOST_GAP_MS = 30_000;
/** Between a cluster that is whole again and the next kill. */
const CALM_MS = 3_000;
const CRITERIA = '/v1/api/originator/sc/criteria';

if (NO_CLUSTER) console.log(`skipped: ${NO_CLUSTER}`);
else await run();

async function run(): Promise<void> {
  await using cluster = await startCluster();
  const metrics = `127.0.0.1:${await freePort()}`;
  await using machine = createMachine({
    DATABASE_URL: cluster.url,
    DATABASE_REPLICA_URL: cluster.standbysUrl,
    SLUICE_REQUEST_LOG: 'off',
    // Of the first process: to the others the address is taken.
    SLUICE_METRICS_LISTEN: metrics,
  });
  try {
    await drill(cluster, machine, metrics);
  } catch (error) {
    console.error(`${JSON.stringify(await cluster.members())}\n${machine.stderr().slice(-6_000)}`);
    throw error;
  }
}

async function drill(cluster: Cluster, machine: Machine, metrics: string): Promise<void> {
  const serving = ['serve', '--no-worker'];
  const nodes = [await machine.start(serving), await machine.start(serving)] as const;
  await machine.start(['work']);
  const token = await issueKey(machine, 'both', 'Drill');
  const operator = await issueKey(machine, 'operator', 'Platform');
  const streams = nodes.map((node) => followAlerts(node, token));
  const load = startWrites(nodes, token);
  const kills: { node: string; what: string; stopped_ms: number }[] = [];

  for (let count = 0; count < KILLS; count += 1) {
    load.check();
    await until(() => load.last() > 0 && performance.now() - load.last() < 1_000, 120_000, 'writes', 50);
    await cluster.healthy();
    await sleep(CALM_MS);
    const node = await cluster.healthy();
    const what = count % 2 === 0 ? 'machine' : 'server';
    const killedAt = performance.now();
    await cluster.kill(node, what);
    await until(() => (load.check(), load.last() > killedAt + 500), 150_000, 'a write after the kill', 20);
    // What was answered before the kill took effect is no return.
    const gap = load.longestGapSince(killedAt - 1_000);
    kills.push({ node, what, stopped_ms: Math.round(gap) });
    cluster.revive(node);
    await insist(() => fire(nodes[count % 2 ? 1 : 0], token, `after kill ${count + 1}`));
    console.log(
      `kill ${count + 1}: ${what} of ${node}, ${(gap / 1000).toFixed(1)} s without writes, ${load.done()} writes acknowledged`,
    );
  }
  await load.end();
  await cluster.healthy();

  const stored = await storedNames(cluster.url);
  const lost = [...load.acknowledged].filter((name) => !stored.has(name));
  const double = [...stored].filter(([, times]) => times > 1);
  await until(() => streams.every(({ seen }) => seen.size === KILLS), 60_000, 'every alert on both streams', 100);
  const valid = (await insist(() => ask(nodes[0], 'GET', '/v1/operator/audit/verify', { token: operator, withinMs: 120_000 })))
    .body.data.valid;
  for (const stream of streams) stream.end();

  console.table(kills);
  const longest = Math.max(...kills.map(({ stopped_ms }) => stopped_ms));
  console.log(
    JSON.stringify({
      drill: 'failover',
      writes: load.acknowledged.size,
      kills: kills.length,
      lost: lost.length,
      double: double.length,
      longest_gap_s: Math.round(longest / 100) / 10,
      repeated: load.repeated(),
      unseen: load.unseen.length,
      ...(await readsOf(metrics)),
      audit_valid: valid,
    }),
  );
  assert.ok(load.acknowledged.size >= WRITES);
  assert.deepEqual([lost, double, load.unseen, valid], [[], [], [], true]);
  assert.ok(longest <= MOST_GAP_MS, `${longest} ms without a write`);
}

/** The reads of a process: by a standby, and in all. */
async function readsOf(metrics: string): Promise<{ by_standby: number; reads: number }> {
  const text = await (await fetch(`http://${metrics}/metrics`)).text();
  const counts = [...text.matchAll(/^sluice_replica_reads_total\{outcome="(\w+)"\} (\d+)$/gm)];
  const sum = (wanted: (outcome: string) => boolean): number =>
    counts.reduce((total, [, outcome = '', count]) => total + (wanted(outcome) ? Number(count) : 0), 0);
  return { by_standby: sum((outcome) => outcome === 'served'), reads: sum(() => true) };
}

/** Repeats a request as its client would until it is answered: with the same key it happens once. */
async function insist(request: () => Promise<Reply>): Promise<Reply> {
  for (const deadline = Date.now() + 120_000; ; ) {
    const reply = await request().catch((error: Error) => error);
    // The first one may still wait in the database for a standby that is gone.
    const isWaiting = !(reply instanceof Error) && reply.body.code === 'IDEMPOTENCY_IN_PROGRESS';
    if (!(reply instanceof Error) && reply.status < 500 && reply.status !== 429 && !isWaiting) return reply;
    if (Date.now() > deadline)
      throw new Error('no answer', { cause: reply instanceof Error ? reply : JSON.stringify(reply.body) });
    await sleep(Math.min(reply instanceof Error ? 1 : Number(reply.headers.get('retry-after') ?? 1), 2) * 1_000);
  }
}

function nameOf(number: number): string {
  return `write ${number}`;
}

/** Many clients that write one record after the other and read each at once, until the kills have ended and enough are acknowledged. */
function startWrites(nodes: readonly Running[], token: string) {
  const acknowledged = new Set<string>();
  const unseen: string[] = [];
  const times: number[] = [];
  let next = 0;
  let repeated = 0;
  let ending = false;
  const write = (number: number, attempt: number): Promise<Reply> =>
    ask(nodes[(number + attempt) % nodes.length] as Running, 'POST', CRITERIA, {
      token,
      headers: { 'idempotency-key': `drill-${number}` },
      body: {
        name: nameOf(number),
        loan_type: 'Auto',
        loan_rules: [{ id: 'BALANCE', rule: { field: 'current_balance', op: 'gt', value: number } }],
      },
    });
  const lane = async (): Promise<void> => {
    for (let number = next++; number < WRITES || !ending; number = next++) {
      let attempt = -1;
      const reply = await insist(() => {
        attempt += 1;
        return write(number, attempt);
      });
      repeated += attempt;
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      acknowledged.add(nameOf(number));
      times.push(performance.now());
      const reader = nodes[number % nodes.length] as Running;
      const read = await insist(() => ask(reader, 'GET', `${CRITERIA}/${reply.body.data.criteria_id}`, { token }));
      if (read.status !== 200) unseen.push(nameOf(number));
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  // A lane that fails is told where its end is awaited.
  let failure: unknown;
  lanes.catch((error: unknown) => {
    failure = error;
  });
  return {
    acknowledged,
    unseen,
    repeated: () => repeated,
    done: () => acknowledged.size,
    last: () => times.at(-1) ?? 0,
    longestGapSince: (from: number): number => {
      const later = times.filter((time) => time >= from);
      return Math.max(...later.slice(1).map((time, index) => time - (later[index] ?? time)));
    },
    end: () => {
      ending = true;
      return lanes;
    },
    check: () => {
      if (failure !== undefined) throw failure;
    },
  };
}

/** Fires an event, whose alert both streams have to show. */
function fire(node: Running, token: string, name: string): Promise<Reply> {
  return ask(node, 'POST', '/v1/sandbox/events', {
    token,
    headers: { 'idempotency-key': name.replaceAll(' ', '-') },
    body: { event: 'deal.status_changed', data: { deal_id: name } },
  });
}

/** A client of the stream of alerts that comes again by itself, as a browser's does: with the id of the last alert. */
function followAlerts(node: Running, token: string): { seen: Set<string>; end(): void } {
  const seen = new Set<string>();
  const ending = new AbortController();
  let lastId: string | undefined;
  const follow = async (): Promise<void> => {
    const response = await fetch(new URL('/v1/api/alerts/stream', node.address), {
      headers: { authorization: `Bearer ${token}`, ...(lastId ? { 'last-event-id': lastId } : {}) },
      signal: ending.signal,
    });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const id = /^id: ?(.*)$/m.exec(text.slice(0, end))?.[1];
        if (id) seen.add((lastId = id));
        text = text.slice(end + 2);
      }
    }
  };
  void (async () => {
    while (!ending.signal.aborted) {
      await follow().catch(() => {});
      await sleep(1_000);
    }
  })();
  return { seen, end: () => ending.abort() };
}

/** How often each name is stored. */
async function storedNames(url: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set sluice.scope = 'platform'");
  const { rows } = await client.query<{ name: string; times: number }>(
    "select name, count(*)::integer as times from criteria where name like 'write %' group by name",
  );
  await client.end();
  return new Map(rows.map(({ name, times }) => [name, times]));
}
