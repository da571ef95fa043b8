import type { Tx } from '../../platform/db/database.ts';
import { type KindOfList, keptTotalOfKinds } from '../../platform/db/kept-totals.ts';
import { between } from '../../platform/db/list-filter.ts';
import type { PlacedList } from '../../platform/db/list-places.ts';
import { mapPage, newestFirst, type Page } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { type DealFilter, type DealRow, listMarketStatuses } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

export const DEAL_KINDS = ['LOAN', 'SECURITIZATION'] as const;

type Figures = Pick<DealRow, 'loan_count' | 'total_balance' | 'issue_counts'>;
export type OperatorDeal = DealRow & { kind: (typeof DEAL_KINDS)[number]; organization_id: Id<'org'> };
export type OperatorDealFilter = DealFilter & {
  kind?: string;
  market_status?: string;
  organization_id?: Id<'org'>;
  deal_id?: Id<'deal'>;
};

// Both kinds in the words of the loan deals' list.
const DEALS = `(
  select deal_id as id, 'LOAN' as kind, organization_id, name, loan_type, status, null as market_status, tape_version, null as pool_id,
    created_at, updated_at from deals
  union all
  select deal_id, 'SECURITIZATION', organization_id, name, asset_type, status, market_status, null, pool_id, created_at, updated_at
    from securitization_deals) d`;

/** The deals of both kinds, newest first. */
export const DEALS_OF_BOTH_KINDS: PlacedList = {
  tables: ['deals', 'securitization_deals'],
  from: DEALS,
  order: newestFirst('d.created_at', 'd.id'),
  apart: 'all',
};

/**
 * The deals of both kinds in a market status. Read once before the page: within its statement the planner may read them again for each deal, as
 * it expects to have its page after a few.
 */
async function listInMarket(tx: Tx, status: string): Promise<Id<'deal'>[]> {
  const rows = await tx.rows<{ id: Id<'deal'> }>(
    `select deal_id as id from securitization_deals where market_status = $1
     union all
     select id from (
       select distinct on (loan.id) loan.id, sd.market_status
       from securitization_deals sd join pools p using (pool_id) cross join lateral unnest(p.deal_ids) as loan (id)
       order by loan.id, sd.created_at desc) newest
     where newest.market_status = $1`,
    [status],
  );
  return rows.map(({ id }) => id);
}

// A loan deal's figures are its tape's, the version in force or else the newest; a securitization deal's are its pool's.
const FIGURES = `case d.kind when 'SECURITIZATION' then (
  select json_build_object('loan_count', loan_count, 'total_balance', balance) from pools where pool_id = d.pool_id)
  else (
    select json_build_object('loan_count', accepted, 'total_balance', total_balance, 'issue_counts', json_build_object('error', errors, 'warning', warnings))
    from tapes where deal_id = d.id and version = coalesce(d.tape_version, version) order by version desc limit 1) end`;

const KINDS: readonly KindOfList[] = [
  { kind: 'LOAN', list: 'deals', names: {} },
  { kind: 'SECURITIZATION', list: 'securitization_deals', names: { loan_type: 'asset_type' } },
];

const NO_FIGURES: Figures = { loan_count: 0, total_balance: 0, issue_counts: { error: 0, warning: 0 } };

/** A deal of either kind, of any organization. */
export async function findOperatorDeal(tx: Tx, dealId: Id<'deal'>): Promise<OperatorDeal | null> {
  const { rows } = await listOperatorDeals(tx, { page: 1, limit: 1, deal_id: dealId });
  return rows[0] ?? null;
}

/** Deals of both kinds of all organizations, newest first. */
export async function listOperatorDeals(tx: Tx, filter: OperatorDealFilter): Promise<Page<OperatorDeal>> {
  const filters: Filter[] = [
    ['d.kind = ?', filter.kind],
    ['d.status = ?', filter.status],
    ['d.id = any(?::text[])', filter.market_status === undefined ? undefined : await listInMarket(tx, filter.market_status)],
    ['d.loan_type = ?', filter.type],
    ['d.organization_id = ?', filter.organization_id],
    ['d.id = ?', filter.deal_id],
    ...between('d.created_at', filter),
  ];
  const select = `d.id, d.id as deal_id, d.kind, d.organization_id, d.name, d.loan_type, d.status, d.market_status, d.tape_version, ${FIGURES} as figures,
    d.created_at, d.updated_at`;
  const found = await selectPage<Omit<OperatorDeal, keyof Figures> & { figures: Partial<Figures> | null }>(
    tx,
    {
      select,
      from: DEALS,
      filters,
      order: DEALS_OF_BOTH_KINDS.order,
      apart: 'all',
      enumerated: ['status', 'loan_type'],
      total: (equal) => keptTotalOfKinds(tx, KINDS, equal),
      placed: DEALS_OF_BOTH_KINDS,
    },
    filter,
  );
  const loanDeals = found.rows.filter(({ kind }) => kind === 'LOAN');
  const owners = new Set(loanDeals.map((row) => row.organization_id));
  const inMarket = await listMarketStatuses(
    tx,
    [...owners],
    loanDeals.map((row) => row.id),
  );
  return mapPage(found, ({ figures, ...row }) => ({
    ...row,
    market_status: row.market_status ?? inMarket.get(row.id) ?? null,
    ...NO_FIGURES,
    ...figures,
  }));
}
