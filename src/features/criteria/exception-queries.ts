import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Between, between, type ListFilter, listFilters } from '../../platform/db/list-filter.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { Id } from '../../platform/ids.ts';
import type { Deal } from '../deals/queries.ts';
import { SYNTHETIC_IDS } from '../tapes/queries.ts';
import { hasLoanIds } from '../tapes/loan-ids.ts';
import type { Tape } from '../tapes/queries.ts';

export const EXCEPTION_FILE_RECORD = storedRecord('exception_files', 'exception_file_id');
export const WAIVER_RECORD = storedRecord('waivers', 'waiver_id');

export type ExceptionFile = {
  exception_file_id: Id<'exf'>;
  deal_id: Id<'deal'>;
  sc_job_id: Id<'scj'>;
  exception_count: number;
  created_at: Date;
};

export async function insertExceptionFile(
  tx: Tx,
  organizationId: Id<'org'>,
  file: Omit<ExceptionFile, 'created_at'>,
): Promise<void> {
  await tx.exec(
    'insert into exception_files (exception_file_id, organization_id, deal_id, sc_job_id, exception_count, created_at) values ($1, $2, $3, $4, $5, $6)',
    [file.exception_file_id, organizationId, file.deal_id, file.sc_job_id, file.exception_count, tx.now],
  );
}

export function findExceptionFile(tx: Tx, organizationId: Id<'org'>, exceptionFileId: Id<'exf'>): Promise<ExceptionFile | null> {
  return tx.one<ExceptionFile>('select * from exception_files where organization_id = $1 and exception_file_id = $2', [
    organizationId,
    exceptionFileId,
  ]);
}

export function listExceptionFiles(
  tx: Tx,
  organizationId: Id<'org'>,
  query: PageRequest & Between & { dealId?: Id<'deal'> },
): Promise<Page<ExceptionFile>> {
  const filters = [
    ['organization_id = ?', organizationId],
    ['deal_id = ?', query.dealId],
    ...between('created_at', query),
  ] as const;
  return selectPage(
    tx,
    { select: '*', from: 'exception_files', filters, order: newestFirst('created_at', 'exception_file_id') },
    query,
  );
}

export const WAIVER_STATUSES = ['PENDING', 'APPROVED', 'DENIED'] as const;
export type WaiverStatus = (typeof WAIVER_STATUSES)[number];

export type Waiver = {
  waiver_id: Id<'wvr'>;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'>;
  exception_file_id: Id<'exf'>;
  criteria_id: Id<'crt'>;
  rule_id: string;
  loan_ids: string[];
  reason: string;
  status: WaiverStatus;
  requested_by: string;
  decided_by: string | null;
  decided_at: Date | null;
  /** The operator's reason, if it gave one. */
  decision_reason: string | null;
  /** The version of the tape for which alone it holds, since its loans have no ids; null where it follows the ids. */
  only_tape_version: number | null;
  created_at: Date;
};

/** The version of the tape on which a waiver was given, as `given`. */
const GIVEN = `exception_files f join sc_jobs j using (sc_job_id)
  join tapes t on t.organization_id = j.organization_id and t.deal_id = j.deal_id and t.version = j.tape_version`;

const WAIVER = `waivers.*, (select t.version from ${GIVEN}
  where f.exception_file_id = waivers.exception_file_id and ${SYNTHETIC_IDS}) as only_tape_version`;

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
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${WAIVER}`,
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

/** Holds the loans of a waiver that waits for the rule; those that another one holds, with that waiver. */
export async function holdWaivedLoans(tx: Tx, waiver: Waiver): Promise<{ loan_id: string; waiver_id: Id<'wvr'> }[]> {
  const { organization_id, deal_id, criteria_id, rule_id, only_tape_version, loan_ids, waiver_id } = waiver;
  const key = [organization_id, deal_id, criteria_id, rule_id, only_tape_version ?? 0, loan_ids];
  const held = await tx.exec(
    `insert into pending_waiver_loans (organization_id, deal_id, criteria_id, rule_id, tape_version, loan_id, waiver_id)
     select $1, $2, $3, $4, $5, loan_id, $7 from unnest($6::text[]) loan_id order by loan_id
     on conflict on constraint pending_waiver_loans_once do nothing`,
    [...key, waiver_id],
  );
  if (held === loan_ids.length) return [];
  return tx.rows(
    `select p.loan_id, p.waiver_id from pending_waiver_loans p join waivers w using (waiver_id)
     where p.organization_id = $1 and p.deal_id = $2 and p.criteria_id = $3 and p.rule_id = $4 and p.tape_version = $5 and p.loan_id = any($6)
       and p.waiver_id <> $7
     order by w.created_at, p.waiver_id, p.loan_id`,
    [...key, waiver_id],
  );
}

/** `organizationId` null: any organization's (the operator). */
export function findWaiver(tx: Tx, organizationId: Id<'org'> | null, waiverId: Id<'wvr'>): Promise<Waiver | null> {
  return tx.one<Waiver>(`select ${WAIVER} from waivers where ($1::text is null or organization_id = $1) and waiver_id = $2`, [
    organizationId,
    waiverId,
  ]);
}

export function lockWaiver(tx: Tx, waiverId: Id<'wvr'>): Promise<Waiver | null> {
  return tx.one<Waiver>(`select ${WAIVER} from waivers where waiver_id = $1 for update`, [waiverId]);
}

/** The loans that a waiver lets pass, and the version of the tape on which it was given. */
export type WaivedLoans = Pick<Waiver, 'rule_id' | 'loan_ids'> & {
  given_on: number;
  /** Whether they are the same loans on the tape of the run: row numbers, which stand for ids, are those of one version. */
  holds: boolean;
};

export function approvedWaivers(
  tx: Tx,
  { deal: { organization_id, deal_id }, tape }: { deal: Deal; tape: Tape },
  criteriaId: Id<'crt'>,
): Promise<WaivedLoans[]> {
  return tx.rows<WaivedLoans>(
    `select w.rule_id, w.loan_ids, t.version as given_on, t.version = $4 or ($5 and not ${SYNTHETIC_IDS}) as holds
     from waivers w join (${GIVEN}) on f.exception_file_id = w.exception_file_id
     where w.organization_id = $1 and w.deal_id = $2 and w.criteria_id = $3 and w.status = 'APPROVED'`,
    [organization_id, deal_id, criteriaId, tape.version, hasLoanIds(tape)],
  );
}

export function listWaivers(
  tx: Tx,
  query: ListFilter & { exception_file_id?: Id<'exf'> },
  organizationId: Id<'org'> | null = null,
): Promise<Page<Waiver>> {
  const filters: Filter[] = [...listFilters(organizationId, query), ['exception_file_id = ?', query.exception_file_id]];
  return selectPage(
    tx,
    { select: WAIVER, from: 'waivers', filters, order: newestFirst('created_at', 'waiver_id'), apart: 'all' },
    query,
  );
}
