import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { SUSPENDED } from '../keys/queries.ts';

export type QueueHealth = { waiting: number; running: number; oldest_seconds: number };
export type JobHealth = QueueHealth & { name: string; failed: number };

/**
 * Jobs by their kind: what waits, what runs, how long the oldest has been due, and what was given up in the last day. A job that is tried
 * again later waits as well: in an outage there are no others.
 */
export const measureJobs = (tx: Tx): Promise<JobHealth[]> =>
  tx.rows<JobHealth>(
    `select q.name,
            count(*) filter (where j.state = 'retry' or (j.state = 'created' and j.start_after <= now()))::int as waiting,
            count(*) filter (where j.state = 'active')::int as running,
            count(*) filter (where j.state = 'failed' and j.completed_on > now() - interval '1 day')::int as failed,
            floor(coalesce(greatest(0, extract(epoch from now() - min(case when j.state = 'retry' then j.created_on else j.start_after end)
              filter (where j.state in ('created', 'retry')))), 0))::int as oldest_seconds
     from pgboss.queue q left join pgboss.job j on j.name = q.name
     where q.name not like '\\_\\_%' group by q.name order by q.name`,
  );

/**
 * Deliveries or e-mails: what is due and waits, what is being sent, and how long the oldest has been due; a later attempt does not wait
 * yet, and nothing does of a suspended organization.
 */
export async function measureQueue(tx: Tx, queue: 'webhook_queue' | 'emails'): Promise<QueueHealth> {
  const row = await tx.one<QueueHealth>(
    `select count(*) filter (where due_at <= (select sluice_now()) and (claim_id is null or lease_until <= now()))::int as waiting,
            count(*) filter (where claim_id is not null and lease_until > now())::int as running,
            floor(coalesce(greatest(0, extract(epoch from sluice_now() - min(due_at))), 0))::int as oldest_seconds
     from ${queue} where organization_id not in ${SUSPENDED}`,
  );
  return row ?? { waiting: 0, running: 0, oldest_seconds: 0 };
}

export type FailingReceiver = {
  subscription_id: Id<'whs'>;
  organization_id: Id<'org'>;
  active: boolean;
  disabled_reason: 'GONE' | 'FAILING' | null;
  since: Date;
  waiting: number;
};

/** Receivers that refuse what they are sent, and those that the platform gave up for it; their addresses are their owners' alone. */
export const listFailingReceivers = (tx: Tx, most: number): Promise<FailingReceiver[]> =>
  tx.rows<FailingReceiver>(
    `select s.subscription_id, s.organization_id, s.active, s.disabled_reason, coalesce(s.failing_since, s.disabled_at) as since,
            (select count(*)::int from webhook_queue q where q.subscription_id = s.subscription_id) as waiting
     from webhook_subscriptions s
     where (s.active and s.failing_since is not null) or s.disabled_reason in ('GONE', 'FAILING')
     order by since, s.subscription_id limit $1`,
    [most],
  );
