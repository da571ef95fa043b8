import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { count, Id, words } from '../../ui/format.tsx';
import { Empty, Note } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { DataTable } from '../../ui/table.tsx';
import { OrganizationName } from './names.tsx';
import { countColumn, whenColumn } from '../../ui/columns.tsx';

type Queue = Records['QueueHealth'] & { name: string; failed: number | null };

const MINUTE = 60;
const HOUR = 3_600;

/** A time in words that are short enough for a column. */
const lasting = (seconds: number): string => {
  if (seconds < MINUTE) return `${seconds} s`;
  return seconds < HOUR ? `${Math.floor(seconds / MINUTE)} min` : `${(seconds / HOUR).toFixed(1)} h`;
};

/** Queues of the platform, with how long the oldest of each has been due. */
export const WhatWaits = ({ health }: { health: Records['PlatformHealth'] }): ReactNode => (
  <DataTable
    label="Queues"
    columns={QUEUES}
    rows={[
      ...health.jobs.map((job) => ({ ...job, name: words(job.name.replaceAll('-', ' ')) })),
      { ...health.deliveries, name: 'Deliveries to receivers', failed: null },
      { ...health.emails, name: 'E-mails', failed: null },
    ]}
    rowKey={({ name }) => name}
    whole
  />
);

const QUEUES: readonly Column<Queue>[] = [
  { id: 'name', title: 'Work', value: ({ name }) => name },
  countColumn('waiting', 'Waiting'),
  countColumn('running', 'Running'),
  {
    id: 'oldest_seconds',
    title: 'Oldest is due for',
    number: true,
    value: ({ oldest_seconds }) => oldest_seconds,
    cell: ({ waiting, oldest_seconds }) => (waiting === 0 ? '–' : lasting(oldest_seconds)),
  },
  countColumn('failed', 'Given up in a day'),
];

export const Receivers = ({ health: { receivers, receivers_more } }: { health: Records['PlatformHealth'] }): ReactNode =>
  receivers.length === 0 ? (
    <Empty>Every receiver takes what it is sent.</Empty>
  ) : (
    <>
      {receivers_more && <Note color="gray">These are the first {count(receivers.length)}; others fail too.</Note>}
      <DataTable
        label="Failing receivers"
        columns={RECEIVERS}
        rows={receivers}
        rowKey={({ subscription_id }) => subscription_id}
        whole={!receivers_more}
      />
    </>
  );

const RECEIVERS: readonly Column<Records['FailingReceiver']>[] = [
  {
    id: 'organization_id',
    title: 'Organization',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  {
    id: 'subscription_id',
    title: 'Receiver',
    value: ({ subscription_id }) => subscription_id,
    cell: ({ subscription_id }) => <Id of={subscription_id} />,
  },
  {
    id: 'state',
    title: 'State',
    value: ({ active, disabled_reason }) => (active ? 'FAILING' : disabled_reason),
    cell: ({ active, disabled_reason }) =>
      active ? (
        'Fails, and is tried again'
      ) : (
        <span>
          Nothing is sent any more: <Status of={disabled_reason} />
        </span>
      ),
  },
  whenColumn('since', 'Since'),
  countColumn('waiting', 'Waiting'),
];
