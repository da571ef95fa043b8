import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { startReceiver } from '../../../test/support/receivers.ts';
import type { Database } from '../../platform/db/database.ts';
import { openRuntime } from '../../runtime.ts';
import { createEngine, startDeliveries } from './engine.ts';
import { keepPartitions } from './queue-queries.ts';
import { fire, inPlatform, newHolder, NOWHERE, subscribe } from './testing/webhooks.ts';
import { until } from '../../../test/support/until.ts';

async function subscribeAll(gateway: Gateway, ...urls: string[]): Promise<Holder> {
  const holder = await newHolder(gateway);
  for (const url of urls) await subscribe(gateway, holder, url);
  return holder;
}

test('two processes send a thousand deliveries once each, and stop without losing any', async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver(204);
  const holder = await subscribeAll(gateway, ...Array.from({ length: 10 }, () => receiver.url));
  await using second = await openRuntime(gateway.deps.config, { migrate: false, supervise: false });
  await using one = startDeliveries(gateway.deps);
  await using other = startDeliveries(second);
  void one;
  void other;
  await fire(gateway, holder, 'loan.approved', { count: 100 });
  await until(() => receiver.received.length >= 1_000);
  await until(
    async () =>
      (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=DELIVERED', { as: holder })).body.pagination.total === 1_000,
  );
  assert.equal(receiver.received.length, 1_000);
  assert.equal(new Set(receiver.received.map((each) => each.headers['x-platform-delivery'])).size, 1_000);
});

test('an event of a process that only serves is sent by one that works, at once', async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver(204);
  await using worker = await openRuntime(gateway.deps.config, { migrate: false, supervise: false });
  const holder = await subscribeAll(gateway, receiver.url);
  await using engine = startDeliveries(worker);
  void engine;
  await fire(gateway, holder);
  await until(() => receiver.received.length === 1);
});

test('a receiver gets the next deliveries when it has answered, also while its answers are not recorded yet, and never more than eight at once', async () => {
  await using gateway = await startGateway();
  const asked: ServerResponse[] = [];
  let [open, mostOpen] = [0, 0];
  await using receiver = await startReceiver((response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    asked.push(response);
  });
  const answer = (): void => {
    for (const response of asked.splice(0)) {
      open -= 1;
      response.writeHead(204).end();
    }
  };
  const holder = await subscribeAll(gateway, receiver.url);
  await fire(gateway, holder, 'loan.approved', { count: 20 });
  await using engine = startDeliveries(gateway.deps);
  void engine;
  await until(() => receiver.received.length === 8);
  await inPlatform(gateway, async (tx) => {
    const held = await tx.rows('select delivery_id from webhook_queue where claim_id is not null for update');
    assert.equal(held.length, 8);
    answer();
    await until(() => receiver.received.length === 16);
  });
  answer();
  await until(() => receiver.received.length === 20);
  answer();
  await until(async () => (await inPlatform(gateway, (tx) => tx.rows('select 1 from webhook_queue'))).length === 0);
  assert.equal(mostOpen, 8);
  assert.equal(new Set(receiver.received.map((each) => each.headers['x-platform-delivery'])).size, 20);
});

test('a database that is away for longer than a lease makes nobody send again what was sent', async () => {
  await using gateway = await startGateway();
  const asked: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => asked.push(response) === 1 || response.writeHead(204).end());
  const holder = await subscribeAll(gateway, receiver.url);
  await fire(gateway, holder);
  const { db } = gateway.deps;
  let [isAway, refused] = [false, 0];
  const tx: Database['tx'] = (scope, work) => {
    if (!isAway) return db.tx(scope, work);
    refused += 1;
    return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  };
  const deps = { ...gateway.deps, db: { ...db, tx } };
  await using one = startDeliveries(deps, { leaseSeconds: 3 });
  await using other = startDeliveries(deps, { leaseSeconds: 3 });
  void one;
  void other;
  await until(() => asked.length === 1);
  isAway = true;
  asked[0]?.writeHead(204).end();
  const count = (sql: string) => inPlatform(gateway, async (away) => (await away.rows(sql)).length);
  await until(async () => (await count('select from webhook_queue where lease_until <= now()')) === 1);
  assert.ok(refused > 0);
  isAway = false;
  await until(async () => (await count('select from webhook_queue')) === 0);
  assert.equal(receiver.received.length, 1);
});

