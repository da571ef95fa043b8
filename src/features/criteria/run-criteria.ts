import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emit, raiseAlert } from '../../events/emit.ts';
import type { RunResult } from '../../loans/criteria/run.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ComputeDied } from '../../platform/compute/failures.ts';
import type { Deps } from '../../platform/deps.ts';
import { GAVE_UP, type GaveUp, judgeFailure, MAX_ATTEMPTS, returnAttempt } from '../../platform/jobs/attempts.ts';
import { type Id } from '../../platform/ids.ts';
import { type Deal, findDeal } from '../deals/queries.ts';
import { findTape } from '../tapes/queries.ts';
import { claimStored } from '../uploads/sweep-queries.ts';
import { storeUnclaimed } from '../uploads/upload.ts';
import { evaluateIn } from './evaluate-basis.ts';
import { approvedWaivers, insertExceptionFile } from './exception-queries.ts';
import { findCriteria } from './queries.ts';
import type { Basis } from './queue-run.ts';
import { finishRun, startRun } from './run.ts';
import { findRun, returnRunAttempt, type Run } from './run-queries.ts';

/** The messages that a customer sees for a run that FAILED; the error itself is in the log. */
const FAILURES = {
  RUN_FAILED: 'The run ended without a result. Start it again; if it fails again, give the operator the run’s id.',
  RUN_INTERRUPTED:
    'The run was interrupted at every attempt and is not retried. Start it again with fewer rules; if it fails again, give the operator the run’s id.',
} as const;

/** The job: evaluates the criteria and commits result, event, alert and exception file together, or none of them. */
export async function runCriteria(
  deps: Deps,
  job: { organization_id: Id<'org'>; sc_job_id: Id<'scj'> },
  signal: AbortSignal,
  last = false,
): Promise<GaveUp | undefined> {
  const scope = { organization: job.organization_id };
  const started = await deps.db.tx(scope, async (tx) => {
    const run = await startRun(tx, job.organization_id, job.sc_job_id);
    if (!run) return null;
    const [deal, tape, criteria] = await Promise.all([
      findDeal(tx, run.organization_id, run.deal_id),
      findTape(tx, run.organization_id, run.deal_id, run.tape_version),
      findCriteria(tx, run.organization_id, run.criteria_id, run.criteria_version),
    ]);
    if (!deal || !tape || !criteria) return null;
    return { run, basis: { deal, tape, criteria }, waivers: await approvedWaivers(tx, { deal, tape }, run.criteria_id) };
  });
  if (!started) return;
  const { run } = started;
  if (run.attempts > MAX_ATTEMPTS)
    return fail(deps, run, started.basis.deal, 'RUN_INTERRUPTED', new Error('every attempt crashed its process'));
  const workDir = join(deps.workDir, `criteria-${randomUUID()}`);
  const stopped = cancellation(deps, run, signal);
  try {
    await mkdir(workDir);
    const result = await evaluateIn(deps, started.basis, started.waivers, workDir, stopped.signal);
    const outcomesKey = `criteria/${job.organization_id}/${job.sc_job_id}/${run.run}/outcomes.parquet`;
    await storeUnclaimed(deps, job.organization_id, outcomesKey, () => createReadStream(result.outcomesPath));
    await deps.db.tx({ platform: true }, (tx) => commit(tx, run, started.basis, result, outcomesKey));
  } catch (error) {
    if (stopped.cancelled()) return;
    const failure = judgeFailure(error, signal, { number: run.attempts, last });
    if (!failure.counts) await returnAttempt(signal, () => deps.db.tx(scope, (tx) => returnRunAttempt(tx, run)));
    // The same criteria fail in the same way over the same loans: only other failures are retried, and processes that died.
    if (!failure.final && (signal.aborted || !failure.counts || error instanceof ComputeDied)) throw error;
    return await fail(deps, run, started.basis.deal, 'RUN_FAILED', error);
  } finally {
    stopped.end();
    await rm(workDir, { recursive: true, force: true });
  }
}

