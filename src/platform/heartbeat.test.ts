import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeartbeat } from './heartbeat.ts';
import { inTime } from './in-time.ts';

test('a loop is stalled a minute after its last run, and no longer once it runs', () => {
  let now = 0;
  const heartbeat = createHeartbeat(() => now);
  heartbeat.beat('queue');
  heartbeat.beat('deliveries');
  now = 60_000;
  assert.deepEqual(heartbeat.stalled(), []);
  heartbeat.beat('deliveries');
  now = 60_001;
  assert.deepEqual(heartbeat.stalled(), ['queue']);
  heartbeat.beat('queue');
  assert.deepEqual(heartbeat.stalled(), []);
});

test('a loop that has never run is none of this process', () => {
  assert.deepEqual(createHeartbeat(() => Number.MAX_SAFE_INTEGER).stalled(), []);
});

test('work in time gives its result or its own error', async () => {
  assert.equal(await inTime(Promise.resolve('done'), 60_000), 'done');
  await assert.rejects(inTime(Promise.reject(new Error('its own')), 60_000), /its own/);
});

test('work that takes longer than its time is given up', async () => {
  await assert.rejects(inTime(new Promise(() => {}), 1), /timed out after 1 ms/);
});
