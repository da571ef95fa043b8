import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { emit } from '../../events/emit.ts';
import type { EventName } from '../../events/events.ts';

/** An open transaction, such as that of the log of requests, holds events back for a moment. */
const WITHOUT_LOG = { SLUICE_REQUEST_LOG: 'off' };

type Logged = { id: string; event: EventName; timestamp: string; data: { deal_id: string } };

const newHolder = (gateway: Gateway): Promise<Holder> => gateway.key('both', `House ${randomUUID()}`);

const change = (holder: Holder, deal_id: string) =>
  ({
    organization_id: holder.organization_id,
    event: 'deal.status_changed',
    data: { deal_id, previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' },
    alert: null,
  }) as const;

/** Emits one event per deal, each in a transaction of its own. */
async function log(gateway: Gateway, holder: Holder, ...deals: string[]): Promise<void> {
  for (const deal of deals) await gateway.deps.db.tx({ platform: true }, (tx) => emit(tx, [change(holder, deal)]));
}

async function read(gateway: Gateway, as: Holder, query = '') {
  const { status, body } = await gateway.call('GET', `/v1/api/events?${query}`, { as });
  assert.equal(status, 200, JSON.stringify(body));
  return { deals: body.data.map((row: Logged) => row.data.deal_id), rows: body.data as Logged[], next: body.next_after };
}

test('the log of events', async (t) => {
  await using gateway = await startGateway(WITHOUT_LOG);

  await t.test('is read from its beginning to its end by next_after, in order and without repetition', async () => {
    const holder = await newHolder(gateway);
    await log(gateway, holder, 'a', 'b', 'c', 'd', 'e');
    const deals: string[] = [];
    let after = '';
    for (let page = 0; page < 3; page += 1) {
      const { deals: more, next } = await read(gateway, holder, `limit=2${after}`);
      deals.push(...more);
      after = `&after=${next}`;
    }
    assert.deepEqual(deals, ['a', 'b', 'c', 'd', 'e']);
    const end = await read(gateway, holder, `limit=2${after}`);
    assert.deepEqual([end.deals, `&after=${end.next}`], [[], after], 'at the end next_after stays');
    await log(gateway, holder, 'f');
    assert.deepEqual((await read(gateway, holder, `limit=2${after}`)).deals, ['f']);
  });

  await t.test('is empty at first, with no next_after', async () => {
    const { rows, next } = await read(gateway, await newHolder(gateway));
    assert.deepEqual([rows, next], [[], null]);
  });

  await t.test('goes on after an event that lies ahead, of a clock that was set back since, with what happens then', async () => {
    const holder = await newHolder(gateway);
    await log(gateway, holder, 'before the step');
    const [ahead] = (await read(gateway, holder)).rows;
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update events set created_at = created_at + interval '1 hour' where event_id = $1`, [ahead?.id]),
    );
    // An id says its moment too, so that of the event that lies ahead comes last.
    const id = `evt_${'7'.repeat(26)}`;
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update events set event_id = $2 where event_id = $1', [ahead?.id, id]),
    );
    await log(gateway, holder, 'after the step');
    const { deals, next } = await read(gateway, holder, `after=${id}`);
    assert.deepEqual(deals, ['after the step']);
    assert.deepEqual((await read(gateway, holder, `after=${next}`)).deals, []);
  });

  await t.test('is of one organization alone', async () => {
    const [ours, theirs] = [await newHolder(gateway), await newHolder(gateway)];
    await log(gateway, ours, 'ours');
    await log(gateway, theirs, 'theirs');
    assert.deepEqual((await read(gateway, ours)).deals, ['ours']);
    const [foreign] = (await read(gateway, theirs)).rows;
    assert.equal((await read(gateway, ours, `after=${foreign?.id}`)).deals.includes('theirs'), false);
  });

  await t.test('is filtered by the name of the event', async () => {
    const holder = await newHolder(gateway);
    await log(gateway, holder, 'a');
    await gateway.call('POST', '/v1/sandbox/events', { as: holder, body: { event: 'loan.approved' } });
    assert.deepEqual(
      (await read(gateway, holder, 'type=loan.approved')).rows.map((row) => row.event),
      ['loan.approved'],
    );
    assert.equal((await gateway.call('GET', '/v1/api/events?type=loan.gone', { as: holder })).status, 400);
  });

  await t.test('has the ids, times and data that webhooks carry, and no sample', async () => {
    const holder = await newHolder(gateway);
    const url = 'http://127.0.0.1:1025/';
    const { body } = await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url } });
    const test = { as: holder, body: { event: 'loan.approved' } };
    assert.equal((await gateway.call('POST', `/v1/api/webhooks/subscriptions/${body.data.id}/test`, test)).status, 202);
    await log(gateway, holder, 'a');
    const { rows } = await read(gateway, holder);
    const path = '/v1/api/webhooks/deliveries';
    const [delivery] = (await gateway.call('GET', `${path}?event=deal.status_changed`, { as: holder })).body.data;
    const { request } = (await gateway.call('GET', `${path}/${delivery.id}`, { as: holder })).body.data;
    assert.equal(rows.length, 1);
    const [{ id, ...carried }] = rows as [Logged];
    assert.deepEqual([id, carried], [request.headers['webhook-id'], JSON.parse(request.body)]);
  });

  await t.test('skips no event that a slower transaction commits after a quicker one', async () => {
    const holder = await newHolder(gateway);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const slow = gateway.deps.db.tx({ platform: true }, async (tx) => {
      await emit(tx, [change(holder, 'slow')]);
      begin();
      await held;
    });
    await begun;
    await log(gateway, holder, 'quick');
    const early = await read(gateway, holder);
    release();
    await slow;
    assert.deepEqual(early.deals, [], 'the quick one waits for the slow one');
    assert.deepEqual((await read(gateway, holder)).deals.toSorted(), ['quick', 'slow']);
  });

  await t.test('refuses a position that is none', async () => {
    const holder = await newHolder(gateway);
    for (const after of ['yesterday', 'evt_', 'dlv_01jd0000000000000000000000', `evt_${'A'.repeat(26)}`])
      assert.equal((await gateway.call('GET', `/v1/api/events?after=${after}`, { as: holder })).status, 400, after);
  });
});
