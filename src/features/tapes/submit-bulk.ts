import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, invalidField, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { type BulkItem, insertBulkItem, insertBulkJob } from './bulk-queries.ts';
import { claimObjects } from '../uploads/sweep-queries.ts';
import { findUploadByKey, type Upload } from '../uploads/queries.ts';
import { completeUpload, storeUnclaimed } from '../uploads/upload.ts';
import { storedFormat } from './probe-file.ts';

export type BulkDeal = {
  loanType: string;
  name?: string;
  fileFormat?: string;
  fileKey?: string;
  loans?: Record<string, unknown>[];
};

type Prepared = Pick<BulkItem, 'loan_type' | 'name' | 'format' | 'object_key' | 'file_name' | 'size' | 'sha256'> & {
  upload: Upload | null;
};

/** Stores inline loans and finds uploaded files before the job exists, outside its transaction. */
export async function prepareBulk(deps: Deps, actor: Actor, deals: BulkDeal[]): Promise<Prepared[]> {
  if (deals.length === 0) throw new ApiError('BULK_EMPTY');
  deals.forEach(checkDeal);
  const prepared: Prepared[] = [];
  for (const [index, deal] of deals.entries()) {
    prepared.push(deal.loans ? await storeInline(deps, actor, deal, index) : await findFile(deps, actor, deal, index));
  }
  return prepared;
}

/** Commits the submission: the job, its items and the queued work. */
export async function submitBulk(
  tx: Tx,
  actor: Actor,
  prepared: Prepared[],
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<{ job_id: Id<'job'>; status: 'PENDING'; deals: [] }> {
  const job = { organization_id: actor.organization_id, job_id: tx.newId('job') };
  await insertBulkJob(tx, job, prepared.length, actor.actor_id);
  await completeUploads(tx, prepared);
  await claimInline(tx, prepared);
  for (const [item, each] of prepared.entries()) await insertBulkItem(tx, { ...each, ...job, item });
  // Each of its deals will queue a job: the queue counts them from now on.
  await jobs.enqueue(tx, 'bulk-ingest', { ...job, actor: actor.actor_id, jobs: prepared.length }, { id: job.job_id });
  return { job_id: job.job_id, status: 'PENDING', deals: [] };
}

/** A file may serve several deals of one submission, but not another submission. */
async function completeUploads(tx: Tx, prepared: Prepared[]): Promise<void> {
  const uploads = new Map(prepared.flatMap(({ upload }) => (upload ? [[upload.upload_id, upload]] : [])));
  for (const upload of uploads.values()) {
    if (!(await completeUpload(tx, upload)))
      throw new ApiError('ALREADY_COMPLETED', `${upload.file_key} was submitted or uploaded again in the meantime.`);
  }
}

/** From here on the stored lists belong to the job. */
async function claimInline(tx: Tx, prepared: Prepared[]): Promise<void> {
  const keys = prepared.filter(({ format }) => format === 'inline').map(({ object_key }) => object_key);
  if (!(await claimObjects(tx, keys))) throw new ApiError('CONFLICT', 'The submission took too long: send it again.');
}

function checkDeal(deal: BulkDeal, index: number): void {
  const field = `deals.${index}`;
  if ((deal.loans === undefined) === (deal.fileKey === undefined))
    throw invalidField(field, 'INVALID', 'expected either fileKey or loans');
  if (deal.loans?.length === 0)
    throw new ApiError('BULK_EMPTY', `${field}.loans is empty: a deal needs at least one loan.`, {
      errors: [{ field: `${field}.loans`, code: 'BULK_EMPTY', message: 'expected 1 to 10,000 loans' }],
    });
  for (const [row, loan] of (deal.loans ?? []).entries()) {
    const nested = Object.entries(loan).find(([, value]) => typeof value === 'object' && value !== null);
    if (nested)
      throw invalidField(`${field}.loans.${row}.${nested[0]}`, 'INVALID', 'expected a plain value, not an object or array');
  }
}

async function storeInline(deps: Deps, { organization_id }: Actor, deal: BulkDeal, index: number): Promise<Prepared> {
  const bytes = Buffer.from(JSON.stringify(deal.loans));
  const object_key = `uploads/${organization_id}/inline/${randomUUID()}.json`;
  await storeUnclaimed(deps, organization_id, object_key, () => Readable.from([bytes]), bytes.length);
  const name = deal.name ?? `${deal.loanType} ${index + 1}`;
  return {
    loan_type: deal.loanType,
    name,
    format: 'inline',
    object_key,
    file_name: `${name}.json`,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    upload: null,
  };
}

async function findFile(deps: Deps, { organization_id }: Actor, deal: BulkDeal, index: number): Promise<Prepared> {
  const found = await deps.db.tx({ organization: organization_id }, (tx) =>
    findUploadByKey(tx, organization_id, 'bulk', deal.fileKey ?? ''),
  );
  const upload = orNotFound(found, `upload (deals.${index}.fileKey)`);
  if (upload.status === 'COMPLETED') throw new ApiError('ALREADY_COMPLETED', `deals.${index}.fileKey was submitted before.`);
  if (upload.status !== 'UPLOADED' || !upload.object_key)
    throw new ApiError('FILE_NOT_UPLOADED', `deals.${index}.fileKey: nothing has been uploaded yet.`);
  return {
    loan_type: deal.loanType,
    name: deal.name ?? upload.file_name.replace(/(?:\.csv)?\.[A-Za-z0-9]{1,8}$/i, ''),
    format: storedFormat(deal.fileFormat ?? upload.content_type),
    object_key: upload.object_key,
    file_name: upload.file_name,
    size: upload.size ?? 0,
    sha256: upload.sha256 ?? '',
    upload,
  };
}
