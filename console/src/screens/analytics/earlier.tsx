import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Column } from '../../ui/column.ts';
import { words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Status } from '../../ui/status.tsx';
import type { Side, Summary } from './side.ts';
import { dayColumn, whenColumn } from '../../ui/columns.tsx';

/** Calculations that were asked for before. */
export function Earlier({ side }: { side: Side }): ReactNode {
  const [, set] = useAddress();
  return (
    <RecordList
      name={side.key}
      label="Calculations"
      read={(query: { page: number; limit: number }) => side.list(query)}
      columns={columnsOf((run) => set({ run, part: null, show: null, scenario: null, at: null }, { keepPage: true }))}
      rowKey={({ calculation_id }) => calculation_id}
      few
      empty="Nothing has been calculated yet."
    />
  );
}

const columnsOf = (open: (id: string) => void): readonly Column<Summary>[] => [
  {
    id: 'type',
    title: 'Kind',
    value: ({ type }) => type,
    cell: ({ calculation_id, type }) => (
      <Anchor component="button" type="button" size="sm" onClick={() => open(calculation_id)}>
        {words(type)}
      </Anchor>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    value: ({ status }) => status,
    cell: ({ status, error }) => (
      <span title={error ?? ''}>
        <Status of={status} />
      </span>
    ),
  },
  dayColumn('as_of', 'As of'),
  {
    id: 'from',
    title: 'From',
    value: ({ from }) => String(from),
    cell: ({ from }) => (typeof from === 'number' ? `Period ${from}` : words(from)),
  },
  whenColumn('created_at', 'Asked for'),
  whenColumn('completed_at', 'Calculated'),
];
