import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';

const FIRST = '2026-11-22';
const CURRENT = '2026-12-01';

/** The response to a request with a parameter that its path does not take. */
async function withStrayParameter(gateway: Gateway, as: Holder, version?: string): Promise<unknown[]> {
  const headers = version === undefined ? {} : { 'sluice-version': version };
  const answer = await gateway.call('GET', '/v1/api/me?colour=red', { as, headers });
  return [answer.status, answer.headers['sluice-version'], answer.body.code ?? answer.body.data.api_version];
}

test('a key is answered in the version of its first call, unless a request names another', async (t) => {
  await using gateway = await startGateway();

  await t.test('a new key is of the current version', async () => {
    const holder = await gateway.key('investor', 'New');
    assert.deepEqual(await withStrayParameter(gateway, holder), [400, CURRENT, 'UNKNOWN_PARAMETER']);
    assert.deepEqual(await withStrayParameter(gateway, holder, FIRST), [200, FIRST, CURRENT]);
    assert.deepEqual(await withStrayParameter(gateway, holder), [400, CURRENT, 'UNKNOWN_PARAMETER']);
  });

  await t.test('the version that the first call names stays that of the key, and of the one that replaces it', async () => {
    const operator = await gateway.key('operator', 'Platform');
    const holder = await gateway.key('investor', 'Early');
    assert.deepEqual(await withStrayParameter(gateway, holder, FIRST), [200, FIRST, FIRST]);
    assert.deepEqual(await withStrayParameter(gateway, holder, CURRENT), [400, CURRENT, 'UNKNOWN_PARAMETER']);
    assert.deepEqual(await withStrayParameter(gateway, holder), [200, FIRST, FIRST]);
    const { body } = await gateway.call('POST', `/v1/operator/keys/${holder.key_id}/rotate`, { as: operator, body: {} });
    assert.equal(body.data.api_version, FIRST);
    const replaced = { ...holder, key_id: body.data.key_id, token: body.data.token };
    assert.deepEqual(await withStrayParameter(gateway, replaced), [200, FIRST, FIRST]);
  });

  await t.test('of two first calls at once one decides for both', async () => {
    const holder = await gateway.key('investor', 'Twice');
    const calls = [FIRST, CURRENT, FIRST, CURRENT].map((version) =>
      gateway.call('GET', '/v1/api/me', { as: holder, headers: { 'sluice-version': version } }),
    );
    const told = (await Promise.all(calls)).map(({ body }) => body.data.api_version);
    assert.equal(new Set(told).size, 1, told.join());
  });

  await t.test('a version that there is not is 400 with the list, and no first call', async () => {
    const holder = await gateway.key('investor', 'Mistaken');
    for (const version of ['2026-11-23', 'latest', '', 'toString', `${FIRST}, ${CURRENT}`]) {
      const answer = await gateway.call('GET', '/v1/api/me', { as: holder, headers: { 'sluice-version': version } });
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.versions],
        [400, 'UNKNOWN_VERSION', [FIRST, CURRENT]],
        version,
      );
    }
    assert.deepEqual(await withStrayParameter(gateway, holder, FIRST), [200, FIRST, FIRST]);
  });
});

test('the first version has one code for every 401', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const codeOf = async (headers: Record<string, string>, as?: Holder) => {
    const { status, body } = await gateway.call('GET', '/v1/api/me', { headers, ...(as ? { as } : {}) });
    return [status, body.code];
  };

  await t.test('where the request names it', async () => {
    assert.deepEqual(await codeOf({ 'sluice-version': FIRST }), [401, 'UNAUTHORIZED']);
    assert.deepEqual(await codeOf({ 'sluice-version': FIRST, authorization: 'Bearer a.b.c' }), [401, 'UNAUTHORIZED']);
    assert.deepEqual(await codeOf({}), [401, 'KEY_MISSING']);
  });

  await t.test('where the refused key remembers it', async () => {
    const revoke = (key: Holder) =>
      gateway.call('POST', `/v1/operator/keys/${key.key_id}/revoke`, { as: operator, body: { reason: 'A test.' } });
    const early = await gateway.key('investor', 'Early');
    assert.deepEqual(await codeOf({ 'sluice-version': FIRST }, early), [200, undefined]);
    await revoke(early);
    const unused = await gateway.key('investor', 'Unused');
    await revoke(unused);
    // A process asks the table for a key that it knows only after a while.
    const { app } = gateway;
    await using other = await app.over(gateway.deps);
    const refusedOf = async (holder: Holder, headers: Record<string, string>) => {
      const response = await other.inject({
        method: 'GET',
        url: '/v1/api/me',
        headers: { ...headers, authorization: `Bearer ${holder.token}` },
      });
      return response.json<{ code: string }>().code;
    };
    assert.equal(await refusedOf(early, {}), 'UNAUTHORIZED');
    assert.equal(await refusedOf(early, { 'sluice-version': CURRENT }), 'KEY_REVOKED');
    assert.equal(await refusedOf(unused, {}), 'KEY_REVOKED');
  });
});
