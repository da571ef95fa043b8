import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { termRate } from '../../ui/format-market.ts';
import { RecordList } from '../../ui/list.tsx';
import { reasonColumn, statusColumn, trancheColumn } from './commitment-columns.tsx';
import { OrderActs } from './order-acts.tsx';
import { moneyColumn, whenColumn } from '../../ui/columns.tsx';

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
  moneyColumn('amount', 'Amount (US$)'),
  moneyColumn('minimum_amount', 'Least fill (US$)'),
  {
    id: 'limit_yield',
    title: 'Limit yield',
    number: true,
    value: ({ limit_yield }) => limit_yield,
    cell: ({ limit_yield }) => (limit_yield === null ? 'Market' : termRate(limit_yield)),
  },
  statusColumn(),
  reasonColumn(),
  whenColumn('placed_at', 'Placed'),
  { id: 'order_id', title: 'Id', hidden: true, value: ({ order_id }) => order_id },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: (order) => <OrderActs order={order} />,
  },
];
