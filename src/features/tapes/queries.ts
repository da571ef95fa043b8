import type { RawColumn } from '../../loans/reading/raw-table.ts';
import type { Mapping, MappingRequest, RuleCount } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { CHECK_STAGES } from '../deals/queries.ts';

export const TAPE_STATES = ['RUNNING', 'NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED', 'DROPPED'] as const;
export type TapeState = (typeof TAPE_STATES)[number];

/** How far running checks have come: the stages of an ingest, and STORING, which counts the files of the result. */
export type ChecksProgress = { stage: (typeof CHECK_STAGES)[number]; done: number; total: number };

export type Tape = {
  deal_id: Id<'deal'>;
  version: number;
  organization_id: Id<'org'>;
  upload_id: Id<'upl'> | null;
  file_name: string;
  format: 'csv' | 'xlsx' | 'parquet' | 'inline';
  mode: 'REPLACE' | 'MERGE';
  /** The version that it was merged into; null for a tape of its own. */
  merged_into: number | null;
  /** The uploaded file: encrypted under the data key, where there is one. */
  object_key: string;
  size: number;
  sha256: string;
  state: TapeState;
  /** Number of this run of the checks. A run that was superseded finds another number and leaves no trace. */
  run: number;
  /** Number of attempts of this run, counted before they start. */
  attempts: number;
  /** Why the checks ended without a result; null otherwise. */
  failure: string | null;
  mapping_id: Id<'map'> | null;
  overrides: MappingRequest[];
  /** The key that sent the version; null for versions from before it was kept. */
  sent_by: string | null;
  /** The key that changed the mapping last. */
  mapped_by: string | null;
  mapping: StoredMapping | null;
  rows: number;
  accepted: number;
  rejected: number;
  total_balance: string;
  balance_basis: string | null;
  errors: number;
  warnings: number;
  /** The findings counted by rule; null while there are none to count. */
  by_rule: RuleCount[] | null;
  progress: ChecksProgress | null;
  as_of_date: string | null;
  findings: Record<string, unknown>;
  loans_key: string | null;
  raw_key: string | null;
  issues_key: string | null;
  /** The wrapped key of the uploaded file and of the sealed columns; null before the first checks, and once it is destroyed. */
  data_key: string | null;
  /** The encrypted values of the sealed columns; null where there are none. */
  sealed_key: string | null;
  keys_destroyed_at: Date | null;
  created_at: Date;
  completed_at: Date | null;
};

/** The decided mapping of a tape, with all its columns in the file's order. */
export type StoredMapping = Mapping & { columns: RawColumn[] };

const TAPE = 't.*, t.total_balance::text as total_balance, t.as_of_date::text as as_of_date';

export function findTape(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>, version: number): Promise<Tape | null> {
  return tx.one<Tape>(`select ${TAPE} from tapes t where organization_id = $1 and deal_id = $2 and version = $3`, [
    organizationId,
    dealId,
    version,
  ]);
}

