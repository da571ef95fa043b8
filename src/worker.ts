import { deleteOldRecordAccesses } from './features/accesses/queries.ts';
import { deleteOldAlerts } from './features/alerts/queries.ts';
import { listLiveCalculations } from './features/calculations/queries.ts';
import { deleteOldFlows, listOpenPlaces } from './features/calculations/portfolio-run-queries.ts';
import { LANES } from './features/calculations/request-portfolio-run.ts';
import { type QueuedCalculation, runCalculation } from './features/calculations/run-calculation.ts';
import { type QueuedPortfolioDeal, runPortfolioDeal } from './features/calculations/run-portfolio-deal.ts';
import { expireApprovals } from './features/approvals/expire-approvals.ts';
import { expireAllocations } from './features/allocations/expire-allocations.ts';
import { tellExpiring } from './features/allocations/tell-expiring.ts';
import { runCriteria } from './features/criteria/run-criteria.ts';
import { listLiveRuns } from './features/criteria/run-queries.ts';
import { expireDrafts } from './features/deals/expire-drafts.ts';
import { DEALS_OF_BOTH_KINDS } from './features/deals/operator-queries.ts';
import { listOpenBulkJobs } from './features/tapes/bulk-queries.ts';
import { deleteOldAccesses } from './features/documents/queries.ts';
import { expandFanOuts } from './features/events/expand-fan-outs.ts';
import { tellDemand } from './features/books/tell-demand.ts';
import { readPoolTape } from './features/servicing/read-pool-tape.ts';
import { listRunningPoolTapes } from './features/servicing/queries.ts';
import { sweepSharedFiles } from './features/sharing/table-files.ts';
import { tellLateTapes } from './features/servicing/tell-late.ts';
import { ingestTape } from './features/tapes/ingest-tape.ts';
import { listRunningTapes } from './features/tapes/queries.ts';
import { runBulk } from './features/tapes/run-bulk.ts';
import { encumberPools } from './features/pools/encumber-pools.ts';
import { settlePledges } from './features/pledges/report-pledge.ts';
import { sweepUploads } from './features/uploads/sweep-uploads.ts';
import { applyDueRemittances } from './features/remittances/apply-remittances.ts';
import { deleteOldEmails } from './features/notifications/mail-queries.ts';
import { endWaiting, keepPartitions } from './features/webhooks/queue-queries.ts';
import { checkpointAudit } from './platform/audit-checkpoints.ts';
import type { Tx } from './platform/db/database.ts';
import { addUpTotals } from './platform/db/kept-totals.ts';
import { keepPlaces, PLACED_TABLES } from './platform/db/list-places.ts';
import type { Deps } from './platform/deps.ts';
import { Failures } from './platform/failures.ts';
import { deleteEndedSessions } from './features/sessions/queries.ts';
import { deleteOldResponses } from './platform/http/idempotency.ts';
import type { JobData, JobHandler, JobHandlers, JobName } from './platform/jobs/jobs.ts';
import { GAVE_UP } from './platform/jobs/attempts.ts';
import { isStopping } from './platform/jobs/stopping.ts';

/** Jobs that run on a schedule. */
export const SCHEDULES = { housekeeping: '*/5 * * * *', notices: '* * * * *' } satisfies Partial<Record<JobName, string>>;

/** Job name → function. */
export function jobHandlers(given: Deps): JobHandlers {
  // No request waits for a job, so its statements may run longer.
  const deps = { ...given, db: given.db.patient() };
  return {
    'ingest-tape': observed(deps, 'ingest-tape', ingestTape),
    'bulk-ingest': observed(deps, 'bulk-ingest', runBulk),
    'read-pool-tape': observed(deps, 'read-pool-tape', readPoolTape),
    'run-criteria': observed(deps, 'run-criteria', runCriteria),
    'run-calculation': observed(deps, 'run-calculation', calculate),
    notices: observed(deps, 'notices', tellNotices),
    housekeeping: observed(deps, 'housekeeping', housekeeping),
  };
}

/** Calculations of pools and deals of books share one queue, so that they take turns. */
const calculate: JobWork<QueuedCalculation | QueuedPortfolioDeal> = (deps, data, signal, last) =>
  'place' in data ? runPortfolioDeal(deps, data, signal, last) : runCalculation(deps, data, signal, last);

const HOUSEKEEPING: readonly ((deps: Deps) => Promise<unknown>)[] = [
  requeueOrphans,
  ({ db }) => expireDrafts(db),
  ({ db }) => expireAllocations(db),
  ({ db }) => expireApprovals(db),
  ({ db }) => applyDueRemittances(db),
  applyRetention,
  ({ db }) => keepPartitions(db),
  ({ db }) => keepPlaces(db, [...PLACED_TABLES, DEALS_OF_BOTH_KINDS]),
  (deps) => sweepUploads(deps),
  checkpointAudit,
];

/**
 * Does the work that becomes due with time alone. Every part may run twice or late, and a part that fails does not stop the later ones.
 */
