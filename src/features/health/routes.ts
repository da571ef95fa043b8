import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, nullable, timestamp } from '../../platform/http/schemas.ts';
import { listFailingReceivers, measureJobs, measureQueue } from './queries.ts';

/** Receivers in one answer. */
const SHOWN = 50;

const queue = {
  waiting: Type.Integer({ description: 'Due, and not begun; jobs also while they wait for another attempt.' }),
  running: Type.Integer(),
  oldest_seconds: Type.Integer({ description: 'For how long the oldest has been due; 0 when none is.' }),
};
const Queue = named('QueueHealth', queue);

const FailingReceiver = named('FailingReceiver', {
  subscription_id: id('whs'),
  organization_id: id('org'),
  active: Type.Boolean({ description: 'False: the platform sends nothing more to it.' }),
  disabled_reason: nullable(
    namedOneOf('ReceiverFailure', ['GONE', 'FAILING'], 'Why the platform stopped; null while it still tries.'),
  ),
  since: timestamp(),
  waiting: Type.Integer({ description: 'Deliveries that wait for it.' }),
});

export const healthRoutes: Route[] = [
  route({
    operation: 'getPlatformHealth',
    method: 'GET',
    path: '/v1/operator/health',
    access: 'operator',
    tag: 'Operator',
    summary: 'Read how much work waits, for how long, and which receivers fail',
    description:
      'Work of all organizations, as the database has it: jobs by kind, deliveries of webhooks and e-mails. Breakers belong to each worker process; their number is in its metrics.',
    reply: named('PlatformHealth', {
      at: timestamp('By the real clock, also where a sandbox has advanced its own.'),
      jobs: Type.Array(
        named('JobHealth', {
          name: Type.String({ description: 'Kind of job, such as ingest-tape.' }),
          ...queue,
          failed: Type.Integer({ description: 'Given up in the last 24 hours.' }),
        }),
      ),
      deliveries: Queue,
      emails: Queue,
      receivers: Type.Array(FailingReceiver, {
        description: `Receivers that fail, and those that the platform gave up for it: at most ${SHOWN}, those that fail longest first.`,
      }),
      receivers_more: Type.Boolean({ description: 'Whether others fail too.' }),
    }),
    handler: async ({ read }) => {
      const { jobs, deliveries, emails, receivers } = await read(async (tx) => ({
        jobs: await measureJobs(tx),
        deliveries: await measureQueue(tx, 'webhook_queue'),
        emails: await measureQueue(tx, 'emails'),
        receivers: await listFailingReceivers(tx, SHOWN + 1),
      }));
      const more = receivers.length > SHOWN;
      return { at: new Date(), jobs, deliveries, emails, receivers: receivers.slice(0, SHOWN), receivers_more: more };
    },
  }),
];
