import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { type Claims, ISSUER, signToken } from '../../platform/tokens.ts';

const DAY = 86_400;

async function refusalOf(gateway: Gateway, authorization: string | undefined): Promise<unknown> {
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await gateway.call('GET', '/v1/api/me', { headers });
  if (answer.status === 200) return 200;
  assert.equal(answer.status, 401, JSON.stringify(answer.body));
  assert.equal(answer.headers['www-authenticate'], 'Bearer');
  return answer.body.code;
}

test('a refused credential is told why', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const keys = gateway.deps.tokens;
  const now = Math.floor(Date.now() / 1000);
  const claimsOf = (holder: Holder): Claims => ({
    iss: ISSUER,
    aud: 'development',
    sub: holder.organization_id,
    jti: holder.key_id,
    role: 'investor',
    iat: now,
    exp: now + DAY,
  });
  const bearer = (token: string) => refusalOf(gateway, `Bearer ${token}`);
  const change = (path: string) => gateway.call('POST', `/v1/operator/${path}`, { as: operator, body: { reason: 'A test.' } });

  await t.test('when there is none, or it has no form of a key', async () => {
    assert.equal(await refusalOf(gateway, undefined), 'KEY_MISSING');
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'Bearer a.b',
      'Bearer a.b.c',
      'Bearer {}.{}.x',
      'Bearer a.b.c.d',
    ])
      assert.equal(await refusalOf(gateway, authorization), 'KEY_MALFORMED', authorization);
  });

  await t.test('when it is none of ours: another signature, algorithm, issuer, key, organization or role', async () => {
    const holder = await gateway.key('investor', 'Unknown');
    const claims = claimsOf(holder);
    assert.equal(await bearer(signToken(keys, claims)), 200);
    const [header = '', payload = '', signature = ''] = holder.token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const strangers = [{ iss: 'other' }, { jti: 'key_0' }, { sub: operator.organization_id }, { role: 'both' }];
    for (const token of [
      `${header}.${payload}.${other}`,
      `${none}.${payload}.${signature}`,
      ...strangers.map((stranger) => signToken(keys, { ...claims, ...stranger })),
    ])
      assert.equal(await bearer(token), 'KEY_UNKNOWN', token);
  });

  await t.test('when it was ours: suspended before revoked before the environment before expired', async () => {
    const holder = await gateway.key('investor', 'Refused');
    const claims = claimsOf(holder);
    const expired = signToken(keys, { ...claims, exp: now - 1 });
    const elsewhere = signToken(keys, { ...claims, aud: 'production', exp: now - 1 });
    assert.deepEqual([await bearer(expired), await bearer(elsewhere)], ['KEY_EXPIRED', 'KEY_WRONG_ENVIRONMENT']);
    const production = await gateway.key('investor', 'Producer', { environment: 'production' });
    assert.equal(await bearer(signToken(keys, claimsOf(production))), 'KEY_WRONG_ENVIRONMENT');

    await change(`keys/${holder.key_id}/revoke`);
    const revoked = (exp: number) => signToken(keys, { ...claims, aud: 'production', exp });
    assert.equal(await bearer(revoked(now - 2)), 'KEY_REVOKED');
    await change(`organizations/${holder.organization_id}/suspend`);
    assert.equal(await bearer(revoked(now - 3)), 'ORGANIZATION_SUSPENDED');
  });
});
