import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';

const NEW = { role: 'both', environment: 'development', requester: 'Ada Example', use_case: 'A narrowed key' };

test('a key is narrowed when it is issued', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const issue = (more: object) =>
    gateway.call('POST', '/v1/operator/keys', { as: operator, body: { ...NEW, organization: 'House', ...more } });
  const me = async (token: string) => (await gateway.call('GET', '/v1/api/me', { as: token })).body.data;

  await t.test('to scopes and networks, which its holder and the operator see', async () => {
    const narrow = {
      label: 'Night job',
      scopes: ['loans:read', 'alerts:*', 'loans:read'],
      networks: ['127.0.0.0/8', '2001:db8::/32'],
    };
    const wrong = await issue(narrow);
    assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.field], [400, 'scopes']);
    const { status, body } = await issue({ ...narrow, scopes: ['loans:read', 'alerts:*'] });
    assert.equal(status, 201, JSON.stringify(body));
    const { label, scopes, networks, token } = body.data;
    assert.deepEqual({ label, scopes, networks }, { ...narrow, scopes: ['loans:read', 'alerts:*'] });
    const own = await me(token);
    assert.deepEqual([own.label, own.scopes, own.networks], [label, scopes, networks]);
  });

  await t.test('and is not where nothing is said', async () => {
    const { body } = await issue({});
    assert.deepEqual([body.data.label, body.data.scopes, body.data.networks], [null, null, null]);
  });

  await t.test('an empty or unknown scope, and what is no network, are 400 with the field', async () => {
    for (const [more, field] of [
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['loans'] }, 'scopes.0'],
      [{ scopes: ['loans:read', 'loans:delete'] }, 'scopes.1'],
      [{ networks: [] }, 'networks'],
      [{ networks: ['10.0.0.0/8', '10.0.0.1'] }, 'networks.1'],
      [{ networks: ['10.0.0.0/33'] }, 'networks.0'],
      [{ networks: ['everywhere'] }, 'networks.0'],
    ] as const) {
      const { status, body } = await issue(more);
      assert.deepEqual([status, body.errors?.[0]?.field], [400, field], JSON.stringify(body));
    }
  });

  await t.test('the key that replaces it is as narrow', async () => {
    const { body } = await issue({ label: 'Night job', scopes: ['deals:read'], networks: ['127.0.0.0/8'] });
    const rotated = await gateway.call('POST', `/v1/operator/keys/${body.data.key_id}/rotate`, { as: operator, body: {} });
    const { label, scopes, networks } = rotated.body.data;
    assert.deepEqual([label, scopes, networks], ['Night job', ['deals:read'], ['127.0.0.0/8']]);
  });

  await t.test('a refusal names what the key has and what is needed', async () => {
    const { body } = await issue({ scopes: ['deals:read', 'orders:read'] });
    const refused = await gateway.call('POST', '/v1/api/investor/deals/deal_0/orders', { as: body.data.token, body: {} });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.scopes, refused.body.needed],
      [403, 'SCOPE_FORBIDDEN', ['deals:read', 'orders:read'], ['orders:write']],
    );
    assert.match(refused.body.message ?? '', /needs a key with the scope orders:write, and this key has deals:read, orders:read/);
    const keys = await gateway.call('GET', '/v1/api/keys', { as: body.data.token });
    assert.deepEqual([keys.body.code, keys.body.needed], ['SCOPE_FORBIDDEN', null]);
  });
});

/** The status and code of `GET /v1/api/me` over a socket from an address, with what a proxy says of the sender. */
function meFrom(gateway: Gateway, { token }: { token: string }, from: string, forwarded?: string): Promise<unknown[]> {
  const { port } = gateway.app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) };
    request({ host: '127.0.0.1', port, path: '/v1/api/me', localAddress: from, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve([response.statusCode, JSON.parse(text).code]));
    })
      .on('error', reject)
      .end();
  });
}

test('a key works from its networks alone', async (t) => {
  const issued = async (gateway: Gateway, networks: string[]): Promise<{ token: string }> => {
    const operator = await gateway.key('operator', 'Platform');
    const { body } = await gateway.call('POST', '/v1/operator/keys', {
      as: operator,
      body: { ...NEW, organization: 'House', networks },
    });
    return body.data;
  };

  await t.test('by the address of the socket, whatever a header says', async () => {
    await using gateway = await startGateway();
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const key = await issued(gateway, ['127.0.0.7/32']);
    assert.deepEqual(await meFrom(gateway, key, '127.0.0.7'), [200, undefined]);
    assert.deepEqual(await meFrom(gateway, key, '127.0.0.8'), [403, 'NETWORK_FORBIDDEN']);
    assert.deepEqual(await meFrom(gateway, key, '127.0.0.8', '127.0.0.7'), [403, 'NETWORK_FORBIDDEN']);
  });

  await t.test('behind a trusted proxy by what that proxy says, and by nothing that was said before it', async () => {
    await using gateway = await startGateway({ SLUICE_TRUSTED_PROXIES: '127.0.0.7/32' });
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const key = await issued(gateway, ['10.1.0.0/16', '2001:db8::/32']);
    assert.deepEqual(await meFrom(gateway, key, '127.0.0.7', '10.1.2.3'), [200, undefined]);
    assert.deepEqual(await meFrom(gateway, key, '127.0.0.7', '::ffff:10.1.2.3'), [200, undefined]);
    assert.deepEqual(await meFrom(gateway, key, '127.0.0.7', '2001:db8::5'), [200, undefined]);
    for (const forwarded of [undefined, '10.1.2.3, 192.0.2.1', '10.2.0.1', 'unknown', '10.1.2.3, x'])
      assert.deepEqual(await meFrom(gateway, key, '127.0.0.7', forwarded), [403, 'NETWORK_FORBIDDEN'], String(forwarded));
    assert.deepEqual(await meFrom(gateway, key, '127.0.0.8', '10.1.2.3'), [403, 'NETWORK_FORBIDDEN']);
  });
});

