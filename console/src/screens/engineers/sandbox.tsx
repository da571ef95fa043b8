import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure, api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { useSubmit, type Submit } from '../../ui/form.tsx';
import { When, words } from '../../ui/format.tsx';
import { Empty, Facts, Note, Page, Part, ToCome } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { useEventNames } from './webhooks.tsx';

const DAY_SECONDS = 86_400;

/** What a first integration needs of the operator and of time: each of it is a route of the sandbox, and Production has none. */
export function Sandbox(): ReactNode {
  const me = useMe();
  const operator = isOperator(me);
  if (me.environment !== 'development')
    return (
      <Page title="Sandbox">
        <Empty>Only Development has a sandbox; this is {words(me.environment)}.</Empty>
      </Page>
    );
  return (
    <Page
      title="Sandbox"
      about="Moves time and records as the operator, the servicer and the market would, so that an integration sees every state. Development alone has it."
    >
      <Clock />
      <Part title="Records" about={operator ? 'Of every organization.' : 'Of your organization.'}>
        <Stack gap="md">
          <MoveDeal />
          <MovePool />
          <Settle />
        </Stack>
      </Part>
      <Part title="An event to your receivers" about="It is real and signed, with its alert; its data is a sample.">
        <Fire />
      </Part>
      <Part title="Fill and empty">
        <Fill operator={operator} name={me.organization} />
      </Part>
    </Page>
  );
}

const TIMES: readonly [title: string, days: number][] = [
  ['A day', 1],
  ['A week', 7],
  ['A month', 31],
];

function Clock(): ReactNode {
  const clock = useQuery({ queryKey: ['sandbox', 'clock'], queryFn: () => advance(0) });
  return (
    <Part
      title="The clock"
      about="All organizations share it, and it goes forward alone. What becomes due is done at once: offers expire, periods come."
      acts={TIMES.map(([title, days]) => (
        <Act
          key={title}
          label={`${title} on`}
          right="EDIT"
          question={`The platform's time becomes ${days} ${days === 1 ? 'day' : 'days'} later, for every organization. It cannot be put back.`}
          run={() => advance(days * DAY_SECONDS)}
          done={`The clock is ${days} ${days === 1 ? 'day' : 'days'} further.`}
        />
      ))}
    >
      {clock.error ? (
        <Problem error={clock.error} retry={() => void clock.refetch()} />
      ) : (
        <Facts
          facts={[
            [
              "The platform's time",
              clock.data ? <When key="now" at={clock.data.data.now} /> : <ToCome key="now" like="Nov 27, 2026, 12:00 AM UTC" />,
            ],
          ]}
        />
      )}
    </Part>
  );
}

const advance = (advance_seconds: number) => sent(api.POST('/v1/sandbox/clock', { body: { advance_seconds } }));

const DECISIONS = ['APPROVED', 'REJECTED', 'WITHDRAWN'] as const satisfies readonly Records['DealStatus'][];

function MoveDeal(): ReactNode {
  const { form, submit } = useSubmit({
    initialValues: { deal_id: '', to: DECISIONS[0] },
    done: ({ to }) => `The deal is ${words(to).toLowerCase()}.`,
    send: ({ deal_id, to }) =>
      sent(api.POST('/v1/sandbox/deals/{dealId}/advance', { params: { path: { dealId: deal_id.trim() } }, body: { to } })),
  });
  return (
    <Line submit={submit} label="Move the deal">
      <TextInput label="Deal" placeholder="deal_…" required {...form.getInputProps('deal_id')} />
      <Select
        label="Becomes"
        allowDeselect={false}
        data={DECISIONS.map((value) => ({ value, label: words(value) }))}
        {...form.getInputProps('to')}
      />
    </Line>
  );
}

function MovePool(): ReactNode {
  const { form, submit } = useSubmit({
    initialValues: { pool_id: '', periods: 1 },
    done: ({ periods }) => `${periods} ${periods === 1 ? 'period has' : 'periods have'} been run.`,
    send: ({ pool_id, periods }) => {
      // An emptied field gives a text without a number.
      if (!(Number(periods) >= 1))
        throw new ApiFailure(0, {
          message: 'The number of periods is missing.',
          code: 'NOT_SENT',
          errors: [{ field: 'periods', code: 'invalid', message: 'Write how many, from 1 to 12.' }],
        });
      return sent(
        api.POST('/v1/sandbox/pools/{poolId}/advance', { params: { path: { poolId: pool_id.trim() } }, body: { periods } }),
      );
    },
  });
  return (
    <Line submit={submit} label="Run the periods">
      <TextInput label="Issued pool" placeholder="pool_…" required {...form.getInputProps('pool_id')} />
      <NumberField label="Payment periods" min={1} max={12} allowDecimal={false} {...form.getInputProps('periods')} />
    </Line>
  );
}

function Settle(): ReactNode {
  const { form, submit } = useSubmit({
    initialValues: { trade_id: '' },
    done: () => 'The trade is settled.',
    send: ({ trade_id }) =>
      sent(api.POST('/v1/sandbox/trades/{tradeId}/settle', { params: { path: { tradeId: trade_id.trim() } } })),
  });
  return (
    <Line submit={submit} label="Settle the trade">
      <TextInput label="Trade" placeholder="trd_…" required {...form.getInputProps('trade_id')} />
    </Line>
  );
}

const FIRST: Records['EventName'] = 'deal.status_changed';

function Fire(): ReactNode {
  const names = useEventNames();
  const { form, submit } = useSubmit({
    initialValues: { event: FIRST },
    done: ({ event }) => `${words(event)} is fired.`,
    send: (body) => sent(api.POST('/v1/sandbox/events', { body })),
  });
  return (
    <Line submit={submit} label="Fire the event">
      <Select
        label="Event"
        w={320}
        searchable
        allowDeselect={false}
        data={names.map((value) => ({ value, label: words(value) }))}
        {...form.getInputProps('event')}
      />
    </Line>
  );
}

const Line = ({ submit, label, children }: { submit: Submit; label: string; children: ReactNode }): ReactNode => (
  <form onSubmit={submit.onSubmit}>
    <Group gap="xs" align="flex-end">
      {children}
      <Button type="submit" variant="default" loading={submit.busy}>
        {label}
      </Button>
    </Group>
    {submit.failure ? <Problem error={submit.failure} /> : null}
  </form>
);

function Fill({ operator, name }: { operator: boolean; name: string }): ReactNode {
  return (
    <Stack gap="sm" align="flex-start">
      {operator && (
        <Note color="gray">
          Reset removes the records of all organizations; organizations, members, keys and the audit log stay.
        </Note>
      )}
      <Group gap="xs">
        <Act
          label="Fill the sandbox"
          right="EDIT"
          question="Organizations, tapes of every type, a deal with a year of payments and one on the market are made. It takes a minute; a sandbox that has deals stays as it is."
          run={() => sent(api.POST('/v1/sandbox/seed', { body: {} }))}
          done="The sandbox is filled."
        />
        <Act
          label={operator ? 'Empty the sandbox' : 'Remove my records'}
          right="EDIT"
          danger
          typed={name}
          question={
            operator
              ? 'The records of all organizations are removed. It cannot be undone.'
              : `Alerts, receivers, deals in no pool, criteria that no run used, and open commitments of ${name} are removed. It cannot be undone.`
          }
          run={() => sent(api.POST('/v1/sandbox/reset', { body: {} }))}
          done={operator ? 'The sandbox is empty.' : 'Your records are removed.'}
        />
      </Group>
    </Stack>
  );
}