export async function housekeeping(deps: Deps): Promise<void> {
  await runParts(deps, HOUSEKEEPING);
}

async function runParts(deps: Deps, parts: readonly ((deps: Deps) => Promise<unknown>)[]): Promise<void> {
  const failures = new Failures();
  for (const part of parts) await failures.keep(part(deps));
  if (failures.errors.length === 1) throw failures.errors[0];
  failures.throwAny();
}

/**
 * What is done every minute: sums, and the events that are told after the change or before a deadline. Every part may run twice, late or
 * beside itself and tells once.
 */
const NOTICES: readonly ((deps: Deps) => Promise<unknown>)[] = [
  ({ db }) => expandFanOuts(db),
  ({ db }) => addUpTotals(db),
  ({ db }) => tellExpiring(db),
  ({ db }) => tellDemand(db),
  ({ db }) => tellLateTapes(db),
  (deps) => encumberPools(deps),
  (deps) => settlePledges(deps),
  ({ db }) => endWaiting(db),
];

export const tellNotices = (deps: Deps): Promise<void> => runParts(deps, NOTICES);

/** Deletes expired rows (docs/guide/operator.md lists the retention of each table) and logs how many. */
async function applyRetention(deps: Deps): Promise<void> {
  const deleted = {
    ...(await deleteOldResponses(deps.db)),
    alerts: await deleteOldAlerts(deps.db),
    document_accesses: await deleteOldAccesses(deps.db),
    record_accesses: await deleteOldRecordAccesses(deps.db),
    emails: await deleteOldEmails(deps.db),
    scenario_flows: await deleteOldFlows(deps.db),
    sessions: await deleteEndedSessions(deps.db),
    shared_files: await sweepSharedFiles(deps),
  };
  if (Object.values(deleted).some((count) => count > 0)) deps.log.info({ deleted }, 'retention');
}

/**
 * Queues a job again for each record that waits for one while none is left (the queue gave it up, or lost it). A record whose attempts
 * are used up is then given up by its job, with an alert.
 */
async function requeueOrphans(deps: Deps): Promise<void> {
  const waiting: [JobName, (tx: Tx) => Promise<JobData[]>, (data: JobData) => string][] = [
    ['ingest-tape', listRunningTapes, ({ deal_id, version, run }) => `${deal_id} ${version} ${run}`],
    ['read-pool-tape', listRunningPoolTapes, ({ pool_id, period, run }) => `${pool_id} ${period} ${run}`],
    ['bulk-ingest', listOpenBulkJobs, ({ job_id }) => `${job_id}`],
    ['run-criteria', listLiveRuns, ({ sc_job_id }) => `${sc_job_id}`],
    ['run-calculation', listCalculating, ({ calculation_id, place = null }) => `${calculation_id} ${place}`],
  ];
  for (const [name, list, key] of waiting) {
    const orphans = await deps.db.tx({ platform: true }, async (tx) => {
      // The records are read before the jobs: a job that ends in between is queued once more, to no effect, and none is missed.
      const records = await list(tx);
      const live = new Set((await deps.jobs.live(tx, name)).map(key));
      const left = records.filter((record) => !live.has(key(record)));
      for (const record of left) await deps.jobs.enqueue(tx, name, record, { accepted: true });
      return left;
    });
    if (orphans.length > 0) deps.log.warn({ job: name, count: orphans.length }, 'records without a job were queued again');
  }
}

const listCalculating = async (tx: Tx): Promise<JobData[]> => [
  ...(await listLiveCalculations(tx)),
  ...(await listOpenPlaces(tx, LANES)),
];

/** Job data are ids and numbers, never values of a tape. */
function attributesOf(data: JobData): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(data).flatMap(([key, value]) => (value === null ? [] : [[`sluice.${key}`, value]])));
}

/** `GAVE_UP` is told of a record that was given up. */
type JobWork<Data> = (deps: Deps, data: Data, signal: AbortSignal, last: boolean) => Promise<unknown>;

/** Wraps the handler of a job so that its runs are counted, traced and logged. */
function observed<Data extends JobData>(deps: Deps, name: JobName, work: JobWork<Data>): JobHandler {
  return async (data, signal, last) => {
    const startedAt = performance.now();
    const ended = (outcome: 'done' | 'failed' | 'handed_back') => {
      deps.metrics.jobs.inc({ name, outcome });
      deps.tracing.record({ name, kind: 'CONSUMER', startedAt, attributes: attributesOf(data), failed: outcome === 'failed' });
    };
    try {
      // The queue stores the data under the job's name, without its type.
      const result = await work(deps, data as Data, signal, last);
      ended(result === GAVE_UP ? 'failed' : 'done');
    } catch (error) {
      if (isStopping(signal)) {
        ended('handed_back');
        deps.log.info({ job: name, ...data }, 'job handed back: the worker is stopping');
        throw error;
      }
      ended('failed');
      deps.log.error({ job: name, err: error }, 'job failed');
      throw error;
    }
  };
}
