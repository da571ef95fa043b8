import { emit } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import type { Deal } from '../deals/queries.ts';
import { type BulkProgress, type BulkStatus, countBulkItems, findJobOfDeal, type JobId, lockBulkJob } from './bulk-queries.ts';

/** The moves of a bulk job. One whose worker stopped is started again. */
export const BULK_JOB_MOVES = new Mover<BulkProgress, 'status', BulkStatus>({
  noun: 'bulk job',
  table: 'bulk_jobs',
  key: ['organization_id', 'job_id'],
  column: 'status',
  moves: {
    PENDING: ['PROCESSING'],
    PROCESSING: ['PROCESSING', 'COMPLETED', 'PARTIALLY_COMPLETED', 'FAILED'],
    COMPLETED: [],
    PARTIALLY_COMPLETED: [],
    FAILED: [],
  },
});

/** Starts the job and counts the attempt, whose number it returns; null when the job has ended. */
export async function startBulkJob(tx: Tx, id: JobId): Promise<number | null> {
  const job = await lockBulkJob(tx, id);
  if (!job || !BULK_JOB_MOVES.allowed(job.status).includes('PROCESSING')) return null;
  return (await BULK_JOB_MOVES.move(tx, job, 'PROCESSING', { attempts: job.attempts + 1 })).attempts;
}

/** Ends the job if the checks of all its deals have ended. */
export async function endBulkJob(tx: Tx, id: JobId): Promise<void> {
  const job = await lockBulkJob(tx, id);
  if (job?.status !== 'PROCESSING') return;
  const { failed, open } = await countBulkItems(tx, id);
  if (open > 0) return;
  const partly = failed === job.total ? 'FAILED' : 'PARTIALLY_COMPLETED';
  const { organization_id, job_id, total } = job;
  const { status } = await BULK_JOB_MOVES.move(tx, job, failed === 0 ? 'COMPLETED' : partly, { completed_at: tx.now });
  await emit(tx, [
    {
      organization_id,
      event: 'bulk.completed',
      data: { job_id, status, total, failed },
      alert: {
        category: 'loan',
        priority: failed === 0 ? 'LOW' : 'MEDIUM',
        title: `Bulk submission: ${total - failed} of ${total} deals were opened`,
        message: failed === 0 ? 'The checks of all deals have ended.' : 'The errors of the others are listed in the job.',
        entity_type: 'bulk_job',
        entity_id: job_id,
      },
    },
  ]);
}

/** Ends the bulk job that a deal belongs to, if any, once its last checks have ended. */
export async function endBulkJobOf(tx: Tx, { organization_id, deal_id }: Deal): Promise<void> {
  const job_id = await findJobOfDeal(tx, organization_id, deal_id);
  if (job_id) await endBulkJob(tx, { organization_id, job_id });
}
