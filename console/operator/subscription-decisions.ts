import { checkList } from '../investor/subscribe.ts';
import { list, send } from '../lib/api.ts';
import { money, time } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { OperatorSubscription } from '../wire/api.ts';
import { useOrganizations } from './organizations.ts';

const STATUSES = ['pending_confirmation', 'confirmed', 'allocated', 'funded', 'settled', 'rejected', 'cancelled', 'expired'];

/** Investors' commitments: confirmed, they bid in the books. */
export function SubscriptionDecisions({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', page: at = '1' } = query;
  const nameOf = useOrganizations();
  const rows = useLoad(
    () => list<OperatorSubscription>('/v1/operator/subscriptions', { status, page: at, limit: 25 }),
    [status, at],
  );
  return page(
    { title: 'Subscriptions', lead: 'Confirming runs the investor’s checks again.' },
    html`<div class="filters">${filter('status', 'Status', STATUSES, status)}</div>`,
    shown(rows, (data) => [
      table({
        caption: 'Subscriptions',
        columns: columnsOf(nameOf, rows.reload),
        rows: data.rows,
        empty: 'No subscription matches.',
      }),
      pager(data),
    ]),
  );
}

const columnsOf = (nameOf: (id: string | undefined) => string, after: () => void): readonly Column<OperatorSubscription>[] => [
  {
    title: 'Investor',
    kind: 'wide',
    cell: (row) => html`<strong>${nameOf(row.organization_id)}</strong><small>${time(row.created_at)} · ${row.deal_id}</small>`,
  },
  { title: 'Amount', kind: 'number', cell: (row) => money(row.subscription_amount) },
  { title: 'Status', cell: (row) => html`${badge(row.status)}${row.reason && html`<small>${row.reason}</small>`}` },
  {
    title: 'Checks',
    cell: (row) =>
      html`<details class="more"><summary>${badge(row.compliance_check_result)}</summary>${checkList(row.compliance_checks)}</details>`,
  },
  { title: '', kind: 'act', cell: (row) => row.status === 'pending_confirmation' && decisions(row, after) },
];

function decisions(row: OperatorSubscription, after: () => void): VNode {
  const path = `/v1/operator/subscriptions/${row.subscription_id}`;
  const amount = money(row.subscription_amount);
  return html`
    ${act({
      text: 'Confirm',
      tone: 'primary',
      question: { title: `Confirm ${amount}?`, yes: 'Confirm', reason: 'optional' },
      act: (reason) => send('POST', `${path}/confirm`, reason ? { reason } : {}),
      done: 'The subscription is confirmed.',
      after,
    })}
    ${act({
      text: 'Reject',
      question: {
        title: `Reject ${amount}?`,
        text: 'Its capacity is free again.',
        yes: 'Reject',
        tone: 'danger',
        reason: 'required',
      },
      act: (reason) => send('POST', `${path}/reject`, { reason }),
      done: 'The subscription is rejected.',
      after,
    })}
  `;
}
