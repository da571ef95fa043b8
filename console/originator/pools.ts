import { list } from '../lib/api.ts';
import { count, date, decimal, percent, roundMoney } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { PoolSummary } from '../wire/api.ts';
import { LOAN_TYPES } from '../wire/choices.ts';

export const POOL_STATUSES = ['DRAFT', 'STRUCTURED', 'LOCKED', 'ISSUED', 'CLOSED', 'CANCELLED'] as const;

export function Pools({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', type = '', page: at = '1' } = query;
  const pools = useLoad(
    () => list<PoolSummary>('/v1/api/originator/pools', { status, type, page: at, limit: 20 }),
    [status, type, at],
  );
  return page(
    {
      title: 'Pools',
      lead: 'Loans of approved deals at a cut-off date, with their tranches and their waterfall.',
      aside: html`<a class="button primary" href="#/pools/new">Form a pool</a>`,
    },
    html`<div class="filters">${filter('status', 'Status', POOL_STATUSES, status)} ${filter('type', 'Loan type', LOAN_TYPES, type)}</div>`,
    shown(pools, (data) => [
      table({ caption: 'Pools', columns: COLUMNS, rows: data.rows, empty: 'There is no pool yet.' }),
      pager(data),
    ]),
  );
}

const COLUMNS: readonly Column<PoolSummary>[] = [
  {
    title: 'Pool',
    kind: 'wide',
    cell: (pool) =>
      html`<a href="#/pools/${pool.pool_id}"><strong>${pool.name}</strong></a><small>${pool.loan_type} · ${pool.offering}</small>`,
  },
  { title: 'Status', cell: (pool) => badge(pool.status) },
  { title: 'Loans', kind: 'number', cell: (pool) => count(pool.loan_count) },
  { title: 'Balance', kind: 'number', cell: (pool) => roundMoney(pool.balance) },
  { title: 'WAC', kind: 'number', cell: (pool) => percent(pool.wac) },
  { title: 'WAM', kind: 'number', cell: (pool) => decimal(pool.wam, 1) },
  { title: 'Closing', cell: (pool) => date(pool.closing_date) },
];
