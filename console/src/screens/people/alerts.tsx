import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Status } from '../../ui/status.tsx';
import { RecordLink } from './record-link.tsx';
import { statusColumn, whenColumn } from '../../ui/columns.tsx';

type Alert = Records['Alert'];

/** What happened that the organization should know; new ones arrive while the page is open. */
export function Alerts(): ReactNode {
  const operator = isOperator(useMe());
  const client = useQueryClient();
  const readAll = useMutation({
    mutationFn: async () => {
      const params = { query: { limit: 1 } };
      const { data } = operator
        ? await sent(api.GET('/v1/operator/alerts', { params }))
        : await sent(api.GET('/v1/api/alerts', { params }));
      const [newest] = data;
      if (!newest) return;
      // Up to the newest one, by the clock of the gateway: that of the browser may be behind it.
      const body = { before: new Date(Date.parse(newest.created_at) + 1).toISOString(), status: 'READ' as const };
      await (operator ? sent(api.POST('/v1/operator/alerts/mark', { body })) : sent(api.POST('/v1/api/alerts/mark', { body })));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['alerts'] }),
  });
  return (
    <Page
      title="Alerts"
      acts={
        <Button size="compact-sm" variant="default" loading={readAll.isPending} onClick={() => readAll.mutate()}>
          Mark all as read
        </Button>
      }
    >
      {readAll.error && <Problem error={readAll.error} retry={() => readAll.mutate()} />}
      <RecordList
        name={['alerts']}
        label="Alerts"
        read={async (query: QueryOf<'/v1/operator/alerts'>) => {
          const { data, meta } = operator
            ? await sent(api.GET('/v1/operator/alerts', { params: { query } }))
            : await sent(api.GET('/v1/api/alerts', { params: { query } }));
          return { data, pagination: meta };
        }}
        filters={[
          choice('status', 'Status', ['UNREAD', 'READ', 'ARCHIVED']),
          choice('priority', 'Priority', ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
        ]}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty="No alert yet: tapes, decisions, orders and payments raise them."
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Alert>[] = [
  whenColumn('created_at', 'At'),
  statusColumn('priority', 'Priority'),
  {
    id: 'message',
    title: 'Alert',
    value: ({ title, message }) => `${title}: ${message}`,
    cell: ({ title, message, entity_id }) => (
      <>
        <RecordLink id={entity_id}>
          <b>{title}</b>
        </RecordLink>{' '}
        {message}
      </>
    ),
  },
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: (alert) => <Mark alert={alert} /> },
];

function Mark({ alert }: { alert: Alert }): ReactNode {
  const operator = isOperator(useMe());
  const client = useQueryClient();
  const read = useMutation({
    mutationFn: () => {
      const options = { params: { path: { alertId: alert.id } }, body: { status: 'READ' as const } };
      return operator
        ? sent(api.PATCH('/v1/operator/alerts/{alertId}', options))
        : sent(api.PATCH('/v1/api/alerts/{alertId}', options));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['alerts'] }),
  });
  if (alert.status !== 'UNREAD') return <Status of={alert.status} />;
  return (
    <>
      <Button size="compact-xs" variant="light" loading={read.isPending} onClick={() => read.mutate()}>
        Mark as read
      </Button>
      {read.error && (
        <Text size="xs" c="red" role="alert">
          {read.error.message}
        </Text>
      )}
    </>
  );
}
