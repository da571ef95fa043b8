import { storedRecord } from '../../platform/http/stored-record.ts';
import type { PoolTestResult } from '../../loans/criteria/pool-result.ts';
import type { RunResult } from '../../loans/criteria/run.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';

export const RUN_RECORD = storedRecord('sc_jobs', 'sc_job_id', {
  only: ['status', 'run', 'run_at', 'exception_file_id', 'error_code'],
});

export const RUN_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The figures of a completed run as the database keeps them; amounts are exact decimal text. */
/** The result of a run as it was stored; results from before offenders or assumptions were kept have none. */
export type StoredResult = Omit<RunResult, 'outcomesPath' | 'pool_tests' | 'assumptions'> & {
  assumptions?: string[];
  pool_tests: (Omit<PoolTestResult, 'offenders' | 'more_offenders'> &
    Partial<Pick<PoolTestResult, 'offenders' | 'more_offenders'>>)[];
};

export type Run = {
  sc_job_id: Id<'scj'>;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'>;
  criteria_id: Id<'crt'>;
  criteria_version: number;
  tape_version: number;
  /** The loan table that the run evaluated; null before the evaluation, and on old runs that did not record it. */
  loans_key: string | null;
  status: RunStatus;
  run: number;
  /** How often the run was started; counted before it starts. */
  attempts: number;
  passed: number | null;
  failed: number | null;
  waived: number | null;
  total: number | null;
  passed_balance: string | null;
  failed_balance: string | null;
  result: StoredResult | null;
  outcomes_key: string | null;
  exception_file_id: Id<'exf'> | null;
  error: string | null;
  error_code: string | null;
  run_at: Date | null;
  created_at: Date;
};

const RUN = 'j.*, j.passed_balance::text as passed_balance, j.failed_balance::text as failed_balance';

export async function insertRun(
  tx: Tx,
  run: Pick<Run, 'sc_job_id' | 'organization_id' | 'deal_id' | 'criteria_id' | 'criteria_version' | 'tape_version'>,
): Promise<void> {
  await tx.exec(
    `insert into sc_jobs (sc_job_id, organization_id, deal_id, criteria_id, criteria_version, tape_version, status, created_at) values ($1, $2, $3, $4, $5, $6, 'PENDING', $7)`,
    [run.sc_job_id, run.organization_id, run.deal_id, run.criteria_id, run.criteria_version, run.tape_version, tx.now],
  );
}

export function findRun(tx: Tx, organizationId: Id<'org'>, scJobId: Id<'scj'>, lock = false): Promise<Run | null> {
  return tx.one<Run>(`select ${RUN} from sc_jobs j where organization_id = $1 and sc_job_id = $2 ${lock ? 'for update' : ''}`, [
    organizationId,
    scJobId,
  ]);
}

/** Runs of a deal, newest first. */
export function listRuns(
  tx: Tx,
  organizationId: Id<'org'>,
  dealId: Id<'deal'>,
  query: PageRequest & Between,
): Promise<Page<Run>> {
  const filters = [['organization_id = ?', organizationId], ['deal_id = ?', dealId], ...between('created_at', query)] as const;
  return selectPage(tx, { select: RUN, from: 'sc_jobs j', filters, order: newestFirst('created_at', 'sc_job_id') }, query);
}

/** Uncounts an attempt that ended through no fault of the run. */
export async function returnRunAttempt(tx: Tx, run: Run): Promise<void> {
  await tx.exec(
    `update sc_jobs set attempts = greatest(attempts - 1, 0) where organization_id = $1 and sc_job_id = $2 and run = $3 and status = 'RUNNING'`,
    [run.organization_id, run.sc_job_id, run.run],
  );
}

/** The runs that are queued or running. */
export function listLiveRuns(tx: Tx): Promise<Pick<Run, 'organization_id' | 'sc_job_id'>[]> {
  return tx.rows(`select organization_id, sc_job_id from sc_jobs where status in ('PENDING', 'RUNNING')`);
}
