import { Button, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { When, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Status } from '../../ui/status.tsx';
import { To } from '../../ui/link.tsx';
import { whenColumn } from '../../ui/columns.tsx';

type Subscription = Records['WebhookSubscription'];

/** Receivers of events. */
export function Webhooks(): ReactNode {
  const me = useMe();
  const operator = isOperator(me);
  const [open, { open: add, close }] = useDisclosure(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title="Webhooks"
      about="Receivers get every event of their kinds, signed, at least once and in order per record."
      acts={
        can(me, 'ADMIN') && (
          <Button size="compact-sm" onClick={add}>
            Add a receiver
          </Button>
        )
      }
    >
      {secret && (
        <Secret
          title="The secret of the receiver"
          value={secret}
          note="With it the receiver verifies signatures. It is shown only now."
          close={() => setSecret(null)}
        />
      )}
      <RecordList
        name={['webhooks']}
        label="Receivers"
        read={(query: QueryOf<'/v1/operator/webhooks/subscriptions'>) =>
          operator
            ? sent(api.GET('/v1/operator/webhooks/subscriptions', { params: { query } }))
            : sent(api.GET('/v1/api/webhooks/subscriptions', { params: { query } }))
        }
        filters={[choice('active', 'Active', ['true', 'false'])]}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty="No receiver yet. Add the address of your program: it is sent every event, signed."
      />
      <Modal opened={open} onClose={close} title="Add a receiver" closeButtonProps={{ 'aria-label': 'Close' }}>
        <ReceiverForm show={setSecret} close={close} />
      </Modal>
    </Page>
  );
}

const COLUMNS: readonly Column<Subscription>[] = [
  {
    id: 'url',
    title: 'Address',
    value: ({ url }) => url,
    cell: ({ id, url }) => (
      <To to="/webhooks/$subscriptionId" params={{ subscriptionId: id }} size="sm">
        {url}
      </To>
    ),
  },
  {
    id: 'events',
    title: 'Events',
    value: ({ events }) =>
      events.length > 3 ? `${events.slice(0, 3).join(', ')} and ${events.length - 3} more` : events.join(', '),
  },
  {
    id: 'active',
    title: 'State',
    value: ({ active, disabled_reason }) => (active ? 'ACTIVE' : (disabled_reason ?? 'PAUSED')),
    cell: ({ active, disabled_reason, failing_since }) =>
      active ? (
        failing_since ? (
          <>
            Failing since <When at={failing_since} />
          </>
        ) : (
          <Status of="ACTIVE" />
        )
      ) : (
        <Status of={disabled_reason ?? 'PAUSED'} />
      ),
  },
  whenColumn('created_at', 'Added'),
];

/** The kinds of events that there are. */
export function useEventNames(): string[] {
  const operator = isOperator(useMe());
  const { data } = useQuery({
    queryKey: ['event-types', operator],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => sent(operator ? api.GET('/v1/operator/webhooks/event-types') : api.GET('/v1/api/webhooks/event-types')),
  });
  return data?.data.map(({ event }) => event) ?? [];
}

function ReceiverForm({ show, close }: { show: (secret: string) => void; close: () => void }): ReactNode {
  const operator = isOperator(useMe());
  const names = useEventNames();
  const { form, submit } = useSubmit({
    initialValues: { url: '', events: [] as Records['EventName'][] },
    done: () => 'The receiver is added.',
    send: ({ url, events }) => {
      const body = events.length > 0 ? { url, events } : { url };
      return operator
        ? sent(api.POST('/v1/operator/webhooks/subscriptions', { body }))
        : sent(api.POST('/v1/api/webhooks/subscriptions', { body }));
    },
    after: ({ data }) => {
      if (data.secret) show(data.secret);
      close();
    },
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <TextInput
          label="Address"
          placeholder="https://example.com/sluice"
          required
          data-autofocus
          {...form.getInputProps('url')}
        />
        <MultiSelect
          label="Events"
          description="None: every kind."
          searchable
          clearable
          data={names.map((value) => ({ value, label: `${words(value)} (${value})` }))}
          {...form.getInputProps('events')}
        />
        <FormEnd submit={submit} label="Add" close={close} />
      </Stack>
    </form>
  );
}
