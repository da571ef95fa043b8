import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { mayReach } from '../../src/platform/http/may-reach.ts';
import { hasRight, neededRights } from '../../src/platform/http/rights.ts';
import type { Right } from '../../src/platform/http/member-rights.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { ROLES } from '../../src/platform/http/caller.ts';
import { startGateway } from '../support/gateway.ts';
import { signedIn } from '../support/people.ts';

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const forCallers = ROUTES.filter(({ access, path }) => access !== 'public' && !path.endsWith('/stream'));

// What moves money or gives rights in a deal, by the words of its paths: whatever of it is added needs APPROVE too.
const DECISIONS =
  /\/(approve|deny|reject|withdraw|issue|withdraw-issue-request|accept|decline|settle|fail|retry|publish|close|close-books|reopen-books|confirm|allocations|orders|subscribe|resolve|personal-data)$/;
const NOT_OF_MONEY = /\/tapes\/[^/]+\/confirm$|^POST \/v1\/sandbox\//;
// They need the right of the act that waits, which is one of two.
const OF_THE_ACT = /\/approvals\/:approvalId\/(approve|deny)$/;

test('each route needs one right: reading VIEW, a decision APPROVE, keys and members and webhooks ADMIN, the rest EDIT', () => {
  for (const route of forCallers) {
    const name = nameOf(route);
    const [needed, ...more] = neededRights(route);
    if (OF_THE_ACT.test(name)) assert.deepEqual([needed, ...more], ['APPROVE', 'ADMIN'], name);
    else if (route.method === 'GET') assert.equal(needed, 'VIEW', name);
    else if (/\/(keys|members|webhooks|suspend|resume|token)(\/|$)/.test(route.path)) assert.equal(needed, 'ADMIN', name);
    else if (DECISIONS.test(route.path) && !NOT_OF_MONEY.test(name)) assert.equal(needed, 'APPROVE', name);
  }
});

test('a person reaches exactly the routes of their rights and the role of their organization', async (t) => {
  await using gateway = await startGateway();
  const held: Right[][] = [['VIEW'], ['EDIT'], ['APPROVE'], ['ADMIN'], ['ADMIN', 'EDIT', 'APPROVE', 'VIEW']];
  for (const role of ROLES) {
    await t.test(role, async () => {
      const { organization_id } = await gateway.key(role, `House of ${role}`);
      for (const [index, rights] of held.entries()) {
        const { headers } = await signedIn(gateway, organization_id, `${role}${index}@example.com`, rights);
        // A person has a limit of requests, which this test is not about.
        await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('delete from rate_windows'));
        for (const route of forCallers) {
          const path = route.path.replace(/:\w+/g, 'deal_00000000000000000000');
          const needed = neededRights(route);
          const expected = !mayReach(role, route.access) ? 'ROLE_FORBIDDEN' : hasRight(rights, needed) ? null : 'RIGHT_REQUIRED';
          // Seeding takes long, and needs no record that is missing here.
          if (expected === null && nameOf(route) === 'POST /v1/sandbox/seed') continue;
          const { status, body } = await gateway.call(route.method, path, { headers });
          if (status === 429) assert.fail(`${nameOf(route)}: the limit hides what this test looks for`);
          const seen = status === 403 && ['ROLE_FORBIDDEN', 'RIGHT_REQUIRED'].includes(body.code ?? '') ? body.code : null;
          assert.equal(seen, expected, `${nameOf(route)} with ${rights.join(' and ')}: ${status} ${body.code}`);
          if (expected === 'RIGHT_REQUIRED') assert.deepEqual([body.rights, body.needed], [rights, needed]);
        }
      }
    });
  }
});

test('what changes something needs the word of the session, on every route', async () => {
  await using gateway = await startGateway();
  const { organization_id } = await gateway.key('both', 'House');
  const { headers } = await signedIn(gateway, organization_id, 'ann@example.com', ['ADMIN', 'EDIT', 'APPROVE', 'VIEW']);
  for (const route of forCallers.filter(({ method, access }) => method !== 'GET' && mayReach('both', access))) {
    const path = route.path.replace(/:\w+/g, 'deal_00000000000000000000');
    const { status, body } = await gateway.call(route.method, path, { headers: { cookie: headers.cookie } });
    assert.deepEqual([status, body.code], [403, 'CSRF_FAILED'], nameOf(route));
  }
});

test('where only people may act a key is refused before anything of the request is read', async () => {
  await using gateway = await startGateway();
  const [both, operator] = [await gateway.key('both'), await gateway.key('operator')];
  const ofPeople = forCallers.filter(({ people }) => people);
  assert.equal(ofPeople.length, 8);
  for (const route of ofPeople) {
    const as = route.access === 'operator' ? operator : both;
    const answer = await gateway.call(route.method, route.path.replace(/:\w+/g, 'none'), { as, raw: 'no JSON' });
    assert.deepEqual([answer.status, answer.body.code, answer.body.rights], [403, 'RIGHT_REQUIRED', []], nameOf(route));
    assert.deepEqual(answer.body.needed, neededRights(route));
  }
});
