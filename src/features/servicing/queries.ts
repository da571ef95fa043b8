import type { MonthFigures, Roll, VintageMonth } from '../../loans/servicing/compare-month.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { StoredRecord } from '../../platform/http/stored-record.ts';
import type { Id } from '../../platform/ids.ts';
import type { Pool } from '../pools/queries.ts';
import type { Tape } from '../tapes/queries.ts';
import { noteRemoved } from '../tapes/seal-queries.ts';
import type { Upload } from '../uploads/queries.ts';

export const POOL_TAPE_STATES = ['RUNNING', 'NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED'] as const;
export type PoolTapeState = (typeof POOL_TAPE_STATES)[number];

/** The newest tape that was sent for a payment period of a pool: what it shares with a deal's tape means the same. */
export type PoolTape = Pick<
  Tape,
  | 'organization_id'
  | 'file_name'
  | 'size'
  | 'sha256'
  | 'run'
  | 'attempts'
  | 'failure'
  | 'mapping_id'
  | 'overrides'
  | 'sent_by'
  | 'mapped_by'
  | 'mapping'
  | 'rows'
  | 'accepted'
  | 'rejected'
  | 'errors'
  | 'warnings'
  | 'by_rule'
  | 'as_of_date'
  | 'created_at'
  | 'completed_at'
> & {
  pool_id: Id<'pool'>;
  period: number;
  /** How many files were sent for the period. */
  version: number;
  upload_id: Id<'upl'>;
  format: Exclude<Tape['format'], 'inline'>;
  state: PoolTapeState;
  findings: { tape?: unknown[]; decisions?: string[] };
  /** The table as it was read, without the values of sealed columns. */
  raw_key: string | null;
  /** What the reading found. */
  read_issues_key: string | null;
  /** The loans that could be read. */
  loans_key: string | null;
  /** What the reading and the comparison found. */
  issues_key: string | null;
  /** When its owner said that it is right although most loans are missing; null otherwise. */
  confirmed_at: Date | null;
  updated_at: Date;
};

/** The loans of a pool after a period, as the tape in force has them. */
export type PoolMonth = {
  period: number;
  /** Of the file. */
  version: number;
  /** Period of the tape that it was compared with, 0 for the loans at closing, and the months in between. */
  compared_with: number;
  months: number;
  reported_on: string | null;
  matched: number;
  strangers: number;
  figures: MonthFigures;
  rolls: Roll[];
  vintages: VintageMonth[];
  /** The pool's loan table after the month. */
  loans_key: string;
};

type OfPool = Pick<Pool, 'organization_id' | 'pool_id'>;

const TAPE = 't.*, t.as_of_date::text as as_of_date';
const MONTH =
  'm.period, m.version, m.compared_with, m.months, m.reported_on::text as reported_on, m.matched, m.strangers, m.figures, m.rolls, m.vintages, m.loans_key';

/** The tape of a period, by pool and period, with the month that is in force. */
export const POOL_TAPE_RECORD: StoredRecord = {
  table: 'pool_tapes',
  where: `r.pool_id = split_part($1, '/', 1) and r.period = split_part($1, '/', 2)::integer`,
  fields: `jsonb_build_array(to_jsonb(r) - 'attempts',
    (select jsonb_build_array(m.version, m.created_at) from pool_months m where m.pool_id = r.pool_id and m.period = r.period))`,
};

export function findPoolTape(
  tx: Tx,
  { organization_id, pool_id }: OfPool,
  period: number,
  lock = false,
): Promise<PoolTape | null> {
  return tx.one<PoolTape>(
    `select ${TAPE} from pool_tapes t where organization_id = $1 and pool_id = $2 and period = $3 ${lock ? 'for update' : ''}`,
    [organization_id, pool_id, period],
  );
}

/** The newest period first. */
export function listPoolTapes(tx: Tx, { organization_id, pool_id }: OfPool): Promise<PoolTape[]> {
  return tx.rows<PoolTape>(`select ${TAPE} from pool_tapes t where organization_id = $1 and pool_id = $2 order by period desc`, [
    organization_id,
    pool_id,
  ]);
}

/** The tape of a pool that was read last with a mapping of its own; null without one. */
export function findMappedTape(tx: Tx, { organization_id, pool_id }: OfPool): Promise<PoolTape | null> {
  return tx.one<PoolTape>(
    `select ${TAPE} from pool_tapes t where organization_id = $1 and pool_id = $2 and state = 'DONE' and overrides <> '[]'
     order by completed_at desc, period desc limit 1`,
    [organization_id, pool_id],
  );
}

/** The months of a pool whose tapes are in force, in the order of their periods. */
export function listPoolMonths(tx: Tx, { pool_id }: Pick<Pool, 'pool_id'>): Promise<PoolMonth[]> {
  return tx.rows<PoolMonth>(`select ${MONTH} from pool_months m where pool_id = $1 order by period`, [pool_id]);
}

