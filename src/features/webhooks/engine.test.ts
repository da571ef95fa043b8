import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../../test/support/receivers.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { emit } from '../../events/emit.ts';
import { openRuntime } from '../../runtime.ts';
import { createEngine, startDeliveries } from './engine.ts';
import {
  type AttemptResult,
  type ClaimedDelivery,
  type ClaimLimits,
  claimDue,
  keepPartitions,
  recordResults,
  renewLeases,
} from './queue-queries.ts';

const LIMITS: ClaimLimits = {
  claimId: '00000000-0000-4000-8000-000000000001',
  free: 64,
  freeRetries: 32,
  perSubscription: 8,
  perOrganization: 48,
  open: [],
  halfOpen: [],
  throttled: [],
  perThrottled: 2,
  leaseSeconds: 30,
};
const OTHER = '00000000-0000-4000-8000-000000000002';

async function subscribe(gateway: Gateway, name: string, ...urls: string[]): Promise<Holder> {
  const holder = await gateway.key('both', name);
  for (const url of urls) await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url } });
  return holder;
}

async function fire(gateway: Gateway, holder: Holder, count = 1): Promise<void> {
  const data = { deal_id: 'deal_1', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' };
  const one = { organization_id: holder.organization_id, event: 'deal.status_changed', data, alert: null } as const;
  for (let left = count; left > 0; left -= 1_000)
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      emit(
        tx,
        Array.from({ length: Math.min(left, 1_000) }, () => one),
      ),
    );
}

const claim = (gateway: Gateway, limits: Partial<ClaimLimits> = {}): Promise<ClaimedDelivery[]> =>
  gateway.deps.db.tx({ platform: true }, (tx) => claimDue(tx, { ...LIMITS, ...limits }));

const expireLeases = (gateway: Gateway): Promise<number> =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(`update webhook_queue set lease_until = now() - interval '1 second' where claim_id is not null`),
  );

const delivered = ({ delivery_id, delivery_inserted_at }: ClaimedDelivery, claim_id: string): AttemptResult => ({
  delivery_id,
  delivery_inserted_at,
  claim_id,
  attempted: true,
  status: 'DELIVERED',
  http_status: 200,
  error: null,
  ms: 1,
  excerpt: null,
  retry_in_ms: null,
});

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('claims', async (t) => {
  await using gateway = await startGateway();
  const quiet = await subscribe(gateway, 'Quiet', 'http://127.0.0.1:1025/');
  const noisy = await subscribe(gateway, 'Noisy', 'http://127.0.0.1:1025/', 'http://127.0.0.1:1025/');
  await fire(gateway, noisy, 2_000);
  await fire(gateway, quiet);
  const clear = (): Promise<number> =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update webhook_queue set claim_id = null, lease_until = null, claims = 0'),
    );

  await t.test('a burst of one organization leaves capacity for another', async () => {
    const claimed = await claim(gateway, { free: 4 });
    assert.equal(claimed.length, 4);
    assert.equal(claimed.filter((row) => row.organization_id === quiet.organization_id).length, 1);
    await clear();
  });

  await t.test('a subscription has at most eight attempts in flight, however many processes claim', async () => {
    const all = (await Promise.all([claim(gateway), claim(gateway, { claimId: OTHER }), claim(gateway)])).flat();
    const per = new Map<string, number>();
    for (const row of all) per.set(row.subscription_id, (per.get(row.subscription_id) ?? 0) + 1);
    assert.deepEqual([...per.values()].sort(), [1, 8, 8]);
    assert.equal(new Set(all.map((row) => row.delivery_id)).size, all.length);
    await clear();
  });

  await t.test(
    'a subscription gets no attempt while its breaker is open, one while it is half-open, and two while it is throttled',
    async () => {
      const [first = '', second = ''] = [...new Set((await claim(gateway)).map((row) => row.subscription_id))];
      await clear();
      assert.ok((await claim(gateway, { open: [first] })).every((row) => row.subscription_id !== first));
      await clear();
      const claimed = await claim(gateway, { halfOpen: [first], throttled: [second] });
      assert.ok(claimed.filter((row) => row.subscription_id === first).length <= 1);
      assert.ok(claimed.filter((row) => row.subscription_id === second).length <= 2);
      await clear();
    },
  );

  await t.test('retries leave the capacity for first attempts alone', async () => {
    const retry = (lane: number) =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update webhook_queue set lane = $1 where organization_id = $2', [lane, noisy.organization_id]),
      );
    await retry(1);
    const claimed = await claim(gateway, { freeRetries: 3 });
    assert.deepEqual([claimed.filter((row) => row.lane === 1).length, claimed.filter((row) => row.lane === 0).length], [3, 1]);
    await retry(0);
    await clear();
  });

  await t.test(
    'a delivery whose lease ran out is claimed again, and the late result of the old holder is discarded',
    async () => {
      const [old] = await claim(gateway, { free: 1 });
      assert.ok(old);
      assert.ok(
        !(await claim(gateway, { claimId: OTHER })).some((row) => row.delivery_id === old.delivery_id),
        'not while it holds',
      );
      await clear();
      const [held] = await claim(gateway, { free: 1 });
      assert.ok(held);
      await expireLeases(gateway);
      const taken = await claim(gateway, { claimId: OTHER });
      assert.ok(taken.some((row) => row.delivery_id === held.delivery_id && row.claims === 2));
      const finish = (id: string) => gateway.deps.db.tx({ platform: true }, (tx) => recordResults(tx, [delivered(held, id)]));
      assert.equal((await finish(LIMITS.claimId)).size, 0);
      const status = async () =>
        await gateway.deps.db.tx({ platform: true }, (tx) =>
          tx.one<{ status: string; attempts: number }>('select status, attempts from webhook_deliveries where delivery_id = $1', [
            held.delivery_id,
          ]),
        );
      assert.deepEqual(await status(), { status: 'PENDING', attempts: 0 });
      assert.equal((await finish(OTHER)).size, 1);
      assert.equal((await finish(OTHER)).size, 0, 'a result counts once');
      assert.deepEqual(await status(), { status: 'DELIVERED', attempts: 1 });
      await clear();
    },
  );

  await t.test('only the holder renews its lease', async () => {
    const [held] = await claim(gateway, { free: 1 });
    assert.ok(held);
    const renew = (claim_id: string) =>
      gateway.deps.db.tx({ platform: true }, (tx) => renewLeases(tx, [{ delivery_id: held.delivery_id, claim_id }], 30));
    assert.deepEqual([await renew(OTHER), await renew(LIMITS.claimId)], [0, 1]);
    await clear();
  });
});

