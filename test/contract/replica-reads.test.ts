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
  /** How the reads of some requests have ended that the standby was or could have been asked for. */
  const endsOf = async (requests: () => Promise<unknown>): Promise<Set<string>> => {
    const before = await readOutcomes(gateway);
    await requests();
    const after = await readOutcomes(gateway);
    return new Set(Object.keys(after).filter((outcome) => (after[outcome] ?? 0) > (before[outcome] ?? 0)));
  };
  /** Whether the route was read as it is when the standby has caught up; false while the standby is behind and rests. */
  const isRead = async (path: string, route: Route): Promise<boolean> => {
    const ends = await endsOf(() => world.get(path, route));
    if (ends.has('failed')) failing.push(nameOf(route));
    if (ends.has('served')) served += 1;
    return ends.has('failed') || ends.has('served') || ends.size === 0;
  };
  for (const route of ROUTES.filter(({ method, access }) => method === 'GET' && access !== 'public')) {
    let path: string | null = null;
    const ends = await endsOf(async () => (path = await world.addressOf(route)));
    if (ends.has('failed')) failing.push(nameOf(route));
    // Of all that was tried only the address with records shows whether the standby can give them.
    if (path !== null) await until(() => isRead(path as string, route), 120_000, `the standby’s reads of ${nameOf(route)}`, 200);
  }
  t.diagnostic(`the standby was asked by ${served} routes`);
  assert.deepEqual(failing, []);
  assert.ok(served > 150);
});
