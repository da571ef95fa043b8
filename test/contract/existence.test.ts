import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { hasBounds } from '../../src/platform/http/schemas.ts';
import { type Answer, codeOf, type Holder, startGateway } from '../support/gateway.ts';
import { nameOf } from '../support/seeded.ts';

const REVERSED = 'from=2026-02-01&to=2026-01-01';
/** Bounds that are dates of their rows. */
const BY_DATE = /\/(performance|portfolio\/calendar|portfolio\/history|fixings)$/;
const isBounded = (route: Route): boolean => hasBounds(route.query) || BY_DATE.test(route.path);

test('whether a record exists is told before what is asked of it means anything', async (t) => {
  await using gateway = await startGateway();
  const [both, operator] = [await gateway.key('both'), await gateway.key('operator')];
  const read = (route: Route, query: string): Promise<Answer> =>
    gateway.call('GET', `${route.path.replace(/:period\b/, '1').replace(/:\w+/g, 'none')}?${query}`, {
      as: route.access === 'operator' ? operator : both,
    });

  await t.test('by every list of a record that is read between two moments', async () => {
    const bounded = ROUTES.filter((route) => route.path.includes(':') && isBounded(route));
    assert.ok(bounded.length > 10, bounded.map(nameOf).join());
    for (const route of bounded) assert.deepEqual(codeOf(await read(route, REVERSED)), [404, 'NOT_FOUND'], nameOf(route));
  });

  await t.test('and every other list says that the moments are reversed', async () => {
    for (const route of ROUTES.filter((each) => !each.path.includes(':') && isBounded(each)))
      assert.deepEqual(codeOf(await read(route, REVERSED)), [422, 'RANGE_REVERSED'], nameOf(route));
  });

  await t.test('by changes too', async () => {
    const pool = { name: 'P', deal_ids: ['deal_x'], cut_off_date: '2026-12-15', closing_date: '2026-11-30' };
    const changes: [method: string, path: string, as: Holder, body: object][] = [
      ['POST', '/v1/api/originator/pools', both, pool],
      ['PATCH', '/v1/api/webhooks/subscriptions/whs_x', both, { url: 'ftp://example.com' }],
      ['PATCH', '/v1/operator/webhooks/subscriptions/whs_x', operator, { url: 'ftp://example.com' }],
    ];
    for (const [method, path, as, body] of changes)
      assert.deepEqual(codeOf(await gateway.call(method, path, { as, body })), [404, 'NOT_FOUND'], path);
  });
});