test('an engine that stops lets attempts in flight end, and begins none of a claim that was under way', async () => {
  await using gateway = await startGateway();
  const asked: ServerResponse[] = [];
  let isAnswering = false;
  const answer = (response: ServerResponse): unknown => response.writeHead(200).end();
  await using receiver = await startReceiver((response) => void (isAnswering ? answer(response) : asked.push(response)));
  const holder = await subscribeAll(gateway, receiver.url);
  await fire(gateway, holder, 'loan.approved', { count: 20 });
  const engine = startDeliveries(gateway.deps);
  await until(() => receiver.received.length === 8);
  const stopped = engine[Symbol.asyncDispose]();
  isAnswering = true;
  for (const response of asked) answer(response);
  await stopped;
  const rows = await inPlatform(gateway, (tx) =>
    tx.rows<{ claimed: boolean }>('select claim_id is not null as claimed from webhook_queue'),
  );
  assert.equal(receiver.received.length, 8);
  assert.deepEqual([rows.length, rows.some((row) => row.claimed)], [12, false]);
  assert.equal(await gateway.runDeliveries(), 12);
  assert.equal(receiver.received.length, 20);
  assert.equal(new Set(receiver.received.map((each) => each.headers['x-platform-delivery'])).size, 20);
});

test('an engine that stops keeps its leases until its attempts have ended, so that nobody else makes them', async () => {
  await using gateway = await startGateway();
  const asked: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => void asked.push(response));
  const holder = await subscribeAll(gateway, receiver.url);
  await fire(gateway, holder);
  const leaseSeconds = 1;
  const engine = startDeliveries(gateway.deps, { leaseSeconds });
  await until(() => asked.length === 1);
  const leaseMs = async (): Promise<number> => {
    const [row] = await inPlatform(gateway, (tx) =>
      tx.rows<{ ms: number }>('select extract(epoch from lease_until)::float8 * 1000 as ms from webhook_queue'),
    );
    return row?.ms ?? 0;
  };
  const stopped = engine[Symbol.asyncDispose]();
  const before = await leaseMs();
  // One renewal may be under way when it stops.
  await until(async () => (await leaseMs()) > before + leaseSeconds * 1_000, 120_000, 'a lease that is renewed');
  asked[0]?.writeHead(204).end();
  await stopped;
  assert.deepEqual(await inPlatform(gateway, (tx) => tx.rows('select 1 from webhook_queue')), []);
});

test('a receiver that hangs costs no attempts while its breaker is open, and other receivers get theirs', async () => {
  await using gateway = await startGateway();
  await using hangs = await startReceiver(() => {});
  await using answers = await startReceiver(204);
  const holder = await subscribeAll(gateway, hangs.url, answers.url);
  await fire(gateway, holder, 'loan.approved', { count: 50 });
  await using engine = createEngine(gateway.deps, { timeoutMs: 1_000 });
  await engine.drain();
  assert.equal(answers.received.length, 50);
  const untried = (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=PENDING', { as: holder })).body.pagination.total;
  assert.equal(untried, 50 - hangs.received.length);
  assert.ok(hangs.received.length < 20, `${hangs.received.length} attempts`);
});

test('a receiver that fails gets its deliveries a few at a time, a tenth of a second apart', async () => {
  await using gateway = await startGateway();
  const arrivals: number[] = [];
  await using receiver = await startReceiver((response) => {
    arrivals.push(performance.now());
    response.writeHead(500).end();
  });
  const holder = await subscribeAll(gateway, receiver.url);
  await fire(gateway, holder, 'loan.approved', { count: 20 });
  await using engine = startDeliveries(gateway.deps);
  void engine;
  await until(() => arrivals.length === 20);
  // Eight at once, and one more in the place of each that failed before the fourth failure.
  const throttled = arrivals.slice(11);
  const gaps = throttled.slice(2).map((at, index) => at - (throttled[index] ?? at));
  assert.ok(Math.min(...gaps) >= 100, `${gaps.join(', ')} ms to the second next attempt`);
});

test('outcomes are written beside their deliveries, so that no index gets another entry', async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver(204);
  const holder = await subscribeAll(gateway, receiver.url);
  await fire(gateway, holder, 'loan.approved', { count: 100 });
  const pages = (): Promise<unknown[]> =>
    inPlatform(gateway, (tx) =>
      tx.rows('select delivery_id, (ctid::text::point)[0] as page from webhook_deliveries order by delivery_id'),
    );
  const before = await pages();
  assert.equal(await gateway.runDeliveries(), 100);
  assert.deepEqual(await pages(), before);
});

