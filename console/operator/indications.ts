import { list } from '../lib/api.ts';
import { money, time } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { OperatorDealSummary, OperatorIoi } from '../wire/api.ts';
import { IOI_STATUSES } from '../wire/choices.ts';

/** Indications of interest of all investors, newest first. */
export function Indications({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', page: at = '1' } = query;
  const deals = useLoad(() => list<OperatorDealSummary>('/v1/operator/deals', { kind: 'SECURITIZATION', limit: 100 }), []);
  const names = new Map(deals.data?.rows.map((deal) => [deal.id, deal.name]));
  const found = useLoad(() => list<OperatorIoi>('/v1/operator/iois', { status, page: at, limit: 25 }), [status, at]);
  return page(
    { title: 'Indications', lead: 'Interest of investors, without commitment.' },
    html`<div class="filters">${filter('status', 'Status', IOI_STATUSES, status)}</div>`,
    shown(found, (data) => [
      table({ caption: 'Indications', columns: columnsOf(names), rows: data.rows, empty: 'No indication matches.' }),
      pager(data),
    ]),
  );
}

const columnsOf = (names: ReadonlyMap<string, string>): readonly Column<OperatorIoi>[] => [
  {
    title: 'Investor',
    kind: 'wide',
    cell: (row) =>
      html`<a href="#/organizations/${row.organization_id}">${row.organization}</a><small>${time(row.created_at)}</small>`,
  },
  {
    title: 'Deal',
    kind: 'wide',
    cell: (row) => html`<a href="#/books/${row.deal_id}">${names.get(row.deal_id) ?? html`<code>${row.deal_id}</code>`}</a>`,
  },
  { title: 'Amount', kind: 'number', cell: (row) => money(row.interest_amount) },
  { title: 'Status', cell: (row) => badge(row.status) },
];
