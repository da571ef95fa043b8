import { runCalculation } from './features/analytics/run-calculation.ts';
import { expireAllocations } from './features/books/expire-allocations.ts';
import { runCriteria } from './features/criteria/run-criteria.ts';
import { expireDrafts } from './features/deals/expire-drafts.ts';
import { runBulk } from './features/tapes/run-bulk.ts';
import { ingestTape } from './features/tapes/ingest-tape.ts';
import { keepPartitions } from './features/webhooks/retention.ts';
import type { Deps } from './platform/deps.ts';
import { forgetOldAnswers } from './platform/http/idempotency.ts';
import type { JobData, JobHandler, JobName } from './platform/jobs/jobs.ts';

/** Job name → function. */
export function jobHandlers(given: Deps): Record<JobName, JobHandler> {
  // No request waits for a job: its statements may take their time.
  const deps = { ...given, db: given.db.patient() };
  const handlers: Record<JobName, (data: never, signal: AbortSignal, last: boolean) => Promise<void>> = {
    'ingest-tape': (job: never, signal, last) => ingestTape(deps, job, signal, last),
    'bulk-ingest': (job: never) => runBulk(deps, job),
    'run-criteria': (job: never, signal) => runCriteria(deps, job, signal),
    'run-calculation': (job: never, signal) => runCalculation(deps, job, signal),
    housekeeping: () => housekeeping(deps),
  };
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [name, counted(deps, name, handler as JobHandler)]),
  ) as Record<JobName, JobHandler>;
}

/** What happens by the passing of time alone; every part may run twice or late. */
export async function housekeeping(deps: Deps): Promise<void> {
  await expireDrafts(deps.db);
  await expireAllocations(deps.db);
  await forgetOldAnswers(deps.db);
  await keepPartitions(deps.db);
}

/** Job data are ids and numbers, never what a tape holds. */
function told(data: JobData): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(data).flatMap(([key, value]) => (value === null ? [] : [[`sluice.${key}`, value]])));
}

function counted(deps: Deps, name: string, handler: JobHandler): JobHandler {
  return async (data: JobData, signal: AbortSignal, last: boolean) => {
    const startedAt = performance.now();
    const ended = (outcome: 'done' | 'failed') => {
      deps.metrics.jobs.inc({ name, outcome });
      deps.tracing.record({ name, kind: 'CONSUMER', startedAt, attributes: told(data), failed: outcome === 'failed' });
    };
    try {
      await handler(data, signal, last);
      ended('done');
    } catch (error) {
      ended('failed');
      deps.log.error(
        { job: name, err: { name: (error as Error).name, message: (error as Error).message, stack: (error as Error).stack } },
        'job failed',
      );
      throw error;
    }
  };
}
