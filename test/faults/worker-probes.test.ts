import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDeliveries } from '../../src/features/webhooks/engine.ts';
import { createHeartbeat } from '../../src/platform/heartbeat.ts';
import { workerProbes } from '../../src/platform/http/worker-probes.ts';
import { startGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

test('a worker is alive while its loops turn, and names the one that is stalled for a minute', async () => {
  await using gateway = await startGateway();
  let now = 0;
  const heartbeat = createHeartbeat(() => now);
  const deps = { ...gateway.deps, heartbeat };
  const livez = async () => {
    const reply = await workerProbes(deps)['/livez']?.();
    return { status: reply?.status, body: JSON.parse(reply?.body ?? '{}') };
  };
  {
    await using _engine = startDeliveries(deps);
    now = 120_000;
    await until(async () => (await livez()).status === 200, 120_000, 'a turn of the loop');
  }
  now += 59_000;
  assert.deepEqual(await livez(), { status: 200, body: { status: 'ok', stalled: [] } });
  now += 2_000;
  assert.deepEqual(await livez(), { status: 503, body: { status: 'stalled', stalled: ['webhook deliveries'] } });
});
