import type { Tx } from '../../platform/db/database.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { Page } from '../../platform/http/route.ts';

export type CriteriaVersion = {
  criteria_id: string;
  version: number;
  loan_type: string;
  name: string;
  definition: Record<string, unknown>;
  created_at: Date;
};

export const RUN_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export type Run = {
  sc_job_id: string;
  organization_id: string;
  deal_id: string;
  criteria_id: string;
  criteria_version: number;
  tape_version: number;
  /** The loan table that the run judged; null before it has, and on runs from before it was kept. */
  loans_key: string | null;
  status: RunStatus;
  run: number;
  passed: number | null;
  failed: number | null;
  waived: number | null;
  total: number | null;
  passed_balance: string | null;
  failed_balance: string | null;
  result: Record<string, unknown> | null;
  outcomes_key: string | null;
  exception_file_id: string | null;
  error: string | null;
  run_at: Date | null;
  created_at: Date;
};

const RUN = 'j.*, j.passed_balance::text as passed_balance, j.failed_balance::text as failed_balance';

export async function insertCriteria(
  tx: Tx,
  row: { criteria_id: string; organization_id: string; name: string; loan_type: string; definition: unknown },
): Promise<void> {
  await tx.exec('insert into criteria (criteria_id, organization_id, name, loan_type, created_at) values ($1, $2, $3, $4, $5)', [
    row.criteria_id,
    row.organization_id,
    row.name,
    row.loan_type,
    tx.now,
  ]);
  await insertVersion(tx, { ...row, version: 1 });
}

export async function insertVersion(
  tx: Tx,
  row: { criteria_id: string; organization_id: string; version: number; definition: unknown },
): Promise<void> {
  await tx.exec(
    'insert into criteria_versions (criteria_id, version, organization_id, definition, created_at) values ($1, $2, $3, $4, $5)',
    [row.criteria_id, row.version, row.organization_id, JSON.stringify(row.definition), tx.now],
  );
}

export async function nextVersion(tx: Tx, organizationId: string, criteriaId: string): Promise<number | null> {
  const row = await tx.one<{ latest_version: number }>(
    'update criteria set latest_version = latest_version + 1 where organization_id = $1 and criteria_id = $2 returning latest_version',
    [organizationId, criteriaId],
  );
  return row?.latest_version ?? null;
}

/** One version of a set; the latest when `version` is null. */
export function findCriteria(
  tx: Tx,
  organizationId: string,
  criteriaId: string,
  version: number | null,
): Promise<CriteriaVersion | null> {
  return tx.one<CriteriaVersion>(
    `select c.criteria_id, v.version, c.loan_type, c.name, v.definition, v.created_at
     from criteria c join criteria_versions v on v.criteria_id = c.criteria_id and v.version = coalesce($3, c.latest_version)
     where c.organization_id = $1 and c.criteria_id = $2`,
    [organizationId, criteriaId, version],
  );
}

export function listCriteria(
  tx: Tx,
  organizationId: string,
  query: { page: number; limit: number; type?: string },
): Promise<Page<CriteriaVersion>> {
  return selectPage(
    tx,
    {
      select: 'c.criteria_id, v.version, c.loan_type, c.name, v.definition, v.created_at',
      from: 'criteria c join criteria_versions v on v.criteria_id = c.criteria_id and v.version = c.latest_version',
      filters: [
        ['c.organization_id = ?', organizationId],
        ['c.loan_type = ?', query.type],
      ],
      order: 'c.created_at desc, c.criteria_id desc',
    },
    query,
  );
}

export async function insertRun(
  tx: Tx,
  run: Pick<Run, 'sc_job_id' | 'organization_id' | 'deal_id' | 'criteria_id' | 'criteria_version' | 'tape_version'>,
): Promise<void> {
  await tx.exec(
    `insert into sc_jobs (sc_job_id, organization_id, deal_id, criteria_id, criteria_version, tape_version, status, created_at) values ($1, $2, $3, $4, $5, $6, 'PENDING', $7)`,
    [run.sc_job_id, run.organization_id, run.deal_id, run.criteria_id, run.criteria_version, run.tape_version, tx.now],
  );
}

export function findRun(tx: Tx, organizationId: string, scJobId: string, lock = false): Promise<Run | null> {
  return tx.one<Run>(`select ${RUN} from sc_jobs j where organization_id = $1 and sc_job_id = $2 ${lock ? 'for update' : ''}`, [
    organizationId,
    scJobId,
  ]);
}

/** Runs of a deal, newest first. */
export function listRuns(tx: Tx, organizationId: string, dealId: string, query: { page: number; limit: number }): Promise<Run[]> {
  return tx.rows<Run>(
    `select ${RUN} from sc_jobs j where organization_id = $1 and deal_id = $2 order by created_at desc, sc_job_id desc limit $3 offset $4`,
    [organizationId, dealId, query.limit, (query.page - 1) * query.limit],
  );
}

export async function countRuns(tx: Tx, organizationId: string, dealId: string): Promise<number> {
  return (
    (
      await tx.one<{ total: number }>('select count(*)::int as total from sc_jobs where organization_id = $1 and deal_id = $2', [
        organizationId,
        dealId,
      ])
    )?.total ?? 0
  );
}

/** Takes a waiting run; false when it was cancelled or has ended. A run that was taken before is taken over by its next number. */
export async function startRun(tx: Tx, organizationId: string, scJobId: string): Promise<number | null> {
  const row = await tx.one<{ run: number }>(
    `update sc_jobs set status = 'RUNNING', run = run + 1 where organization_id = $1 and sc_job_id = $2 and status in ('PENDING', 'RUNNING') returning run`,
    [organizationId, scJobId],
  );
  return row?.run ?? null;
}