test('partitions are made ahead and dropped when their time is over; nothing else is touched', async () => {
  await using gateway = await startGateway();
  const holder = await subscribeAll(gateway, NOWHERE);
  await fire(gateway, holder);
  // The template may be of the day before.
  await keepPartitions(gateway.deps.db);
  const admin = await gateway.owner();
  try {
    await admin.query(`create table events_20200106 partition of events for values from ('2020-01-06Z') to ('2020-01-13Z')`);
    await admin.query(`insert into events (event_id, organization_id, event, data, body, at, created_at)
      values ('evt_old', '${holder.organization_id}', 'loan.approved', '{}', '', '2020-01-07Z', '2020-01-07Z')`);
  } finally {
    await admin.end();
  }
  assert.equal(await keepPartitions(gateway.deps.db), 1);
  assert.equal(await keepPartitions(gateway.deps.db), 0);
  const left = await inPlatform(gateway, (tx) => tx.rows<{ event_id: string }>('select event_id from events'));
  assert.deepEqual([left.length, left.some((row) => row.event_id === 'evt_old')], [1, false]);
});

test('what waits in the default partition moves to its own when that is made', async () => {
  await using gateway = await startGateway();
  const holder = await subscribeAll(gateway, NOWHERE);
  const admin = await gateway.owner();
  const { rows } = await admin.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass and c.relname ~ '\\d{8}$'`,
  );
  for (const { name } of rows) await admin.query(`drop table ${name}`);
  await admin.end();
  await fire(gateway, holder, 'loan.approved', { count: 3 });
  // Those of a week that has passed since the template was made are not made again.
  assert.ok((await keepPartitions(gateway.deps.db)) > 0);
  const count = async (table: string) =>
    (await inPlatform(gateway, (tx) => tx.one<{ n: number }>(`select count(*)::int as n from ${table}`)))?.n;
  assert.deepEqual([await count('events_default'), await count('events')], [0, 3]);
});

test('a secret that one process cannot decrypt costs an attempt; a process with the right key delivers', async () => {
  await using gateway = await startGateway({ SLUICE_WEBHOOK_RETRIES: '1s' });
  await using receiver = await startReceiver(204);
  const holder = await subscribeAll(gateway, receiver.url);
  const encryptionKey = 'another key than the one that the secrets were encrypted with';
  await using other = await openRuntime({ ...gateway.deps.config, encryptionKey }, { migrate: false, supervise: false });
  await fire(gateway, holder);
  await using engine = createEngine(other);
  assert.equal(await engine.drain(), 1);
  const read = async () => {
    const [delivery] = (await gateway.call('GET', '/v1/api/webhooks/deliveries', { as: holder })).body.data;
    return [delivery.status, delivery.error, delivery.attempts];
  };
  assert.deepEqual(await read(), ['FAILED', 'secret_unreadable', 1]);
  await gateway.advance(2);
  assert.equal(await gateway.runDeliveries(), 1);
  assert.deepEqual(await read(), ['DELIVERED', null, 2]);
  assert.equal(receiver.received.length, 1);
});
