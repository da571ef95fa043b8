import { probeTape } from '../../loans/reading/probe.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { type Deal, insertDeal } from '../deals/queries.ts';
import {
  type BulkItem,
  findJobOfDeal,
  type ItemProblem,
  lockOpenItem,
  setItemDeal,
  setItemProblem,
  settleBulkJob,
  startBulkJob,
} from './bulk-queries.ts';
import { insertTape } from './queries.ts';
import { uploadedFile } from './uploaded-file.ts';

/** The job's first half: a deal per item, each in a transaction of its own that also queues its checks. Items done before are left alone. */
export async function runBulk(deps: Deps, job: { organization_id: string; job_id: string; actor: string }): Promise<void> {
  const scope = { organization: job.organization_id };
  const items = await deps.db.tx(scope, (tx) => startBulkJob(tx, job));
  for (const item of items) await openDeal(deps, job.actor, item);
  await deps.db.tx(scope, (tx) => settleBulkJob(tx, job.organization_id, job.job_id));
}

/** Called when a deal's checks have ended: the last one of a bulk job ends the job. */
export async function settleBulkItem(tx: Tx, deal: Deal): Promise<void> {
  const jobId = await findJobOfDeal(tx, deal.organization_id, deal.deal_id);
  if (jobId) await settleBulkJob(tx, deal.organization_id, jobId);
}

async function openDeal(deps: Deps, actor: string, item: BulkItem): Promise<void> {
  const problem = await problemOf(deps, item);
  await deps.db.tx({ organization: item.organization_id }, async (tx) => {
    if (!(await lockOpenItem(tx, item))) return;
    if (problem) return setItemProblem(tx, item, problem);
    const deal = await insertDeal(tx, { ...item, status: 'IN_REVIEW', bulk_job_id: item.job_id, actor });
    const tape = await insertTape(tx, { ...item, deal_id: deal.deal_id });
    await setItemDeal(tx, item, deal.deal_id);
    await deps.jobs.enqueue(tx, 'ingest-tape', {
      organization_id: item.organization_id,
      deal_id: deal.deal_id,
      version: tape.version,
      run: tape.run,
    });
  });
}

async function problemOf(deps: Deps, item: BulkItem): Promise<ItemProblem | null> {
  if (item.format === 'inline') return null;
  if (item.size === 0) return { code: 'EMPTY_FILE', message: 'The uploaded file is empty.' };
  try {
    const probe = await probeTape(await uploadedFile(deps, item.object_key, item), item.format);
    return probe.ok ? null : probe.problem;
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message };
    throw error;
  }
}
