import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import { checkMove } from './run.ts';
import { findRun, setCancelled } from './run-queries.ts';

/** Cancels a run that has not ended; the worker that evaluates it finds out and stops. */
export async function cancelRun(tx: Tx, organizationId: string, scJobId: string): Promise<void> {
  const run = await findRun(tx, organizationId, scJobId, true);
  if (!run) throw notFound('run');
  checkMove(run.status, 'CANCELLED');
  await setCancelled(tx, organizationId, scJobId);
}
