import { list, send } from '../lib/api.ts';
import { money, percent, roundMoney, time } from '../lib/format.ts';
import { never, useLoad } from '../lib/load.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import { arrivals } from '../shell/alerts-live.ts';
import type { Order } from '../wire/api.ts';
import type { NameOf } from './commitments.ts';
import { ChangeOrder } from './order-form.ts';

/** The organization's orders, of all deals or of one; open orders can be changed and cancelled. */
export function Orders({ name, deal = '' }: { name: NameOf; deal?: string }): VNode {
  const news = arrivals.use();
  const [changing, setChanging] = useState<string | null>(null);
  const orders = useLoad(() => list<Order>('/v1/api/investor/orders', { limit: 50, deal_id: deal }), [deal], never, news);
  return shown(orders, ({ rows }) => {
    const order = rows.find((each) => each.order_id === changing && each.status === 'OPEN');
    return [
      table({
        caption: 'Orders',
        columns: columnsOf(name, orders.reload, setChanging),
        rows,
        empty: 'There are no orders.',
      }),
      order && h(ChangeOrder, { order, after: orders.reload, close: () => setChanging(null), key: `change-${order.order_id}` }),
    ];
  });
}

const columnsOf = (name: NameOf, after: () => void, change: (id: string) => void): readonly Column<Order>[] => [
  { title: 'Of', kind: 'wide', cell: (row) => html`${name(row)}<small>${time(row.created_at)}</small>` },
  { title: 'Status', cell: (row) => html`${badge(row.status)}${row.reason && html`<small>${row.reason}</small>`}` },
  { title: 'Amount', kind: 'number', cell: (row) => money(row.amount) },
  { title: 'Least fill', kind: 'number', cell: (row) => roundMoney(row.minimum_amount) },
  { title: 'Limit', kind: 'number', cell: (row) => (row.limit_yield === null ? 'at market' : percent(row.limit_yield, 3)) },
  { title: '', kind: 'act', cell: (row) => row.status === 'OPEN' && moves(row, after, change) },
];

const moves = (row: Order, after: () => void, change: (id: string) => void): VNode => html`
  <button type="button" onClick=${() => change(row.order_id)}>Change</button>
  ${act({
    text: 'Cancel',
    question: {
      title: 'Cancel this order?',
      text: `${money(row.amount)} leave the book.`,
      yes: 'Cancel the order',
      tone: 'danger',
    },
    act: () => send('DELETE', `/v1/api/investor/orders/${row.order_id}`),
    done: 'The order is cancelled.',
    after,
  })}
`;
