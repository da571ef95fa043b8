import { list } from '../lib/api.ts';
import { date, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { Organization } from '../wire/api.ts';

/** All organizations, with their compliance profiles. */
export function OrganizationList({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', page: at = '1' } = query;
  const found = useLoad(() => list<Organization>('/v1/operator/organizations', { status, page: at, limit: 25 }), [status, at]);
  return page(
    {
      title: 'Organizations',
      lead: 'The first key of an organization creates it.',
      aside: html`<a class="button primary" href="#/keys">Issue a key</a>`,
    },
    html`<div class="filters">${filter('status', 'Status', ['ACTIVE', 'SUSPENDED'], status)}</div>`,
    shown(found, (data) => [
      table({ caption: 'Organizations', columns: COLUMNS, rows: data.rows, empty: 'No organization matches.' }),
      pager(data),
    ]),
  );
}

const COLUMNS: readonly Column<Organization>[] = [
  {
    title: 'Organization',
    kind: 'wide',
    cell: (row) =>
      html`<a href="#/organizations/${row.organization_id}"><strong>${row.name}</strong></a><small>since ${date(row.created_at)}</small>`,
  },
  { title: 'Status', cell: (row) => badge(row.status) },
  { title: 'Roles', cell: (row) => row.roles.map(words).join(', ') },
  { title: 'KYC', cell: (row) => (row.profile ? badge(row.profile.kyc_status) : '–') },
  { title: 'Sanctions', cell: (row) => (row.profile ? badge(row.profile.sanctions_status) : '–') },
];