/** Ends the evaluation when the run is cancelled. */
function cancellation(deps: Deps, run: Run, outer: AbortSignal): { signal: AbortSignal; cancelled(): boolean; end(): void } {
  const own = new AbortController();
  let cancelled = false;
  const timer = setInterval(() => {
    deps.db
      .tx({ organization: run.organization_id }, (tx) => findRun(tx, run.organization_id, run.sc_job_id))
      .then((now) => {
        cancelled = now?.status === 'CANCELLED';
        if (cancelled) own.abort();
      })
      .catch(() => {});
  }, 500);
  timer.unref();
  return { signal: AbortSignal.any([own.signal, outer]), cancelled: () => cancelled, end: () => clearInterval(timer) };
}

async function commit(tx: Tx, run: Run, { deal, tape }: Basis, result: RunResult, outcomesKey: string): Promise<void> {
  const exceptionFileId = result.failed > 0 ? tx.newId('exf') : null;
  const { outcomesPath: _path, ...kept } = result;
  const ended = await finishRun(tx, run, 'COMPLETED', {
    passed: result.passed,
    failed: result.failed,
    waived: result.waived,
    total: result.total,
    passed_balance: result.passed_balance,
    failed_balance: result.failed_balance,
    result: kept,
    loans_key: tape.loans_key,
    outcomes_key: outcomesKey,
    exception_file_id: exceptionFileId,
    error: null,
    error_code: null,
  });
  if (!ended) return;
  await claimStored(tx, [outcomesKey]);
  if (exceptionFileId)
    await insertExceptionFile(tx, run.organization_id, {
      exception_file_id: exceptionFileId,
      deal_id: run.deal_id,
      sc_job_id: run.sc_job_id,
      exception_count: result.failed,
    });
  await announce(tx, ended, deal);
}

async function fail(deps: Deps, run: Run, deal: Deal, code: keyof typeof FAILURES, error: unknown): Promise<GaveUp> {
  deps.log.error({ job: 'run-criteria', sc_job_id: run.sc_job_id, err: error }, 'criteria run failed');
  await deps.db.tx({ platform: true }, (tx) => commitFailure(tx, run, deal, code));
  return GAVE_UP;
}

async function commitFailure(tx: Tx, run: Run, deal: Deal, code: keyof typeof FAILURES): Promise<void> {
  const nothing = {
    passed: 0,
    failed: 0,
    waived: 0,
    total: 0,
    passed_balance: '0',
    failed_balance: '0',
    result: null,
    loans_key: null,
    outcomes_key: null,
    exception_file_id: null,
  };
  const ended = await finishRun(tx, run, 'FAILED', {
    ...nothing,
    error: FAILURES[code],
    error_code: code,
  });
  if (!ended) return;
  await raiseAlert(tx, run.organization_id, 'sc.failed', {
    category: 'selection',
    priority: 'HIGH',
    title: `${deal.name}: the criteria run failed`,
    entity_type: 'sc_job',
    entity_id: run.sc_job_id,
    message: FAILURES[code],
  });
}

async function announce(tx: Tx, run: Run, deal: Deal): Promise<void> {
  await emit(tx, [
    {
      organization_id: run.organization_id,
      event: 'sc.completed',
      data: {
        deal_id: run.deal_id,
        sc_job_id: run.sc_job_id,
        status: run.status,
        passed: run.passed ?? 0,
        failed: run.failed ?? 0,
        total: run.total ?? 0,
        run_at: (run.run_at ?? tx.now).toISOString(),
        exception_file_id: run.exception_file_id,
      },
      alert: {
        category: 'selection',
        priority: run.failed ? 'MEDIUM' : 'LOW',
        title: `${deal.name}: ${run.passed} of ${run.total} loans pass the criteria`,
        message: run.failed
          ? `${run.failed} loans fail; the exception file lists them with their reasons.`
          : 'Every loan passes.',
        entity_type: 'sc_job',
        entity_id: run.sc_job_id,
      },
    },
  ]);
}
