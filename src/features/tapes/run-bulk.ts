import { raiseAlert } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { GAVE_UP, type GaveUp, judgeFailure, MAX_ATTEMPTS, returnAttempt } from '../../platform/jobs/attempts.ts';
import { insertDeal } from '../deals/queries.ts';
import {
  type BulkItem,
  type BulkRun,
  type ItemProblem,
  listOpenItems,
  lockOpenItem,
  returnBulkAttempt,
  setItemDeal,
  setItemProblem,
} from './bulk-queries.ts';
import { endBulkJob, startBulkJob } from './bulk-job.ts';
import { insertTape } from './queries.ts';
import { withUploadedFile } from '../uploads/upload.ts';
import { probeFile } from './probe-file.ts';
import { dropPlainFile } from './seal-queries.ts';

const GIVEN_UP = {
  code: 'NOT_OPENED',
  message: 'The platform could not open this deal. Submit it again. If that fails too, give the operator the job id.',
};

/**
 * The first half of the job: opens a deal per item, each in a transaction that also queues its checks. Items that an earlier attempt
 * opened are skipped.
 */
export async function runBulk(deps: Deps, job: BulkRun, signal: AbortSignal, last = false): Promise<GaveUp | undefined> {
  const scope = { organization: job.organization_id };
  const number = await deps.db.tx(scope, (tx) => startBulkJob(tx, job));
  if (number === null) return;
  if (number > MAX_ATTEMPTS) return giveUp(deps, job, new Error('every attempt crashed its process'));
  try {
    for (const item of await deps.db.tx(scope, (tx) => listOpenItems(tx, job))) {
      signal.throwIfAborted();
      await openDeal(deps, job.actor, item);
    }
    await deps.db.tx(scope, (tx) => endBulkJob(tx, job));
  } catch (error) {
    const failure = judgeFailure(error, signal, { number, last });
    if (!failure.counts) await returnAttempt(signal, () => deps.db.tx(scope, (tx) => returnBulkAttempt(tx, job)));
    if (!failure.final) throw error;
    return await giveUp(deps, job, error);
  }
}

/** Records an error for the deals that were not opened; the opened ones continue. */
async function giveUp(deps: Deps, job: BulkRun, error: unknown): Promise<GaveUp> {
  deps.log.error({ job: 'bulk-ingest', job_id: job.job_id, err: error }, 'gave up a bulk job');
  await deps.db.tx({ organization: job.organization_id }, async (tx) => {
    const items = await listOpenItems(tx, job);
    for (const item of items) if (await lockOpenItem(tx, item)) await setProblem(tx, item, GIVEN_UP);
    await endBulkJob(tx, job);
    if (items.length === 0) return;
    await raiseAlert(tx, job.organization_id, 'loan.checks_failed', {
      category: 'loan',
      priority: 'HIGH',
      title: `Bulk submission: ${items.length} of its deals could not be opened`,
      entity_type: 'bulk_job',
      entity_id: job.job_id,
      message: GIVEN_UP.message,
    });
  });
  return GAVE_UP;
}

async function openDeal(deps: Deps, actor: string, item: BulkItem): Promise<void> {
  const problem = await problemOf(deps, item);
  await deps.db.tx({ organization: item.organization_id }, async (tx) => {
    if (!(await lockOpenItem(tx, item))) return;
    if (problem) return setProblem(tx, item, problem);
    const deal = await insertDeal(tx, { ...item, status: 'IN_REVIEW', bulk_job_id: item.job_id, actor });
    const tape = await insertTape(tx, { ...item, deal_id: deal.deal_id, sent_by: actor });
    await setItemDeal(tx, item, deal.deal_id);
    const run = { organization_id: item.organization_id, deal_id: deal.deal_id, version: tape.version, run: tape.run };
    await deps.jobs.enqueue(tx, 'ingest-tape', run, { accepted: true });
  });
}

/** Records why an item is not opened, and has its file deleted: no tape will seal it. */
async function setProblem(tx: Tx, item: BulkItem, problem: ItemProblem): Promise<void> {
  await setItemProblem(tx, item, problem);
  await dropPlainFile(tx, item.organization_id, item.object_key);
}

/** Why the file of an item cannot be read as a tape, with its name: a submission may have fifty files. */
async function problemOf(deps: Deps, item: BulkItem): Promise<ItemProblem | null> {
  const problem = item.format === 'inline' ? null : await problemOfFile(deps, item);
  return problem && { code: problem.code, message: `${item.file_name}: ${problem.message}` };
}

async function problemOfFile(deps: Deps, item: BulkItem): Promise<ItemProblem | null> {
  if (item.size === 0) return { code: 'EMPTY_FILE', message: 'The uploaded file is empty.' };
  try {
    const probe = await withUploadedFile(deps, item.object_key, item, (path) =>
      probeFile(deps, path, { owner: item.organization_id }),
    );
    return probe.ok ? null : probe.problem;
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message };
    throw error;
  }
}
