import type { StoredRecord } from '../../platform/http/stored-record.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { asId, type Id } from '../../platform/ids.ts';
import { BULK_STATUSES, type BulkStatus, findBulkJob } from './bulk-queries.ts';
import { type ChecksProgress, findTape, type Tape } from './queries.ts';

/** The checks of a version, whose id is made of the deal's and the version. */
export const CHECKS_RECORD: StoredRecord = {
  table: 'tapes',
  where: `r.deal_id = 'deal_' || split_part($1, '_', 2)
    and r.version = case when $1 ~ '^job_[0-9a-z]+_[1-9][0-9]{0,8}$' then split_part($1, '_', 3)::int end`,
  fields: 'jsonb_build_array(r.state, r.run, r.attempts, r.failure, r.completed_at)',
};

export const JOB_KINDS = ['TAPE_CHECKS', 'BULK'] as const;
export const JOB_STATUSES = BULK_STATUSES;

/** A job of the organization, as every response with a `job_id` names it. */
export type LoanJob = {
  job_id: Id<'job'>;
  kind: (typeof JOB_KINDS)[number];
  deal_id: Id<'deal'> | null;
  status: BulkStatus;
  progress: { stage: ChecksProgress['stage'] | null; done: number; total: number } | null;
  attempts: number;
  error: string | null;
  created_at: Date;
  completed_at: Date | null;
};

/** Reads a job: the checks of one version of a tape, or a bulk job. 404 when the organization has no such job. */
export async function readJob(tx: Tx, { organization_id }: Actor, jobId: Id<'job'>): Promise<LoanJob> {
  const checked = checksOf(jobId);
  const tape = checked && (await findTape(tx, organization_id, checked.deal_id, checked.version));
  return tape ? checksJob(jobId, tape) : bulkJob(tx, organization_id, jobId);
}

/** The version whose checks the id names, as `checksJobId` made it; null for an id of another form. */
function checksOf(jobId: string): { deal_id: Id<'deal'>; version: number } | null {
  const [, deal, version] = /^job_([0-9a-z]+)_([1-9]\d{0,8})$/.exec(jobId) ?? [];
  return deal && version ? { deal_id: asId('deal', `deal_${deal}`), version: Number(version) } : null;
}

/** Checks that wait for a mapping or a confirmation have ended: what they wait for is not the platform's. */
function checksJob(job_id: Id<'job'>, tape: Tape): LoanJob {
  const { deal_id, state, attempts, failure, progress, created_at, completed_at } = tape;
  const running = attempts > 0 ? 'PROCESSING' : 'PENDING';
  const ended = state === 'FAILED' ? 'FAILED' : 'COMPLETED';
  return {
    job_id,
    kind: 'TAPE_CHECKS',
    deal_id,
    status: state === 'RUNNING' ? running : ended,
    progress: state === 'RUNNING' ? progress : null,
    attempts,
    error: failure,
    created_at,
    completed_at,
  };
}

async function bulkJob(tx: Tx, organizationId: Id<'org'>, jobId: Id<'job'>): Promise<LoanJob> {
  const job = orNotFound(await findBulkJob(tx, organizationId, jobId), 'job');
  const { job_id, status, processed, total, attempts, failed, errors, created_at, completed_at } = job;
  return {
    job_id,
    kind: 'BULK',
    deal_id: null,
    status,
    progress: { stage: null, done: processed, total },
    attempts,
    error: failed === 0 ? null : `${failed} of ${total} deals could not be read; the first: ${errors[0]?.message ?? ''}`,
    created_at,
    completed_at,
  };
}
