import { StoreUnavailable } from '../files/store.ts';
import { isStopping } from './stopping.ts';
import { isDatabaseUnavailable } from '../unavailable.ts';

/** A record's work is started this often; what ends its process three times is given up. */
export const MAX_ATTEMPTS = 3;

export type Failure = {
  /** Whether the attempt counts: not when the worker stops or when a dependency does not respond. */
  counts: boolean;
  /** Whether the work is given up; otherwise the error belongs to the queue, which starts the job again. */
  final: boolean;
};

/** What an error in the work on a record means; `last`: the queue makes no further attempt. */
export function judgeFailure(error: unknown, signal: AbortSignal, attempt: { number: number; last: boolean }): Failure {
  if (isStopping(signal)) return { counts: false, final: false };
  // Aborted for another reason, the job belongs to another worker by now, which counts its own attempt.
  if (signal.aborted) return { counts: true, final: false };
  const waits = isDatabaseUnavailable(error) || error instanceof StoreUnavailable;
  return { counts: !waits, final: attempt.last || (!waits && attempt.number >= MAX_ATTEMPTS) };
}
