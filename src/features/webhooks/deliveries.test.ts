import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { closedPort, type Receiver, SELF_SIGNED, startReceiver } from '../../../test/support/receivers.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { emit } from '../../events/emit.ts';
import { EVENT_NAMES } from '../../events/events.ts';
import { SAMPLES, sampleOf } from '../../events/samples.ts';
import { fire, inPlatform, newHolder, subscribe } from './testing/webhooks.ts';

const API = '/v1/api/webhooks';
type Row = {
  id: string;
  status: string;
  http_status: number | null;
  error: string | null;
  attempts: number;
  next_attempt_at: string | null;
  event: string;
  replay_of: string | null;
};

const rows = async (gateway: Gateway, as: Holder, query = ''): Promise<Row[]> =>
  (await gateway.call('GET', `${API}/deliveries?limit=100${query}`, { as })).body.data;
const alerts = async (gateway: Gateway, as: Holder): Promise<{ title: string }[]> =>
  (await gateway.call('GET', '/v1/api/alerts?type=webhook.subscription_failing', { as })).body.data;
const replay = (gateway: Gateway, as: Holder, id: string) => gateway.call('POST', `${API}/deliveries/${id}/replay`, { as });
const header = (receiver: Receiver, index: number, name: string): string => String(receiver.received[index]?.headers[name]);

