import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a condition that something else brings about, looking again and again; an error when the time is over. The limit is for what
 * never comes about: it is no measure of speed, and leaves a busy machine its time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 120_000,
  what = 'it',
  everyMs = 5,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come about within ${timeoutMs} ms`);
    await sleep(everyMs);
  }
}

/**
 * Looks again and again until what was promised for so long after `since` (of `performance.now()`) holds. Only a look that begins later
 * than that has to find it: how long the looks take is the machine's affair.
 */
export async function holdsWithin(
  promisedMs: number,
  since: number,
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (;;) {
    const lookedAt = performance.now();
    if (await condition()) return;
    assert.ok(lookedAt - since <= promisedMs, `${what} was not there ${Math.round(lookedAt - since)} ms afterwards`);
    await sleep(5);
  }
}
