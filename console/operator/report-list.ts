import { list } from '../lib/api.ts';
import { date, money, plural } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { differencesOf } from '../parts/differences.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { OperatorRemittance } from '../wire/api.ts';
import { useOrganizations } from './organizations.ts';

const STATUSES = ['SCHEDULED', 'HELD', 'APPLIED'];
const VERIFIED = ['AGREES', 'DIFFERS', 'PARTIAL'];

/** Servicer reports of all pools; one that differs from its structure is held until the operator has accepted it. */
export function ReportList({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', verification = '', page: at = '1' } = query;
  const nameOf = useOrganizations();
  const reports = useLoad(
    () => list<OperatorRemittance>('/v1/operator/remittances', { status, verification, page: at, limit: 25 }),
    [status, verification, at],
  );
  return page(
    { title: 'Servicer reports', lead: 'One that differs from its structure is held on its payment date until it is accepted.' },
    html`<div class="filters">
      ${filter('status', 'Status', STATUSES, status)} ${filter('verification', 'Recomputed', VERIFIED, verification)}
    </div>`,
    shown(reports, (data) => [
      table({ caption: 'Servicer reports', columns: columnsOf(nameOf), rows: data.rows, empty: 'No report matches.' }),
      pager(data),
    ]),
  );
}

const columnsOf = (nameOf: (id: string | undefined) => string): readonly Column<OperatorRemittance>[] => [
  {
    title: 'Report',
    kind: 'wide',
    cell: (row) => html`
      <a href="#/reports/${row.remittance_id}"><strong>${row.pool_name}, period ${row.period}</strong></a>
      <small>${nameOf(row.organization_id)}</small>
    `,
  },
  { title: 'Payment date', cell: (row) => date(row.payment_date) },
  { title: 'Status', cell: (row) => html`${badge(row.status)}${row.accepted_at && html`<small>accepted</small>`}` },
  {
    title: 'Recomputed',
    cell: (row) => {
      const { length } = differencesOf(row);
      return html`${badge(row.verification.status)}${length > 0 && html`<small>${plural(length, 'figure')}</small>`}`;
    },
  },
  { title: 'Pool balance', kind: 'number', cell: (row) => money(row.pool.pool_balance) },
];
