import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '../files/store.ts';
import { isStopping } from './stopping.ts';
import { isDatabaseUnavailable, unavailableReason } from '../unavailable.ts';

/** The number of attempts at a record's work; work that crashes its process this often is given up. */
export const MAX_ATTEMPTS = 3;

/** What the work on a record returns when it has given the record up: the job has ended, and it failed. */
export const GAVE_UP = 'gave up';
export type GaveUp = typeof GAVE_UP;

const RETURN_EVERY_MS = 500;
/** About as long as the queue's retries last. */
const RETURN_WITHIN_MS = 5 * 60_000;

export type Failure = {
  /**
   * Whether the attempt counts. It does not when the worker stops, when a dependency does not respond, when this machine lacks disk or
   * another resource, nor when the job was taken from a worker that lives.
   */
  counts: boolean;
  /** Whether the work is given up; otherwise the error goes to the queue, which starts the job again. */
  final: boolean;
};

/** Decides what an error in the work on a record means; `last`: the queue makes no further attempt. */
export function judgeFailure(error: unknown, signal: AbortSignal, attempt: { number: number; last: boolean }): Failure {
  if (isStopping(signal)) return { counts: false, final: false };
  // Aborted for another reason, the job now belongs to another worker: its heartbeats were late, and nothing crashed. The last attempt
  // counts, so that work whose worker is always late is given up in the end.
  if (signal.aborted) return { counts: attempt.last, final: false };
  const waits = unavailableReason(error) !== null || error instanceof StoreUnavailable;
  return { counts: !waits, final: attempt.last || (!waits && attempt.number >= MAX_ATTEMPTS) };
}

/**
 * Whether what the work lacked is the object store or a resource of this machine. An outage of these may last; work that the database
 * refuses without end (a statement that always takes too long) has to be given up, and while it is away no job starts.
 */
export const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (unavailableReason(error) !== null && !isDatabaseUnavailable(error));

/**
 * Takes back the count of an attempt that does not count. What ended the attempt is often the database: while that is away no process can
 * start the job again, so this tries until it is back or the worker stops. If all fails the record only loses one of its attempts.
 */
export async function returnAttempt(signal: AbortSignal, uncount: () => Promise<void>): Promise<void> {
  const endsAt = performance.now() + RETURN_WITHIN_MS;
  for (;;) {
    try {
      return await uncount();
    } catch (error) {
      if (isStopping(signal) || !isDatabaseUnavailable(error) || performance.now() > endsAt) return;
    }
    await sleep(RETURN_EVERY_MS, undefined, { ref: false });
  }
}
