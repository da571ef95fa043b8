import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice, type Filter, text } from '../../ui/filters.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { HttpStatus } from '../../ui/status.tsx';
import { To } from '../../ui/link.tsx';
import { countColumn, whenColumn } from '../../ui/columns.tsx';

const FILTERS: readonly Filter[] = [
  text('status', 'Status', '422, 4xx or 5xx'),
  text('code', 'Code', 'VALIDATION_FAILED'),
  choice('method', 'Method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  text('path', 'Path begins with', '/v1/api/'),
  text('key_id', 'Key', 'key_…'),
  text('deal_id', 'Deal', 'deal_…'),
  ...BETWEEN,
];

/** What programs asked of the API, and how it answered. */
export function Requests(): ReactNode {
  const operator = isOperator(useMe());
  const navigate = useNavigate();
  const [id, setId] = useState('');
  return (
    <Page
      title="Requests"
      about="Requests of your organization with their answers, what they caused, and their earlier tries."
      acts={
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            void navigate({ to: '/requests/$requestId', params: { requestId: id.trim() } });
          }}
        >
          <TextInput
            size="xs"
            w={220}
            aria-label="Request id"
            placeholder="Request id"
            required
            value={id}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
          />
          <Button size="compact-sm" type="submit" variant="default">
            Open
          </Button>
        </form>
      }
    >
      <RecordList
        name={['requests']}
        label="Requests"
        read={(query: QueryOf<'/v1/operator/requests'>) =>
          operator
            ? sent(api.GET('/v1/operator/requests', { params: { query } }))
            : sent(api.GET('/v1/api/requests', { params: { query } }))
        }
        filters={FILTERS}
        columns={COLUMNS}
        rowKey={({ request_id }) => request_id}
        empty="No program has asked anything yet."
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Records['LoggedRequest']>[] = [
  whenColumn('at', 'At'),
  {
    id: 'path',
    title: 'Request',
    value: ({ method, path }) => `${method} ${path}`,
    cell: ({ request_id, method, path }) => (
      <To to="/requests/$requestId" params={{ requestId: request_id }} size="sm">
        {method} {path}
      </To>
    ),
  },
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <HttpStatus of={status} /> },
  { id: 'code', title: 'Code', value: ({ code }) => code },
  countColumn('ms', 'Milliseconds'),
  {
    id: 'key_id',
    title: 'Key or member',
    value: ({ key_id, member_id }) => key_id ?? member_id,
    cell: ({ key_id, member_id }) => <span className="id">{key_id ?? member_id ?? '–'}</span>,
  },
  { id: 'request_id', title: 'Id', hidden: true, value: ({ request_id }) => request_id },
  { id: 'idempotency_key', title: 'Idempotency key', hidden: true, value: ({ idempotency_key }) => idempotency_key },
];
