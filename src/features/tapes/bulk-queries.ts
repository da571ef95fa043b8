import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

/** A bulk job with the statuses of its deals. */
export const BULK_JOB_RECORD = storedRecord('bulk_jobs', 'job_id', {
  also: [
    `(select jsonb_agg(jsonb_build_array(i.deal_id, i.error_code, d.status) order by i.item)
      from bulk_items i left join deals d on d.deal_id = i.deal_id where i.job_id = r.job_id)`,
  ],
});

export type BulkItem = {
  job_id: Id<'job'>;
  item: number;
  organization_id: Id<'org'>;
  loan_type: string;
  name: string;
  format: 'csv' | 'xlsx' | 'parquet' | 'inline';
  /** Null in the database once the tapes of the submission have sealed the file, and so of no open item. */
  object_key: string;
  file_name: string;
  size: number;
  sha256: string;
};

export type JobId = { organization_id: Id<'org'>; job_id: Id<'job'> };

export async function insertBulkJob(tx: Tx, job: JobId, total: number, actor: string): Promise<void> {
  await tx.exec(
    `insert into bulk_jobs (job_id, organization_id, status, total, actor, created_at) values ($1, $2, 'PENDING', $3, $4, $5)`,
    [job.job_id, job.organization_id, total, actor, tx.now],
  );
}

