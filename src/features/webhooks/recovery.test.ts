import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { startReceiver } from '../../../test/support/receivers.ts';
import { planning } from '../../../test/support/many.ts';
import type { Tx } from '../../platform/db/database.ts';
import { findRecoverable } from './delivery-queries.ts';
import { subscribe as create } from './testing/webhooks.ts';

const API = '/v1/api/webhooks';

const subscribe = async (gateway: Gateway, as: Holder, url: string): Promise<string> => (await create(gateway, as, url)).id;

const fire = (gateway: Gateway, as: Holder) =>
  gateway.call('POST', '/v1/sandbox/events', { as, body: { event: 'loan.approved' } });

/** Deliveries that failed, of events with bodies of so many bytes. */
const insertFailed = (tx: Tx, of: Holder, subscriptionId: string, deliveries: number, bytes: number): Promise<number> =>
  tx.exec(
    `with made as (
       insert into events (event_id, organization_id, event, data, body, at)
       select 'evt_' || lpad(i::text, 26, '0'), $1, 'loan.approved', '{}', convert_to(repeat('x', $4), 'UTF8'), now()
       from generate_series(1, $3) i returning event_id, created_at)
     insert into webhook_deliveries (delivery_id, organization_id, subscription_id, event_id, event_inserted_at, event, kind, status, attempts, created_at)
     select replace(event_id, 'evt', 'dlv'), $1, $2, event_id, created_at, 'loan.approved', 'EVENT', 'FAILED', 7, now() from made`,
    [of.organization_id, subscriptionId, deliveries, bytes],
  );

test('recovering a subscription', async (t) => {
  await using gateway = await startGateway();
  const recover = (as: Holder, id: string) =>
    gateway.call('POST', `${API}/subscriptions/${id}/recover`, { as, body: { since: '2020-01-01' } });
  const deliveries = async (as: Holder) => (await gateway.call('GET', `${API}/deliveries`, { as })).body.pagination.total;

  await t.test('again and again makes no further delivery while the replays will be retried', async () => {
    const holder = await gateway.key('originator', 'Again');
    await using receiver = await startReceiver(500);
    const id = await subscribe(gateway, holder, receiver.url);
    for (let count = 0; count < 3; count += 1) await fire(gateway, holder);
    await gateway.runDeliveries();
    assert.deepEqual((await recover(holder, id)).body.data, { queued: 3, remaining: 0, retrying: 0 });
    for (let count = 0; count < 4; count += 1) {
      await gateway.runDeliveries();
      assert.deepEqual((await recover(holder, id)).body.data, { queued: 0, remaining: 0, retrying: 3 });
    }
    assert.equal(await deliveries(holder), 6);
  });

  await t.test('is done by one request at a time; the other is refused with Retry-After', async () => {
    const holder = await gateway.key('originator', 'At once');
    const id = await subscribe(gateway, holder, 'http://127.0.0.1:1025/');
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.rows(`select pg_advisory_xact_lock(hashtextextended('webhook-recover:' || $1, 0))`, [id]);
      const { status, headers, body } = await recover(holder, id);
      assert.deepEqual([status, body.code, headers['retry-after']], [409, 'RECOVERY_IN_PROGRESS', '2']);
      // Events go on being written meanwhile.
      assert.equal((await fire(gateway, holder)).status, 201);
    });
    assert.equal((await recover(holder, id)).status, 202);
  });

  await t.test('takes a bounded number in one call and says how many are left', async () => {
    const holder = await gateway.key('originator', 'Many');
    const id = await subscribe(gateway, holder, 'http://127.0.0.1:1025/');
    await gateway.deps.db.tx({ platform: true }, (tx) => insertFailed(tx, holder, id, 10_050, 2));
    assert.deepEqual((await recover(holder, id)).body.data, { queued: 10_000, remaining: 50, retrying: 0 });
    assert.deepEqual((await recover(holder, id)).body.data, { queued: 50, remaining: 0, retrying: 0 });
    assert.deepEqual((await recover(holder, id)).body.data, { queued: 0, remaining: 0, retrying: 0 });
    const [oldest] = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ event_id: string }>(
        'select event_id from webhook_queue where subscription_id = $1 order by due_at, delivery_id limit 1',
        [id],
      ),
    );
    assert.equal(oldest?.event_id, `evt_${'1'.padStart(26, '0')}`);
  });

  await t.test('looks at the deliveries of the subscription, and not at the bodies of their events', async () => {
    const holder = await gateway.key('originator', 'Bodies');
    const id = await subscribe(gateway, holder, 'http://127.0.0.1:1025/');
    const blocks = await gateway.deps.db.tx({ platform: true }, async (tx) => {
      await insertFailed(tx, holder, id, 3_000, 1_500);
      const { seen, planned } = planning(tx);
      const found = await findRecoverable(planned, holder.organization_id, id, new Date('2020-01-01'), 10);
      assert.deepEqual([found.failed.length, found.total], [10, 3_000]);
      return seen.blocks;
    });
    assert.ok(blocks < 500, `${blocks} blocks`);
  });

  await t.test('is limited per minute, and refused while the subscription is not active', async () => {
    const holder = await gateway.key('originator', 'Limited');
    const id = await subscribe(gateway, holder, 'http://127.0.0.1:1025/');
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await recover(holder, id)).status);
    assert.deepEqual(statuses, [...Array<number>(10).fill(202), 429]);
    const other = await subscribe(gateway, holder, 'http://127.0.0.1:1025/');
    await gateway.call('PATCH', `${API}/subscriptions/${other}`, { as: holder, body: { active: false } });
    const { status, body } = await recover(holder, other);
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    assert.match(body.message ?? '', /resume it first/);
  });
});

test('a subscription is sent ten tests a minute, however many requests arrive at once in however many processes', async () => {
  await using gateway = await startGateway();
  const holder = await gateway.key('originator', 'Tester');
  const [id, other] = [
    await subscribe(gateway, holder, 'http://127.0.0.1:1025/'),
    await subscribe(gateway, holder, 'http://127.0.0.1:1025/'),
  ];
  const send = (to: string, headers: Record<string, string> = {}) =>
    gateway.call('POST', `${API}/subscriptions/${to}/test`, { as: holder, body: { event: 'loan.approved' }, headers });
  const first = await send(id, { 'idempotency-key': 'first' });
  const responses = await Promise.all(Array.from({ length: 30 }, () => send(id)));
  const refused = responses.filter(({ status }) => status === 429);
  assert.deepEqual([first.status, refused.length, responses.length - refused.length], [202, 21, 9]);
  for (const { headers, body } of refused) {
    assert.equal(body.code, 'RATE_LIMITED');
    assert.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60);
  }
  const { body } = await gateway.call('GET', `${API}/deliveries?subscription_id=${id}`, { as: holder });
  assert.equal(body.pagination.total, 10);
  // A repeated request gets its stored response, and another subscription has a limit of its own.
  assert.equal((await send(id, { 'idempotency-key': 'first' })).status, 202);
  assert.equal((await send(other)).status, 202);
  const [window] = await gateway.deps.limits.direct<{ used: number }>('select used from rate_windows where subject = $1', [
    `webhook-test:${id}`,
  ]);
  assert.equal(window?.used, 10);
});
