import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, dataOf } from '../../../test/support/desk.ts';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { ALERT_TYPES } from './notification.ts';
import { openMailDesk } from './testing/mail.ts';

test('notification preferences', async (t) => {
  await using desk = await openMailDesk();
  const { gateway } = desk;

  await t.test('are no addresses until some are set, with every type', async () => {
    const { types, ...rest } = dataOf(await desk.preferences(await desk.newHolder()));
    assert.deepEqual(rest, {
      emails: [],
      digest: 'NONE',
      immediate: ['HIGH', 'CRITICAL'],
      delivery: 'on',
      addresses: [],
      updated_at: null,
    });
    assert.deepEqual(types, Object.fromEntries(ALERT_TYPES.map((type) => [type, true])));
  });

  await t.test('what is left out of a change stays as it is', async () => {
    const as = await desk.newHolder();
    dataOf(await desk.preferences(as, { emails: ['Ada@Example.COM', 'bob@example.com', 'Ada@example.com'], digest: 'DAILY' }));
    dataOf(await desk.preferences(as, { types: { 'demand.changed': false, 'deal.listed': false } }));
    dataOf(await desk.preferences(as, { types: { 'deal.listed': true }, immediate: ['LOW', 'LOW'] }));
    const { emails, digest, immediate, types } = dataOf(await desk.preferences(as));
    assert.deepEqual([emails, digest, immediate], [['Ada@example.com', 'bob@example.com'], 'DAILY', ['LOW']]);
    assert.deepEqual(
      Object.keys(types).filter((type) => !types[type]),
      ['demand.changed'],
    );
    const read = dataOf(await desk.preferences(as));
    assert.deepEqual({ ...dataOf(await desk.preferences(as, read)), updated_at: null }, { ...read, updated_at: null });
  });

  await t.test('of several first choices that nobody else may have made, one is taken', async () => {
    for (const name of ['first', 'second']) {
      const as = await gateway.key('both', `Choosing ${name}`);
      const put = (headers: Record<string, string>) => (digest: string) =>
        gateway.call('PUT', '/v1/api/notification-preferences', { as, headers, body: { digest } });
      assert.deepEqual(codeOf(await put({ 'if-match': '*' })('DAILY')), [412, 'STALE'], 'there is nothing to match');
      const answers = await Promise.all(['DAILY', 'NONE', 'DAILY', 'NONE'].map(put({ 'if-none-match': '*' })));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412, 412]);
    }
  });

  await t.test('a wrong address, a misspelt type and a wrong value are told with where they are; nothing changes', async () => {
    const as = await desk.newHolder();
    dataOf(await desk.preferences(as, { emails: ['ada@example.com'] }));
    const put = (body: object) => () => desk.preferences(as, body);
    const hostile = ['ok@example.com', 'ada@example.com\r\nBcc: all@example.com', 'Ada <ada@example.com>'];
    const wrong = await assertRefused(gateway, put({ emails: hostile }), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(
      wrong.body.errors?.map(({ field }: { field: string }) => field),
      ['emails[1]', 'emails[2]'],
    );
    const misspelt = await assertRefused(gateway, put({ types: { 'deal.listd': false } }), [422, 'UNKNOWN_FIELD']);
    assert.deepEqual([misspelt.body.errors?.[0].field, misspelt.body.errors?.[0].nearest], ['types.deal.listd', 'deal.listed']);
    for (const body of [
      { emails: Array.from({ length: 21 }, (_, index) => `a${index}@example.com`) },
      { emails: 'ada@example.com' },
      { digest: 'WEEKLY' },
      { immediate: ['URGENT'] },
      { types: { 'deal.listed': 'no' } },
    ])
      await assertRefused(gateway, put(body), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(dataOf(await desk.preferences(as)).emails, ['ada@example.com']);
  });

  await t.test('are each organization’s own, the operator’s too', async () => {
    const [ours, theirs] = [await desk.newHolder(), await desk.newHolder()];
    const operator = await gateway.key('operator', 'Platform');
    dataOf(await desk.preferences(ours, { emails: ['ours@example.com'], digest: 'DAILY' }));
    const own = (method: string, body?: object, as = operator) =>
      gateway.call(method, '/v1/operator/notification-preferences', { as, ...(body ? { body } : {}) });
    assert.deepEqual(dataOf(await own('PUT', { emails: ['desk@platform.example'] })).emails, ['desk@platform.example']);
    assert.deepEqual(dataOf(await own('GET')).emails, ['desk@platform.example']);
    assert.deepEqual(dataOf(await desk.preferences(theirs)).emails, []);
    assert.deepEqual(dataOf(await desk.preferences(ours)).emails, ['ours@example.com']);
    assert.deepEqual(codeOf(await own('GET', undefined, ours)), [403, 'ROLE_FORBIDDEN']);
    assert.deepEqual(codeOf(await desk.preferences(operator, {})), [403, 'ROLE_FORBIDDEN']);
    const seen = await gateway.deps.db.tx({ organization: theirs.organization_id }, (tx) =>
      tx.rows(
        'select organization_id from notification_preferences union all select organization_id from notification_addresses',
      ),
    );
    assert.deepEqual(seen, []);
  });

  await t.test('leave an entry in the audit log that counts addresses and names none', async () => {
    const as = await desk.newHolder();
    dataOf(await desk.preferences(as, { emails: ['ada@example.com'], types: { 'deal.listed': false } }));
    const [entry] = dataOf(await gateway.call('GET', '/v1/api/audit?action=notifications.set', { as }));
    assert.deepEqual([entry.actor, entry.before.addresses], [as.key_id, 0]);
    assert.deepEqual(entry.after, { addresses: 1, digest: 'NONE', immediate: ['HIGH', 'CRITICAL'], types_off: ['deal.listed'] });
  });
});

test('without a mail server preferences are kept and say that nothing is sent', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('investor');
  const put = await gateway.call('PUT', '/v1/api/notification-preferences', { as, body: { emails: ['ada@example.com'] } });
  assert.deepEqual([put.status, put.body.data.delivery, put.body.data.emails], [200, 'off', ['ada@example.com']]);
});
