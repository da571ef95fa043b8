import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { startGateway } from '../support/gateway.ts';
import { nameOf, seedWorld } from '../support/seeded.ts';
import { startPair } from '../support/standby.ts';

test('no route that reads needs more of the database than a standby gives', async (t) => {
  await using pair = await startPair();
  await using gateway = await startGateway({ DATABASE_URL: pair.primaryUrl, DATABASE_REPLICA_URL: pair.standbyUrl });
  const counted = async (outcome: string): Promise<number> => {
    const { values } = await gateway.deps.metrics.replicaReads.get();
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  };
  const world = await seedWorld(gateway);
  const failing: string[] = [];
  let served = 0;
  for (const route of ROUTES.filter(({ method, access }) => method === 'GET' && access !== 'public')) {
    const [servedBefore, failedBefore] = [await counted('served'), await counted('failed')];
    await world.addressOf(route);
    if ((await counted('failed')) > failedBefore) failing.push(nameOf(route));
    if ((await counted('served')) > servedBefore) served += 1;
  }
  t.diagnostic(`the standby was asked by ${served} routes`);
  assert.deepEqual(failing, []);
  assert.ok(served > 50);
});
