import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { emit, raiseAlert } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';

const NOTICE = {
  category: 'deal',
  priority: 'HIGH',
  title: 'A title',
  message: 'A message',
  entity_type: 'deal',
  entity_id: 'deal_1',
} as const;

test('alerts', async (t) => {
  await using gateway = await startGateway();
  const [ours, theirs] = [await gateway.key('originator', 'Ours'), await gateway.key('both', 'Theirs')];
  const raise = (organization: string) =>
    gateway.deps.db.tx({ platform: true }, (tx: Tx) => raiseAlert(tx, organization, 'loan.mapping_needed', NOTICE));

  await t.test('an organization lists its own alerts only, newest first, under meta', async () => {
    await raise(ours.organization_id);
    await raise(theirs.organization_id);
    await raise(ours.organization_id);
    const { status, body } = await gateway.call('GET', '/v1/api/alerts?limit=1', { as: ours });
    assert.equal(status, 200);
    assert.deepEqual(body.meta, { total: 2, page: 1, limit: 1, totalPages: 2 });
    assert.equal(body.data.length, 1);
  });

  await t.test('another organization’s alert answers as an absent one', async () => {
    const [alert] = (await gateway.call('GET', '/v1/api/alerts', { as: theirs })).body.data;
    const seen = await gateway.call('GET', `/v1/api/alerts/${alert.id}`, { as: ours });
    const absent = await gateway.call('GET', '/v1/api/alerts/alt_nope', { as: ours });
    assert.equal(seen.status, 404);
    assert.equal(seen.body.message, absent.body.message);
    assert.equal((await gateway.call('PATCH', `/v1/api/alerts/${alert.id}`, { as: ours, body: { status: 'READ' } })).status, 404);
  });

  await t.test('marking is idempotent and the unread count follows', async () => {
    const [alert] = (await gateway.call('GET', '/v1/api/alerts', { as: ours })).body.data;
    for (const status of ['READ', 'READ', 'ARCHIVED', 'UNREAD', 'READ']) {
      const marked = await gateway.call('PATCH', `/v1/api/alerts/${alert.id}`, { as: ours, body: { status } });
      assert.equal(marked.status, 200);
      assert.equal(marked.body.data.status, status);
    }
    const count = await gateway.call('GET', '/v1/api/alerts/unread-count', { as: ours });
    assert.equal(count.body.data.total, 1);
    assert.equal(count.body.data.by_priority.HIGH, 1);
  });

  await t.test('marking all before a moment leaves later alerts unread', async () => {
    const before = new Date().toISOString();
    await raise(ours.organization_id);
    const marked = await gateway.call('POST', '/v1/api/alerts/mark', { as: ours, body: { before, status: 'READ' } });
    assert.deepEqual(marked.body.data, { updated: 1 });
    assert.equal((await gateway.call('GET', '/v1/api/alerts?status=UNREAD', { as: ours })).body.meta.total, 1);
  });

  await t.test('marking all before a moment takes nothing out of the archive, unless it is named', async () => {
    const [alert] = (await gateway.call('GET', '/v1/api/alerts?status=READ', { as: ours })).body.data;
    const mark = async (body: object) =>
      (await gateway.call('POST', '/v1/api/alerts/mark', { as: ours, body })).body.data.updated;
    assert.equal(await mark({ ids: [alert.id], status: 'ARCHIVED' }), 1);
    assert.equal(await mark({ before: alert.created_at, status: 'READ' }), 0);
    await mark({ before: '2999-01-01', status: 'UNREAD' });
    const archived = await gateway.call('GET', `/v1/api/alerts/${alert.id}`, { as: ours });
    assert.equal(archived.body.data.status, 'ARCHIVED');
    assert.equal(await mark({ ids: [alert.id], status: 'READ' }), 1);
  });

  await t.test('an event that is rolled back leaves no event and no alert', async () => {
    await assert.rejects(
      gateway.deps.db.tx({ platform: true }, async (tx) => {
        const data = { deal_id: 'deal_1', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' };
        await emit(tx, [{ organization_id: ours.organization_id, event: 'deal.status_changed', data, alert: NOTICE }]);
        throw new Error('the business change failed');
      }),
    );
    assert.equal((await gateway.call('GET', '/v1/api/events', { as: ours })).body.data.length, 0);
    assert.equal((await gateway.call('GET', '/v1/api/alerts', { as: ours })).body.meta.total, 3);
  });
});
