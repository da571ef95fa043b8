import { Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { BETWEEN, choice, text } from '../../ui/filters.tsx';
import { count, Id, share, When, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';

/** Work in the background: checks of tapes and bulk uploads, with how far each is and why it failed. */
export const Jobs = (): ReactNode => (
  <Page title="Jobs" about="Checks of tapes and bulk uploads, of every organization.">
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
  </Page>
);

const COLUMNS: readonly Column<Records['OperatorLoanJob']>[] = [
  { id: 'job_id', title: 'Job', value: ({ job_id }) => job_id, cell: ({ job_id }) => <Id of={job_id} /> },
  { id: 'kind', title: 'Kind', value: ({ kind }) => kind, cell: ({ kind }) => words(kind) },
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  {
    id: 'progress',
    title: 'Progress',
    value: ({ progress }) => (progress ? `${progress.done} of ${progress.total}` : null),
    cell: ({ progress }) =>
      progress ? (
        <>
          <Progress value={progress.total === 0 ? 0 : (100 * progress.done) / progress.total} size="sm" aria-label="Progress" />
          {progress.stage ? words(progress.stage) : ''} {share(progress.done, progress.total)}
        </>
      ) : (
        '–'
      ),
  },
  { id: 'attempts', title: 'Attempts', number: true, value: ({ attempts }) => attempts, cell: ({ attempts }) => count(attempts) },
  { id: 'error', title: 'Failure', value: ({ error }) => error },
  {
    id: 'created_at',
    title: 'Started',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <When at={created_at} />,
  },
  {
    id: 'completed_at',
    title: 'Ended',
    value: ({ completed_at }) => completed_at,
    cell: ({ completed_at }) => <When at={completed_at} />,
  },
  { id: 'organization_id', title: 'Organization', hidden: true, value: ({ organization_id }) => organization_id },
  { id: 'deal_id', title: 'Deal', hidden: true, value: ({ deal_id }) => deal_id },
];