test('an organization sees its keys, and asks for another in the place of one', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const holder = await gateway.key('investor', 'House');
  const other = await gateway.key('investor', 'Other');
  const ask = (as: Holder, keyId: string, body?: object) =>
    gateway.call('POST', `/v1/api/keys/${keyId}/rotation-requests`, { as, ...(body ? { body } : {}) });

  await t.test('its own alone, with the last use of each', async () => {
    const unused = await gateway.key('investor', 'House');
    const { body } = await gateway.call('GET', '/v1/api/keys', { as: holder });
    const uses = new Map(body.data.map((key: { key_id: string; last_used_at: string | null }) => [key.key_id, key.last_used_at]));
    assert.deepEqual([...uses.keys()].sort(), [holder.key_id, unused.key_id].sort());
    assert.equal(uses.get(unused.key_id), null);
    assert.ok(Math.abs(Date.now() - Date.parse(String(uses.get(holder.key_id)))) < 60_000);
    assert.ok(!JSON.stringify(body).includes('eyJ'), 'no token');
  });

  await t.test('the last use is written at most once a minute, and does not change the version of the record', async () => {
    const path = `/v1/operator/keys/${holder.key_id}`;
    const owner = await gateway.owner();
    const used = async () =>
      (await owner.query('select last_used_at, xmin::text from keys where key_id = $1', [holder.key_id])).rows[0];
    const { headers } = await gateway.call('GET', path, { as: operator });
    const before = await used();
    // Another process looks the key up for itself.
    await using second = await gateway.app.over(gateway.deps);
    const ping = () => second.inject({ method: 'GET', url: '/v1/api/me', headers: { authorization: `Bearer ${holder.token}` } });
    await ping();
    assert.deepEqual(await used(), before);
    await owner.query(`update keys set last_used_at = last_used_at - interval '61 seconds' where key_id = $1`, [holder.key_id]);
    await using third = await gateway.app.over(gateway.deps);
    await third.inject({ method: 'GET', url: '/v1/api/me', headers: { authorization: `Bearer ${holder.token}` } });
    assert.ok((await used()).last_used_at > new Date(before.last_used_at.getTime() - 1_000));
    assert.equal((await gateway.call('GET', path, { as: operator })).headers.etag, headers.etag);
    await owner.end();
  });

  await t.test('another’s key is not found, and one that is not in force is 409', async () => {
    assert.equal((await ask(other, holder.key_id)).status, 404);
    assert.equal((await ask(holder, 'key_00000000000000000000')).status, 404);
    const revoked = await gateway.key('investor', 'House');
    await gateway.call('POST', `/v1/operator/keys/${revoked.key_id}/revoke`, { as: operator, body: { reason: 'A test.' } });
    assert.deepEqual([(await ask(holder, revoked.key_id)).status], [409]);
  });

  await t.test('the operator finds the request, and the new key has none', async () => {
    const requested = () =>
      gateway.call('GET', '/v1/operator/keys?rotation_requested=true', { as: operator }).then(({ body }) => body.data);
    assert.deepEqual(await requested(), []);
    const asked = await ask(holder, holder.key_id, { reason: 'It was in a log.' });
    assert.deepEqual([asked.status, asked.body.data.rotation_reason], [201, 'It was in a log.']);
    const again = await ask(holder, holder.key_id);
    assert.equal(again.body.data.rotation_requested_at, asked.body.data.rotation_requested_at);
    const [found] = await requested();
    assert.equal(found.key_id, holder.key_id);
    const alerts = await gateway.call('GET', '/v1/operator/alerts?type=key.rotation_requested', { as: operator });
    const [alert] = alerts.body.data;
    assert.deepEqual([alerts.body.data.length, alert.entity_id, alert.title], [1, holder.key_id, 'House asks for another key']);
    assert.match(alert.message, /It was in a log\./);
    const rotated = await gateway.call('POST', `/v1/operator/keys/${holder.key_id}/rotate`, { as: operator, body: {} });
    assert.equal(rotated.body.data.rotation_requested_at, null);
    const audit = await gateway.call('GET', '/v1/api/audit', { as: holder });
    assert.ok(audit.body.data.some((entry: { action: string }) => entry.action === 'key.rotation_requested'));
  });
});
