import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { rotateKey } from './issue-key.ts';

const KEYS = '/v1/operator/keys';
const DAY = 86_400;
const request = (organization: string) => ({
  organization,
  role: 'both',
  environment: 'development',
  requester: 'Ada Example',
  use_case: 'A first integration',
});
type Key = Record<string, string> & { revoked_at: string | null; rotated_from: string | null };

/** An operator and its calls about keys. */
async function keyRoom(gateway: Gateway) {
  const operator = await gateway.key('operator', 'Platform');
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.call(method, `${KEYS}${path}`, { as: operator, headers, ...(body === undefined ? {} : { body }) });
  return {
    operator,
    call,
    issue: async (organization: string, more: object = {}): Promise<Holder & { expires_at: string }> => {
      const answer = await call('POST', '', { ...request(organization), ...more });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.data;
    },
    list: async (query: string): Promise<Key[]> => (await call('GET', `?${query}`)).body.data,
    /** The key as the list has it. */
    key: async ({ key_id, organization_id }: Holder): Promise<Key> =>
      (await call('GET', `?organization_id=${organization_id}&limit=100`)).body.data.find((each: Key) => each.key_id === key_id),
  };
}
const secondsUntil = (instant: string | null): number => (Date.parse(instant ?? '') - Date.now()) / 1000;
const about = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 30, `${actual} s, not ${expected} s`);

test('the life of a key', async (t) => {
  await using gateway = await startGateway();
  const { issue, call, key, list } = await keyRoom(gateway);

  await t.test('is 90 days, or as long as is asked for in days or as a duration, which goes before days', async () => {
    for (const [more, seconds] of [
      [{}, 90 * DAY],
      [{ expires_in_days: 1 }, DAY],
      [{ expires_in: '45s' }, 45],
      [{ expires_in: '90m' }, 5_400],
      [{ expires_in: '12h' }, 43_200],
      [{ expires_in: '365d' }, 365 * DAY],
      [{ expires_in: '8760h' }, 365 * DAY],
      [{ expires_in: '2d', expires_in_days: 1 }, 2 * DAY],
    ] as const) {
      const issued = await issue('Lives', more);
      about(secondsUntil(issued.expires_at), seconds);
      assert.equal((await key(issued)).expires_at, issued.expires_at);
    }
  });

  await t.test('is no longer than 365 days and no shorter than a second', async () => {
    for (const expires_in of ['366d', '8761h', '0s', '0d', '31536001', '1w', '-1d', '1.5d', '', '1000000d', ' 1d'])
      assert.deepEqual(
        codeOf(await call('POST', '', { ...request('Refused'), expires_in })),
        [400, 'VALIDATION_FAILED'],
        expires_in,
      );
    const none = await call('POST', '', { ...request('Refused'), expires_in: '0d' });
    assert.match(none.body.message ?? '', /a second at least/);
    assert.equal((await list('limit=100')).filter((each) => each.organization === 'Refused').length, 0);
  });
});

