import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { emit, raiseAlert } from '../../events/emit.ts';
import { ALERT_STATUSES, type AlertStatus, type Notice, PRIORITIES } from '../../events/events.ts';
import { deleteOldAlerts } from './queries.ts';
import { newId } from '../../platform/ids.ts';

const NOTICE: Notice = {
  category: 'deal',
  priority: 'HIGH',
  title: 'A title',
  message: 'A message',
  entity_type: 'deal',
  entity_id: 'deal_1',
};

type Alert = { id: string; status: AlertStatus; created_at: string; read_at: string | null; title: string };

const newHolder = (gateway: Gateway): Promise<Holder> => gateway.key('both', `House ${randomUUID()}`);

const raise = (gateway: Gateway, holder: Holder, notice: Partial<Notice> = {}): Promise<void> =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    raiseAlert(tx, holder.organization_id, 'loan.mapping_needed', { ...NOTICE, ...notice }),
  );

async function list(gateway: Gateway, as: Holder, query = 'limit=100'): Promise<Alert[]> {
  const { status, body } = await gateway.call('GET', `/v1/api/alerts?${query}`, { as });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const read = (gateway: Gateway, as: Holder, id: string) => gateway.call('GET', `/v1/api/alerts/${id}`, { as });

const set = (gateway: Gateway, as: Holder, id: string, status: AlertStatus) =>
  gateway.call('PATCH', `/v1/api/alerts/${id}`, { as, body: { status } });

const mark = async (gateway: Gateway, as: Holder, body: object): Promise<number> =>
  (await gateway.call('POST', '/v1/api/alerts/mark', { as, body })).body.data.updated;

/** An organization with as many alerts; the newest first. */
async function withAlerts(gateway: Gateway, count: number): Promise<{ holder: Holder; alerts: Alert[] }> {
  const holder = await newHolder(gateway);
  for (let index = 0; index < count; index += 1) await raise(gateway, holder, { title: `Alert ${index}` });
  return { holder, alerts: await list(gateway, holder) };
}

test('alerts', async (t) => {
  await using gateway = await startGateway();

  await t.test('an organization lists its own alerts only, newest first, under meta', async () => {
    const { holder } = await withAlerts(gateway, 3);
    await withAlerts(gateway, 2);
    const { body } = await gateway.call('GET', '/v1/api/alerts?limit=2', { as: holder });
    const { next_cursor, ...counted } = body.meta;
    assert.deepEqual(counted, { total: 3, page: 1, limit: 2, totalPages: 2 });
    assert.equal(typeof next_cursor, 'string');
    assert.deepEqual(
      body.data.map((alert: Alert) => alert.title),
      ['Alert 2', 'Alert 1'],
    );
  });

  await t.test('the list is filtered by status, type, category, priority and time', async () => {
    const holder = await newHolder(gateway);
    await raise(gateway, holder, { title: 'low', priority: 'LOW', category: 'trade' });
    await raise(gateway, holder, { title: 'high' });
    const [high, low] = await list(gateway, holder);
    await set(gateway, holder, low?.id ?? '', 'READ');
    const cases: [string, string[]][] = [
      ['status=UNREAD', ['high']],
      ['status=READ', ['low']],
      ['priority=LOW', ['low']],
      ['category=trade', ['low']],
      ['type=loan.mapping_needed', ['high', 'low']],
      ['type=loan.gone', []],
      ['category=pool', []],
      [`from=${high?.created_at}`, high?.created_at === low?.created_at ? ['high', 'low'] : ['high']],
      ['to=2020-01-01', []],
    ];
    for (const [query, titles] of cases) {
      const found = await list(gateway, holder, query);
      const foundTitles = found.map((alert) => alert.title);
      assert.deepEqual(foundTitles, titles, query);
    }
    const unknown = await gateway.call('GET', '/v1/api/alerts?category=deals', { as: holder });
    assert.deepEqual([...codeOf(unknown), unknown.body.errors?.[0]?.field], [400, 'VALIDATION_FAILED', 'category']);
    const reversed = await gateway.call('GET', '/v1/api/alerts?from=2026-02-01&to=2026-01-01', { as: holder });
    assert.deepEqual([reversed.status, reversed.body.code], [422, 'RANGE_REVERSED']);
  });

  await t.test('another organization’s alert is as an absent one', async () => {
    const { alerts } = await withAlerts(gateway, 1);
    const [id, stranger] = [alerts[0]?.id ?? '', await newHolder(gateway)];
    const [seen, absent] = [await read(gateway, stranger, id), await read(gateway, stranger, newId('alt'))];
    assert.deepEqual([seen.status, seen.body.message], [404, absent.body.message]);
    assert.equal((await set(gateway, stranger, id, 'READ')).status, 404);
    assert.equal(await mark(gateway, stranger, { ids: [id], status: 'READ' }), 0);
  });

  await t.test('to read an alert changes nothing', async () => {
    const { holder, alerts } = await withAlerts(gateway, 1);
    const [alert] = alerts;
    assert.deepEqual((await read(gateway, holder, alert?.id ?? '')).body.data, alert);
    assert.deepEqual(await list(gateway, holder), alerts);
  });

  await t.test('the first time of reading stays until the alert is unread again', async () => {
    const { holder, alerts } = await withAlerts(gateway, 1);
    const id = alerts[0]?.id ?? '';
    const readAt = async (status: AlertStatus): Promise<string | null> =>
      (await set(gateway, holder, id, status)).body.data.read_at;
    const first = await readAt('READ');
    assert.ok(first);
    await gateway.advance(60);
    assert.deepEqual([await readAt('READ'), await readAt('ARCHIVED')], [first, first]);
    assert.equal(await readAt('UNREAD'), null);
    const later = await readAt('ARCHIVED');
    assert.ok(later && later > first, 'an archived alert counts as read');
  });

  await t.test('the unread count has every priority and the categories that occur', async () => {
    const holder = await newHolder(gateway);
    const count = async () => (await gateway.call('GET', '/v1/api/alerts/unread-count', { as: holder })).body.data;
    const none = Object.fromEntries(PRIORITIES.map((priority) => [priority, 0]));
    assert.deepEqual(await count(), { total: 0, by_priority: none, by_category: {} });
    for (const notice of [{ priority: 'LOW' }, { priority: 'HIGH' }, { priority: 'HIGH', category: 'trade' }] as const)
      await raise(gateway, holder, notice);
    assert.deepEqual(await count(), { total: 3, by_priority: { ...none, LOW: 1, HIGH: 2 }, by_category: { deal: 2, trade: 1 } });
    await mark(gateway, holder, { before: '2999-01-01', category: 'trade', status: 'READ' });
    assert.deepEqual(await count(), { total: 2, by_priority: { ...none, LOW: 1, HIGH: 1 }, by_category: { deal: 2 } });
  });

  await t.test('marking all before a moment leaves later alerts and archived ones as they are', async () => {
    const { holder, alerts } = await withAlerts(gateway, 2);
    await set(gateway, holder, alerts[1]?.id ?? '', 'ARCHIVED');
    await gateway.advance(60);
    await raise(gateway, holder, { title: 'later' });
    const [later] = await list(gateway, holder);
    assert.equal(await mark(gateway, holder, { before: later?.created_at, status: 'READ' }), 1);
    assert.deepEqual(
      (await list(gateway, holder)).map((alert) => alert.status),
      ['UNREAD', 'READ', 'ARCHIVED'],
    );
    assert.equal(await mark(gateway, holder, { ids: [alerts[1]?.id], status: 'READ' }), 1, 'by its id an archived one is marked');
  });

  await t.test('whatever is marked, by one or by many, the status is the last and only changes are counted', async () => {
    const Status = fc.constantFrom(...ALERT_STATUSES);
    const Act = fc.oneof(
      fc.record({ kind: fc.constant('one' as const), index: fc.nat(2), status: Status }),
      fc.record({ kind: fc.constant('ids' as const), indexes: fc.subarray([0, 1, 2], { minLength: 1 }), status: Status }),
      fc.record({ kind: fc.constant('all' as const), status: Status }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(Act, { maxLength: 8 }), async (acts) => {
        const { holder, alerts } = await withAlerts(gateway, 3);
        const model: AlertStatus[] = ['UNREAD', 'UNREAD', 'UNREAD'];
        for (const act of acts) {
          const indexes = act.kind === 'one' ? [act.index] : act.kind === 'ids' ? act.indexes : [0, 1, 2];
          const marked = indexes.filter((index) => act.kind !== 'all' || model[index] !== 'ARCHIVED');
          const changed = marked.filter((index) => model[index] !== act.status).length;
          if (act.kind === 'one') await set(gateway, holder, alerts[act.index]?.id ?? '', act.status);
          else {
            const which = act.kind === 'ids' ? { ids: indexes.map((index) => alerts[index]?.id) } : { before: '2999-01-01' };
            assert.equal(await mark(gateway, holder, { ...which, status: act.status }), changed);
          }
          for (const index of marked) model[index] = act.status;
        }
        const after = await list(gateway, holder);
        assert.deepEqual(
          after.map((alert) => alert.status),
          model,
        );
        for (const { status, read_at } of after) assert.equal(read_at === null, status === 'UNREAD');
      }),
      { numRuns: 20 },
    );
  });

  await t.test('an event that is rolled back leaves no event and no alert', async () => {
    const holder = await newHolder(gateway);
    await assert.rejects(
      gateway.deps.db.tx({ platform: true }, async (tx) => {
        const data = { deal_id: 'deal_1', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' };
        await emit(tx, [{ organization_id: holder.organization_id, event: 'deal.status_changed', data, alert: NOTICE }]);
        throw new Error('the business change failed');
      }),
    );
    assert.equal((await gateway.call('GET', '/v1/api/events', { as: holder })).body.data.length, 0);
    assert.deepEqual(await list(gateway, holder), []);
  });

  await t.test('what is not a status, or a mark without an end, is refused', async () => {
    const { holder, alerts } = await withAlerts(gateway, 1);
    for (const body of [{ status: 'GONE' }, {}])
      assert.equal((await gateway.call('PATCH', `/v1/api/alerts/${alerts[0]?.id}`, { as: holder, body })).status, 400);
    for (const body of [{ status: 'READ' }, { ids: [], status: 'READ' }, { before: 'soon', status: 'READ' }])
      assert.equal((await gateway.call('POST', '/v1/api/alerts/mark', { as: holder, body })).status, 400, JSON.stringify(body));
    const ids = alerts.map(({ id }) => id);
    for (const both of [
      { ids, before: '2100-01-01' },
      { ids, category: 'deal' },
    ]) {
      const body = { ...both, status: 'READ' };
      const refused = await gateway.call('POST', '/v1/api/alerts/mark', { as: holder, body });
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [400, Object.keys(both)[1]]);
    }
    assert.equal((await list(gateway, holder))[0]?.status, 'UNREAD');
  });
});

test('alerts of more than two years ago are deleted, whatever their status, and no others', async () => {
  await using gateway = await startGateway();
  const { holder, alerts } = await withAlerts(gateway, 2);
  await set(gateway, holder, alerts[0]?.id ?? '', 'ARCHIVED');
  await gateway.advance(730 * 86_400);
  await raise(gateway, holder, { title: 'new' });
  assert.equal(await deleteOldAlerts(gateway.deps.db), 0);
  await gateway.advance(2 * 86_400);
  assert.equal(await deleteOldAlerts(gateway.deps.db), 2);
  assert.equal(await countAlerts(gateway, holder), 1);
});

async function countAlerts(gateway: Gateway, holder: Holder): Promise<number> {
  const row = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.one<{ count: number }>('select count(*)::int as count from alerts where organization_id = $1', [holder.organization_id]),
  );
  return row?.count ?? 0;
}
