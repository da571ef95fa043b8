import type { Tx } from '../db/database.ts';
import { ApiError } from '../http/errors.ts';

/** Number of jobs that one organization may have waiting, over all queues. */
const QUEUED_JOBS = 500;
const RETRY_AFTER_SECONDS = '30';

/**
 * The priority of an organization's next job in a queue, by start-time fair queueing: its tag is one more than the organization's last
 * one, and at least the tag of the job that the queue started last. Lower tags start first, so that organizations with work take turns,
 * an idle organization is next without having saved up turns, and a single organization gets every worker. Only enqueues of the same
 * organization wait for each other's commit. (Tags are integers, as pg-boss's priorities are: enough for one job a second for 68 years.)
 */
export async function takeTurn(tx: Tx, queue: string, organizationId: string): Promise<number> {
  const row = await tx.one<{ tag: number }>(
    `insert into job_turns as t (organization_id, queue, tag) values ($1, $2, coalesce((select tag from job_clocks where queue = $2), 0))
     on conflict (organization_id, queue) do update set tag = greatest(t.tag + 1, excluded.tag) returning tag`,
    [organizationId, queue],
  );
  return -(row?.tag ?? 0);
}

/** Moves a queue's clock to the tag of a job that starts. Parameters: queue, tag. */
export const START_TURN = `insert into job_clocks as c (queue, tag) values ($1, $2)
  on conflict (queue) do update set tag = excluded.tag where c.tag < excluded.tag`;

/** Refuses (429) `more` jobs than the organization may still queue; exact, also for concurrent requests. */
export async function refuseFullQueue(tx: Tx, organizationId: string, more: number): Promise<void> {
  await tx.exec(`select pg_advisory_xact_lock(hashtextextended('sluice jobs of ' || $1, 0))`, [organizationId]);
  const row = await tx.one<{ queued: number }>(
    `select coalesce(sum(coalesce((data->>'jobs')::int, 1)), 0)::int as queued from pgboss.job where group_id = $1 and state < 'active'`,
    [organizationId],
  );
  const queued = row?.queued ?? 0;
  if (queued + more <= QUEUED_JOBS) return;
  throw new ApiError(
    'QUEUE_FULL',
    `${queued} jobs of your organization wait in the queue and this request needs ${more}; at most ${QUEUED_JOBS} may wait. Try again when some have started.`,
    { headers: { 'retry-after': RETRY_AFTER_SECONDS } },
  );
}
