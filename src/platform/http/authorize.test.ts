import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { signedIn } from '../../../test/support/people.ts';
import { mayReach } from './may-reach.ts';
import type { Access, Role } from './caller.ts';

/** Who reaches what: one line per access, as the documentation states it. */
const REACH: Record<Access, Role[]> = {
  originator: ['originator', 'both'],
  investor: ['investor', 'both'],
  customer: ['originator', 'investor', 'both'],
  operator: ['operator'],
  key: ['originator', 'investor', 'both', 'operator'],
  public: ['originator', 'investor', 'both', 'operator'],
};

for (const [access, roles] of Object.entries(REACH) as [Access, Role[]][]) {
  test(`${access} routes are reached by ${roles.join(', ')} and no other role`, () => {
    const reaching = (['originator', 'investor', 'both', 'operator'] as const).filter((role) => mayReach(role, access));
    assert.deepEqual(reaching, roles);
  });
}

test('a request is refused for the first of its faults: credential, path, CSRF, role, right, scope, network, version', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const keyOf = async (narrow: object) =>
    (
      await gateway.call('POST', '/v1/operator/keys', {
        as: operator,
        body: { organization: 'House', role: 'investor', environment: 'development', requester: 'A', use_case: 'B', ...narrow },
      })
    ).body.data;
  const elsewhere = await keyOf({ networks: ['192.0.2.0/24'] });
  const narrow = await keyOf({ networks: ['192.0.2.0/24'], scopes: ['alerts:read'] });
  const viewer = await signedIn(gateway, elsewhere.organization_id, 'ann@example.com', ['VIEW']);
  const { cookie } = viewer.headers;
  const headers = { 'sluice-version': 'latest' };
  const cases: [method: string, path: string, options: Parameters<Gateway['call']>[2], code: [number, string]][] = [
    ['GET', '/v1/nothing', { headers }, [401, 'KEY_MISSING']],
    ['GET', '/v1/nothing', { headers: { ...headers, authorization: 'Bearer x' } }, [401, 'KEY_MALFORMED']],
    ['GET', '/v1/nothing', { as: elsewhere, headers }, [404, 'NOT_FOUND']],
    ['DELETE', '/v1/api/me', { as: elsewhere, headers }, [405, 'METHOD_NOT_ALLOWED']],
    ['DELETE', '/v1/api/me', { headers: { ...headers, cookie } }, [405, 'METHOD_NOT_ALLOWED']],
    ['POST', '/v1/api/originator/pools', { headers: { ...headers, cookie } }, [403, 'CSRF_FAILED']],
    ['POST', '/v1/api/originator/pools', { headers: { ...headers, ...viewer.headers } }, [403, 'ROLE_FORBIDDEN']],
    ['POST', '/v1/api/alerts/mark', { headers: { ...headers, ...viewer.headers } }, [403, 'RIGHT_REQUIRED']],
    ['GET', '/v1/api/originator/pools', { as: narrow, headers }, [403, 'ROLE_FORBIDDEN']],
    ['POST', '/v1/api/alerts/mark', { as: narrow, headers }, [403, 'SCOPE_FORBIDDEN']],
    ['POST', '/v1/api/alerts/mark', { as: elsewhere, headers }, [403, 'NETWORK_FORBIDDEN']],
    ['POST', '/mcp', { as: elsewhere, headers }, [403, 'NETWORK_FORBIDDEN']],
    ['POST', '/v1/api/alerts/mark', { as: operator, headers }, [403, 'ROLE_FORBIDDEN']],
    ['POST', '/v1/operator/alerts/mark', { as: operator, headers }, [400, 'UNKNOWN_VERSION']],
    ['GET', '/livez', { headers }, [400, 'UNKNOWN_VERSION']],
  ];
  for (const [method, path, options, code] of cases) {
    const answer = await gateway.call(method, path, options);
    assert.deepEqual(
      [answer.status, answer.body.code ?? answer.body.error?.data?.code],
      code,
      `${method} ${path}: ${answer.text}`,
    );
  }
});