test('deliveries', async (t) => {
  await using gateway = await startGateway({ SLUICE_WEBHOOK_RETRIES: '1s,2s' });

  await t.test('every event makes exactly one signed post per subscription', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(204);
    const { secret } = await subscribe(gateway, holder, receiver.url);
    for (const event of EVENT_NAMES) await fire(gateway, holder, event);
    assert.equal(await gateway.runDeliveries(), EVENT_NAMES.length);
    assert.deepEqual(receiver.received.map((each) => each.headers['x-platform-event']).sort(), [...EVENT_NAMES].sort());
    for (const { body, headers, rawHeaders } of receiver.received) {
      assert.deepEqual(Object.keys(JSON.parse(body.toString())), ['event', 'timestamp', 'data']);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(await verify(secret, body.toString(), String(headers['x-platform-signature'])), true);
      new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
      const names = rawHeaders.filter((_each, index) => index % 2 === 0).map((each) => each.toLowerCase());
      assert.equal(new Set(names).size, names.length);
    }
    const log = (await gateway.call('GET', '/v1/api/events?limit=100', { as: holder })).body.data;
    assert.deepEqual(
      log.map((each: { id: string }) => each.id).sort(),
      receiver.received.map((each) => each.headers['webhook-id']).sort(),
    );
    assert.ok((await rows(gateway, holder)).every((row) => row.status === 'DELIVERED' && row.attempts === 1));
  });

  await t.test('a subset of names limits what is sent', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(204);
    await subscribe(gateway, holder, receiver.url, { events: ['sc.completed'] });
    for (const event of EVENT_NAMES) await fire(gateway, holder, event);
    await gateway.runDeliveries();
    assert.deepEqual(
      receiver.received.map((each) => each.headers['x-platform-event']),
      ['sc.completed'],
    );
  });

  await t.test('first try, retry and replay carry the same bytes, whatever is in them', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(500);
    const { secret } = await subscribe(gateway, holder, receiver.url);
    const data = { ...sampleOf('loan.rejected'), reason: 'é 🏦 \u2028 </script> \\" 1e21' };
    await fire(gateway, holder, 'loan.rejected', { data });
    await gateway.runDeliveries();
    await gateway.advance(2);
    await gateway.runDeliveries();
    const [old] = await rows(gateway, holder);
    await replay(gateway, holder, old?.id ?? '');
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, 3);
    const [first, ...others] = receiver.received;
    assert.equal(JSON.parse(first?.body.toString() ?? '').data.reason, data.reason);
    for (const other of others) assert.deepEqual(other.body, first?.body);
    for (const { body, headers } of receiver.received) {
      assert.equal(Number(headers['content-length']), body.length);
      assert.equal(headers['webhook-id'], first?.headers['webhook-id']);
      assert.equal(await verify(secret, body.toString(), String(headers['x-platform-signature'])), true);
    }
    const detail = (await gateway.call('GET', `${API}/deliveries/${old?.id}`, { as: holder })).body.data;
    assert.equal(detail.request.body, first?.body.toString());
  });

  await t.test('one failing receiver of three does not delay the others', async () => {
    const holder = await newHolder(gateway);
    await using good = await startReceiver(200);
    await using bad = await startReceiver(500);
    for (const url of [good.url, bad.url, good.url]) await subscribe(gateway, holder, url);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    assert.equal(good.received.length, 2);
    assert.deepEqual((await rows(gateway, holder)).map((row) => row.status).sort(), ['DELIVERED', 'DELIVERED', 'FAILED']);
  });

  await t.test('a subscription that is made later, or removed before, gets nothing', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(200);
    const removed = await subscribe(gateway, holder, receiver.url);
    await gateway.call('DELETE', `${API}/subscriptions/${removed.id}`, { as: holder });
    await fire(gateway, holder);
    await subscribe(gateway, holder, receiver.url);
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, 0);
  });

  await t.test('an event of one organization is never sent to another', async () => {
    const [one, other] = [await newHolder(gateway), await newHolder(gateway)];
    await using receiver = await startReceiver(200);
    await subscribe(gateway, one, receiver.url);
    await fire(gateway, other);
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, 0);
  });

  await t.test('a change that is rolled back sends nothing', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(200);
    await subscribe(gateway, holder, receiver.url);
    await assert.rejects(
      inPlatform(gateway, async (tx) => {
        await emit(tx, [
          {
            organization_id: holder.organization_id,
            event: 'loan.approved',
            data: SAMPLES['loan.approved'],
            alert: null,
          },
        ]);
        throw new Error('the business change failed');
      }),
    );
    await gateway.runDeliveries();
    assert.deepEqual([receiver.received.length, (await rows(gateway, holder)).length], [0, 0]);
  });

  await t.test('2xx is DELIVERED, redirects and refusals are FAILED with their status', async () => {
    for (const [status, expected, error] of [
      [200, 'DELIVERED', null],
      [299, 'DELIVERED', null],
      [302, 'FAILED', 'redirect'],
      [400, 'FAILED', 'http_status'],
      [503, 'FAILED', 'http_status'],
    ] as const) {
      const holder = await newHolder(gateway);
      await using receiver = await startReceiver(status);
      await subscribe(gateway, holder, receiver.url);
      await fire(gateway, holder);
      assert.equal((await rows(gateway, holder))[0]?.status, 'PENDING');
      await gateway.runDeliveries();
      const [row] = await rows(gateway, holder);
      assert.deepEqual([row?.status, row?.http_status, row?.error, row?.attempts], [expected, status, error, 1]);
    }
  });

  await t.test('an unreachable receiver is FAILED without a status, and no error reveals the network inside', async () => {
    const holder = await newHolder(gateway);
    await using tls = await startReceiver(200, { tls: SELF_SIGNED });
    await using hang = await startReceiver(() => {});
    for (const url of [await closedPort(), tls.url, hang.url, 'http://nowhere.test/']) await subscribe(gateway, holder, url);
    await fire(gateway, holder);
    const resolved: string[] = [];
    const resolve = async (name: string): Promise<never> => {
      resolved.push(name);
      throw Object.assign(new Error('getaddrinfo ENOTFOUND 10.0.0.53'), { code: 'ENOTFOUND' });
    };
    await gateway.runDeliveries({ timeoutMs: 3_000, resolve });
    assert.deepEqual([...new Set(resolved)], ['nowhere.test'], 'other names are addresses');
    const all = await rows(gateway, holder);
    assert.deepEqual(all.map((row) => row.error).sort(), ['dns', 'refused', 'timeout', 'tls']);
    assert.ok(all.every((row) => row.status === 'FAILED' && row.http_status === null));
    const details = await Promise.all(all.map((row) => gateway.call('GET', `${API}/deliveries/${row.id}`, { as: holder })));
    for (const { body } of details)
      assert.doesNotMatch(JSON.stringify(body.data.attempts_log), /\d+\.\d+\.\d+\.\d+|ECONN|getaddrinfo/);
  });

  await t.test('the detail keeps every attempt and the beginning of each response', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver((response) =>
      response.writeHead(422).end(`no \u0000thanks ${'x'.repeat(50_000)}`),
    );
    await subscribe(gateway, holder, receiver.url);
    await fire(gateway, holder);
    for (let count = 0; count < 3; count += 1) {
      await gateway.runDeliveries();
      await gateway.advance(5);
    }
    const [row] = await rows(gateway, holder);
    const { attempts_log } = (await gateway.call('GET', `${API}/deliveries/${row?.id}`, { as: holder })).body.data;
    assert.equal(attempts_log.length, 3);
    for (const entry of attempts_log) {
      assert.deepEqual([entry.http_status, entry.error], [422, 'http_status']);
      assert.ok(entry.response_excerpt.startsWith('no \ufffdthanks') && entry.response_excerpt.length <= 1_024);
      assert.ok(Number.isInteger(entry.ms) && !Number.isNaN(Date.parse(entry.at)));
    }
  });

  await t.test('a failing delivery is retried by the plan and then no more', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(500);
    await subscribe(gateway, holder, receiver.url);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, 1, 'not before it is due');
    assert.ok((await rows(gateway, holder))[0]?.next_attempt_at);
    for (let count = 0; count < 4; count += 1) {
      await gateway.advance(5);
      await gateway.runDeliveries();
    }
    const [row] = await rows(gateway, holder);
    assert.deepEqual([receiver.received.length, row?.status, row?.attempts, row?.next_attempt_at], [3, 'FAILED', 3, null]);
  });

  await t.test('a retry that succeeds turns it DELIVERED, and that is final', async () => {
    const holder = await newHolder(gateway);
    let calls = 0;
    await using receiver = await startReceiver((response) => response.writeHead((calls += 1) === 1 ? 500 : 200).end());
    await subscribe(gateway, holder, receiver.url);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    await gateway.advance(2);
    await gateway.runDeliveries();
    const [row] = await rows(gateway, holder);
    assert.deepEqual(
      [row?.status, row?.http_status, row?.error, row?.attempts, row?.next_attempt_at],
      ['DELIVERED', 200, null, 2, null],
    );
    assert.equal((await replay(gateway, holder, row?.id ?? '')).body.code, 'NOT_REPLAYABLE');
  });

  for (const status of [429, 500, 503])
    await t.test(`Retry-After of a ${status} is honored`, async () => {
      const holder = await newHolder(gateway);
      await using receiver = await startReceiver((response) => response.writeHead(status, { 'retry-after': '60' }).end());
      await subscribe(gateway, holder, receiver.url);
      await fire(gateway, holder);
      await gateway.runDeliveries();
      await gateway.advance(50);
      await gateway.runDeliveries();
      assert.equal(receiver.received.length, 1);
      await gateway.advance(15);
      await gateway.runDeliveries();
      assert.equal(receiver.received.length, 2);
    });

  await t.test('410 ends the retries, disables the subscription and raises one alert', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(410);
    const { id } = await subscribe(gateway, holder, receiver.url);
    await fire(gateway, holder);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    await gateway.advance(10);
    await fire(gateway, holder);
    const sent = receiver.received.length;
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, sent);
    const { active, disabled_reason } = (await gateway.call('GET', `${API}/subscriptions/${id}`, { as: holder })).body.data;
    assert.deepEqual([active, disabled_reason], [false, 'GONE']);
    assert.equal((await alerts(gateway, holder)).length, 1);
    assert.ok((await rows(gateway, holder)).every((row) => row.status === 'FAILED' && row.next_attempt_at === null));
  });

  await t.test('five days of failures disable it with one more alert; a success in between starts anew', async () => {
    const holder = await newHolder(gateway);
    let status = 500;
    await using receiver = await startReceiver((response) => response.writeHead(status).end());
    const { id } = await subscribe(gateway, holder, receiver.url);
    const day = async (): Promise<void> => {
      await fire(gateway, holder);
      await gateway.runDeliveries();
      await gateway.advance(86_400);
    };
    for (let count = 0; count < 4; count += 1) await day();
    status = 200;
    await day();
    status = 500;
    for (let count = 0; count < 4; count += 1) await day();
    const read = async () => (await gateway.call('GET', `${API}/subscriptions/${id}`, { as: holder })).body.data;
    assert.equal((await read()).active, true);
    for (let count = 0; count < 3; count += 1) await day();
    assert.deepEqual([(await read()).active, (await read()).disabled_reason], [false, 'FAILING']);
    assert.equal((await alerts(gateway, holder)).filter((alert) => alert.title.includes('disabled')).length, 1);
    const back = await gateway.call('PATCH', `${API}/subscriptions/${id}`, { as: holder, body: { active: true } });
    assert.deepEqual([back.body.data.active, back.body.data.failing_since], [true, null]);
  });

  await t.test('the owner of a failing subscription gets an alert once an hour', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(500);
    await subscribe(gateway, holder, receiver.url);
    for (let count = 0; count < 5; count += 1) await fire(gateway, holder);
    await gateway.runDeliveries();
    assert.equal((await alerts(gateway, holder)).length, 1);
    await gateway.advance(3_700);
    await gateway.runDeliveries();
    assert.equal((await alerts(gateway, holder)).length, 2);
  });

  await t.test('a replay is a new delivery; the old row stays and its own retries stop', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(500);
    await subscribe(gateway, holder, receiver.url);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    const [old] = await rows(gateway, holder);
    const response = await replay(gateway, holder, old?.id ?? '');
    assert.deepEqual([response.status, response.body.data.status], [202, 'PENDING']);
    const [made, kept] = await rows(gateway, holder);
    assert.deepEqual([made?.id, made?.replay_of, made?.status], [response.body.data.delivery_id, old?.id, 'PENDING']);
    assert.deepEqual(kept, { ...old, next_attempt_at: null });
    assert.equal((await replay(gateway, holder, made?.id ?? '')).status, 409, 'PENDING is not replayable');
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, 2);
    assert.notEqual(header(receiver, 0, 'x-platform-delivery'), header(receiver, 1, 'x-platform-delivery'));
    assert.equal((await replay(gateway, holder, made?.id ?? '')).status, 202, 'a replay that failed is replayable');
    assert.equal((await replay(gateway, holder, 'dlv_nope')).status, 404);
    assert.equal((await replay(gateway, await newHolder(gateway), old?.id ?? '')).status, 404);
  });

  await t.test('replays and tests that fail do not count against the subscription', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(500);
    const { id } = await subscribe(gateway, holder, receiver.url);
    await gateway.call('POST', `${API}/subscriptions/${id}/test`, { as: holder, body: { event: 'trade.settled' } });
    await gateway.runDeliveries();
    const [row] = await rows(gateway, holder);
    await replay(gateway, holder, row?.id ?? '');
    await gateway.runDeliveries();
    assert.equal((await gateway.call('GET', `${API}/subscriptions/${id}`, { as: holder })).body.data.failing_since, null);
    assert.equal((await alerts(gateway, holder)).length, 0);
  });

  await t.test('a test is signed and retried like an event, to its own subscription alone, and in no log of events', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(500);
    await using other = await startReceiver(200);
    const { id, secret } = await subscribe(gateway, holder, receiver.url, { events: ['loan.approved'] });
    await subscribe(gateway, holder, other.url);
    const response = await gateway.call('POST', `${API}/subscriptions/${id}/test`, {
      as: holder,
      body: { event: 'trade.settled' },
    });
    assert.deepEqual([response.status, response.body.data.status], [202, 'PENDING']);
    await gateway.runDeliveries();
    await gateway.advance(100);
    await gateway.runDeliveries();
    assert.deepEqual([receiver.received.length, other.received.length], [2, 0]);
    assert.equal(
      await verify(secret, receiver.received[0]?.body.toString() ?? '', header(receiver, 0, 'x-platform-signature')),
      true,
    );
    assert.equal((await gateway.call('GET', '/v1/api/events', { as: holder })).body.data.length, 0);
  });

  await t.test('after a rotation both secrets are valid for the grace period, then only the new one', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(200);
    const { id, secret: old } = await subscribe(gateway, holder, receiver.url);
    const rotate = async (grace_seconds: number): Promise<string> =>
      (await gateway.call('POST', `${API}/subscriptions/${id}/rotate-secret`, { as: holder, body: { grace_seconds } })).body.data
        .secret;
    const fresh = await rotate(60);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    await gateway.advance(61);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    const last = await rotate(0);
    await fire(gateway, holder);
    await gateway.runDeliveries();
    const signs = (index: number, secret: string, name = 'x-platform-signature') =>
      verify(secret, receiver.received[index]?.body.toString() ?? '', header(receiver, index, name));
    assert.equal(new Set([old, fresh, last]).size, 3);
    assert.deepEqual([await signs(0, old), await signs(0, fresh, 'x-platform-signature-next')], [true, true]);
    for (const secret of [old, fresh])
      new Webhook(secret).verify(
        receiver.received[0]?.body.toString() ?? '',
        receiver.received[0]?.headers as Record<string, string>,
      );
    assert.deepEqual([await signs(1, fresh), await signs(1, old)], [true, false]);
    assert.deepEqual([await signs(2, last), receiver.received[2]?.headers['x-platform-signature-next']], [true, undefined]);
  });

  await t.test('recover replays what failed since, every event once, and nothing that was delivered', async () => {
    const holder = await newHolder(gateway);
    let status = 500;
    await using receiver = await startReceiver((response) => response.writeHead(status).end());
    const { id } = await subscribe(gateway, holder, receiver.url);
    for (let count = 0; count < 3; count += 1) await fire(gateway, holder);
    await gateway.runDeliveries();
    const [one] = await rows(gateway, holder);
    await replay(gateway, holder, one?.id ?? '');
    await gateway.runDeliveries();
    status = 200;
    await fire(gateway, holder);
    await gateway.runDeliveries();
    const before = receiver.received.length;
    const recover = () =>
      gateway.call('POST', `${API}/subscriptions/${id}/recover`, { as: holder, body: { since: '2020-01-01' } });
    const response = await recover();
    // The replay of one of the three failed and is tried again by itself.
    assert.deepEqual([response.status, response.body.data], [202, { queued: 2, remaining: 0, retrying: 1 }]);
    assert.deepEqual((await recover()).body.data, { queued: 0, remaining: 0, retrying: 1 });
    await gateway.runDeliveries();
    await gateway.advance(100);
    await gateway.runDeliveries();
    assert.deepEqual((await recover()).body.data, { queued: 0, remaining: 0, retrying: 0 });
    assert.equal(receiver.received.length, before + 3);
    assert.equal(new Set(receiver.received.slice(before).map((each) => each.headers['webhook-id'])).size, 3);
  });

  await t.test('while paused, queued deliveries end FAILED and nothing is sent until it is active again', async () => {
    const holder = await newHolder(gateway);
    await using receiver = await startReceiver(200);
    const { id } = await subscribe(gateway, holder, receiver.url);
    await fire(gateway, holder);
    await gateway.call('PATCH', `${API}/subscriptions/${id}`, { as: holder, body: { active: false } });
    await fire(gateway, holder);
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, 0);
    assert.deepEqual(
      (await rows(gateway, holder)).map((row) => [row.status, row.error]),
      [['FAILED', 'subscription_disabled']],
    );
    await gateway.call('PATCH', `${API}/subscriptions/${id}`, { as: holder, body: { active: true } });
    await fire(gateway, holder);
    await gateway.runDeliveries();
    assert.equal(receiver.received.length, 1);
  });

  await t.test('a delivery whose subscription vanished ends FAILED', async () => {
    const holder = await newHolder(gateway);
    const { id } = await subscribe(gateway, holder, await closedPort());
    await fire(gateway, holder);
    await inPlatform(gateway, (tx) => tx.exec('delete from webhook_subscriptions where subscription_id = $1', [id]));
    await gateway.runDeliveries();
    const [row] = await rows(gateway, holder);
    assert.deepEqual([row?.status, row?.error, row?.attempts], ['FAILED', 'subscription_deleted', 0]);
    assert.equal((await replay(gateway, holder, row?.id ?? '')).body.code, 'NOT_REPLAYABLE');
  });

  await t.test('the list is filtered, paged and the organization’s own; the operator sees all', async () => {
    const [holder, operator] = [await newHolder(gateway), await gateway.key('operator', 'Platform')];
    await using receiver = await startReceiver(500);
    const { id } = await subscribe(gateway, holder, receiver.url);
    for (const event of ['loan.approved', 'sc.completed', 'trade.settled'] as const)
      await fire(gateway, holder, event, { data: { ...sampleOf(event), deal_id: `deal_${holder.organization_id}` } });
    await gateway.runDeliveries();
    await fire(gateway, holder, 'loan.approved');
    const total = async (query: string) =>
      (await gateway.call('GET', `${API}/deliveries?${query}`, { as: holder })).body.pagination.total;
    assert.deepEqual(
      [
        await total(''),
        await total('status=PENDING'),
        await total('event=loan.approved'),
        await total(`subscription_id=${id}&status=FAILED`),
        await total('subscription_id=whs_nope'),
      ],
      [4, 1, 2, 3, 0],
    );
    assert.equal((await gateway.call('GET', `${API}/deliveries?status=failed`, { as: holder })).status, 400);
    assert.equal((await gateway.call('GET', `${API}/deliveries?limit=101`, { as: holder })).status, 400);
    const all = async (query: string) =>
      (await gateway.call('GET', `/v1/operator/webhooks/deliveries?${query}`, { as: operator })).body;
    assert.equal((await all(`organization_id=${holder.organization_id}`)).pagination.total, 4);
    assert.equal((await all(`deal_id=deal_${holder.organization_id}`)).data[0].organization_id, holder.organization_id);
    assert.ok((await all('')).pagination.total > 4);
    assert.equal((await gateway.call('GET', '/v1/operator/webhooks/deliveries', { as: holder })).status, 403);
  });
});
