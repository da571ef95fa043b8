import { list, send } from '../lib/api.ts';
import { ago, count, date, roundMoney } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { POOL_STATUSES } from '../originator/pools.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { OperatorPoolSummary } from '../wire/api.ts';
import { useOrganizations } from './organizations.ts';

/** Pools of all originators; a locked one can be issued when its originator has requested it. */
export function PoolIssues({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', page: at = '1' } = query;
  const nameOf = useOrganizations();
  const pools = useLoad(() => list<OperatorPoolSummary>('/v1/operator/pools', { status, page: at, limit: 25 }), [status, at]);
  return page(
    { title: 'Pools', lead: 'An issued pool becomes a deal that investors can buy.' },
    html`<div class="filters">${filter('status', 'Status', POOL_STATUSES, status)}</div>`,
    shown(pools, (data) => [
      table({ caption: 'Pools', columns: columnsOf(nameOf, pools.reload), rows: data.rows, empty: 'No pool matches.' }),
      pager(data),
    ]),
  );
}

const columnsOf = (nameOf: (id: string | undefined) => string, after: () => void): readonly Column<OperatorPoolSummary>[] => [
  {
    title: 'Pool',
    kind: 'wide',
    cell: (pool) =>
      html`<strong>${pool.name}</strong><small>${nameOf(pool.organization_id)} · ${pool.loan_type} · ${pool.offering}</small>`,
  },
  {
    title: 'Status',
    cell: (pool) =>
      html`${badge(pool.status)}${pool.status === 'LOCKED' && html`<small>${pool.issue_requested_at ? `requested ${ago(pool.issue_requested_at)}` : 'not requested'}</small>`}`,
  },
  { title: 'Loans', kind: 'number', cell: (pool) => count(pool.loan_count) },
  { title: 'Balance', kind: 'number', cell: (pool) => roundMoney(pool.balance) },
  { title: 'Closing', cell: (pool) => date(pool.closing_date) },
  {
    title: '',
    kind: 'act',
    cell: (pool) =>
      pool.status === 'LOCKED' &&
      pool.issue_requested_at !== null &&
      act({
        text: 'Issue',
        tone: 'primary',
        question: { title: `Issue ${pool.name}?`, text: 'Its tranches appear to investors at once.', yes: 'Issue' },
        act: () => send('POST', `/v1/operator/pools/${pool.pool_id}/issue`),
        done: `${pool.name} is on the market.`,
        after,
      }),
  },
];
