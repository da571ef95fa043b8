import { storedRecord } from '../../platform/http/stored-record.ts';
import type { LoanRule } from '../../loans/criteria/language.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { Fingerprint } from '../../loans/identity/identity.ts';
import type { LoanType } from '../../loans/types.ts';
import { SYNTHETIC_IDS } from '../tapes/queries.ts';
import { noteRemoved, READERS_MINUTES } from '../tapes/seal-queries.ts';
import type { Id } from '../../platform/ids.ts';

export const POOL_STATUSES = ['DRAFT', 'STRUCTURED', 'LOCKED', 'ISSUED', 'CLOSED', 'CANCELLED'] as const;
export type PoolStatus = (typeof POOL_STATUSES)[number];

/** What investors see of the loans of a pool: groups of them, or each of them in the disclosed fields. */
export const DISCLOSURE_LEVELS = ['AGGREGATE', 'LOAN_LEVEL'] as const;
export type DisclosureLevel = (typeof DISCLOSURE_LEVELS)[number];

export const OFFERINGS = ['144A', '506C', 'REG_S'] as const;
export type Offering = (typeof OFFERINGS)[number];

/** A pool with its last servicer report. */
export const POOL_RECORD = storedRecord('pools', 'pool_id', {
  without: ['loans_version', 'months_version'],
  also: [`(select to_jsonb(m) - 'state' from remittances m where m.pool_id = r.pool_id order by m.period desc limit 1)`],
});

export type Pool = {
  pool_id: Id<'pool'>;
  organization_id: Id<'org'>;
  name: string;
  status: PoolStatus;
  deal_ids: Id<'deal'>[];
  loan_type: LoanType;
  offering: Offering;
  cut_off_date: string;
  closing_date: string;
  filter: LoanRule[] | null;
  sc_job_ids: Id<'scj'>[];
  loan_count: number;
  /** Exact decimal text. */
  balance: string;
  wac: string | null;
  wam: string | null;
  loans_key: string | null;
  loan_set: string | null;
  tape_versions: Record<string, number>;
  warnings: string[];
  /** Loans by the fingerprint that they have; null in a pool of before, until a worker has made them. */
  fingerprinted: Record<Fingerprint, number> | null;
  structure: Structure | null;
  structure_version: number;
  issue_requested_at: Date | null;
  deal_id: Id<'deal'> | null;
  disclosure_level: DisclosureLevel;
  /** Fields of the dictionary; they count at LOAN_LEVEL. */
  disclosed_fields: string[];
  disclosure_version: number;
  /** Versions of its tables for other programs. */
  loans_version: number;
  months_version: number;
  created_at: Date;
  updated_at: Date;
};

const POOL = `p.pool_id, p.organization_id, p.name, p.status, p.deal_ids, p.loan_type, p.offering, p.cut_off_date::text as cut_off_date,
  p.closing_date::text as closing_date, p.filter, p.sc_job_ids, p.loan_count, p.balance::text as balance, p.wac::text as wac, p.wam::text as wam,
  p.loans_key, p.loan_set, p.tape_versions, p.warnings, p.fingerprinted, p.structure, p.structure_version, p.issue_requested_at, p.deal_id,
  p.disclosure_level, p.disclosed_fields, p.disclosure_version, p.loans_version, p.months_version, p.created_at, p.updated_at`;

/** SQL: the day of the month on which the deal of a pool pays, by its structure; null where that leaves it to the default, the 15th. */
export const paymentDay = (pool: string): string =>
  `coalesce((${pool}.structure #>> '{payment,payment_day}')::int, extract(day from (${pool}.structure #>> '{payment,first_payment_date}')::date)::int)`;

const OWN_POOL = `select ${POOL} from pools p where organization_id = $1 and pool_id = $2`;

export function findPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool | null> {
  return tx.one<Pool>(OWN_POOL, [organizationId, poolId]);
}

/** For operators, who may see every pool. */
export function findAnyPool(tx: Tx, poolId: Id<'pool'>): Promise<Pool | null> {
  return tx.one<Pool>(`select ${POOL} from pools p where pool_id = $1`, [poolId]);
}

/** The pool behind a securitization deal. The caller's organization may see the deal. */
export function findPoolOfDeal(tx: Tx, dealId: Id<'deal'>): Promise<Pool | null> {
  return tx.one<Pool>(`select ${POOL} from securitization_deals d join pools p using (pool_id) where d.deal_id = $1`, [dealId]);
}

/** The pool under a row lock: every change of a pool takes it first. */
export function lockPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool | null> {
  return tx.one<Pool>(`${OWN_POOL} for update`, [organizationId, poolId]);
}

/** The pool under a lock that others may have too: its loans stay what they are until the transaction has ended. */
export function holdPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool | null> {
  return tx.one<Pool>(`${OWN_POOL} for share`, [organizationId, poolId]);
}

