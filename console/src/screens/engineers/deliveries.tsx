import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice, type Filter, text } from '../../ui/filters.tsx';
import { words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { HttpStatus } from '../../ui/status.tsx';
import { To } from '../../ui/link.tsx';
import { statusColumn, whenColumn, wordsColumn } from '../../ui/columns.tsx';

type Delivery = Records['DeliverySummary'];

const FILTERS: readonly Filter[] = [
  choice('status', 'Status', ['PENDING', 'DELIVERED', 'FAILED']),
  text('event', 'Event', 'deal.status_changed'),
  text('subscription_id', 'Receiver', 'whs_…'),
  ...BETWEEN,
];

/** What receivers were sent, and what they answered. */
export function Deliveries(): ReactNode {
  const operator = isOperator(useMe());
  return (
    <Page
      title="Deliveries"
      about={
        operator
          ? 'Of every organization; contents and addresses are theirs alone.'
          : 'Events as they were sent to your receivers.'
      }
    >
      <RecordList<Delivery, QueryOf<'/v1/operator/webhooks/deliveries'>>
        name={['deliveries']}
        label="Deliveries"
        read={(query) =>
          operator
            ? sent(api.GET('/v1/operator/webhooks/deliveries', { params: { query } }))
            : sent(api.GET('/v1/api/webhooks/deliveries', { params: { query } }))
        }
        filters={operator ? [...FILTERS, text('organization_id', 'Organization', 'org_…')] : FILTERS}
        columns={DELIVERIES}
        rowKey={({ id }) => id}
        empty="Nothing has been sent yet: an event of a receiver's kinds is sent as it happens."
      />
    </Page>
  );
}

/** Columns of deliveries, wherever they are listed. */
export const DELIVERIES: readonly Column<Delivery>[] = [
  {
    id: 'event',
    title: 'Event',
    value: ({ event }) => event,
    cell: ({ id, event }) => (
      <To to="/deliveries/$deliveryId" params={{ deliveryId: id }} size="sm" title={event}>
        {words(event)}
      </To>
    ),
  },
  wordsColumn('kind', 'Kind'),
  statusColumn('status', 'Status'),
  {
    id: 'http_status',
    title: 'Answer',
    value: ({ http_status }) => http_status,
    cell: ({ http_status, error }) => (http_status === null ? (error ?? '–') : <HttpStatus of={http_status} />),
  },
  { id: 'attempts', title: 'Attempts', number: true, value: ({ attempts }) => attempts },
  whenColumn('next_attempt_at', 'Next attempt'),
  whenColumn('created_at', 'At'),
  { id: 'event_id', title: 'Event id', hidden: true, value: ({ event_id }) => event_id },
];
