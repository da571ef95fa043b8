import { orNotFound } from '../../platform/http/errors.ts';
import { recordAccess } from '../accesses/queries.ts';
import { findJobOwner, listJobIds } from './job-queries.ts';
import { BULK_JOB_RECORD } from './bulk-queries.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import { CHECK_STAGES } from '../deals/queries.ts';
import { JOB_KINDS, JOB_STATUSES, readJob, CHECKS_RECORD } from './read-job.ts';
import { TAG } from './wire.ts';

const fields = {
  job_id: id('job'),
  kind: namedOneOf('LoanJobKind', JOB_KINDS),
  deal_id: nullable(id('deal', 'Deal whose tape is checked; null for a bulk job.')),
  status: namedOneOf(
    'JobStatus',
    JOB_STATUSES,
    'Checks are COMPLETED whatever they found, also when they wait for a mapping or a confirmation; FAILED: they ended without a result.',
  ),
  progress: nullable(
    Type.Object(
      {
        stage: nullable(namedOneOf('CheckStage', CHECK_STAGES, 'Stage of the checks; null for a bulk job.')),
        done: Type.Integer(),
        total: Type.Integer(),
      },
      {
        title: 'LoanJobProgress',
        description:
          'How far running checks have come in their stage, null before and after; the deals of a bulk job whose checks have ended.',
      },
    ),
  ),
  attempts: Type.Integer({ description: 'How often a worker has started it.' }),
  error: nullable(Type.String({ description: 'Why it failed, in whole or in part; null otherwise.' })),
  created_at: timestamp(),
  completed_at: nullable(timestamp('When it ended; null while it has not.')),
};

const OperatorJobSchema = named('OperatorLoanJob', { organization_id: id('org'), ...fields });

/** The jobs that the sending of tapes queues, by the `job_id` of its responses. */
export const jobRoutes: Route[] = [
  route({
    operation: 'getJob',
    method: 'GET',
    path: '/v1/api/originator/loans/jobs/:jobId',
    record: recordOfPath('jobId', CHECKS_RECORD, BULK_JOB_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Follow a job by the job_id of a response',
    description:
      'The checks of a version of a tape (complete, recheck, confirm) or a bulk job. A recheck continues the job of its version. The result of the checks is in the deal, that of a bulk job in GET …/loans/bulk/{jobId}.',
    params: pathId('jobId', 'job'),
    reply: named('LoanJob', fields),
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) => read((tx) => readJob(tx, caller, params.jobId)),
  }),
  route({
    operation: 'listOperatorJobs',
    method: 'GET',
    path: '/v1/operator/jobs',
    access: 'operator',
    tag: 'Operator',
    summary: 'List the jobs of all organizations, newest first',
    description: 'Checks of tapes and bulk jobs. The access log of each organization has the jobs that were shown.',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      deal_id: Type.Optional(id('deal')),
      kind: Type.Optional(oneOf(JOB_KINDS)),
      status: Type.Optional(oneOf(JOB_STATUSES)),
      ...CreatedBetween,
    }),
    reply: OperatorJobSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ write, caller, query }) =>
      write(async (tx) => {
        const page = await listJobIds(tx, query);
        const rows = [];
        for (const { job_id, organization_id } of page.rows)
          rows.push({ organization_id, ...(await readJob(tx, { ...caller, organization_id }, job_id)) });
        for (const [organization_id, jobs] of Map.groupBy(page.rows, (row) => row.organization_id)) {
          const details = { jobs: jobs.map(({ job_id }) => job_id) };
          const [first] = details.jobs;
          if (first) await recordAccess(tx, caller, { ...JOBS_READ, organization_id, entity_id: first, details });
        }
        return { ...page, rows };
      }),
  }),
  route({
    operation: 'getOperatorJob',
    method: 'GET',
    path: '/v1/operator/jobs/:jobId',
    record: recordOfPath('jobId', CHECKS_RECORD, BULK_JOB_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Follow a job of any organization',
    params: pathId('jobId', 'job'),
    reply: OperatorJobSchema,
    errors: ['NOT_FOUND'],
    handler: ({ write, caller, params }) =>
      write(async (tx) => {
        const organization_id = orNotFound(await findJobOwner(tx, params.jobId), 'job');
        await recordAccess(tx, caller, { ...JOBS_READ, organization_id, entity_id: params.jobId });
        return { organization_id, ...(await readJob(tx, { ...caller, organization_id }, params.jobId)) };
      }),
  }),
];

const JOBS_READ = { act: 'READ', entity_type: 'job', what: 'job' } as const;