export type PoolFilter = PageRequest &
  Between & {
    status?: string;
    type?: string;
    deal_id?: Id<'deal'>;
  };

/** Pools, newest first: one organization's, or every organization's when `organizationId` is null (the operator). */
export function listPools(tx: Tx, organizationId: Id<'org'> | null, filter: PoolFilter): Promise<Page<Pool>> {
  const filters: Filter[] = [
    ['p.organization_id = ?', organizationId],
    ['p.status = ?', filter.status],
    ['p.loan_type = ?', filter.type],
    ['(? = p.deal_id or ? = any(p.deal_ids))', filter.deal_id],
    ...between('p.created_at', filter),
  ];
  return selectPage<Pool>(
    tx,
    { select: POOL, from: 'pools p', filters, order: newestFirst('p.created_at', 'p.pool_id'), apart: 'all' },
    filter,
  );
}

/** The selected loans of a pool; exact decimals as text. */
export type SelectedLoans = {
  loans_key: string;
  loan_set: string;
  loan_count: number;
  balance: string;
  wac: string | null;
  wam: string | null;
  tape_versions: Record<string, number>;
  warnings: string[];
  /** Loans by the fingerprint that they have, and the key that made the fingerprints. */
  fingerprinted: Record<Fingerprint, number>;
  fingerprint_key: string;
};

export type PoolTerms = Pick<
  Pool,
  'name' | 'deal_ids' | 'loan_type' | 'offering' | 'cut_off_date' | 'closing_date' | 'filter' | 'sc_job_ids'
>;

/** A tape version from which a pool took loans, as it stands in the store. */
export type PoolTape = { deal_id: Id<'deal'>; deal_number: number; loans_key: string; synthetic_ids: boolean };

export function listPoolTapes(tx: Tx, pool: Pick<Pool, 'organization_id' | 'tape_versions'>): Promise<PoolTape[]> {
  return tx.rows<PoolTape>(
    `select d.deal_id, d.deal_number, t.loans_key, ${SYNTHETIC_IDS} as synthetic_ids
     from json_each_text($2) v join deals d on d.deal_id = v.key join tapes t on t.deal_id = v.key and t.version = v.value::int
     where d.organization_id = $1 and t.loans_key is not null order by d.deal_number`,
    [pool.organization_id, JSON.stringify(pool.tape_versions)],
  );
}

/** A live pool whose loans are to be written down, or compared with those of others. */
export type UnsettledPool = Pool & { loans_key: string; encumbered_at: Date | null; fingerprint_key: string | null };

/** The next live pool whose loans are not written down, not under this key, or not compared with those of others. For workers. */
export function findUnsettledPool(tx: Tx, keyId: string, after: string): Promise<UnsettledPool | null> {
  return tx.one<UnsettledPool>(
    `select ${POOL}, p.encumbered_at, p.fingerprint_key from pools p
     where p.status <> 'CANCELLED' and p.loans_key is not null and p.pool_id > $2
       and (p.encumbered_at is null or p.compared_at is null or p.fingerprint_key is distinct from $1)
     order by p.pool_id limit 1`,
    [keyId, after],
  );
}

/** How many live pools have their loans written down under another key. */
export async function countPoolsOfOtherKeys(tx: Tx, keyId: string): Promise<number> {
  const row = await tx.one<{ pools: number }>(
    `select count(*)::int as pools from pools where status <> 'CANCELLED' and fingerprint_key <> $1`,
    [keyId],
  );
  return row?.pools ?? 0;
}

/** The loans of a pool are written down. */
export async function setEncumbered(
  tx: Tx,
  { organization_id, pool_id }: PoolOwner,
  fingerprinted: object,
  keyId: string,
): Promise<void> {
  await tx.exec(
    `update pools set encumbered_at = coalesce(encumbered_at, $3), fingerprinted = $4, fingerprint_key = $5, compared_at = null
     where organization_id = $1 and pool_id = $2`,
    [organization_id, pool_id, tx.now, JSON.stringify(fingerprinted), keyId],
  );
}

/** The loans of a pool were compared with those of others. */
export async function setCompared(tx: Tx, poolId: Id<'pool'>): Promise<void> {
  await tx.exec('update pools set compared_at = $2 where pool_id = $1', [poolId, tx.now]);
}

/** Whether the loans of a pool were compared with those of others since they were selected. */
export async function isCompared(tx: Tx, { organization_id, pool_id }: PoolOwner): Promise<boolean> {
  const row = await tx.one('select 1 from pools where organization_id = $1 and pool_id = $2 and compared_at is not null', [
    organization_id,
    pool_id,
  ]);
  return row !== null;
}

/** The pool by its id alone, under a row lock. For workers. */
export function lockAnyPool(tx: Tx, poolId: Id<'pool'>): Promise<Pool | null> {
  return tx.one<Pool>(`select ${POOL} from pools p where pool_id = $1 for update`, [poolId]);
}

