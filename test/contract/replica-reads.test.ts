import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { startGateway } from '../support/gateway.ts';
import { nameOf, seedWorld } from '../support/seeded.ts';
import { readOutcomes, startPair } from '../support/standby.ts';
import { until } from '../support/until.ts';

test('no route that reads needs more of the database than a standby gives', async (t) => {
  await using pair = await startPair();
  await using gateway = await startGateway({ DATABASE_URL: pair.primaryUrl, DATABASE_REPLICA_URL: pair.standbyUrl });
  const world = await seedWorld(gateway);
  const failing: string[] = [];
  let served = 0;
  /** Whether the route was read as it is when the standby has caught up; false while the standby is behind and rests. */
  const isRead = async (route: Route): Promise<boolean> => {
    const before = await readOutcomes(gateway);
    await world.addressOf(route);
    const after = await readOutcomes(gateway);
    const isMore = (outcome: string): boolean => (after[outcome] ?? 0) > (before[outcome] ?? 0);
    if (isMore('failed')) failing.push(nameOf(route));
    if (isMore('served')) served += 1;
    return isMore('failed') || isMore('served') || !Object.keys(after).some(isMore);
  };
  for (const route of ROUTES.filter(({ method, access }) => method === 'GET' && access !== 'public')) {
    await until(() => isRead(route), 60_000, `the standby’s reads of ${nameOf(route)}`, 50);
  }
  t.diagnostic(`the standby was asked by ${served} routes`);
  assert.deepEqual(failing, []);
  assert.ok(served > 120);
});
