import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { type Scope, SCOPES } from '../../src/features/keys/scopes.ts';
import { mayReach } from '../../src/platform/http/may-reach.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { type Role, ROLES } from '../../src/platform/http/caller.ts';
import { neededScopes } from '../../src/scopes.ts';
import { startGateway } from '../support/gateway.ts';

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const behindKeys = ROUTES.filter(({ access }) => access !== 'public');
const EACH = SCOPES.filter((scope) => !scope.endsWith('*'));

// What no scope opens: keys, recipients of shared tables, members, organizations and what decides about them, and a sandbox's own acts.
const FOR_WHOLE_KEYS =
  /^\S+ \/v1\/(?:api\/keys|api\/members|api\/share-recipients|operator\/keys|operator\/members|operator\/approvals|operator\/approval-policy|operator\/organizations|sandbox)(?:\/|$)/;

test('each route needs a scope of the list, or none at all to read the key itself, or is for keys that are not narrowed', () => {
  for (const route of behindKeys) {
    const needed = neededScopes(route);
    if (FOR_WHOLE_KEYS.test(nameOf(route))) assert.equal(needed, null, nameOf(route));
    else if (nameOf(route) === 'GET /v1/api/me') assert.deepEqual(needed, []);
    else {
      assert.ok(needed !== null && needed.length > 0, nameOf(route));
      for (const scope of needed)
        assert.ok(
          EACH.some((each) => each === scope),
          `${nameOf(route)} needs ${scope}`,
        );
      if (route.method === 'GET')
        assert.ok(
          needed.every((scope) => scope.endsWith(':read')),
          nameOf(route),
        );
    }
  }
});

test('every scope opens a route of some role', () => {
  const opened = new Set(behindKeys.flatMap((route) => neededScopes(route) ?? []));
  assert.deepEqual(
    EACH.filter((scope) => !opened.has(scope)),
    // These areas are only read.
    ['audit:write', 'requests:write'],
  );
});

test('a narrowed key reaches exactly the routes of its scopes and its role', async (t) => {
  await using gateway = await startGateway();
  const narrowed = async (role: Role, scopes: readonly Scope[]): Promise<string> =>
    (await gateway.key(role, role === 'operator' ? 'Platform' : 'House', { scopes })).token;
  for (const role of ROLES) {
    await t.test(role, async () => {
      // Where only people may act no key does, whatever its scopes.
      const routes = behindKeys.filter(({ path, people }) => !path.endsWith('/stream') && !people);
      const without = new Map<string, string>();
      for (const scope of EACH) {
        const others = SCOPES.filter((each) => each !== scope && each !== scope.replace(/:.*/, ':*'));
        without.set(scope, await narrowed(role, others));
      }
      const all = await narrowed(role, SCOPES);
      for (const route of routes) {
        const needed = neededScopes(route);
        const answer = async (token: string) => {
          const path = route.path.replace(/:\w+/g, 'deal_00000000000000000000');
          const { status, body } = await gateway.call(route.method, path, { as: token });
          return { status, code: body.code };
        };
        if (!mayReach(role, route.access)) {
          assert.equal((await answer(all)).code, 'ROLE_FORBIDDEN', nameOf(route));
          continue;
        }
        assert.equal((await answer(all)).code === 'SCOPE_FORBIDDEN', needed === null, nameOf(route));
        for (const scope of needed ?? []) {
          const refused = await answer(without.get(scope) ?? '');
          assert.deepEqual(refused, { status: 403, code: 'SCOPE_FORBIDDEN' }, `${nameOf(route)} without ${scope}`);
        }
      }
    });
  }
});
