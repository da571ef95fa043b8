import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition that something else brings about, looking again and again; an error when the time is over. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
  what = 'it',
  everyMs = 5,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come about within ${timeoutMs} ms`);
    await sleep(everyMs);
  }
}
