import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { startGateway } from '../support/gateway.ts';
import { nameOf, seedWorld } from '../support/seeded.ts';
import { readOutcomes, startPair } from '../support/standby.ts';

test('no route that reads needs more of the database than a standby gives', async (t) => {
  await using pair = await startPair();
  await using gateway = await startGateway({ DATABASE_URL: pair.primaryUrl, DATABASE_REPLICA_URL: pair.standbyUrl });
  const world = await seedWorld(gateway);
  const failing: string[] = [];
  let served = 0;
  for (const route of ROUTES.filter(({ method, access }) => method === 'GET' && access !== 'public')) {
    const before = await readOutcomes(gateway);
    await world.addressOf(route);
    const after = await readOutcomes(gateway);
    if ((after.failed ?? 0) > (before.failed ?? 0)) failing.push(nameOf(route));
    if ((after.served ?? 0) > (before.served ?? 0)) served += 1;
  }
  t.diagnostic(`the standby was asked by ${served} routes`);
  assert.deepEqual(failing, []);
  assert.ok(served > 50);
});
