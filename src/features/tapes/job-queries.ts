import type { Tx } from '../../platform/db/database.ts';
import { type KindOfList, keptTotalOfKinds } from '../../platform/db/kept-totals.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import type { Id } from '../../platform/ids.ts';
import { CHECKS_RECORD } from './read-job.ts';

export type JobFilter = PageRequest &
  Between & { organization_id?: Id<'org'>; deal_id?: Id<'deal'>; kind?: string; status?: string };

/** The jobs of all organizations by their ids, newest first: the checks of each version of a tape, and bulk jobs. */
const JOBS = `(
  select 'job_' || substr(deal_id, 6) || '_' || version as job_id, organization_id, deal_id, 'TAPE_CHECKS' as kind, created_at, job_status as status from tapes
  union all
  select job_id, organization_id, null, 'BULK', created_at, status from bulk_jobs) j`;

export type JobRow = { job_id: Id<'job'>; organization_id: Id<'org'> };

const KINDS: readonly KindOfList[] = [
  { kind: 'TAPE_CHECKS', list: 'tapes', names: { status: 'job_status' } },
  { kind: 'BULK', list: 'bulk_jobs', names: {} },
];

export function listJobIds(tx: Tx, filter: JobFilter): Promise<Page<JobRow>> {
  const filters: Filter[] = [
    ['organization_id = ?', filter.organization_id],
    ['deal_id = ?', filter.deal_id],
    ['kind = ?', filter.kind],
    ['status = ?', filter.status],
    ...between('created_at', filter),
  ];
  return selectPage<JobRow>(
    tx,
    {
      select: 'job_id, organization_id',
      from: JOBS,
      filters,
      order: newestFirst('created_at', 'job_id'),
      enumerated: ['status'],
      total: (equal) => keptTotalOfKinds(tx, KINDS, equal),
    },
    filter,
  );
}

/** The organization of a job, whether it is of checks or a bulk job. */
export async function findJobOwner(tx: Tx, jobId: Id<'job'>): Promise<Id<'org'> | null> {
  // By their own keys: no index has the ids of the checks, which are made of them.
  const row = await tx.one<{ organization_id: Id<'org'> }>(
    `select organization_id from tapes r where ${CHECKS_RECORD.where} union all select organization_id from bulk_jobs where job_id = $1`,
    [jobId],
  );
  return row?.organization_id ?? null;
}
