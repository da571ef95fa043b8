import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { mapPage, newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { type Id } from '../../platform/ids.ts';
import { INGEST_STAGES } from '../../loans/ingest/ingest-types.ts';
import type { LoanType, RuleCount } from '../../loans/types.ts';

export const DEAL_STATUSES = ['DRAFT', 'IN_REVIEW', 'QC_COMPLETED', 'APPROVED', 'REJECTED', 'EXPIRED', 'WITHDRAWN'] as const;
export type DealStatus = (typeof DEAL_STATUSES)[number];

/** The status of a securitization deal on the market; the loan deals in its pool show it too. */
export const MARKET_STATUSES = ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED', 'WITHDRAWN'] as const;
export type MarketStatus = (typeof MARKET_STATUSES)[number];

export type Move = { to: DealStatus; actor: string; reason_code?: string; reason?: string };

/**
 * A loan deal with the states of its tapes, and where its loans are on the market. The progress of running checks is no part of it, nor is
 * that its owner was warned.
 */
export const DEAL_RECORD = storedRecord('deals', 'deal_id', {
  without: ['expiry_alerted_at'],
  also: [
    `(select jsonb_agg(jsonb_build_array(t.version, t.state, t.run, t.mapping_id, t.completed_at) order by t.version)
      from tapes t where t.deal_id = r.deal_id)`,
    `(select jsonb_agg(sd.market_status order by sd.deal_id) from pools p join securitization_deals sd using (pool_id)
      where p.organization_id = r.organization_id and r.deal_id = any(p.deal_ids))`,
  ],
});

export type Deal = {
  deal_id: Id<'deal'>;
  organization_id: Id<'org'>;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  /** The version in force: the newest tape whose checks have ended. */
  tape_version: number | null;
  loan_count: number;
  total_balance: string;
  created_at: Date;
  updated_at: Date;
};

export type DealRow = {
  id: Id<'deal'>;
  deal_id: Id<'deal'>;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  market_status: MarketStatus | null;
  loan_count: number;
  total_balance: number;
  tape_version: number | null;
  issue_counts: { error: number; warning: number };
  created_at: Date;
  updated_at: Date;
};

const DEAL = `select d.*, coalesce(t.accepted, 0) as loan_count, coalesce(t.total_balance, 0)::text as total_balance
  from deals d left join tapes t on t.deal_id = d.deal_id and t.version = d.tape_version`;

export function findDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Deal | null> {
  return tx.one<Deal>(`${DEAL} where d.organization_id = $1 and d.deal_id = $2`, [organizationId, dealId]);
}

/** The deal under a row lock: every move of its status takes it first. */
export async function lockDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Deal | null> {
  // A statement that waits for a lock looks again at the locked row alone: the tape is read by one that begins after it.
  const [, deal] = await Promise.all([
    tx.exec('select from deals where organization_id = $1 and deal_id = $2 for update', [organizationId, dealId]),
    findDeal(tx, organizationId, dealId),
  ]);
  return deal;
}

/** The owner of a deal. For operators, who may see every deal. */
export async function findOwner(tx: Tx, dealId: Id<'deal'>): Promise<Id<'org'> | null> {
  return (
    (await tx.one<{ organization_id: Id<'org'> }>('select organization_id from deals where deal_id = $1', [dealId]))
      ?.organization_id ?? null
  );
}

export async function insertDeal(
  tx: Tx,
  row: { organization_id: Id<'org'>; name: string; loan_type: string; status: DealStatus; bulk_job_id?: string; actor: string },
): Promise<Deal> {
  const dealId = tx.newId('deal');
  await tx.exec(
    `insert into deals (deal_id, organization_id, name, loan_type, status, bulk_job_id, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [dealId, row.organization_id, row.name, row.loan_type, row.status, row.bulk_job_id ?? null, tx.now],
  );
  await tx.exec(
    `insert into deal_history (deal_id, organization_id, sequence, from_status, to_status, at, actor) values ($1, $2, 1, null, $3, $4, $5)`,
    [dealId, row.organization_id, row.status, tx.now, row.actor],
  );
  return (await findDeal(tx, row.organization_id, dealId)) as Deal;
}

/** The state of the checks of the deal's newest tape. */
export type NewestChecks = {
  version: number;
  state: (typeof CHECK_STATES)[number];
  file_name: string;
  created_at: Date;
  failure: string | null;
  mapping_id: string | null;
  as_of_date: string | null;
  rows: number;
  accepted: number;
  rejected: number;
  total_balance: string;
  errors: number;
  warnings: number;
  by_rule: RuleCount[] | null;
  progress: { stage: (typeof CHECK_STAGES)[number]; done: number; total: number } | null;
  balance_basis: string | null;
  findings: Record<string, unknown>;
};

export const CHECK_STATES = ['RUNNING', 'NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED'] as const;

/** The stages of running checks in their order: those of the ingest, then the storing of its files. */
export const CHECK_STAGES = [...INGEST_STAGES, 'STORING'] as const;

const CHECKS = `t.version, t.state, t.file_name, t.created_at, t.failure, t.mapping_id, t.as_of_date::text as as_of_date, t.rows, t.accepted, t.rejected,
  t.total_balance::text as total_balance, t.errors, t.warnings,
  case when t.by_rule is null and t.issues_key is null then '[]' else t.by_rule end as by_rule, t.progress, t.balance_basis, t.findings
  from tapes t join deals d using (deal_id) where d.organization_id = $1 and d.deal_id = $2`;

/**
 * The checks of the deal's newest tape, whatever their state; null before the first tape. A dropped version does not count, nor does
 * one that still waited for a confirmation when the deal was decided.
 */
export function findNewestChecks(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<NewestChecks | null> {
  return tx.one<NewestChecks>(
    `select ${CHECKS} and t.state <> 'DROPPED' and (t.state <> 'NEEDS_CONFIRMATION' or d.status in ('IN_REVIEW', 'QC_COMPLETED'))
     order by t.version desc limit 1`,
    [organizationId, dealId],
  );
}

/** The checks of the version in force; null before there is one. */
export function findChecksInForce(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<NewestChecks | null> {
  return tx.one<NewestChecks>(`select ${CHECKS} and t.version = d.tape_version`, [organizationId, dealId]);
}

/** The live pool that holds loans of the deal, or null. */
export async function findLivePool(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Id<'pool'> | null> {
  const pool = await tx.one<{ pool_id: Id<'pool'> }>(
    `select pool_id from pools where organization_id = $1 and $2 = any(deal_ids) and status <> 'CANCELLED' limit 1`,
    [organizationId, dealId],
  );
  return pool?.pool_id ?? null;
}

type Draft = { deal_id: Id<'deal'>; organization_id: Id<'org'> };

/** Drafts that have been idle for so many days, the longest first; with `unalerted`, only those whose owner has not been alerted. */
export function listIdleDrafts(tx: Tx, idleDays: number, unalerted: boolean, most: number): Promise<Draft[]> {
  return tx.rows<Draft>(
    `select deal_id, organization_id from deals where status = 'DRAFT' and updated_at <= sluice_now() - make_interval(days => $1)
       and (expiry_alerted_at is null or not $2) order by updated_at limit $3`,
    [idleDays, unalerted, most],
  );
}

/**
 * Records that the owner of a draft was alerted. Returns the name of the deal, or null if its owner was alerted before or it is no longer
 * a draft.
 */
export async function markExpiryAlerted(tx: Tx, dealId: Id<'deal'>): Promise<string | null> {
  const marked = await tx.one<{ name: string }>(
    `update deals set expiry_alerted_at = sluice_now() where deal_id = $1 and status = 'DRAFT' and expiry_alerted_at is null returning name`,
    [dealId],
  );
  return marked?.name ?? null;
}

export async function setTapeVersion(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>, version: number): Promise<void> {
  await tx.exec('update deals set tape_version = $3, updated_at = $4 where organization_id = $1 and deal_id = $2', [
    organizationId,
    dealId,
    version,
    tx.now,
  ]);
}

export async function touchDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<void> {
  await tx.exec('update deals set updated_at = $3, expiry_alerted_at = null where organization_id = $1 and deal_id = $2', [
    organizationId,
    dealId,
    tx.now,
  ]);
}

export async function deleteDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<void> {
  await tx.exec('delete from deals where organization_id = $1 and deal_id = $2', [organizationId, dealId]);
  await tx.exec('delete from uploads where organization_id = $1 and deal_id = $2', [organizationId, dealId]);
}

export async function findDraft(tx: Tx, organizationId: Id<'org'>, loanType: string): Promise<Id<'deal'> | null> {
  const row = await tx.one<{ deal_id: Id<'deal'> }>(
    `select deal_id from deals where organization_id = $1 and loan_type = $2 and status = 'DRAFT'`,
    [organizationId, loanType],
  );
  return row?.deal_id ?? null;
}

export async function appendHistory(tx: Tx, deal: Deal, move: Move): Promise<void> {
  await tx.exec(
    `insert into deal_history (deal_id, organization_id, sequence, from_status, to_status, at, actor, reason_code, reason)
     select $1, $2, coalesce(max(sequence), 0) + 1, $3, $4, $5, $6, $7, $8 from deal_history where deal_id = $1`,
    [deal.deal_id, deal.organization_id, deal.status, move.to, tx.now, move.actor, move.reason_code ?? null, move.reason ?? null],
  );
}

export function listHistory(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>) {
  return tx.rows<{ from: DealStatus | null; to: DealStatus; at: Date; actor: string; reason: string | null }>(
    `select from_status as "from", to_status as "to", at, actor, reason from deal_history where organization_id = $1 and deal_id = $2 order by sequence`,
    [organizationId, dealId],
  );
}

export type DealFilter = PageRequest &
  Between & {
    status?: string;
    type?: string;
  };

const ROW = `d.deal_id as id, d.deal_id, d.name, d.loan_type, d.status, coalesce(t.accepted, 0) as loan_count,
  coalesce(t.total_balance, 0)::float8 as total_balance, d.tape_version,
  json_build_object('error', coalesce(t.errors, 0), 'warning', coalesce(t.warnings, 0)) as issue_counts, d.created_at, d.updated_at`;

// The version in force, or the newest one before there is any: a tape that waits for its mapping has findings too.
const FROM = `deals d
  left join lateral (
    select * from tapes where deal_id = d.deal_id and version = coalesce(d.tape_version, version) order by version desc limit 1) t on true`;

/** An organization's loan deals, newest first. */
export async function listDeals(tx: Tx, organizationId: Id<'org'>, filter: DealFilter): Promise<Page<DealRow>> {
  const filters: Filter[] = [
    ['d.organization_id = ?', organizationId],
    ['d.status = ?', filter.status],
    ['d.loan_type = ?', filter.type],
    ...between('d.created_at', filter),
  ];
  const order = newestFirst('d.created_at', 'd.deal_id');
  const found = await selectPage<Omit<DealRow, 'market_status'>>(
    tx,
    { select: ROW, from: FROM, countFrom: 'deals d', filters, order },
    filter,
  );
  const inMarket = await listMarketStatuses(
    tx,
    [organizationId],
    found.rows.map((row) => row.deal_id),
  );
  return mapPage(found, (row) => ({ ...row, market_status: inMarket.get(row.deal_id) ?? null }));
}

export async function findDealRow(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<DealRow | null> {
  const [row, inMarket] = await Promise.all([
    tx.one<Omit<DealRow, 'market_status'>>(`select ${ROW} from ${FROM} where d.organization_id = $1 and d.deal_id = $2`, [
      organizationId,
      dealId,
    ]),
    listMarketStatuses(tx, [organizationId], [dealId]),
  ]);
  return row && { ...row, market_status: inMarket.get(dealId) ?? null };
}

/**
 * Where the loans of deals are on the market: the status of the newest securitization deal that holds them. The owners' deals on the market are
 * read once for all of the deals: no index finds a pool by a deal in it.
 */
export async function listMarketStatuses(
  tx: Tx,
  owners: readonly Id<'org'>[],
  dealIds: readonly Id<'deal'>[],
): Promise<Map<Id<'deal'>, MarketStatus>> {
  if (dealIds.length === 0) return new Map();
  const rows = await tx.rows<{ deal_id: Id<'deal'>; market_status: MarketStatus }>(
    `select distinct on (loan.deal_id) loan.deal_id, sd.market_status
     from securitization_deals sd join pools p using (pool_id) cross join lateral unnest(p.deal_ids) as loan (deal_id)
     where sd.organization_id = any($1) and p.organization_id = sd.organization_id and loan.deal_id = any($2)
     order by loan.deal_id, sd.created_at desc`,
    [owners, dealIds],
  );
  return new Map(rows.map((row) => [row.deal_id, row.market_status]));
}
