import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { Mover } from '../../platform/moves.ts';
import { findRun, type Run, type RunStatus } from './run-queries.ts';
import type { Id } from '../../platform/ids.ts';

/** The moves of a selection criteria run. A run whose worker stopped is started again under the next number. */
export const RUN_MOVES = new Mover<Run, 'status', RunStatus>({
  noun: 'run',
  table: 'sc_jobs',
  key: ['organization_id', 'sc_job_id'],
  fence: ['run'],
  column: 'status',
  json: ['result'],
  moves: {
    PENDING: ['RUNNING', 'CANCELLED'],
    RUNNING: ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'],
    COMPLETED: [],
    FAILED: [],
    CANCELLED: [],
  },
});

/** Starts a run and counts the attempt; null when it was cancelled or has ended. */
export async function startRun(tx: Tx, organizationId: Id<'org'>, scJobId: Id<'scj'>): Promise<Run | null> {
  const run = await findRun(tx, organizationId, scJobId, true);
  if (!run || !RUN_MOVES.allowed(run.status).includes('RUNNING')) return null;
  return RUN_MOVES.move(tx, run, 'RUNNING', { run: run.run + 1, attempts: run.attempts + 1 });
}

/** Cancels a run that has not ended; the worker that evaluates it stops. */
export async function cancelRun(tx: Tx, { organization_id }: Actor, scJobId: Id<'scj'>): Promise<Run> {
  const run = orNotFound(await findRun(tx, organization_id, scJobId, true), 'run');
  return RUN_MOVES.move(tx, run, 'CANCELLED');
}

type RunEnd = Pick<
  Run,
  | 'passed'
  | 'failed'
  | 'waived'
  | 'total'
  | 'passed_balance'
  | 'failed_balance'
  | 'result'
  | 'loans_key'
  | 'outcomes_key'
  | 'exception_file_id'
  | 'error'
  | 'error_code'
>;

/** Ends a run; null when another worker has taken it over or it was cancelled. */
export function finishRun(tx: Tx, run: Run, status: 'COMPLETED' | 'FAILED', end: RunEnd): Promise<Run | null> {
  return RUN_MOVES.tryMove(tx, run, status, { ...end, run_at: tx.now });
}
