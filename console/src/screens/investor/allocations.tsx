import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { share } from '../../ui/format.tsx';
import { termPrice, termRate } from '../../ui/format-market.ts';
import { ButtonTo } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Answer } from './answer.tsx';
import { reasonColumn, statusColumn, trancheColumn } from './commitment-columns.tsx';
import { Deadline } from './deadline.tsx';
import { moneyColumn } from '../../ui/columns.tsx';

/** What the books have given, and what has to be answered until when. */
export const Allocations = (): ReactNode => (
  <RecordList
    name={['allocations']}
    label="Allocations"
    read={(query: QueryOf<'/v1/api/investor/allocations'>) =>
      sent(api.GET('/v1/api/investor/allocations', { params: { query } }))
    }
    filters={[choice('status', 'Status', ['ISSUED', 'ACCEPTED', 'DECLINED', 'EXPIRED'])]}
    columns={ALLOCATIONS}
    rowKey={({ allocation_id }) => allocation_id}
    empty="Nothing has been allocated to you yet: orders are filled when the books of a deal are allocated."
  />
);

const ALLOCATIONS: readonly Column<Records['Allocation']>[] = [
  trancheColumn(),
  moneyColumn('requested_amount', 'Asked for (US$)'),
  moneyColumn('allocated_amount', 'Allocated (US$)'),
  {
    id: 'fill_ratio',
    title: 'Filled',
    number: true,
    value: ({ fill_ratio }) => fill_ratio,
    cell: ({ fill_ratio }) => share(fill_ratio, 1),
  },
  {
    id: 'yield',
    title: 'Yield',
    number: true,
    value: (allocation) => allocation.yield,
    cell: (allocation) => termRate(allocation.yield),
  },
  {
    id: 'price',
    title: 'Price',
    number: true,
    value: (allocation) => allocation.price,
    cell: (allocation) => termPrice(allocation.price),
  },
  statusColumn(),
  reasonColumn(),
  {
    id: 'expires_at',
    title: 'Answer within',
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at, status }) => (status === 'ISSUED' ? <Deadline at={expires_at} /> : '–'),
  },
  { id: 'allocation_id', title: 'Id', hidden: true, value: ({ allocation_id }) => allocation_id },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: (allocation) => (
      <span className="row">
        <ButtonTo
          to="/commitments/allocations/$allocationId"
          params={{ allocationId: allocation.allocation_id }}
          size="compact-sm"
          variant="subtle"
        >
          Proof
        </ButtonTo>
        <Answer allocation={allocation} />
      </span>
    ),
  },
];
