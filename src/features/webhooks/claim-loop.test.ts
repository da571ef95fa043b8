import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createClaimLoop } from './claim-loop.ts';

/** A loop on a clock of its own whose claims end when the test says so. */
function startLoop(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const running: (() => void)[] = [];
  const state = { nowMs: 0, starts: [] as number[], concurrent: 0, mostConcurrent: 0 };
  const claim = async (): Promise<void> => {
    state.starts.push(state.nowMs);
    state.concurrent += 1;
    state.mostConcurrent = Math.max(state.mostConcurrent, state.concurrent);
    await new Promise<void>((resolve) => running.push(resolve));
    state.concurrent -= 1;
  };
  return {
    state,
    loop: createClaimLoop(claim, () => state.nowMs),
    async endClaim(): Promise<void> {
      running.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    wait(ms: number): void {
      state.nowMs += ms;
      t.mock.timers.tick(ms);
    },
  };
}

test('a loop that was not started ignores wakes, and starts with a claim', async (t) => {
  const { loop, state, endClaim } = startLoop(t);
  loop.wake();
  assert.equal(state.starts.length, 0);
  loop.start();
  assert.equal(state.starts.length, 1);
  await endClaim();
  await loop.stop();
});

test('however many wakes come during a claim, one claim follows and they never overlap', async (t) => {
  const { loop, state, endClaim, wait } = startLoop(t);
  loop.start();
  for (let wake = 0; wake < 50; wake += 1) loop.wake();
  assert.equal(state.starts.length, 1);
  await endClaim();
  wait(4);
  await endClaim();
  wait(4);
  assert.deepEqual([state.starts.length, state.mostConcurrent], [2, 1]);
  await loop.stop();
});

test('without a wake no claim follows', async (t) => {
  const { loop, state, endClaim, wait } = startLoop(t);
  loop.start();
  await endClaim();
  wait(60_000);
  assert.equal(state.starts.length, 1);
  loop.wake();
  assert.equal(state.starts.length, 2);
  await endClaim();
  await loop.stop();
});

test('a claim starts four milliseconds after the end of the one before at the earliest', async (t) => {
  const { loop, state, endClaim, wait } = startLoop(t);
  loop.start();
  wait(5);
  loop.wake();
  await endClaim();
  wait(3);
  assert.equal(state.starts.length, 1);
  wait(1);
  assert.deepEqual(state.starts, [0, 9]);
  await endClaim();
  await loop.stop();
});

test('wakes during the pause start one claim at its end', async (t) => {
  const { loop, state, endClaim, wait } = startLoop(t);
  loop.start();
  await endClaim();
  for (let wake = 0; wake < 5; wake += 1) loop.wake();
  wait(4);
  assert.equal(state.starts.length, 2);
  await endClaim();
  wait(100);
  assert.equal(state.starts.length, 2);
  await loop.stop();
});

test('a stopped loop waits for its claim and starts no other', async (t) => {
  const { loop, state, endClaim, wait } = startLoop(t);
  loop.start();
  loop.wake();
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(stopped, false);
  await endClaim();
  await stopping;
  loop.wake();
  wait(1_000);
  assert.equal(state.starts.length, 1);
});

test('a stop during the pause between two claims cancels the second', async (t) => {
  const { loop, state, endClaim, wait } = startLoop(t);
  loop.start();
  await endClaim();
  loop.wake();
  await loop.stop();
  wait(1_000);
  assert.equal(state.starts.length, 1);
});
