import { list, send } from '../lib/api.ts';
import { plural, time } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { Waiver } from '../wire/api.ts';
import { useOrganizations } from './organizations.ts';

/** Waivers that originators requested, for the decision of a second person. */
export function WaiverDecisions({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', page: at = '1' } = query;
  const nameOf = useOrganizations();
  const waivers = useLoad(() => list<Waiver>('/v1/operator/waivers', { status, page: at, limit: 25 }), [status, at]);
  return page(
    { title: 'Waivers', lead: 'Permission for loans to pass despite a rule; the next run applies it.' },
    html`<div class="filters">${filter('status', 'Status', ['PENDING', 'APPROVED', 'DENIED'], status)}</div>`,
    shown(waivers, (data) => [
      table({
        caption: 'Waivers',
        columns: columnsOf(nameOf, waivers.reload),
        rows: data.rows,
        empty: 'No waiver matches.',
      }),
      pager(data),
    ]),
  );
}

const columnsOf = (nameOf: (id: string | undefined) => string, after: () => void): readonly Column<Waiver>[] => [
  {
    title: 'Waiver',
    kind: 'wide',
    cell: (row) => html`<strong>${row.reason}</strong><small>${nameOf(row.organization_id)} · ${time(row.created_at)}</small>`,
  },
  { title: 'Rule', cell: (row) => html`<code>${row.rule_id}</code>` },
  { title: 'Loans', cell: (row) => html`<span title=${row.loan_ids.join(', ')}>${plural(row.loan_ids.length, 'loan')}</span>` },
  { title: 'Status', cell: (row) => badge(row.status) },
  {
    title: '',
    kind: 'act',
    cell: (row) =>
      row.status === 'PENDING' && html`${decide(row, 'approve', 'Approve', after)} ${decide(row, 'deny', 'Deny', after)}`,
  },
];

const decide = (row: Waiver, move: 'approve' | 'deny', text: string, after: () => void): VNode =>
  act({
    text,
    ...(move === 'approve' ? { tone: 'primary' as const } : {}),
    question: {
      title: `${text} this waiver?`,
      text: `${plural(row.loan_ids.length, 'loan')} and rule ${row.rule_id}.`,
      yes: text,
      reason: 'optional',
    },
    act: (reason) => send('POST', `/v1/operator/waivers/${row.waiver_id}/${move}`, reason ? { reason } : {}),
    after,
  });
