import { Anchor, Button, Code, Group, Select, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { count, words } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { Empty, Loading, Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { DataTable } from '../../ui/table.tsx';
import { RecordLink } from '../people/record-link.tsx';
import { useEventNames } from './webhooks.tsx';
import { whenColumn } from '../../ui/columns.tsx';

type Event = Records['Event'];

const PER_PAGE = 50;

/** The log from which webhooks are sent, the latest event first. It is read on from an id, so it has no pages to jump to. */
export function Events(): ReactNode {
  const operator = isOperator(useMe());
  const [values, set] = useAddress();
  const names = useEventNames();
  const { type, after } = values;
  const log = useQuery({
    queryKey: ['events', type, after],
    placeholderData: keepPreviousData,
    queryFn: () => {
      // The address is what somebody typed: the API says what is wrong with it.
      const query = {
        order: 'newest',
        limit: PER_PAGE,
        ...(type ? { type } : {}),
        ...(after ? { after } : {}),
      } as QueryOf<'/v1/api/events'>;
      return operator
        ? sent(api.GET('/v1/operator/events', { params: { query } }))
        : sent(api.GET('/v1/api/events', { params: { query } }));
    },
  });
  const events = log.data?.data;
  return (
    <Page
      title="Events"
      about={`What happened to records of ${operator ? 'the operator itself' : 'your organization'}, with the ids and data that receivers are sent. Kept for 30 days.`}
    >
      <Group gap="xs" align="flex-end">
        <Select
          size="xs"
          w={280}
          label="Event"
          placeholder="All"
          clearable
          searchable
          data={names.map((value) => ({ value, label: words(value) }))}
          value={type ?? null}
          onChange={(next) => set({ type: next, after: null })}
        />
        {after && (
          <Button size="compact-sm" variant="default" onClick={() => set({ after: null })}>
            Back to the latest
          </Button>
        )}
      </Group>
      {log.error && <Problem error={log.error} retry={() => void log.refetch()} />}
      {!events && !log.error && <Loading />}
      {events?.length === 0 && (
        <Empty>
          {after ? 'There are no earlier events.' : type ? 'No such event in the last 30 days.' : 'No event in the last 30 days.'}
        </Empty>
      )}
      {events && events.length > 0 && (
        <DataTable
          label="Events"
          columns={COLUMNS}
          rows={events}
          rowKey={({ id }) => id}
          whole={false}
          tools={
            <Text size="xs" c="dimmed" role="status">
              {told(events.length, after !== undefined)}
            </Text>
          }
        />
      )}
      {events?.length === PER_PAGE && (
        <Group justify="center">
          <Button size="compact-sm" variant="default" onClick={() => set({ after: events.at(-1)?.id ?? null })}>
            Earlier events
          </Button>
        </Group>
      )}
    </Page>
  );
}

/** How many are shown, and whether others are before them. */
const told = (shown: number, earlier: boolean): string => {
  if (shown < PER_PAGE) return earlier ? `The earliest ${count(shown)}` : shown === 1 ? '1 event' : `${count(shown)} events`;
  return earlier ? `${count(shown)} events of before` : `The latest ${count(shown)}`;
};

const COLUMNS: readonly Column<Event>[] = [
  whenColumn('timestamp', 'At'),
  { id: 'event', title: 'Event', value: ({ event }) => event, cell: ({ event }) => <span title={event}>{words(event)}</span> },
  { id: 'record', title: 'Record', value: recordOf, cell: (event) => <RecordLink id={recordOf(event)} /> },
  { id: 'data', title: 'Data', value: ({ data }) => JSON.stringify(data), cell: ({ data }) => <Data data={data} /> },
  { id: 'deliveries', title: 'Sent to receivers', value: () => null, cell: (event) => <Sent event={event} /> },
  { id: 'id', title: 'Event id', hidden: true, value: ({ id }) => id },
];

const RECORD_FIELDS = [
  'deal_id',
  'pool_id',
  'trade_id',
  'allocation_id',
  'subscription_id',
  'order_id',
  'organization_id',
  'key_id',
];

/** The record that an event is about, by the first id in its data. */
function recordOf({ data }: Event): string | null {
  const fields = typeof data === 'object' && data !== null ? Object.entries(data) : [];
  for (const name of RECORD_FIELDS) {
    const value: unknown = fields.find(([field]) => field === name)?.[1];
    if (typeof value === 'string') return value;
  }
  return null;
}

function Data({ data }: { data: unknown }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Anchor component="button" type="button" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide' : 'Show'}
      </Anchor>
      {open && (
        <Code block fz="xs" mt={4}>
          {JSON.stringify(data, null, 2)}
        </Code>
      )}
    </>
  );
}

/** Deliveries are made in the minutes after their event. */
const UNTIL_MS = 600_000;

const Sent = ({ event: { event, timestamp } }: { event: Event }): ReactNode => (
  <To
    to="/deliveries"
    search={{ event, from: timestamp, to: new Date(Date.parse(timestamp) + UNTIL_MS).toISOString() }}
    size="sm"
  >
    Deliveries
  </To>
);