/** The newest version that was not dropped, whatever its state. */
export function findLatestTape(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Tape | null> {
  return tx.one<Tape>(
    `select ${TAPE} from tapes t where organization_id = $1 and deal_id = $2 and state <> 'DROPPED' order by version desc limit 1`,
    [organizationId, dealId],
  );
}

/** The version in force: the newest one whose checks ended with loans; null before that. */
export function findCurrentTape(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Tape | null> {
  return tx.one<Tape>(
    `select ${TAPE} from tapes t join deals d using (deal_id) where d.organization_id = $1 and d.deal_id = $2 and t.version = d.tape_version`,
    [organizationId, dealId],
  );
}

/** The newest version before this one that was not dropped. */
export function findTapeBefore(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>, version: number): Promise<Tape | null> {
  return tx.one<Tape>(
    `select ${TAPE} from tapes t where organization_id = $1 and deal_id = $2 and version < $3 and state <> 'DROPPED' order by version desc limit 1`,
    [organizationId, dealId, version],
  );
}

/** The version whose loans a version took the place of, or will. */
export function findReplaced(
  tx: Tx,
  { organization_id, deal_id, version }: Tape,
): Promise<Pick<Tape, 'version' | 'loans_key' | 'mapping'> | null> {
  return tx.one(
    `select version, loans_key, mapping from tapes
     where organization_id = $1 and deal_id = $2 and version < $3 and state = 'DONE' and loans_key is not null
     order by version desc limit 1`,
    [organization_id, deal_id, version],
  );
}

/** The versions whose rows a further tape may extend: the one in force first, then the newest. */
export function listMergeable(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<MergeableTape[]> {
  return tx.rows<MergeableTape>(
    `select t.deal_id, t.version, t.merged_into, t.raw_key, t.issues_key, t.data_key, t.sealed_key from tapes t join deals d using (deal_id)
     where t.organization_id = $1 and t.deal_id = $2 and t.raw_key is not null and t.issues_key is not null
       and t.state not in ('DROPPED', 'NEEDS_CONFIRMATION')
     order by t.version = d.tape_version desc nulls last, t.version desc`,
    [organizationId, dealId],
  );
}

/** Whether the loans of a version were sent inline, or it was merged into a version whose loans were. */
export async function isOfInlineLoans(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>, version: number): Promise<boolean> {
  const row = await tx.one<{ inline: boolean }>(
    `with recursive merged as (
       select version, merged_into, format from tapes where organization_id = $1 and deal_id = $2 and version = $3
       union
       select t.version, t.merged_into, t.format from merged m
       join tapes t on t.organization_id = $1 and t.deal_id = $2 and t.version = m.merged_into)
     select coalesce(bool_or(format = 'inline'), false) as inline from merged`,
    [organizationId, dealId, version],
  );
  return row?.inline ?? false;
}

export type MergeableTape = Pick<Tape, 'deal_id' | 'version' | 'merged_into' | 'data_key' | 'sealed_key'> & {
  raw_key: string;
  issues_key: string;
};

export function listTapes(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Tape[]> {
  return tx.rows<Tape>(`select ${TAPE} from tapes t where organization_id = $1 and deal_id = $2 order by version desc`, [
    organizationId,
    dealId,
  ]);
}

/** The monthly tapes in force of the pools that have a deal, newest first. */
export function listLoanMonths(
  tx: Tx,
  organizationId: Id<'org'>,
  dealId: Id<'deal'>,
  most: number,
): Promise<{ pool_id: Id<'pool'>; deal_number: number; period: number; reported_on: string | null; loans_key: string }[]> {
  return tx.rows(
    `select m.pool_id, d.deal_number, m.period, m.reported_on::text as reported_on, m.loans_key
     from pool_months m join pools p using (pool_id) join deals d on d.organization_id = p.organization_id and d.deal_id = $2
     where p.organization_id = $1 and d.deal_id = any(p.deal_ids) order by m.created_at desc, m.period desc limit $3`,
    [organizationId, dealId, most],
  );
}

export type NewTape = Pick<
  Tape,
  'deal_id' | 'organization_id' | 'file_name' | 'format' | 'object_key' | 'size' | 'sha256' | 'sent_by'
> & {
  upload_id?: Id<'upl'>;
  mode?: Tape['mode'];
};

export async function insertTape(tx: Tx, tape: NewTape): Promise<Tape> {
  const row = await tx.one<Tape>(
    `insert into tapes (deal_id, version, organization_id, upload_id, file_name, format, mode, object_key, size, sha256, state, created_at, sent_by)
     select $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, 'RUNNING', $10, $11 from tapes where deal_id = $1 returning *`,
    [
      tape.deal_id,
      tape.organization_id,
      tape.upload_id ?? null,
      tape.file_name,
      tape.format,
      tape.mode ?? 'REPLACE',
      tape.object_key,
      tape.size,
      tape.sha256,
      tx.now,
      tape.sent_by,
    ],
  );
  return row as Tape;
}

export type TapeRun = Pick<Tape, 'organization_id' | 'deal_id' | 'version' | 'run'>;

const ids = (tape: TapeRun): unknown[] => [tape.organization_id, tape.deal_id, tape.version, tape.run];

const OPEN_RUN = `organization_id = $1 and deal_id = $2 and version = $3 and run = $4 and state = 'RUNNING'`;

/** Counts an attempt of the checks before it starts; null when this run has ended or is no longer the tape's. */
export function startTape(tx: Tx, run: TapeRun): Promise<Tape | null> {
  return tx.one<Tape>(
    `update tapes t set attempts = attempts + 1, progress = null where ${OPEN_RUN} returning ${TAPE}`,
    ids(run),
  );
}

/** Uncounts an attempt that ended through no fault of the tape. */
export async function returnTapeAttempt(tx: Tx, tape: Tape): Promise<void> {
  await tx.exec(`update tapes set attempts = greatest(attempts - 1, 0) where ${OPEN_RUN}`, ids(tape));
}

/** Records how far a run of the checks has come, unless it has ended or was superseded. */
export async function setProgress(tx: Tx, tape: Tape, progress: ChecksProgress): Promise<void> {
  await tx.exec(`update tapes set progress = $5 where ${OPEN_RUN}`, [...ids(tape), JSON.stringify(progress)]);
}

/** The tapes whose checks are queued or running. */
export function listRunningTapes(tx: Tx): Promise<TapeRun[]> {
  return tx.rows<TapeRun>(`select organization_id, deal_id, version, run from tapes where state = 'RUNNING'`);
}

export type TapeResult = Pick<
  Tape,
  | 'state'
  | 'merged_into'
  | 'by_rule'
  | 'mapping_id'
  | 'rows'
  | 'accepted'
  | 'rejected'
  | 'total_balance'
  | 'balance_basis'
  | 'errors'
  | 'warnings'
  | 'as_of_date'
  | 'findings'
  | 'loans_key'
  | 'raw_key'
  | 'issues_key'
  | 'sealed_key'
  | 'failure'
> & {
  mapping: StoredMapping | null;
};

/** A mapping that is remembered for an organization as a whole, or for one of its keys: `remembered_by` is that id. */
export type RememberedMapping = { mapping_id: Id<'map'>; remembered_by: string; entries: MappingRequest[] };

/** What is remembered for an organization and for one of its keys, if any. */
export function listMappings(
  tx: Tx,
  organizationId: Id<'org'>,
  loanType: string,
  keyId: string | null,
): Promise<RememberedMapping[]> {
  return tx.rows<RememberedMapping>(
    `select mapping_id, remembered_by, entries from mappings
     where organization_id = $1 and loan_type = $2 and remembered_by in ($1, $3)`,
    [organizationId, loanType, keyId ?? organizationId],
  );
}

export async function rememberMapping(
  tx: Tx,
  organizationId: Id<'org'>,
  loanType: string,
  mapping: RememberedMapping,
): Promise<void> {
  await tx.exec(
    `insert into mappings (organization_id, loan_type, remembered_by, mapping_id, entries, updated_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id, loan_type, remembered_by)
     do update set mapping_id = excluded.mapping_id, entries = excluded.entries, updated_at = excluded.updated_at`,
    [organizationId, loanType, mapping.remembered_by, mapping.mapping_id, JSON.stringify(mapping.entries), tx.now],
  );
}

/** Removes what is remembered for a loan type: for one id, or with null for the organization and all its keys. Returns how many mappings. */
export async function forgetMappings(
  tx: Tx,
  organizationId: Id<'org'>,
  loanType: string,
  rememberedBy: string | null,
): Promise<number> {
  const forgotten = await tx.rows(
    `delete from mappings where organization_id = $1 and loan_type = $2 and ($3::text is null or remembered_by = $3) returning mapping_id`,
    [organizationId, loanType, rememberedBy],
  );
  return forgotten.length;
}

/** The outcomes of the newest completed run over the loans in force; null when there is none. */
export async function findNewestOutcomes(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<string | null> {
  const run = await tx.one<{ outcomes_key: string }>(
    `select outcomes_key from sc_jobs j join deals d using (deal_id) join tapes t on t.deal_id = d.deal_id and t.version = d.tape_version
     where j.organization_id = $1 and j.deal_id = $2 and j.status = 'COMPLETED' and j.tape_version = d.tape_version
       and coalesce(j.loans_key, t.loans_key) = t.loans_key and outcomes_key is not null order by j.created_at desc, sc_job_id desc limit 1`,
    [organizationId, dealId],
  );
  return run?.outcomes_key ?? null;
}

/** Whether a selection criteria run on the deal is queued or running. */
export async function hasLiveRun(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<boolean> {
  const live = await tx.one(
    `select 1 from sc_jobs where organization_id = $1 and deal_id = $2 and status in ('PENDING', 'RUNNING')`,
    [organizationId, dealId],
  );
  return live !== null;
}

/** SQL: whether no column of the tape `t` gives ids. */
export const SYNTHETIC_IDS = `not coalesce(t.mapping::jsonb -> 'mappings' @> '[{"target": "loan_id"}]' or t.mapping::jsonb -> 'mappings' @> '[{"target": "account_id"}]', false)`;