test('two processes send a thousand deliveries once each, and stop without losing any', async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver(204);
  const holder = await subscribe(gateway, 'House', ...Array.from({ length: 10 }, () => receiver.url));
  await using second = await openRuntime(gateway.deps.config, { migrate: false, supervise: false });
  await using one = startDeliveries(gateway.deps);
  await using other = startDeliveries(second);
  void one;
  void other;
  await fire(gateway, holder, 100);
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
  const holder = await subscribe(gateway, 'House', receiver.url);
  await using engine = startDeliveries(worker);
  void engine;
  await fire(gateway, holder);
  await until(() => receiver.received.length === 1);
});

test('an engine that stops lets attempts in flight end', async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver((response) => void setTimeout(() => response.writeHead(200).end(), 200));
  const holder = await subscribe(gateway, 'House', receiver.url);
  await fire(gateway, holder, 20);
  const engine = startDeliveries(gateway.deps);
  await until(() => receiver.received.length === 8);
  await engine[Symbol.asyncDispose]();
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ claimed: boolean }>('select claim_id is not null as claimed from webhook_queue'),
  );
  assert.deepEqual([rows.length, rows.some((row) => row.claimed)], [12, false]);
  assert.equal(await gateway.runDeliveries(), 12);
  assert.equal(new Set(receiver.received.map((each) => each.headers['x-platform-delivery'])).size, 20);
});

test('a receiver that hangs costs no attempts while its breaker is open, and other receivers get theirs', async () => {
  await using gateway = await startGateway();
  await using hangs = await startReceiver(() => {});
  await using answers = await startReceiver(204);
  const holder = await subscribe(gateway, 'House', hangs.url, answers.url);
  await fire(gateway, holder, 50);
  await using engine = createEngine(gateway.deps, { timeoutMs: 100 });
  await engine.drain();
  assert.equal(answers.received.length, 50);
  const untried = (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=PENDING', { as: holder })).body.pagination.total;
  assert.equal(untried, 50 - hangs.received.length);
  assert.ok(hangs.received.length < 20, `${hangs.received.length} attempts`);
});

test('partitions are made ahead and dropped when their time is over; nothing else is touched', async () => {
  await using gateway = await startGateway();
  const holder = await subscribe(gateway, 'House', 'http://127.0.0.1:1025/');
  await fire(gateway, holder);
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
  const left = await gateway.deps.db.tx({ platform: true }, (tx) => tx.rows<{ event_id: string }>('select event_id from events'));
  assert.deepEqual([left.length, left.some((row) => row.event_id === 'evt_old')], [1, false]);
});

test('what waits in the default partition moves to its own when that is made', async () => {
  await using gateway = await startGateway();
  const holder = await subscribe(gateway, 'House', 'http://127.0.0.1:1025/');
  const admin = await gateway.owner();
  const { rows } = await admin.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass and c.relname ~ '\\d{8}$'`,
  );
  for (const { name } of rows) await admin.query(`drop table ${name}`);
  await admin.end();
  await fire(gateway, holder, 3);
  assert.equal(await keepPartitions(gateway.deps.db), rows.length);
  const count = async (table: string) =>
    (await gateway.deps.db.tx({ platform: true }, (tx) => tx.one<{ n: number }>(`select count(*)::int as n from ${table}`)))?.n;
  assert.deepEqual([await count('events_default'), await count('events')], [0, 3]);
});
