import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { probeTape } from '../../loans/reading/probe.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, invalidField, notFound } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { type Deal, insertDeal } from '../deals/queries.ts';
import { insertTape } from './queries.ts';
import { completeUpload, CSV, findUploadByKey, type Upload } from './uploads.ts';

export type BulkDeal = {
  loanType: string;
  name?: string;
  fileFormat?: string;
  fileKey?: string;
  loans?: Record<string, unknown>[];
};
type Prepared = {
  loan_type: string;
  name: string;
  format: string;
  object_key: string;
  file_name: string;
  size: number;
  sha256: string;
  upload: Upload | null;
};

/** Takes a bulk submission: every deal's content is fixed before the job exists. */
export async function prepareBulk(deps: Deps, caller: Caller, deals: BulkDeal[]): Promise<Prepared[]> {
  if (deals.length === 0) throw new ApiError('BULK_EMPTY');
  deals.forEach(checkDeal);
  const prepared: Prepared[] = [];
  for (const [index, deal] of deals.entries()) {
    prepared.push(deal.loans ? await storeInline(deps, caller, deal, index) : await findFile(deps, caller, deal, index));
  }
  return prepared;
}

export async function submitBulk(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  prepared: Prepared[],
): Promise<{ job_id: string; status: 'PENDING'; deals: [] }> {
  const jobId = newId('job', tx.now.getTime());
  await tx.exec(`insert into bulk_jobs (job_id, organization_id, status, total, created_at) values ($1, $2, 'PENDING', $3, $4)`, [
    jobId,
    caller.organization_id,
    prepared.length,
    tx.now,
  ]);
  await completeUploads(tx, prepared);
  for (const [item, each] of prepared.entries()) {
    await tx.exec(
      `insert into bulk_items (job_id, item, organization_id, loan_type, name, format, object_key, file_name, size, sha256) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        jobId,
        item,
        caller.organization_id,
        each.loan_type,
        each.name,
        each.format,
        each.object_key,
        each.file_name,
        each.size,
        each.sha256,
      ],
    );
  }
  await deps.jobs.enqueue(tx, 'bulk-ingest', { organization_id: caller.organization_id, job_id: jobId, actor: caller.key_id });
  return { job_id: jobId, status: 'PENDING', deals: [] };
}

/** A file may serve several deals of one submission, and no other. */
async function completeUploads(tx: Tx, prepared: Prepared[]): Promise<void> {
  const uploads = new Map(prepared.flatMap(({ upload }) => (upload ? [[upload.upload_id, upload]] : [])));
  for (const upload of uploads.values()) {
    if (!(await completeUpload(tx, upload)))
      throw new ApiError('ALREADY_COMPLETED', `${upload.file_key} was submitted or sent anew meanwhile.`);
  }
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

async function storeInline(deps: Deps, caller: Caller, deal: BulkDeal, index: number): Promise<Prepared> {
  const bytes = Buffer.from(JSON.stringify(deal.loans));
  const object_key = `uploads/${caller.organization_id}/inline/${randomUUID()}.json`;
  await deps.store.put(object_key, Readable.from([bytes]), bytes.length);
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

async function findFile(deps: Deps, caller: Caller, deal: BulkDeal, index: number): Promise<Prepared> {
  const upload = await deps.db.tx({ organization: caller.organization_id }, (tx) =>
    findUploadByKey(tx, caller.organization_id, 'bulk', deal.fileKey ?? ''),
  );
  if (!upload) throw notFound(`upload (deals.${index}.fileKey)`);
  if (upload.status === 'COMPLETED') throw new ApiError('ALREADY_COMPLETED', `deals.${index}.fileKey was submitted before.`);
  if (upload.status !== 'UPLOADED' || !upload.object_key)
    throw new ApiError('FILE_NOT_UPLOADED', `deals.${index}.fileKey: nothing has been uploaded yet.`);
  return {
    loan_type: deal.loanType,
    name: deal.name ?? upload.file_name.replace(/\.[A-Za-z0-9]{1,8}$/, ''),
    format: (deal.fileFormat ?? upload.content_type) === CSV ? 'csv' : 'xlsx',
    object_key: upload.object_key,
    file_name: upload.file_name,
    size: upload.size ?? 0,
    sha256: upload.sha256 ?? '',
    upload,
  };
}

type Item = {
  job_id: string;
  item: number;
  organization_id: string;
  loan_type: string;
  name: string;
  format: 'csv' | 'xlsx' | 'inline';
  object_key: string;
  file_name: string;
  size: number;
  sha256: string;
};

/** The job's first half: a deal per item, each in a transaction of its own that also queues its checks. Items done before are left alone. */
export async function runBulk(deps: Deps, job: { organization_id: string; job_id: string; actor: string }): Promise<void> {
  const scope = { organization: job.organization_id };
  const items = await deps.db.tx(scope, async (tx) => {
    await tx.exec(
      `update bulk_jobs set status = 'PROCESSING' where organization_id = $1 and job_id = $2 and status = 'PENDING'`,
      [job.organization_id, job.job_id],
    );
    return tx.rows<Item>(
      `select * from bulk_items where organization_id = $1 and job_id = $2 and deal_id is null and error_code is null order by item`,
      [job.organization_id, job.job_id],
    );
  });
  for (const item of items) await openDeal(deps, job.actor, item);
  await deps.db.tx(scope, (tx) => settleJob(tx, job.organization_id, job.job_id));
}

async function openDeal(deps: Deps, actor: string, item: Item): Promise<void> {
  const problem = await problemOf(deps, item);
  await deps.db.tx({ organization: item.organization_id }, async (tx) => {
    const open = await tx.one(
      'select 1 from bulk_items where job_id = $1 and item = $2 and deal_id is null and error_code is null for update',
      [item.job_id, item.item],
    );
    if (!open) return;
    if (problem) {
      await tx.exec('update bulk_items set error_code = $3, error_message = $4 where job_id = $1 and item = $2', [
        item.job_id,
        item.item,
        problem.code,
        problem.message,
      ]);
      return;
    }
    const deal = await insertDeal(tx, { ...item, status: 'IN_REVIEW', bulk_job_id: item.job_id, actor });
    const tape = await insertTape(tx, { ...item, deal_id: deal.deal_id });
    await tx.exec('update bulk_items set deal_id = $3 where job_id = $1 and item = $2', [item.job_id, item.item, deal.deal_id]);
    await deps.jobs.enqueue(tx, 'ingest-tape', {
      organization_id: item.organization_id,
      deal_id: deal.deal_id,
      version: tape.version,
      run: tape.run,
    });
  });
}

async function problemOf(deps: Deps, item: Item): Promise<{ code: string; message: string } | null> {
  if (item.format === 'inline') return null;
  if (item.size === 0) return { code: 'EMPTY_FILE', message: 'The uploaded file is empty.' };
  const path = await deps.store.localPath(item.object_key);
  if (!path) return { code: 'FILE_NOT_UPLOADED', message: 'The uploaded file is not in the store.' };
  const probe = await probeTape(path, item.format);
  return probe.ok ? null : probe.problem;
}

/** Called when a deal's checks have ended: the last one of a bulk job ends the job. */
export async function settleBulkItem(tx: Tx, deal: Deal): Promise<void> {
  const job = await tx.one<{ job_id: string }>(
    'select bulk_job_id as job_id from deals where organization_id = $1 and deal_id = $2 and bulk_job_id is not null',
    [deal.organization_id, deal.deal_id],
  );
  if (job) await settleJob(tx, deal.organization_id, job.job_id);
}

async function settleJob(tx: Tx, organizationId: string, jobId: string): Promise<void> {
  await tx.exec('select 1 from bulk_jobs where organization_id = $1 and job_id = $2 for update', [organizationId, jobId]);
  await tx.exec(
    `update bulk_jobs j set completed_at = sluice_now(), status = case when s.failed = 0 then 'COMPLETED' when s.failed = j.total then 'FAILED' else 'PARTIALLY_COMPLETED' end
     from (select count(*) filter (where i.error_code is not null) as failed,
                  count(*) filter (where i.error_code is null and (i.deal_id is null or t.state = 'RUNNING')) as open
           from bulk_items i left join lateral (select state from tapes where deal_id = i.deal_id order by version desc limit 1) t on true
           where i.job_id = $2) s
     where j.organization_id = $1 and j.job_id = $2 and j.status = 'PROCESSING' and s.open = 0`,
    [organizationId, jobId],
  );
}

export type BulkJob = {
  job_id: string;
  status: string;
  deals: { id: string; status: string }[];
  total: number;
  processed: number;
  failed: number;
  errors: { index: number; code: string; message: string }[];
  created_at: Date;
  completed_at: Date | null;
};

export async function findBulkJob(tx: Tx, organizationId: string, jobId: string): Promise<BulkJob | null> {
  const job = await tx.one<BulkJob>(
    'select job_id, status, total, created_at, completed_at from bulk_jobs where organization_id = $1 and job_id = $2',
    [organizationId, jobId],
  );
  if (!job) return null;
  const items = await tx.rows<{
    item: number;
    deal_id: string | null;
    status: string | null;
    state: string | null;
    error_code: string | null;
    error_message: string;
  }>(
    `select i.item, i.deal_id, d.status, t.state, i.error_code, i.error_message from bulk_items i left join deals d on d.deal_id = i.deal_id
       left join lateral (select state from tapes where deal_id = i.deal_id order by version desc limit 1) t on true
     where i.organization_id = $1 and i.job_id = $2 order by i.item`,
    [organizationId, jobId],
  );
  const failed = items.filter((item) => item.error_code !== null);
  return {
    ...job,
    deals: items.flatMap((item) => (item.deal_id ? [{ id: item.deal_id, status: item.status ?? '' }] : [])),
    processed: failed.length + items.filter((item) => item.state !== null && item.state !== 'RUNNING').length,
    failed: failed.length,
    errors: failed.map((item) => ({ index: item.item, code: item.error_code ?? '', message: item.error_message })),
  };
}
