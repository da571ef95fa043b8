import { Box, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice, text } from '../../ui/filters.tsx';
import { share, When, words } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page, Part, ToCome } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { RecordLink } from '../people/record-link.tsx';
import { Receivers, WhatWaits } from './health.tsx';
import { countColumn, statusColumn, whenColumn, wordsColumn } from '../../ui/columns.tsx';

const POLL_MS = 10_000;
/** Of the table of queues, so that what is below it stays where it is. */
const TABLE_HEIGHT = 374;

/** Work in the background: how much waits and for how long, who does not take what is sent, and each job of a tape. */
export function Jobs(): ReactNode {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: () => sent(api.GET('/v1/operator/health')),
    refetchInterval: POLL_MS,
  });
  return (
    <Page title="Jobs and queues" about="Work in the background, of every organization.">
      <Part
        title="What waits"
        about={
          <>As of {health.data ? <When at={health.data.data.at} /> : <ToCome width={160} />}, read again every 10 seconds.</>
        }
      >
        <Box mih={TABLE_HEIGHT}>
          <Read from={health}>{({ data }) => <WhatWaits health={data} />}</Read>
        </Box>
      </Part>
      <Part
        title="Receivers that fail"
        about="Those that fail longest first. After five days of failures a receiver is sent nothing more."
      >
        <Read from={health} few>
          {({ data }) => <Receivers health={data} />}
        </Read>
      </Part>
      <Part title="Checks of tapes and bulk uploads">
        <RecordList
          name={['jobs']}
          label="Jobs"
          read={(query: QueryOf<'/v1/operator/jobs'>) => sent(api.GET('/v1/operator/jobs', { params: { query } }))}
          filters={[
            choice('status', 'Status', ['PENDING', 'PROCESSING', 'COMPLETED', 'PARTIALLY_COMPLETED', 'FAILED']),
            choice('kind', 'Kind', ['TAPE_CHECKS', 'BULK']),
            text('organization_id', 'Organization', 'org_…'),
            text('deal_id', 'Deal', 'deal_…'),
            ...BETWEEN,
          ]}
          columns={COLUMNS}
          rowKey={({ job_id }) => job_id}
          empty="No job yet: an uploaded tape starts the first."
        />
      </Part>
    </Page>
  );
}

/** How far a job is, in words and as a bar. */
export const JobProgress = ({ progress }: { progress: Records['LoanJobProgress'] }): ReactNode => (
  <>
    <Progress value={progress.total === 0 ? 0 : (100 * progress.done) / progress.total} size="sm" aria-label="Progress" />
    <Group gap={6} wrap="nowrap">
      <Text size="xs">{progress.stage ? words(progress.stage) : ''}</Text>
      <Text size="xs" className="number">
        {share(progress.done, progress.total)}
      </Text>
    </Group>
  </>
);

const COLUMNS: readonly Column<Records['OperatorLoanJob']>[] = [
  {
    id: 'created_at',
    title: 'Started',
    value: ({ created_at }) => created_at,
    cell: ({ job_id, created_at }) => (
      <To to="/jobs/$jobId" params={{ jobId: job_id }} size="sm">
        <When at={created_at} />
      </To>
    ),
  },
  wordsColumn('kind', 'Kind'),
  { id: 'deal_id', title: 'Deal', value: ({ deal_id }) => deal_id, cell: ({ deal_id }) => <RecordLink id={deal_id} /> },
  statusColumn('status', 'Status'),
  {
    id: 'progress',
    title: 'Progress',
    value: ({ progress }) => (progress ? `${progress.done} of ${progress.total}` : null),
    cell: ({ progress }) => (progress ? <JobProgress progress={progress} /> : '–'),
  },
  countColumn('attempts', 'Attempts'),
  { id: 'error', title: 'Failure', value: ({ error }) => error },
  whenColumn('completed_at', 'Ended'),
  { id: 'organization_id', title: 'Organization', hidden: true, value: ({ organization_id }) => organization_id },
  { id: 'job_id', title: 'Job', hidden: true, value: ({ job_id }) => job_id },
];