test('the rotation of a key', async (t) => {
  await using gateway = await startGateway();
  const { issue, call, key, operator } = await keyRoom(gateway);
  const rotate = (holder: Holder, body?: object): Promise<Answer> => call('POST', `/${holder.key_id}/rotate`, body);

  await t.test('leaves the old one a day, or as long as is asked for, 30 days at most', async () => {
    for (const [body, seconds] of [
      [undefined, DAY],
      [{}, DAY],
      [{ overlap_seconds: 60 }, 60],
      [{ overlap_seconds: 30 * DAY }, 30 * DAY],
    ] as const) {
      const old = await issue('Overlaps', { role: 'investor' });
      const fresh = (await rotate(old, body)).body.data as Holder;
      const kept = await key(old);
      about(secondsUntil(kept.revoked_at), seconds);
      assert.deepEqual([kept.status, (await key(fresh)).rotated_from], ['ACTIVE', old.key_id]);
      const { role, environment, requester, use_case } = await key(fresh);
      assert.deepEqual(
        [role, environment, requester, use_case],
        ['investor', 'development', 'Ada Example', 'A first integration'],
      );
    }
    const old = await issue('Refused overlap');
    for (const overlap_seconds of [-1, 30 * DAY + 1, 1.5, '60', null])
      assert.deepEqual(codeOf(await rotate(old, { overlap_seconds })), [400, 'VALIDATION_FAILED'], String(overlap_seconds));
    assert.equal((await key(old)).revoked_at, null);
  });

  await t.test('a second time never lengthens the overlap of the first', async () => {
    const old = await issue('Twice');
    await rotate(old, { overlap_seconds: 600 });
    assert.equal((await rotate(old, { overlap_seconds: 3_600 })).status, 201);
    about(secondsUntil((await key(old)).revoked_at), 600);
    assert.equal((await rotate(old, { overlap_seconds: 60 })).status, 201);
    about(secondsUntil((await key(old)).revoked_at), 60);
  });

  await t.test('is refused once the key has ended, also where it was asked for before that', async () => {
    const actor = { actor_id: operator.key_id, organization_id: operator.organization_id };
    for (const end of [
      (old: Holder) => rotate(old, { overlap_seconds: 0 }),
      (old: Holder) => call('POST', `/${old.key_id}/revoke`),
    ]) {
      const old = await issue('At once');
      await gateway.deps.db.tx({ platform: true }, async (begun) => {
        assert.ok((await end(old)).status < 300);
        await assert.rejects(
          rotateKey(begun, actor, { keyId: old.key_id, overlapSeconds: DAY }, gateway.deps),
          /The key is REVOKED: issue a new one/,
        );
      });
    }
  });

  await t.test('is refused for a key that has ended, and for none', async () => {
    const [revoked, expired] = [await issue('Ended'), await issue('Ended')];
    await call('POST', `/${revoked.key_id}/revoke`);
    const owner = await gateway.owner();
    await owner
      .query(`update keys set expires_at = now() - interval '1 second' where key_id = $1`, [expired.key_id])
      .finally(() => owner.end());
    for (const holder of [revoked, expired]) assert.deepEqual(codeOf(await rotate(holder)), [409, 'CONFLICT']);
    assert.deepEqual(codeOf(await call('POST', '/key_none/rotate')), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await call('POST', '/key_none/revoke')), [404, 'NOT_FOUND']);
  });

  await t.test('is in the audit log with the key that it came from, and never with a token', async () => {
    const old = await issue('Logged');
    const fresh = (await rotate(old)).body.data as Holder;
    const log = await gateway.call('GET', `/v1/operator/audit?organization_id=${old.organization_id}`, { as: operator });
    const [entry, first] = log.body.data;
    assert.deepEqual(
      [entry.action, entry.entity_id, entry.actor, entry.after.rotated_from, first.action, first.after.rotated_from],
      ['key.rotated', fresh.key_id, operator.key_id, old.key_id, 'key.issued', null],
    );
    assert.deepEqual(
      [first.after.role, first.after.environment, first.after.requester, first.after.use_case],
      ['both', 'development', 'Ada Example', 'A first integration'],
    );
    assert.doesNotMatch(JSON.stringify(log.body), /eyJ/);
  });
});

test('a revoked key', async (t) => {
  await using gateway = await startGateway();
  const { issue, call, key, operator } = await keyRoom(gateway);

  await t.test('that was to work on for an overlap ends at once', async () => {
    const old = await issue('Leaked');
    await call('POST', `/${old.key_id}/rotate`, { overlap_seconds: 3_600 });
    assert.equal((await call('POST', `/${old.key_id}/revoke`, { reason: 'It leaked.' })).body.data.status, 'REVOKED');
    assert.ok(secondsUntil((await key(old)).revoked_at) <= 0);
  });

  await t.test('keeps the time of its first end, however often it is revoked', async () => {
    const holder = await issue('Again');
    await call('POST', `/${holder.key_id}/revoke`);
    const { revoked_at } = await key(holder);
    assert.equal((await call('POST', `/${holder.key_id}/revoke`)).status, 200);
    assert.equal((await key(holder)).revoked_at, revoked_at);
    const log = await gateway.call('GET', `/v1/operator/audit?organization_id=${holder.organization_id}`, { as: operator });
    assert.deepEqual(log.body.data[0].before, { status: 'REVOKED' });
  });
});