export type RunEnd = Pick<
  Run,
  | 'status'
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
>;

/** Ends a run if `run` is still its number and nobody cancelled it. */
export async function finishRun(tx: Tx, organizationId: string, scJobId: string, run: number, end: RunEnd): Promise<Run | null> {
  return tx.one<Run>(
    `update sc_jobs j set status = $4, passed = $5, failed = $6, waived = $7, total = $8, passed_balance = $9, failed_balance = $10, result = $11,
       outcomes_key = $12, exception_file_id = $13, error = $14, run_at = $15, loans_key = $16
     where organization_id = $1 and sc_job_id = $2 and run = $3 and status = 'RUNNING' returning ${RUN}`,
    [
      organizationId,
      scJobId,
      run,
      end.status,
      end.passed,
      end.failed,
      end.waived,
      end.total,
      end.passed_balance,
      end.failed_balance,
      end.result === null ? null : JSON.stringify(end.result),
      end.outcomes_key,
      end.exception_file_id,
      end.error,
      tx.now,
      end.loans_key,
    ],
  );
}

export async function cancelRun(tx: Tx, organizationId: string, scJobId: string): Promise<void> {
  await tx.exec(`update sc_jobs set status = 'CANCELLED' where organization_id = $1 and sc_job_id = $2`, [
    organizationId,
    scJobId,
  ]);
}

export type ExceptionFile = {
  exception_file_id: string;
  deal_id: string;
  sc_job_id: string;
  exception_count: number;
  created_at: Date;
};

export async function insertExceptionFile(
  tx: Tx,
  organizationId: string,
  file: Omit<ExceptionFile, 'created_at'>,
): Promise<void> {
  await tx.exec(
    'insert into exception_files (exception_file_id, organization_id, deal_id, sc_job_id, exception_count, created_at) values ($1, $2, $3, $4, $5, $6)',
    [file.exception_file_id, organizationId, file.deal_id, file.sc_job_id, file.exception_count, tx.now],
  );
}

export function findExceptionFile(tx: Tx, organizationId: string, exceptionFileId: string): Promise<ExceptionFile | null> {
  return tx.one<ExceptionFile>('select * from exception_files where organization_id = $1 and exception_file_id = $2', [
    organizationId,
    exceptionFileId,
  ]);
}

export function listExceptionFiles(
  tx: Tx,
  organizationId: string,
  query: { page: number; limit: number; dealId?: string },
): Promise<Page<ExceptionFile>> {
  const filters = [
    ['organization_id = ?', organizationId],
    ['deal_id = ?', query.dealId],
  ] as const;
  return selectPage(
    tx,
    { select: '*', from: 'exception_files', filters, order: 'created_at desc, exception_file_id desc' },
    query,
  );
}

export type Waiver = {
  waiver_id: string;
  organization_id: string;
  deal_id: string;
  exception_file_id: string;
  criteria_id: string;
  rule_id: string;
  loan_ids: string[];
  reason: string;
  status: 'PENDING' | 'APPROVED' | 'DENIED';
  requested_by: string;
  decided_by: string | null;
  decided_at: Date | null;
  created_at: Date;
};

export async function insertWaiver(
  tx: Tx,
  row: Pick<
    Waiver,
    | 'waiver_id'
    | 'organization_id'
    | 'deal_id'
    | 'exception_file_id'
    | 'criteria_id'
    | 'rule_id'
    | 'loan_ids'
    | 'reason'
    | 'requested_by'
  >,
): Promise<Waiver> {
  const inserted = await tx.one<Waiver>(
    `insert into waivers (waiver_id, organization_id, deal_id, exception_file_id, criteria_id, rule_id, loan_ids, reason, requested_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning *`,
    [
      row.waiver_id,
      row.organization_id,
      row.deal_id,
      row.exception_file_id,
      row.criteria_id,
      row.rule_id,
      row.loan_ids,
      row.reason,
      row.requested_by,
      tx.now,
    ],
  );
  return inserted as Waiver;
}

export function lockWaiver(tx: Tx, waiverId: string): Promise<Waiver | null> {
  return tx.one<Waiver>('select * from waivers where waiver_id = $1 for update', [waiverId]);
}

export async function decideWaiver(tx: Tx, waiverId: string, status: Waiver['status'], actor: string): Promise<Waiver> {
  return (await tx.one<Waiver>(
    'update waivers set status = $2, decided_by = $3, decided_at = $4 where waiver_id = $1 returning *',
    [waiverId, status, actor, tx.now],
  )) as Waiver;
}

export function approvedWaivers(
  tx: Tx,
  organizationId: string,
  dealId: string,
  criteriaId: string,
): Promise<{ rule_id: string; loan_ids: string[] }[]> {
  return tx.rows(
    `select rule_id, loan_ids from waivers where organization_id = $1 and deal_id = $2 and criteria_id = $3 and status = 'APPROVED'`,
    [organizationId, dealId, criteriaId],
  );
}

export function listWaivers(
  tx: Tx,
  query: { page: number; limit: number; deal_id?: string; organization_id?: string; status?: string },
): Promise<Page<Waiver>> {
  const filters = [
    ['organization_id = ?', query.organization_id],
    ['deal_id = ?', query.deal_id],
    ['status = ?', query.status],
  ] as const;
  return selectPage(tx, { select: '*', from: 'waivers', filters, order: 'created_at desc, waiver_id desc' }, query);
}
