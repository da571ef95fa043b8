import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { type AttemptEnd, createBreaker } from './breaker.ts';

const ID = 'whs_a';

/** A breaker on a clock of its own. */
function startBreaker() {
  let nowMs = 0;
  const breaker = createBreaker(() => nowMs);
  return {
    breaker,
    record: (...ends: AttemptEnd[]) => ends.forEach((end) => breaker.record(ID, end)),
    wait: (ms: number) => {
      nowMs += ms;
    },
    state: (): string[] => (['open', 'halfOpen', 'throttled'] as const).filter((name) => breaker[name]().includes(ID)),
  };
}

const times = (count: number, end: AttemptEnd): AttemptEnd[] => Array.from({ length: count }, () => end);

test('four timeouts in a row open the breaker, and one more failure of either kind does not close it early', () => {
  const { record, state } = startBreaker();
  record(...times(3, 'timeout'));
  assert.deepEqual(state(), []);
  record('timeout');
  assert.deepEqual(state(), ['open', 'throttled']);
});

test('an open breaker is half-open once its pause of five seconds is over', () => {
  const { record, state, wait } = startBreaker();
  record(...times(4, 'timeout'));
  wait(4_999);
  assert.deepEqual(state(), ['open', 'throttled']);
  wait(1);
  assert.deepEqual(state(), ['halfOpen', 'throttled']);
});

test('each timeout of a half-open breaker opens it for twice as long, up to a minute', () => {
  const { record, state, wait } = startBreaker();
  record(...times(4, 'timeout'));
  for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    wait(pauseMs - 1);
    assert.ok(state().includes('open'), `still open just before ${pauseMs} ms`);
    wait(1);
    assert.ok(state().includes('halfOpen'), `half-open after ${pauseMs} ms`);
    record('timeout');
  }
});

test('a timeout of an attempt that was in flight when the breaker opened does not make the pause longer', () => {
  const { record, state, wait } = startBreaker();
  record(...times(8, 'timeout'));
  wait(5_000);
  assert.deepEqual(state(), ['halfOpen', 'throttled']);
});

test('a delivery closes the breaker and ends the throttling, and the pauses start anew', () => {
  const { record, state, wait } = startBreaker();
  record(...times(4, 'timeout'));
  wait(5_000);
  record('timeout', 'delivered');
  assert.deepEqual(state(), []);
  record(...times(4, 'timeout'));
  wait(5_000);
  assert.deepEqual(state(), ['halfOpen', 'throttled']);
});

test('a failure before the deadline closes the breaker and leaves the receiver throttled', () => {
  const { record, state } = startBreaker();
  record(...times(4, 'timeout'), 'failed');
  assert.deepEqual(state(), ['throttled']);
});

test('four failures in a row throttle a receiver until one attempt is delivered', () => {
  const { record, state } = startBreaker();
  record(...times(3, 'failed'));
  assert.deepEqual(state(), []);
  record('failed');
  assert.deepEqual(state(), ['throttled']);
  record('delivered');
  assert.deepEqual(state(), []);
});

test('a throttled receiver rests for a tenth of a second after each failure, and not after a delivery', () => {
  const { breaker, record, wait } = startBreaker();
  record(...times(3, 'failed'));
  assert.deepEqual(breaker.resting(), []);
  record('failed');
  wait(99);
  assert.deepEqual(breaker.resting(), [ID]);
  record('failed');
  wait(99);
  assert.deepEqual(breaker.resting(), [ID]);
  wait(1);
  assert.deepEqual(breaker.resting(), []);
  record('failed', 'delivered');
  assert.deepEqual(breaker.resting(), []);
});

test('what one receiver does says nothing about another', () => {
  const { breaker, record } = startBreaker();
  record(...times(4, 'timeout'));
  breaker.record('whs_b', 'failed');
  breaker.record('whs_b', 'delivered');
  assert.deepEqual([breaker.open(), breaker.throttled()], [[ID], [ID]]);
});

const Step = fc.oneof(fc.constantFrom<AttemptEnd>('delivered', 'failed', 'timeout'), fc.integer({ min: 0, max: 70_000 }));

test('whatever happens: never open and half-open at once, tripped only by timeouts, and never paused beyond a minute', () => {
  fc.assert(
    fc.property(fc.array(Step, { maxLength: 60 }), (steps) => {
      const { record, state, wait } = startBreaker();
      let timeouts = 0;
      let failures = 0;
      for (const step of steps) {
        if (typeof step === 'number') wait(step);
        else {
          record(step);
          timeouts = step === 'timeout' ? timeouts + 1 : 0;
          failures = step === 'delivered' ? 0 : failures + 1;
        }
        const now = state();
        assert.ok(!(now.includes('open') && now.includes('halfOpen')));
        assert.equal(now.includes('open') || now.includes('halfOpen'), timeouts >= 4);
        assert.equal(now.includes('throttled'), failures >= 4);
      }
      wait(60_000);
      assert.ok(!state().includes('open'));
    }),
  );
});