test('keys are the operator’s to issue and to list', async (t) => {
  await using gateway = await startGateway();
  const { issue, call, list } = await keyRoom(gateway);

  await t.test('and no customer’s', async () => {
    const [customer, target] = [await gateway.key('both', 'Customer'), await issue('Target')];
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '', request('Customer')],
      ['POST', `/${target.key_id}/revoke`, {}],
      ['POST', `/${target.key_id}/rotate`, {}],
      ['POST', `/${customer.key_id}/rotate`, {}],
    ] as const) {
      const answer = await gateway.call(method, `${KEYS}${path}`, { as: customer, ...(body ? { body } : {}) });
      assert.deepEqual(codeOf(answer), [403, 'ROLE_FORBIDDEN'], `${method} ${path}`);
    }
    assert.equal((await gateway.call('GET', '/v1/api/me', { as: target })).status, 200);
  });

  await t.test('are listed newest first, by organization and status, in pages, without tokens', async () => {
    const [first, second, third] = [await issue('Listed'), await issue('Listed'), await issue('Listed')];
    await call('POST', `/${second.key_id}/revoke`);
    const ids = async (query: string) =>
      (await list(`organization_id=${first.organization_id}&${query}`)).map((each) => each.key_id);
    assert.deepEqual(await ids(''), [third.key_id, second.key_id, first.key_id]);
    assert.deepEqual([await ids('status=ACTIVE'), await ids('status=REVOKED')], [[third.key_id, first.key_id], [second.key_id]]);
    assert.deepEqual([await ids('limit=1&page=3'), await ids('status=EXPIRED')], [[first.key_id], []]);
    assert.doesNotMatch(JSON.stringify(await list('limit=100')), /eyJ|"token"/);
    assert.deepEqual(codeOf(await call('GET', '?status=LOST')), [400, 'VALIDATION_FAILED']);
  });

  await t.test('are refused for requests that do not say who, what for, in which role and where', async () => {
    for (const name of ['organization', 'role', 'environment', 'requester', 'use_case']) {
      const refused = await call('POST', '', { ...request('Incomplete'), [name]: undefined });
      assert.deepEqual([refused.status, refused.body.errors?.[0].field], [400, name]);
    }
    for (const changes of [
      { role: 'admin' },
      { environment: 'test' },
      { organization: 'x'.repeat(201) },
      { use_case: 'x'.repeat(1_001) },
    ])
      assert.deepEqual(codeOf(await call('POST', '', { ...request('Incomplete'), ...changes })), [400, 'VALIDATION_FAILED']);
    assert.equal((await list('limit=100')).filter((each) => each.organization === 'Incomplete').length, 0);
  });

  await t.test('are issued once for one Idempotency-Key, whose repetition has no token', async () => {
    const headers = { 'idempotency-key': 'issue-once' };
    const [first, second] = [await call('POST', '', request('Once'), headers), await call('POST', '', request('Once'), headers)];
    assert.deepEqual([first.status, second.status, second.headers['idempotency-replayed']], [201, 201, 'true']);
    assert.equal(typeof first.body.data.token, 'string');
    assert.deepEqual(
      [second.body.data.key_id, second.body.data.token, second.body.data.secret_omitted],
      [first.body.data.key_id, undefined, true],
    );
    assert.equal((await list(`organization_id=${first.body.data.organization_id}`)).length, 1);
  });
});

test('a request is let in by a header of the form Bearer and a token of ours, and by nothing else', async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.key('both', 'Caller');
  const status = async (authorization: string | undefined) =>
    (await gateway.call('GET', '/v1/api/me', { headers: authorization === undefined ? {} : { authorization } })).status;
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`])
    assert.equal(await status(authorization), 200);
  const [header, payload, signature] = token.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  for (const authorization of [
    undefined,
    '',
    token,
    'Bearer',
    'Bearer ',
    `Basic ${token}`,
    `Bearer ${token} ${token}`,
    `Bearer ${token}x`,
    `Bearer ${header}.${payload}`,
    `Bearer ${header}.${payload}.`,
    `Bearer ${none}.${payload}.`,
    `Bearer ${none}.${payload}.${signature}`,
    `Bearer ${header}.${Buffer.from('{}').toString('base64url')}.${signature}`,
  ])
    assert.equal(await status(authorization), 401, String(authorization).slice(0, 40));
});