export type PoolOwner = { organization_id: Id<'org'>; pool_id: Id<'pool'> };

/** Writes a DRAFT pool. */
export function insertPool(tx: Tx, owner: PoolOwner, terms: PoolTerms, loans: SelectedLoans): Promise<Pool | null> {
  return tx.one<Pool>(
    `insert into pools as p (pool_id, organization_id, name, status, deal_ids, loan_type, offering, cut_off_date, closing_date, filter, sc_job_ids,
       loan_count, balance, wac, wam, loans_key, loan_set, tape_versions, warnings, fingerprinted, fingerprint_key, created_at, updated_at, encumbered_at)
     values ($1, $2, $3, 'DRAFT', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21, $21) returning ${POOL}`,
    [owner.pool_id, owner.organization_id, ...termValues(terms), ...loanValues(loans), tx.now],
  );
}

/** Writes the terms of a locked pool. */
export function updateTerms(tx: Tx, { organization_id, pool_id }: PoolOwner, terms: PoolTerms): Promise<Pool | null> {
  return tx.one<Pool>(
    `update pools p set name = $3, deal_ids = $4, loan_type = $5, offering = $6, cut_off_date = $7, closing_date = $8, filter = $9, sc_job_ids = $10,
       updated_at = $11 where organization_id = $1 and pool_id = $2 returning ${POOL}`,
    [organization_id, pool_id, ...termValues(terms), tx.now],
  );
}

/** Replaces the loans of a locked pool. */
export async function updateLoans(tx: Tx, { organization_id, pool_id }: PoolOwner, loans: SelectedLoans): Promise<void> {
  await tx.exec(
    `update pools set loan_count = $3, balance = $4, wac = $5, wam = $6, loans_key = $7, loan_set = $8, tape_versions = $9, warnings = $10,
       fingerprinted = $11, fingerprint_key = $12, compared_at = null, loans_version = loans_version + 1
     where organization_id = $1 and pool_id = $2`,
    [organization_id, pool_id, ...loanValues(loans)],
  );
}

/** Has the former loans of a pool that is not issued deleted, unless a calculation names them; so far, only its owner has any. */
export async function dropFormerLoans(tx: Tx, { organization_id, pool_id, loans_key }: Pool): Promise<void> {
  if (!loans_key) return;
  const named = await tx.one(
    `select 1 from calculations where organization_id = $1 and pool_id = $2 and inputs -> 'pool' ->> 'loans_key' = $3 limit 1`,
    [organization_id, pool_id, loans_key],
  );
  if (!named) await noteRemoved(tx, organization_id, [loans_key], READERS_MINUTES);
}

const termValues = (terms: PoolTerms): unknown[] => [
  terms.name,
  terms.deal_ids,
  terms.loan_type,
  terms.offering,
  terms.cut_off_date,
  terms.closing_date,
  terms.filter === null ? null : JSON.stringify(terms.filter),
  terms.sc_job_ids,
];

const loanValues = (loans: SelectedLoans): unknown[] => [
  loans.loan_count,
  loans.balance,
  loans.wac,
  loans.wam,
  loans.loans_key,
  loans.loan_set,
  JSON.stringify(loans.tape_versions),
  JSON.stringify(loans.warnings),
  JSON.stringify(loans.fingerprinted),
  loans.fingerprint_key,
];

/** The organization of a pool. For operators, who may see every pool. */
export async function findPoolOwner(tx: Tx, poolId: Id<'pool'>): Promise<Id<'org'> | null> {
  const row = await tx.one<{ organization_id: Id<'org'> }>('select organization_id from pools where pool_id = $1', [poolId]);
  return row?.organization_id ?? null;
}

/** Takes the request of a locked pool back. */
export function clearIssueRequested(tx: Tx, { organization_id, pool_id }: PoolOwner): Promise<Pool | null> {
  return tx.one<Pool>(
    `update pools p set issue_requested_at = null, updated_at = $3 where organization_id = $1 and pool_id = $2 returning ${POOL}`,
    [organization_id, pool_id, tx.now],
  );
}

export function setIssueRequested(tx: Tx, { organization_id, pool_id }: PoolOwner): Promise<Pool | null> {
  return tx.one<Pool>(
    `update pools p set issue_requested_at = $3, updated_at = $3 where organization_id = $1 and pool_id = $2 returning ${POOL}`,
    [organization_id, pool_id, tx.now],
  );
}

/** Writes what a locked pool discloses of its loans. */
export function updateDisclosure(
  tx: Tx,
  { organization_id, pool_id }: PoolOwner,
  level: DisclosureLevel,
  fields: readonly string[],
): Promise<Pool | null> {
  return tx.one<Pool>(
    `update pools p set disclosure_level = $3, disclosed_fields = $4, disclosure_version = disclosure_version + 1, updated_at = $5
     where organization_id = $1 and pool_id = $2 returning ${POOL}`,
    [organization_id, pool_id, level, fields, tx.now],
  );
}
