import { StoreUnavailable } from '../files/store.ts';
import { isStopping } from './stopping.ts';
import { isDatabaseUnavailable } from '../unavailable.ts';

/** The number of attempts at a record's work; work that crashes its process this often is given up. */
export const MAX_ATTEMPTS = 3;

export type Failure = {
  /** Whether the attempt counts. It does not when the worker stops or a dependency does not respond. */
  counts: boolean;
  /** Whether the work is given up; otherwise the error goes to the queue, which starts the job again. */
  final: boolean;
};

/** Decides what an error in the work on a record means; `last`: the queue makes no further attempt. */
export function judgeFailure(error: unknown, signal: AbortSignal, attempt: { number: number; last: boolean }): Failure {
  if (isStopping(signal)) return { counts: false, final: false };
  // Aborted for another reason, the job now belongs to another worker, which counts its own attempt.
  if (signal.aborted) return { counts: true, final: false };
  const waits = isDatabaseUnavailable(error) || error instanceof StoreUnavailable;
  return { counts: !waits, final: attempt.last || (!waits && attempt.number >= MAX_ATTEMPTS) };
}
