import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { money, When } from '../../ui/format.tsx';
import { termRate } from '../../ui/format-market.ts';
import { RecordList } from '../../ui/list.tsx';
import { reasonColumn, statusColumn, trancheColumn } from './commitment-columns.tsx';
import { OrderActs } from './order-acts.tsx';

/** Bids in the books of tranches. */
export const Orders = (): ReactNode => (
  <RecordList
    name={['orders']}
    label="Orders"
    read={(query: QueryOf<'/v1/api/investor/orders'>) => sent(api.GET('/v1/api/investor/orders', { params: { query } }))}
    filters={[choice('status', 'Status', ['OPEN', 'ALLOCATED', 'PARTIALLY_ALLOCATED', 'UNFILLED', 'CANCELLED'])]}
    columns={ORDERS}
    rowKey={({ order_id }) => order_id}
    empty="No order yet: a deal that is marketed takes orders on its page."
  />
);

const ORDERS: readonly Column<Records['Order']>[] = [
  trancheColumn(),
  { id: 'amount', title: 'Amount (US$)', number: true, value: ({ amount }) => amount, cell: ({ amount }) => money(amount) },
  {
    id: 'minimum_amount',
    title: 'Least fill (US$)',
    number: true,
    value: ({ minimum_amount }) => minimum_amount,
    cell: ({ minimum_amount }) => money(minimum_amount),
  },
  {
    id: 'limit_yield',
    title: 'Limit yield',
    number: true,
    value: ({ limit_yield }) => limit_yield,
    cell: ({ limit_yield }) => (limit_yield === null ? 'Market' : termRate(limit_yield)),
  },
  statusColumn(),
  reasonColumn(),
  { id: 'placed_at', title: 'Placed', value: ({ placed_at }) => placed_at, cell: ({ placed_at }) => <When at={placed_at} /> },
  { id: 'order_id', title: 'Id', hidden: true, value: ({ order_id }) => order_id },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: (order) => <OrderActs order={order} />,
  },
];