export async function insertBulkItem(tx: Tx, item: BulkItem): Promise<void> {
  await tx.exec(
    `insert into bulk_items (job_id, item, organization_id, loan_type, name, format, object_key, file_name, size, sha256) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      item.job_id,
      item.item,
      item.organization_id,
      item.loan_type,
      item.name,
      item.format,
      item.object_key,
      item.file_name,
      item.size,
      item.sha256,
    ],
  );
}

const OPEN_JOB = `organization_id = $1 and job_id = $2 and status in ('PENDING', 'PROCESSING')`;

/** Uncounts an attempt that ended through no fault of the job. */
export async function returnBulkAttempt(tx: Tx, job: JobId): Promise<void> {
  await tx.exec(`update bulk_jobs set attempts = greatest(attempts - 1, 0) where ${OPEN_JOB}`, [job.organization_id, job.job_id]);
}

export type BulkRun = { organization_id: Id<'org'>; job_id: Id<'job'>; actor: string };

/** The bulk jobs that need work: with deals to open, or to be ended because no checks of their deals are running. */
export function listOpenBulkJobs(tx: Tx): Promise<BulkRun[]> {
  return tx.rows<BulkRun>(
    `select organization_id, job_id, coalesce(actor, 'platform') as actor from bulk_jobs j where status in ('PENDING', 'PROCESSING')
       and (exists (select 1 from bulk_items i where i.job_id = j.job_id and i.deal_id is null and i.error_code is null)
            or not exists (select 1 from bulk_items i join tapes t on t.deal_id = i.deal_id and t.state = 'RUNNING' where i.job_id = j.job_id))`,
  );
}

/** The job's items that have neither a deal nor an error yet. */
export function listOpenItems(tx: Tx, job: JobId): Promise<BulkItem[]> {
  return tx.rows<BulkItem>(
    `select * from bulk_items where organization_id = $1 and job_id = $2 and deal_id is null and error_code is null order by item`,
    [job.organization_id, job.job_id],
  );
}

/** Locks an item until the transaction ends; false when it already has its deal or its error. */
export async function lockOpenItem(tx: Tx, item: BulkItem): Promise<boolean> {
  const open = await tx.one(
    'select 1 from bulk_items where job_id = $1 and item = $2 and deal_id is null and error_code is null for update',
    [item.job_id, item.item],
  );
  return open !== null;
}

export type ItemProblem = { code: string; message: string };

export async function setItemProblem(tx: Tx, item: BulkItem, problem: ItemProblem): Promise<void> {
  await tx.exec('update bulk_items set error_code = $3, error_message = $4 where job_id = $1 and item = $2', [
    item.job_id,
    item.item,
    problem.code,
    problem.message,
  ]);
}

export async function setItemDeal(tx: Tx, item: BulkItem, dealId: Id<'deal'>): Promise<void> {
  await tx.exec('update bulk_items set deal_id = $3 where job_id = $1 and item = $2', [item.job_id, item.item, dealId]);
}

/** The bulk job that submitted a deal, or null. */
export async function findJobOfDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Id<'job'> | null> {
  const row = await tx.one<{ job_id: Id<'job'> }>(
    'select bulk_job_id as job_id from deals where organization_id = $1 and deal_id = $2 and bulk_job_id is not null',
    [organizationId, dealId],
  );
  return row?.job_id ?? null;
}

export type BulkProgress = JobId & {
  status: BulkStatus;
  attempts: number;
  total: number;
  completed_at: Date | null;
};

export function lockBulkJob(tx: Tx, job: JobId): Promise<BulkProgress | null> {
  return tx.one<BulkProgress>(
    'select organization_id, job_id, status, attempts, total, completed_at from bulk_jobs where organization_id = $1 and job_id = $2 for update',
    [job.organization_id, job.job_id],
  );
}

/** How many of a job's deals failed, and how many wait for their checks. */
export async function countBulkItems(tx: Tx, job: JobId): Promise<{ failed: number; open: number }> {
  const counts = await tx.one<{ failed: number; open: number }>(
    `select count(*) filter (where i.error_code is not null)::int as failed,
       count(*) filter (where i.error_code is null and (i.deal_id is null or t.state = 'RUNNING'))::int as open
     from bulk_items i left join lateral (select state from tapes where deal_id = i.deal_id order by version desc limit 1) t on true
     where i.job_id = $1`,
    [job.job_id],
  );
  return counts ?? { failed: 0, open: 0 };
}

export const BULK_STATUSES = ['PENDING', 'PROCESSING', 'COMPLETED', 'PARTIALLY_COMPLETED', 'FAILED'] as const;
export type BulkStatus = (typeof BULK_STATUSES)[number];

export type BulkJob = {
  job_id: Id<'job'>;
  status: BulkStatus;
  deals: { id: Id<'deal'>; deal_id: Id<'deal'>; status: string }[];
  attempts: number;
  total: number;
  processed: number;
  failed: number;
  /** `file_name` is null for a deal whose loans were sent inline. */
  errors: { index: number; file_name: string | null; code: string; message: string }[];
  created_at: Date;
  completed_at: Date | null;
};

export async function findBulkJob(tx: Tx, organizationId: Id<'org'>, jobId: Id<'job'>): Promise<BulkJob | null> {
  const job = await tx.one<BulkJob>(
    'select job_id, status, attempts, total, created_at, completed_at from bulk_jobs where organization_id = $1 and job_id = $2',
    [organizationId, jobId],
  );
  if (!job) return null;
  const items = await tx.rows<{
    item: number;
    deal_id: Id<'deal'> | null;
    status: string | null;
    state: string | null;
    error_code: string | null;
    error_message: string;
    format: BulkItem['format'];
    file_name: string;
  }>(
    `select i.item, i.format, i.file_name, i.deal_id, d.status, t.state, i.error_code, i.error_message from bulk_items i left join deals d on d.deal_id = i.deal_id
       left join lateral (select state from tapes where deal_id = i.deal_id order by version desc limit 1) t on true
     where i.organization_id = $1 and i.job_id = $2 order by i.item`,
    [organizationId, jobId],
  );
  const failed = items.filter((item) => item.error_code !== null);
  return {
    ...job,
    deals: items.flatMap((item) =>
      item.deal_id ? [{ id: item.deal_id, deal_id: item.deal_id, status: item.status ?? '' }] : [],
    ),
    processed: failed.length + items.filter((item) => item.state !== null && item.state !== 'RUNNING').length,
    failed: failed.length,
    errors: failed.map((item) => ({
      index: item.item,
      file_name: item.format === 'inline' ? null : item.file_name,
      code: item.error_code ?? '',
      message: item.error_message,
    })),
  };
}