/** The month of a period, while its tape is in force. */
export function findMonth(tx: Tx, { pool_id }: Pick<Pool, 'pool_id'>, period: number): Promise<PoolMonth | null> {
  return tx.one<PoolMonth>(`select ${MONTH} from pool_months m where pool_id = $1 and period = $2`, [pool_id, period]);
}

/** The latest month of a pool up to a period, or null. */
export function findMonthUpTo(tx: Tx, { pool_id }: Pick<Pool, 'pool_id'>, period: number): Promise<PoolMonth | null> {
  return tx.one<PoolMonth>(
    `select ${MONTH} from pool_months m where pool_id = $1 and period <= $2 order by period desc limit 1`,
    [pool_id, period],
  );
}

export type NewPoolTape = Pick<
  PoolTape,
  'organization_id' | 'pool_id' | 'period' | 'upload_id' | 'file_name' | 'format' | 'size' | 'sha256' | 'sent_by'
>;

/** Writes the first tape of a period. */
export async function insertPoolTape(tx: Tx, tape: NewPoolTape): Promise<PoolTape> {
  const row = await tx.one<PoolTape>(
    `insert into pool_tapes as t (organization_id, pool_id, period, version, upload_id, file_name, format, size, sha256, sent_by, state, created_at, updated_at)
     values ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, 'RUNNING', $10, $10) returning ${TAPE}`,
    [
      tape.organization_id,
      tape.pool_id,
      tape.period,
      tape.upload_id,
      tape.file_name,
      tape.format,
      tape.size,
      tape.sha256,
      tape.sent_by,
      tx.now,
    ],
  );
  return row as PoolTape;
}

export type PoolTapeRun = Pick<PoolTape, 'organization_id' | 'pool_id' | 'period' | 'run'>;

const OPEN_RUN = `organization_id = $1 and pool_id = $2 and period = $3 and run = $4 and state = 'RUNNING'`;
const idsOf = ({ organization_id, pool_id, period, run }: PoolTapeRun): unknown[] => [organization_id, pool_id, period, run];

/** Counts an attempt before it starts; null when this run has ended or was superseded. */
export function startPoolTape(tx: Tx, run: PoolTapeRun): Promise<PoolTape | null> {
  return tx.one<PoolTape>(`update pool_tapes t set attempts = attempts + 1 where ${OPEN_RUN} returning ${TAPE}`, idsOf(run));
}

/** Uncounts an attempt that ended through no fault of the tape. */
export async function returnPoolTapeAttempt(tx: Tx, run: PoolTapeRun): Promise<void> {
  await tx.exec(`update pool_tapes set attempts = greatest(attempts - 1, 0) where ${OPEN_RUN}`, idsOf(run));
}

/** The tapes that are queued or being read. */
export function listRunningPoolTapes(tx: Tx): Promise<PoolTapeRun[]> {
  return tx.rows<PoolTapeRun>(`select organization_id, pool_id, period, run from pool_tapes where state = 'RUNNING'`);
}

/** Takes a tape away. */
export async function deletePoolTape(tx: Tx, { organization_id, pool_id, period }: PoolTape): Promise<void> {
  await tx.exec('delete from pool_tapes where organization_id = $1 and pool_id = $2 and period = $3', [
    organization_id,
    pool_id,
    period,
  ]);
}

/** Puts a month in force, in the place of the one of an earlier file. */
export async function putMonth(tx: Tx, pool: OfPool, month: PoolMonth): Promise<void> {
  const { organization_id, pool_id } = pool;
  await countChange(tx, pool);
  await tx.exec(
    `insert into pool_months (organization_id, pool_id, period, version, compared_with, months, reported_on, matched, strangers, figures, rolls, vintages, loans_key, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (pool_id, period) do update set version = excluded.version, compared_with = excluded.compared_with, months = excluded.months,
       reported_on = excluded.reported_on, matched = excluded.matched, strangers = excluded.strangers, figures = excluded.figures,
       rolls = excluded.rolls, vintages = excluded.vintages, loans_key = excluded.loans_key, created_at = excluded.created_at`,
    [
      organization_id,
      pool_id,
      month.period,
      month.version,
      month.compared_with,
      month.months,
      month.reported_on,
      month.matched,
      month.strangers,
      JSON.stringify(month.figures),
      JSON.stringify(month.rolls),
      JSON.stringify(month.vintages),
      month.loans_key,
      tx.now,
    ],
  );
}

/** The shared table of the months is another version. */
async function countChange(tx: Tx, { organization_id, pool_id }: OfPool): Promise<void> {
  await tx.exec('update pools set months_version = months_version + 1 where organization_id = $1 and pool_id = $2', [
    organization_id,
    pool_id,
  ]);
}

