import type { ReactNode } from 'react';
import { Text } from '@mantine/core';
import type { Column } from '../../ui/column.ts';
import { Status } from '../../ui/status.tsx';
import { type OfTranche, TrancheName } from './names.tsx';

export const trancheColumn = <Row extends OfTranche>(): Column<Row> => ({
  id: 'tranche_id',
  title: 'Tranche',
  value: ({ tranche_id }) => tranche_id,
  cell: ({ deal_id, tranche_id }) => (
    <span className="named">
      <TrancheName deal_id={deal_id} tranche_id={tranche_id} />
    </span>
  ),
});

/** A status, and below it why it is so. */
export const statusColumn = <Row extends { status: string; reason?: string | null }>(): Column<Row> => ({
  id: 'status',
  title: 'Status',
  value: ({ status }) => status,
  cell: ({ status, reason }) => <StatusWithReason status={status} reason={reason} />,
});

const StatusWithReason = ({ status, reason }: { status: string; reason?: string | null | undefined }): ReactNode => (
  <>
    <Status of={status} />
    {reason && (
      <Text size="xs" c="dimmed" className="reason" title={reason}>
        {reason}
      </Text>
    )}
  </>
);

/** The reason in the rows of a file. */
export const reasonColumn = <Row extends { reason: string | null }>(): Column<Row> => ({
  id: 'reason',
  title: 'Reason',
  hidden: true,
  value: ({ reason }) => reason,
});
