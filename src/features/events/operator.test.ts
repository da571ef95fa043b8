import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raiseAlert } from '../../events/emit.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { startReceiver } from '../../../test/support/receivers.ts';

test('an operator reads its own organization’s alerts and events, and has receivers of its own', async (t) => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver();
  const operator = await gateway.key('operator', 'Platform');
  const other = await gateway.key('operator', 'Other platform');
  const customer = await gateway.key('both', 'Customer');
  const send = (method: string, path: string, as: Holder, body?: unknown) =>
    gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
  const operate = (method: string, path: string, body?: unknown, as = operator) => send(method, `/v1/operator/${path}`, as, body);
  const subscribe = async (as: Holder, base: string) =>
    (await send('POST', `${base}/webhooks/subscriptions`, as, { url: receiver.url })).body.data;
  const ours = await subscribe(operator, '/v1/operator');
  const theirs = await subscribe(customer, '/v1/api');
  assert.match(ours.secret, /^whsec_/);
  for (const [as, event] of [
    [operator, 'deal.listed'],
    [customer, 'trade.failed'],
  ] as const)
    assert.equal((await send('POST', '/v1/sandbox/events', as, { event })).status, 201);
  const notice = { priority: 'HIGH', title: 'T', message: 'M', entity_type: 'deal', entity_id: 'deal_1' } as const;
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    raiseAlert(tx, operator.organization_id, 'compliance.review_required', { ...notice, category: 'compliance' }),
  );

  await t.test('its events and alerts, and nobody else’s', async () => {
    const events = (await operate('GET', 'events')).body;
    assert.deepEqual(
      events.data.map((each: { event: string }) => each.event),
      ['deal.listed'],
    );
    assert.deepEqual((await operate('GET', `events?after=${events.next_after}`)).body.data, []);
    const alerts = (await operate('GET', 'alerts')).body;
    assert.deepEqual(
      [alerts.data.map((each: { type: string }) => each.type).toSorted(), alerts.meta.total],
      [['compliance.review_required', 'deal.listed'], 2],
    );
    assert.deepEqual((await operate('GET', 'alerts', undefined, other)).body.data, []);
    assert.deepEqual((await operate('GET', 'events', undefined, other)).body.data, []);
    const [alert] = (await send('GET', '/v1/api/alerts', customer)).body.data;
    assert.deepEqual(codeOf(await operate('GET', `alerts/${alert.id}`)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await operate('PATCH', `alerts/${alert.id}`, { status: 'READ' })), [404, 'NOT_FOUND']);
  });

  await t.test('are counted and marked', async () => {
    assert.equal((await operate('GET', 'alerts/unread-count')).body.data.by_priority.HIGH, 1);
    const [alert] = (await operate('GET', 'alerts?priority=HIGH')).body.data;
    assert.equal((await operate('PATCH', `alerts/${alert.id}`, { status: 'READ' })).body.data.status, 'READ');
    const marked = await operate('POST', 'alerts/mark', { before: '2100-01-01', status: 'ARCHIVED' });
    assert.equal(marked.body.data.updated, 2);
    assert.equal((await operate('GET', 'alerts/unread-count')).body.data.total, 0);
    assert.equal((await send('GET', '/v1/api/alerts/unread-count', customer)).body.data.total, 1);
  });

  await t.test('reach its receivers, which are its own alone', async () => {
    await gateway.runDeliveries();
    const sent = receiver.received.map((each) => JSON.parse(each.body.toString()).event as string);
    assert.deepEqual(sent.toSorted(), ['deal.listed', 'trade.failed']);
    const listed = (await operate('GET', 'webhooks/subscriptions')).body.data;
    assert.deepEqual(
      listed.map((each: { id: string }) => each.id),
      [ours.id],
    );
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { active: false }],
      ['DELETE', '', undefined],
      ['POST', '/test', { event: 'deal.listed' }],
      ['POST', '/rotate-secret', { grace_seconds: 0 }],
      ['POST', '/recover', { since: '2026-01-01' }],
    ] as const)
      assert.deepEqual(
        codeOf(await operate(method, `webhooks/subscriptions/${theirs.id}${path}`, body)),
        [404, 'NOT_FOUND'],
        path,
      );
    const changed = await operate('PATCH', `webhooks/subscriptions/${ours.id}`, { events: ['deal.listed'], active: false });
    assert.deepEqual([changed.body.data.events, changed.body.data.active], [['deal.listed'], false]);
    assert.equal((await operate('DELETE', `webhooks/subscriptions/${ours.id}`)).status, 200);
  });

  await t.test('are closed to customers, as theirs are to it', async () => {
    for (const path of ['alerts', 'events', 'webhooks/subscriptions', 'alerts/stream']) {
      assert.deepEqual(codeOf(await operate('GET', path, undefined, customer)), [403, 'ROLE_FORBIDDEN']);
      assert.deepEqual(codeOf(await send('GET', `/v1/api/${path}`, operator)), [403, 'ROLE_FORBIDDEN']);
    }
  });
});
