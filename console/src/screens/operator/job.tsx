import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { count, Id, When, words } from '../../ui/format.tsx';
import { Facts, Note, Page } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { RecordLink } from '../people/record-link.tsx';
import { JobProgress } from './jobs.tsx';

type Job = Records['LoanJob'] & { organization_id?: string };

const POLL_MS = 2_000;
const RUNNING = ['PENDING', 'PROCESSING'];

/** One job of a tape: how far it is, how often it was tried, and why it failed. */
export function JobPage(): ReactNode {
  const operator = isOperator(useMe());
  const { jobId = '' } = useParams({ strict: false });
  const params = { path: { jobId } };
  const job = useQuery({
    queryKey: ['jobs', jobId],
    queryFn: async (): Promise<Job> =>
      operator
        ? (await sent(api.GET('/v1/operator/jobs/{jobId}', { params }))).data
        : (await sent(api.GET('/v1/api/originator/loans/jobs/{jobId}', { params }))).data,
    refetchInterval: ({ state }) => (state.data && RUNNING.includes(state.data.status) ? POLL_MS : false),
  });
  return (
    <Page
      title={job.data ? `${words(job.data.kind)}` : 'Job'}
      up={operator ? { to: '/jobs', title: 'Jobs and queues' } : { to: '/requests', title: 'Requests' }}
    >
      <Read from={job}>
        {(data) => (
          <>
            {data.error && (
              <Note color="red" title="It failed">
                {data.error}
              </Note>
            )}
            <Facts
              facts={[
                ['Status', <Status key="status" of={data.status} />],
                ['Progress', data.progress && <JobProgress key="progress" progress={data.progress} />],
                ['Attempts', count(data.attempts)],
                ['Deal', <RecordLink key="deal" id={data.deal_id} />],
                ...(data.organization_id
                  ? [['Organization', <RecordLink key="organization" id={data.organization_id} />] as [string, ReactNode]]
                  : []),
                ['Started', <When key="started" at={data.created_at} />],
                ['Ended', <When key="ended" at={data.completed_at} />],
                ['Id', <Id key="id" of={data.job_id} />],
              ]}
            />
          </>
        )}
      </Read>
    </Page>
  );
}
