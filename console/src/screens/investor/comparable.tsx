import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { percent, years } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { Empty } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { dayColumn, moneyColumn, statusColumn } from '../../ui/columns.tsx';

/** Deals of the same assets and a similar size. */
export function Comparable({ dealId }: { dealId: string }): ReactNode {
  const deals = useQuery({
    queryKey: ['market', dealId, 'comparable'],
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}/comparable', { params: { path: { dealId } } })),
  });
  return (
    <Read from={deals}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty>No deal of the same assets is within a quarter of this size.</Empty>
        ) : (
          <DataTable label="Comparable deals" columns={COLUMNS} rows={data} rowKey={({ deal_id }) => deal_id} whole />
        )
      }
    </Read>
  );
}

const COLUMNS: readonly Column<Records['ComparableDeal']>[] = [
  {
    id: 'name',
    title: 'Deal',
    value: ({ name }) => name,
    cell: ({ deal_id, name }) => (
      <To to="/market/$dealId" params={{ dealId: deal_id }} size="sm">
        {name}
      </To>
    ),
  },
  { id: 'originator', title: 'Originator', value: ({ originator }) => originator },
  statusColumn('market_status', 'Market status'),
  moneyColumn('dealSize', 'Size (US$)'),
  {
    id: 'wa_yield',
    title: 'Yield',
    number: true,
    value: ({ wa_yield }) => wa_yield,
    cell: ({ wa_yield, wa_yield_coverage }) => (wa_yield_coverage === 0 ? '–' : percent(wa_yield)),
  },
  { id: 'wal', title: 'Average life', number: true, value: ({ wal }) => wal, cell: ({ wal }) => years(wal) },
  dayColumn('closing_date', 'Closing'),
];
