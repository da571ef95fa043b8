import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { BETWEEN } from '../../ui/filters.tsx';
import { Id, When } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { countColumn } from '../../ui/columns.tsx';

/** Files of the failed loans of each run, in the tape’s own columns. */
export function ExceptionFiles({ dealId }: { dealId: string }): ReactNode {
  return (
    <RecordList
      name={['criteria-runs', 'exceptions', dealId]}
      label="Exception files"
      read={(query: QueryOf<'/v1/api/originator/sc/exceptions'>) =>
        sent(api.GET('/v1/api/originator/sc/exceptions', { params: { query } }))
      }
      fixed={{ dealId }}
      filters={BETWEEN}
      columns={columnsOf(dealId)}
      rowKey={({ exception_file_id }) => exception_file_id}
      empty="No exception file: no run has failed a loan of this deal."
    />
  );
}

/** The failed loans of a run as a file: a corrected CSV or XLSX can be sent as the next tape. */
export const Downloads = ({ fileId }: { fileId: string }): ReactNode => (
  <Group gap={4} wrap="nowrap">
    {(['csv', 'xlsx', 'json'] as const).map((format) => (
      <Button
        key={format}
        component="a"
        size="compact-sm"
        variant="default"
        href={`/v1/api/originator/sc/exceptions/${fileId}/download?format=${format}`}
        download
        aria-label={`Exception file as ${format.toUpperCase()}`}
      >
        {format.toUpperCase()}
      </Button>
    ))}
  </Group>
);

const columnsOf = (dealId: string): readonly Column<Records['ExceptionFile']>[] => [
  {
    id: 'created_at',
    title: 'Written',
    value: ({ created_at }) => created_at,
    cell: ({ created_at, sc_job_id }) => (
      <To to="/deals/$dealId" params={{ dealId }} search={{ tab: 'criteria', run: sc_job_id }} size="sm">
        <When at={created_at} />
      </To>
    ),
  },
  countColumn('exception_count', 'Failed loans'),
  {
    id: 'exception_file_id',
    title: 'Id',
    value: ({ exception_file_id }) => exception_file_id,
    cell: ({ exception_file_id }) => <Id of={exception_file_id} />,
  },
  { id: 'download', title: 'File', value: () => null, cell: ({ exception_file_id }) => <Downloads fileId={exception_file_id} /> },
];