/** Takes the months after a period out of force; returns the keys of their loan tables. */
export async function deleteMonthsAfter(tx: Tx, pool: OfPool, period: number): Promise<string[]> {
  const rows = await tx.rows<{ loans_key: string }>(
    'delete from pool_months where organization_id = $1 and pool_id = $2 and period > $3 returning loans_key',
    [pool.organization_id, pool.pool_id, period],
  );
  if (rows.length > 0) await countChange(tx, pool);
  return rows.map(({ loans_key }) => loans_key);
}

/** The first tape after a period whose loans were read, or are being read. */
export function findReadAfter(tx: Tx, { organization_id, pool_id }: OfPool, period: number): Promise<PoolTape | null> {
  return tx.one<PoolTape>(
    `select ${TAPE} from pool_tapes t where organization_id = $1 and pool_id = $2 and period > $3 and (loans_key is not null or state = 'RUNNING')
     order by period limit 1 for update`,
    [organization_id, pool_id, period],
  );
}

/** Those of the keys that no calculation of the pool names. In the platform's scope: investors calculate a deal from its months too. */
export async function listUnusedMonths(tx: Tx, poolId: Id<'pool'>, keys: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(
    `select key from unnest($2::text[]) key
     where not exists (select from calculations c where c.pool_id = $1 and c.inputs -> 'pool' ->> 'loans_key' = key)`,
    [poolId, keys],
  );
  return rows.map(({ key }) => key);
}

/** The newest upload for a period of a pool. */
export function findPoolUpload(
  tx: Tx,
  { organization_id, pool_id }: OfPool,
  period: number,
  lock = false,
): Promise<Upload | null> {
  return tx.one<Upload>(
    `select * from uploads where organization_id = $1 and pool_id = $2 and period = $3 and purpose = 'pool_tape'
     order by created_at desc, upload_id desc limit 1 ${lock ? 'for update' : ''}`,
    [organization_id, pool_id, period],
  );
}

/** Has the bytes of an upload deleted, whose loans were read. */
export async function dropUploadedFile(tx: Tx, organizationId: Id<'org'>, uploadId: Id<'upl'>): Promise<void> {
  const dropped = await tx.one<{ object_key: string }>(
    `with found as (select upload_id, object_key from uploads
       where organization_id = $1 and upload_id = $2 and object_key is not null for update)
     update uploads u set object_key = null from found where u.upload_id = found.upload_id returning found.object_key`,
    [organizationId, uploadId],
  );
  if (dropped) await noteRemoved(tx, organizationId, [dropped.object_key], 0);
}

/** On which business day of a month the tape of a pool is due; null where nothing was said. */
export async function findDueDay(tx: Tx, { organization_id, pool_id }: OfPool): Promise<number | null> {
  const row = await tx.one<{ day: number | null }>(
    'select tape_due_business_day as day from pools where organization_id = $1 and pool_id = $2',
    [organization_id, pool_id],
  );
  return row?.day ?? null;
}

export async function setDueDay(tx: Tx, { organization_id, pool_id }: OfPool, day: number | null): Promise<void> {
  await tx.exec('update pools set tape_due_business_day = $3, updated_at = $4 where organization_id = $1 and pool_id = $2', [
    organization_id,
    pool_id,
    day,
    tx.now,
  ]);
}

/** A pool whose tapes have a due day, with the periods that have one and those that were told as late. */
export type DuePool = Pick<
  Pool,
  'organization_id' | 'pool_id' | 'name' | 'cut_off_date' | 'closing_date' | 'structure' | 'deal_id'
> & {
  day: number;
  /** Periods whose tape was read, and those told before. */
  settled: number[];
};

/** The next issued pools whose tapes have a due day. For workers. */
export function listPoolsAfter(tx: Tx, after: string, limit: number): Promise<DuePool[]> {
  return tx.rows<DuePool>(
    `select p.organization_id, p.pool_id, p.name, p.cut_off_date::text as cut_off_date, p.closing_date::text as closing_date, p.structure, p.deal_id,
       p.tape_due_business_day as day,
       array(select period from pool_tapes t where t.pool_id = p.pool_id and t.state = 'DONE'
             union select period from late_tapes l where l.pool_id = p.pool_id) as settled
     from pools p where p.tape_due_business_day is not null and p.status = 'ISSUED' and p.pool_id > $1 order by p.pool_id limit $2`,
    [after, limit],
  );
}

/** Notes that a period was told as late; false when it was before. */
export async function noteLate(tx: Tx, { organization_id, pool_id }: OfPool, period: number, dueDate: string): Promise<boolean> {
  const noted = await tx.exec(
    `insert into late_tapes (organization_id, pool_id, period, due_date, told_at) values ($1, $2, $3, $4, $5)
     on conflict (pool_id, period) do nothing`,
    [organization_id, pool_id, period, dueDate, tx.now],
  );
  return noted === 1;
}
