import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../platform/http/errors.ts';

const WAIT_MS = 120_000;

/** Waits for what a worker does. */
export async function until(done: () => Promise<boolean>, what: string): Promise<void> {
  for (let waitedMs = 0, stepMs = 50; waitedMs < WAIT_MS; waitedMs += stepMs, stepMs = Math.min(stepMs * 1.2, 1_000)) {
    if (await done()) return;
    await sleep(stepMs);
  }
  throw new ApiError('UNAVAILABLE', `${what} did not finish: is a worker running?`, { headers: { 'retry-after': '30' } });
}

/** The results of all; where one fails, once the others have ended too. */
export async function allEnded<Works extends readonly unknown[] | []>(
  works: Works,
): Promise<{ -readonly [Place in keyof Works]: Awaited<Works[Place]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
