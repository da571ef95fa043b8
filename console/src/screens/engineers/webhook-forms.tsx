import { Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { ActDialog } from '../../ui/act.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { words } from '../../ui/format.tsx';

/** A secret that is shown once. */
export type Shown = { value: string; note: string };
type Receiver = { receiver: Records['WebhookSubscription'] };

export const TestForm = ({ receiver }: Receiver): ReactNode => (
  <ActDialog label="Send a test" right="ADMIN" form={(close) => <Test receiver={receiver} close={close} />} />
);

const ANY: Records['EventName'] = 'deal.status_changed';

function Test({ receiver, close }: Receiver & { close: () => void }): ReactNode {
  const operator = isOperator(useMe());
  const params = { path: { id: receiver.id } };
  const { form, submit } = useSubmit({
    initialValues: { event: receiver.events[0] ?? ANY },
    done: ({ event }) => `A sample of ${event} is queued.`,
    after: close,
    send: (body) =>
      operator
        ? sent(api.POST('/v1/operator/webhooks/subscriptions/{id}/test', { params, body }))
        : sent(api.POST('/v1/api/webhooks/subscriptions/{id}/test', { params, body })),
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <Select
          label="Event"
          description="Its sample is sent once, signed and marked as a test."
          searchable
          allowDeselect={false}
          data={receiver.events.map((value) => ({ value, label: words(value) }))}
          {...form.getInputProps('event')}
        />
        <FormEnd submit={submit} label="Send" close={close} />
      </Stack>
    </form>
  );
}

export const RecoverForm = ({ receiver }: Receiver): ReactNode => (
  <ActDialog label="Replay a range" right="ADMIN" form={(close) => <Recover receiver={receiver} close={close} />} />
);

const DAY_MS = 86_400_000;

function Recover({ receiver, close }: Receiver & { close: () => void }): ReactNode {
  const operator = isOperator(useMe());
  const params = { path: { id: receiver.id } };
  const { form, submit } = useSubmit({
    initialValues: { since: new Date(Date.now() - DAY_MS).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length) },
    done: () => 'What the receiver did not take is queued.',
    after: close,
    send: ({ since }) => {
      const body = { since: `${since}:00Z` };
      return operator
        ? sent(api.POST('/v1/operator/webhooks/subscriptions/{id}/recover', { params, body }))
        : sent(api.POST('/v1/api/webhooks/subscriptions/{id}/recover', { params, body }));
    },
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <Text size="sm">
          Every event since then that the receiver did not take is sent again, as a delivery of its own with the same event id.
        </Text>
        <TextInput label="Since (UTC)" type="datetime-local" required {...form.getInputProps('since')} />
        <FormEnd submit={submit} label="Replay" close={close} />
      </Stack>
    </form>
  );
}

const OVERLAPS = [
  { value: '0', label: 'None: the former secret ends at once', told: 'ends at once' },
  { value: '3600', label: 'An hour', told: 'verifies for one more hour' },
  { value: '86400', label: 'A day', told: 'verifies for one more day' },
  { value: '604800', label: 'A week', told: 'verifies for one more week' },
] as const;

export const RotateForm = ({ receiver, show }: Receiver & { show: (secret: Shown) => void }): ReactNode => (
  <ActDialog label="Rotate the secret" right="ADMIN" form={(close) => <Rotate receiver={receiver} show={show} close={close} />} />
);

function Rotate({ receiver, show, close }: Receiver & { show: (secret: Shown) => void; close: () => void }): ReactNode {
  const operator = isOperator(useMe());
  const params = { path: { id: receiver.id } };
  const { form, submit } = useSubmit({
    initialValues: { grace: '86400' },
    done: () => 'The secret is rotated.',
    send: async ({ grace }) => {
      const body = { grace_seconds: Number(grace) };
      const answer = operator
        ? await sent(api.POST('/v1/operator/webhooks/subscriptions/{id}/rotate-secret', { params, body }))
        : await sent(api.POST('/v1/api/webhooks/subscriptions/{id}/rotate-secret', { params, body }));
      const told = OVERLAPS.find(({ value }) => value === grace)?.told ?? '';
      if (answer.data.secret) show({ value: answer.data.secret, note: `It is shown only now. The former one ${told}.` });
      return answer;
    },
    after: close,
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <Text size="sm">A new secret is made. While both verify, each delivery carries a signature by each.</Text>
        <Select
          label="Overlap"
          allowDeselect={false}
          data={OVERLAPS.map(({ value, label }) => ({ value, label }))}
          {...form.getInputProps('grace')}
        />
        <FormEnd submit={submit} label="Rotate" close={close} />
      </Stack>
    </form>
  );
}
