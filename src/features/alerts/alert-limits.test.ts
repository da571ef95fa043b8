import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf } from '../../../test/support/desk.ts';
import { type Answer, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { emit, raiseAlert } from '../../events/emit.ts';
import type { Notice } from '../../events/events.ts';

const NOTICE: Notice = {
  category: 'deal',
  priority: 'MEDIUM',
  title: 'A title',
  message: 'A message',
  entity_type: 'deal',
  entity_id: 'deal_1',
};
type Alert = { id: string; title: string; status: string; created_at: string; read_at: string | null };

test('alerts at their limits', async (t) => {
  await using gateway = await startGateway();
  let houses = 0;
  const newHolder = (): Promise<Holder> => gateway.key('both', `House ${(houses += 1)}`);
  /** Raises alerts in one transaction, so that all of them have one time. */
  const raise = (holder: Holder, ...notices: Partial<Notice>[]): Promise<void> =>
    gateway.deps.db.tx({ platform: true }, async (tx) => {
      for (const notice of notices) await raiseAlert(tx, holder.organization_id, 'sc.failed', { ...NOTICE, ...notice });
    });
  const call = (method: string, path: string, as: Holder, body?: object): Promise<Answer> =>
    gateway.call(method, `/v1/api/alerts${path}`, { as, ...(body ? { body } : {}) });
  const list = async (as: Holder, query = 'limit=100'): Promise<Alert[]> => dataOf(await call('GET', `?${query}`, as));
  const mark = (as: Holder, body: object) => call('POST', '/mark', as, body);

  await t.test('an alert is unread, with what it is about, and null where it is not read', async () => {
    const holder = await newHolder();
    await raise(holder, {
      title: 'Ünïcode – 貸付',
      entity_type: 'pool',
      entity_id: 'pool_9',
      priority: 'CRITICAL',
      category: 'pool',
    });
    const [alert] = await list(holder);
    const { id, created_at, ...told } = alert as Alert;
    assert.match(id, /^alt_/);
    assert.ok(!Number.isNaN(Date.parse(created_at)));
    assert.deepEqual(told, {
      type: 'sc.failed',
      category: 'pool',
      priority: 'CRITICAL',
      status: 'UNREAD',
      title: 'Ünïcode – 貸付',
      message: 'A message',
      entity_type: 'pool',
      entity_id: 'pool_9',
      read_at: null,
    });
  });

  await t.test('alerts of one moment have an order of their own, so that pages neither repeat nor skip one', async () => {
    const holder = await newHolder();
    await raise(holder, ...Array.from({ length: 7 }, (_, index) => ({ title: `Alert ${index}` })));
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(holder, `limit=2&page=${page}`)));
    const ids = pages.flat().map((alert) => alert.id);
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 2, 1],
    );
    assert.deepEqual(ids, ids.toSorted().toReversed());
    assert.equal(new Set(ids).size, 7);
    assert.deepEqual(await list(holder, 'limit=2&page=5'), []);
  });

  await t.test('the bounds of time are inclusive to the millisecond', async () => {
    const holder = await newHolder();
    await raise(holder, { title: 'one' });
    await gateway.advance(60);
    await raise(holder, { title: 'two' });
    const [two, one] = await list(holder);
    const titles = async (query: string) => (await list(holder, query)).map((alert) => alert.title);
    assert.deepEqual(await titles(`from=${two?.created_at}`), ['two']);
    assert.deepEqual(await titles(`from=${one?.created_at}`), ['two', 'one']);
    assert.deepEqual(await titles(`to=${one?.created_at}`), ['one']);
    assert.deepEqual(await titles(`from=${one?.created_at}&to=${one?.created_at}`), ['one']);
    assert.deepEqual(await titles(`to=${(two?.created_at ?? '').slice(0, 10)}`), ['two', 'one']);
  });

  await t.test('filters are joined: every one of them must hold', async () => {
    const holder = await newHolder();
    await raise(
      holder,
      { title: 'a', priority: 'LOW' },
      { title: 'b', priority: 'LOW', category: 'trade' },
      { title: 'c', category: 'trade' },
    );
    const titles = async (query: string) => (await list(holder, query)).map((alert) => alert.title);
    assert.deepEqual(await titles('priority=LOW&category=trade'), ['b']);
    assert.deepEqual(await titles('priority=LOW&category=deal&status=UNREAD&type=sc.failed'), ['a']);
    assert.deepEqual(await titles('priority=LOW&category=trade&status=READ'), []);
    for (const query of [
      'priority=low',
      'status=unread',
      'limit=0',
      'limit=101',
      'page=0',
      `type=${'x'.repeat(201)}`,
      'from=soon',
    ]) {
      assert.equal((await call('GET', `?${query}`, holder)).status, 400, query);
    }
  });

  await t.test('at most 100 are marked by their ids, and none of them when there are more', async () => {
    const holder = await newHolder();
    await raise(holder, ...Array.from({ length: 101 }, () => ({})));
    const ids = [...(await list(holder)), ...(await list(holder, 'limit=100&page=2'))].map((alert) => alert.id);
    await assertRefused(gateway, () => mark(holder, { ids, status: 'READ' }), [400, 'VALIDATION_FAILED']);
    assert.equal(dataOf(await mark(holder, { ids: ids.slice(0, 100), status: 'READ' })).updated, 100);
    assert.deepEqual(
      (await list(holder, 'status=UNREAD')).map((alert) => alert.id),
      ids.slice(100),
    );
  });

  await t.test('an id that is given twice or is not there counts for nothing', async () => {
    const holder = await newHolder();
    await raise(holder, {}, {});
    const [first] = await list(holder);
    const ids = [first?.id, first?.id, 'alt_none'];
    assert.equal(dataOf(await mark(holder, { ids, status: 'ARCHIVED' })).updated, 1);
    const { changed } = await changesOf(gateway, () => mark(holder, { ids, status: 'ARCHIVED' }));
    assert.deepEqual(changed, []);
  });

  await t.test('a mark before a moment leaves what was raised at it, other categories and other organizations', async () => {
    const [ours, theirs] = [await newHolder(), await newHolder()];
    for (const holder of [ours, theirs]) await raise(holder, { title: 'deal' }, { title: 'trade', category: 'trade' });
    const [alert] = await list(ours);
    assert.equal(dataOf(await mark(ours, { before: alert?.created_at, status: 'READ' })).updated, 0);
    // A category that does not exist stands for none, the empty text too, and its sender is told.
    for (const category of ['', 'nothing']) {
      const answer = await mark(ours, { before: '2999-01-01', category, status: 'READ' });
      assert.deepEqual([answer.status, answer.body.errors?.map(({ field }: { field: string }) => field)], [400, ['category']]);
    }
    assert.equal(dataOf(await mark(ours, { before: '2999-01-01', category: 'trade', status: 'READ' })).updated, 1);
    assert.equal(dataOf(await mark(ours, { before: '2999-01-01', category: 'loan', status: 'READ' })).updated, 0);
    assert.deepEqual(
      (await list(ours, 'status=READ')).map((each) => each.title),
      ['trade'],
    );
    assert.equal((await list(theirs, 'status=UNREAD')).length, 2);
  });

  await t.test('an archived alert comes back to read or unread when it is named', async () => {
    const holder = await newHolder();
    await raise(holder, {});
    const [{ id } = { id: '' }] = await list(holder);
    const set = async (status: string) => dataOf(await call('PATCH', `/${id}`, holder, { status }));
    for (const [status, isRead] of [
      ['ARCHIVED', true],
      ['UNREAD', false],
      ['READ', true],
      ['ARCHIVED', true],
      ['READ', true],
    ] as const) {
      const { status: now, read_at } = await set(status);
      assert.deepEqual([now, read_at !== null], [status, isRead]);
    }
  });

  await t.test('the unread count is of one organization, and of unread ones alone', async () => {
    const [ours, theirs] = [await newHolder(), await newHolder()];
    await raise(ours, { priority: 'LOW' }, { priority: 'CRITICAL' }, { priority: 'CRITICAL' });
    await raise(theirs, {});
    const [first, second] = await list(ours, 'priority=CRITICAL');
    dataOf(await call('PATCH', `/${first?.id}`, ours, { status: 'READ' }));
    dataOf(await call('PATCH', `/${second?.id}`, ours, { status: 'ARCHIVED' }));
    const count = dataOf(await call('GET', '/unread-count', ours));
    assert.deepEqual(count, { total: 1, by_priority: { LOW: 1, MEDIUM: 0, HIGH: 0, CRITICAL: 0 }, by_category: { deal: 1 } });
  });

  await t.test('one event makes one alert for each organization, and the database takes no second one', async () => {
    const [ours, theirs] = [await newHolder(), await newHolder()];
    const data = { deal_id: 'deal_1', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' };
    const emission = (holder: Holder) =>
      ({ organization_id: holder.organization_id, event: 'deal.status_changed', data, alert: NOTICE }) as const;
    await gateway.deps.db.tx({ platform: true }, (tx) => emit(tx, [emission(ours), emission(theirs)]));
    for (const holder of [ours, theirs]) assert.equal((await list(holder)).length, 1);
    const again = gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `insert into alerts (alert_id, organization_id, type, category, priority, title, message, event_id, created_at)
         select 'alt_again', organization_id, type, category, priority, title, message, event_id, created_at from alerts where organization_id = $1`,
        [ours.organization_id],
      ),
    );
    await assert.rejects(again, /alerts_one_per_event/);
    assert.equal((await list(ours)).length, 1);
  });

  await t.test('an operator has no alerts here', async () => {
    const operator = await gateway.key('operator', 'Platform');
    for (const path of ['', '/unread-count', '/stream'])
      assert.deepEqual(codeOf(await call('GET', path, operator)), [403, 'ROLE_FORBIDDEN'], path);
  });
});
