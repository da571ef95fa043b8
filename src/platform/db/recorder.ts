import { setTimeout as sleep } from 'node:timers/promises';

/** A database that is restarted, or fails over, is back by then; a process that stops does not wait as long. */
const [RECORDING_MS, STOPPING_MS] = [40_000, 6_000];
const FIRST_RETRY_MS = 100;
export const LONGEST_RETRY_MS = 2_000;

/** Records what was done outside the database, such as a request that was sent: what is not recorded is done a second time. */
export type Recorder = {
  /** Runs the transaction again until it has succeeded or the time is up, and throws its last error then. `onFailure` hears of each failure. */
  record<Result>(transaction: () => Promise<Result>, onFailure: (error: unknown) => void): Promise<Result>;
  /** The process stops: from now on there is less time. */
  hurry(): void;
};

export function createRecorder(): Recorder {
  let latest = Number.POSITIVE_INFINITY;
  return {
    async record(transaction, onFailure) {
      const endsAt = performance.now() + RECORDING_MS;
      for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)) {
        try {
          return await transaction();
        } catch (error) {
          onFailure(error);
          if (performance.now() + delayMs > Math.min(endsAt, latest)) throw error;
          await sleep(delayMs);
        }
      }
    },
    hurry() {
      latest = performance.now() + STOPPING_MS;
    },
  };
}
