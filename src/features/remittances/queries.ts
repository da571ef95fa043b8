import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Remittance, RemittanceState } from '../../finance/structure/remittance.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import type { Verification } from '../../finance/structure/verify-report.ts';
import type { PeriodPerformance } from './performance.ts';
import type { Pool } from '../pools/queries.ts';
import type { TriggerStatus } from './trigger-status.ts';
import type { Id } from '../../platform/ids.ts';

export const REMITTANCE_STATUSES = ['SCHEDULED', 'HELD', 'APPLIED'] as const;
export type RemittanceStatus = (typeof REMITTANCE_STATUSES)[number];

export type StoredRemittance = {
  remittance_id: Id<'rem'>;
  pool_id: Id<'pool'>;
  deal_id: Id<'deal'>;
  period: number;
  payment_date: string;
  status: RemittanceStatus;
  /** 1 at first; each restatement adds one. */
  version: number;
  report: Remittance;
  performance: PeriodPerformance;
  triggers: TriggerStatus[];
  /** Every figure beside the one that follows from the cash that was reported. */
  verification: Verification;
  accepted_at: Date | null;
  accepted_by: string | null;
  accepted_reason: string | null;
  applied_at: Date | null;
  restated_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** A report with the state that the next one starts from. */
export type RemittanceWithState = StoredRemittance & { state: RemittanceState };

const REMITTANCE = `r.remittance_id, r.pool_id, r.deal_id, r.period, r.payment_date::text as payment_date, r.status, r.version, r.report,
  r.performance, r.triggers, r.verification, r.accepted_at, r.accepted_by, r.accepted_reason, r.applied_at, r.restated_at, r.created_at, r.updated_at`;
const OF_POOL = 'from remittances r where r.organization_id = $1 and r.pool_id = $2';

type OfPool = Pick<Pool, 'organization_id' | 'pool_id'>;

export const REMITTANCE_RECORD = storedRecord('remittances', 'remittance_id', { without: ['state_after'] });

export function listRemittances(
  tx: Tx,
  organizationId: Id<'org'> | null,
  poolId: Id<'pool'>,
  page: PageRequest & Between,
): Promise<Page<StoredRemittance>> {
  const filters = [
    ['r.organization_id = ?', organizationId],
    ['r.pool_id = ?', poolId],
    ...between('r.created_at', page),
  ] as const;
  return selectPage<StoredRemittance>(
    tx,
    { select: REMITTANCE, from: 'remittances r', filters, order: [{ by: 'r.period', as: 'integer', desc: true }] },
    page,
  );
}

/** A report as the operator sees it: with whose it is. */
export type OperatorRemittance = StoredRemittance & { organization_id: Id<'org'>; pool_name: string };

const OF_ANYBODY = `${REMITTANCE}, r.organization_id, p.name as pool_name`;
const REMITTANCES_OF_POOLS = 'remittances r join pools p using (pool_id)';

export type OperatorRemittanceFilter = PageRequest &
  Between & {
    organization_id?: Id<'org'>;
    deal_id?: Id<'deal'>;
    status?: RemittanceStatus;
    verification?: Verification['status'];
  };

/** The reports of all pools, for the operator. */
export function listAllRemittances(tx: Tx, filter: OperatorRemittanceFilter): Promise<Page<OperatorRemittance>> {
  const filters: Filter[] = [
    ['r.organization_id = ?', filter.organization_id],
    ['r.deal_id = ?', filter.deal_id],
    ['r.status = ?', filter.status],
    [`r.verification->>'status' = ?`, filter.verification],
    ...between('r.created_at', filter),
  ];
  const order = newestFirst('r.created_at', 'r.remittance_id');
  return selectPage<OperatorRemittance>(
    tx,
    { select: OF_ANYBODY, from: REMITTANCES_OF_POOLS, countFrom: 'remittances r', filters, order },
    filter,
  );
}

export function findOperatorRemittance(tx: Tx, remittanceId: Id<'rem'>): Promise<OperatorRemittance | null> {
  const sql = `select ${OF_ANYBODY} from ${REMITTANCES_OF_POOLS} where r.remittance_id = $1`;
  return tx.one<OperatorRemittance>(sql, [remittanceId]);
}

/** `organizationId` null: any organization's (the operator). */
export function findRemittance(
  tx: Tx,
  organizationId: Id<'org'> | null,
  poolId: Id<'pool'>,
  remittanceId: Id<'rem'>,
): Promise<RemittanceWithState | null> {
  return tx.one<RemittanceWithState>(
    `select ${REMITTANCE}, r.state_after as state from remittances r where ($1::text is null or r.organization_id = $1) and r.pool_id = $2 and r.remittance_id = $3`,
    [organizationId, poolId, remittanceId],
  );
}

export function findRemittanceOfPeriod(
  tx: Tx,
  { organization_id, pool_id }: OfPool,
  period: number,
): Promise<StoredRemittance | null> {
  return tx.one<StoredRemittance>(`select ${REMITTANCE} ${OF_POOL} and r.period = $3`, [organization_id, pool_id, period]);
}

/** The latest report before a period, whatever its status, with the state after it; null before the first. */
export function findRemittanceBefore(
  tx: Tx,
  { organization_id, pool_id }: OfPool,
  period: number,
): Promise<RemittanceWithState | null> {
  return tx.one<RemittanceWithState>(
    `select ${REMITTANCE}, r.state_after as state ${OF_POOL} and r.period < $3 order by r.period desc limit 1`,
    [organization_id, pool_id, period],
  );
}

/** The reports after a period, whatever their status, in the order of their periods. */
export function listRemittancesAfter(tx: Tx, { organization_id, pool_id }: OfPool, period: number): Promise<StoredRemittance[]> {
  return tx.rows<StoredRemittance>(`select ${REMITTANCE} ${OF_POOL} and r.period > $3 order by r.period`, [
    organization_id,
    pool_id,
    period,
  ]);
}

/** The latest applied report of a pool; null before the first. */
export function findLastApplied(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<RemittanceWithState | null> {
  return tx.one<RemittanceWithState>(
    `select ${REMITTANCE}, r.state_after as state ${OF_POOL} and r.status = 'APPLIED' order by r.period desc limit 1`,
    [organizationId, poolId],
  );
}

/** An applied report as the performance of its pool is read from it. */
export type AppliedReport = Pick<StoredRemittance, 'period' | 'report' | 'performance'>;

/** The applied reports of a pool in the order of their periods, whose payment dates are within the bounds, both included. */
export function listApplied(
  tx: Tx,
  { organization_id, pool_id }: OfPool,
  { from = null, to = null }: { from?: string | null; to?: string | null },
): Promise<AppliedReport[]> {
  return tx.rows<AppliedReport>(
    `select r.period, r.report, r.performance ${OF_POOL} and r.status = 'APPLIED'
       and ($3::date is null or r.payment_date >= $3) and ($4::date is null or r.payment_date <= $4) order by r.period`,
    [organization_id, pool_id, from, to],
  );
}

/** A report by its id alone, for the operator. */
export function findAnyRemittance(tx: Tx, remittanceId: Id<'rem'>): Promise<RemittanceWithState | null> {
  return tx.one<RemittanceWithState>(
    `select ${REMITTANCE}, r.state_after as state from remittances r where r.remittance_id = $1`,
    [remittanceId],
  );
}

/** The report of a pool that waits to be accepted; null without one. */
export function findHeld(tx: Tx, { organization_id, pool_id }: OfPool): Promise<StoredRemittance | null> {
  return tx.one<StoredRemittance>(`select ${REMITTANCE} ${OF_POOL} and r.status = 'HELD' order by r.period limit 1`, [
    organization_id,
    pool_id,
  ]);
}

/** Signs off the differences of a report. */
export async function setAccepted(tx: Tx, { remittance_id }: StoredRemittance, by: string, reason: string): Promise<void> {
  await tx.exec(
    'update remittances set accepted_at = $2, accepted_by = $3, accepted_reason = $4, updated_at = $2 where remittance_id = $1',
    [remittance_id, tx.now, by, reason],
  );
}

/** The report to be applied next: the earliest that is not. */
export function findFirstUnapplied(tx: Tx, { organization_id, pool_id }: OfPool): Promise<RemittanceWithState | null> {
  return tx.one<RemittanceWithState>(
    `select ${REMITTANCE}, r.state_after as state ${OF_POOL} and r.status <> 'APPLIED' order by r.period limit 1`,
    [organization_id, pool_id],
  );
}

/** Pools of issued deals with a SCHEDULED report whose payment date has come, after a pool in the order of their ids. */
export function listDuePools(
  tx: Tx,
  today: string,
  after: string,
  limit: number,
): Promise<{ organization_id: Id<'org'>; pool_id: Id<'pool'> }[]> {
  return tx.rows(
    `select distinct p.organization_id, p.pool_id from remittances r join pools p using (pool_id)
     where r.status = 'SCHEDULED' and r.payment_date <= $1 and p.status in ('ISSUED', 'CLOSED') and p.pool_id > $2 order by p.pool_id limit $3`,
    [today, after, limit],
  );
}

/** The latest reports of a deal, whatever their status, the last period first. */
export function listLatestOfDeal(tx: Tx, dealId: Id<'deal'>, limit: number): Promise<RemittanceWithState[]> {
  return tx.rows<RemittanceWithState>(
    `select ${REMITTANCE}, r.state_after as state from remittances r where r.deal_id = $1 order by r.period desc limit $2`,
    [dealId, limit],
  );
}

/** The reports from a period on, whatever their status, the last period first. */
export function listFromPeriod(tx: Tx, { organization_id, pool_id }: OfPool, period: number): Promise<RemittanceWithState[]> {
  return tx.rows<RemittanceWithState>(
    `select ${REMITTANCE}, r.state_after as state ${OF_POOL} and r.period >= $3 order by r.period desc`,
    [organization_id, pool_id, period],
  );
}

type Content = Pick<RemittanceWithState, 'report' | 'performance' | 'triggers' | 'state' | 'verification'>;

const contentOf = ({ report, performance, triggers, state, verification }: Content): string[] =>
  [report, performance, triggers, state, verification].map((each) => JSON.stringify(each));

export type NewRemittance = Content & Pick<StoredRemittance, 'remittance_id'>;

/** Stores a report that waits for its payment date. */
export async function insertRemittance(tx: Tx, pool: OfPool & { deal_id: Id<'deal'> }, remittance: NewRemittance): Promise<void> {
  const { period, payment_date } = remittance.report;
  await tx.exec(
    `insert into remittances (pool_id, period, organization_id, remittance_id, deal_id, payment_date, report, performance, triggers, state_after, verification, status, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'SCHEDULED', $12, $12)`,
    [
      pool.pool_id,
      period,
      pool.organization_id,
      remittance.remittance_id,
      pool.deal_id,
      payment_date,
      ...contentOf(remittance),
      tx.now,
    ],
  );
}

/** Removes a report that was not applied; false when there is none. */
export async function deleteUnapplied(tx: Tx, { organization_id }: OfPool, remittanceId: Id<'rem'>): Promise<boolean> {
  const sql = `delete from remittances where organization_id = $1 and remittance_id = $2 and status <> 'APPLIED'`;
  return (await tx.exec(sql, [organization_id, remittanceId])) === 1;
}

/** Removes every report of a pool that was not applied, and returns them. */
export function deleteAllUnapplied(tx: Tx, { organization_id, pool_id }: OfPool): Promise<StoredRemittance[]> {
  return tx.rows<StoredRemittance>(
    `delete from remittances r where r.organization_id = $1 and r.pool_id = $2 and r.status <> 'APPLIED' returning ${REMITTANCE}`,
    [organization_id, pool_id],
  );
}

/** Stores what follows from reports after a change before them. */
export async function updateDerived(
  tx: Tx,
  { organization_id, pool_id }: OfPool,
  rows: readonly (Omit<Content, 'report'> & { period: number })[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.exec(
    // What was signed off are the differences of then.
    `update remittances r set performance = d.performance, triggers = d.triggers, state_after = d.state, verification = d.verification, updated_at = $4,
       accepted_at = case when r.verification::jsonb = d.verification::jsonb then r.accepted_at end
     from json_to_recordset($3) as d (period integer, performance json, triggers json, state json, verification json)
     where r.organization_id = $1 and r.pool_id = $2 and r.period = d.period`,
    [organization_id, pool_id, JSON.stringify(rows), tx.now],
  );
}

/** Puts other figures in the place of an applied report's, as its next version; the version before is kept. */
export async function restateStored(tx: Tx, row: StoredRemittance, content: Content): Promise<void> {
  await tx.exec(
    `insert into remittance_versions (remittance_id, version, organization_id, pool_id, report, performance, triggers, reported_at, replaced_at)
     select remittance_id, version, organization_id, pool_id, report, performance, triggers, coalesce(restated_at, created_at), $2
     from remittances where remittance_id = $1`,
    [row.remittance_id, tx.now],
  );
  await tx.exec(
    `update remittances set report = $2, performance = $3, triggers = $4, state_after = $5, verification = $6, version = version + 1, restated_at = $7, updated_at = $7
     where remittance_id = $1`,
    [row.remittance_id, ...contentOf(content), tx.now],
  );
}

export type RemittanceVersion = Pick<StoredRemittance, 'version' | 'report' | 'performance' | 'triggers'> & {
  reported_at: Date;
  replaced_at: Date;
};

/** The versions of a report that were replaced, the latest first. */
export function listVersions(tx: Tx, remittanceId: Id<'rem'>): Promise<RemittanceVersion[]> {
  return tx.rows<RemittanceVersion>(
    `select version, report, performance, triggers, reported_at, replaced_at from remittance_versions where remittance_id = $1 order by version desc`,
    [remittanceId],
  );
}

/** Sets the balances of the deal's tranches to the reported ones; interest accrues from `accrued_from` on. */
export async function setTrancheBalances(
  tx: Tx,
  pool: OfPool & { deal_id: Id<'deal'> },
  balances: readonly { tranche: string; balance: number; accrued_from: string }[],
): Promise<void> {
  await tx.exec(
    `update tranches t set current_balance = b.balance, accrued_from = b.accrued_from
     from json_to_recordset($3) as b (tranche text, balance numeric, accrued_from date)
     where t.deal_id = $1 and t.organization_id = $2 and t.tranche = b.tranche`,
    [pool.deal_id, pool.organization_id, JSON.stringify(balances)],
  );
}
