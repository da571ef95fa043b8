import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { money } from '../../ui/format.tsx';
import { Empty } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { moneyColumn } from '../../ui/columns.tsx';

/** How much of each tranche investors ask for; who they are, the platform alone sees. */
export function PoolDemand({ poolId }: { poolId: string }): ReactNode {
  const book = useQuery({
    queryKey: ['pools', poolId, 'book'],
    queryFn: () => sent(api.GET('/v1/api/originator/pools/{poolId}/book', { params: { path: { poolId } } })),
  });
  return (
    <Read from={book}>
      {({ data }) =>
        data.deal_id === null ? (
          <Empty>The pool is not on the market yet.</Empty>
        ) : (
          <DataTable label="Demand" columns={COLUMNS} rows={data.tranches} rowKey={({ tranche }) => tranche} whole />
        )
      }
    </Read>
  );
}

const COLUMNS: readonly Column<Records['TrancheDemand']>[] = [
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche },
  moneyColumn('balance', 'Offered (US$)'),
  {
    id: 'indications',
    title: 'Indications (US$)',
    number: true,
    value: ({ indications }) => indications.amount,
    cell: ({ indications }) => money(indications.amount),
  },
  {
    id: 'subscriptions',
    title: 'Subscriptions (US$)',
    number: true,
    value: ({ subscriptions }) => subscriptions.amount,
    cell: ({ subscriptions }) => money(subscriptions.amount),
  },
  {
    id: 'orders',
    title: 'Orders (US$)',
    number: true,
    value: ({ orders }) => orders.amount,
    cell: ({ orders }) => money(orders.amount),
  },
  {
    id: 'coverage',
    title: 'Covered',
    number: true,
    value: ({ coverage }) => coverage,
    cell: ({ coverage }) => (coverage === null ? '–' : `${coverage.toFixed(2)} times`),
  },
];
