import { list, send } from '../lib/api.ts';
import { date, decimal, money, roundMoney } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { OperatorTrade } from '../wire/api.ts';
import { useOrganizations } from './organizations.ts';

/** Trades of all investors: settled face against cash, or recorded as failed. */
export function Trades({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', page: at = '1' } = query;
  const nameOf = useOrganizations();
  const trades = useLoad(() => list<OperatorTrade>('/v1/operator/trades', { status, page: at, limit: 25 }), [status, at]);
  return page(
    { title: 'Trades', lead: 'Face and cash move together, in one entry of the ledger.' },
    html`<div class="filters">${filter('status', 'Status', ['PENDING_SETTLEMENT', 'SETTLED', 'FAILED', 'CANCELLED'], status)}</div>`,
    shown(trades, (data) => [
      table({ caption: 'Trades', columns: columnsOf(nameOf, trades.reload), rows: data.rows, empty: 'No trade matches.' }),
      pager(data),
    ]),
  );
}

const columnsOf = (nameOf: (id: string | undefined) => string, after: () => void): readonly Column<OperatorTrade>[] => [
  {
    title: 'Investor',
    kind: 'wide',
    cell: (row) => html`<strong>${nameOf(row.organization_id)}</strong><small>${row.trade_id}</small>`,
  },
  { title: 'Status', cell: (row) => html`${badge(row.status)}${row.reason && html`<small>${row.reason}</small>`}` },
  { title: 'Face', kind: 'number', cell: (row) => roundMoney(row.face) },
  { title: 'Price', kind: 'number', cell: (row) => decimal(row.price, 4) },
  { title: 'Net', kind: 'number', cell: (row) => money(row.net_amount) },
  { title: 'Settles', cell: (row) => date(row.settlement_date) },
  { title: '', kind: 'act', cell: (row) => moves(row, after) },
];

function moves(row: OperatorTrade, after: () => void): VNode {
  const move = (name: string, text: string, tone?: 'primary' | 'danger'): VNode =>
    act({
      text,
      ...(tone ? { tone } : {}),
      question: {
        title: `${text} this trade?`,
        text: `${roundMoney(row.face)} face against ${money(row.net_amount)}.`,
        yes: text,
        reason: 'optional',
      },
      act: (reason) => send('POST', `/v1/operator/trades/${row.trade_id}/${name}`, reason ? { reason } : {}),
      done: `${text}: done.`,
      after,
    });
  const open = row.status === 'PENDING_SETTLEMENT';
  const failed = row.status === 'FAILED';
  return html`${(open || failed) && move('settle', 'Settle', 'primary')} ${open && move('fail', 'Fail')} ${failed && move('retry', 'Retry')} ${(open || failed) && move('cancel', 'Cancel')}`;
}
