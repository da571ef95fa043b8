import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Deps } from '../../platform/deps.ts';
import {
  type CalculationOutcome,
  completeCalculation,
  failCalculation,
  startCalculation,
  type StartedCalculation,
} from './calculation-queries.ts';
import type { ThreadReply, ThreadTask } from './calculation-thread.ts';

export type CalculationJob = { organization_id: string; calculation_id: string };

/** A calculation whose process was killed is run again once. */
const RUNS = 2;
const TIMEOUT_MS = 60 * 60 * 1000;
const HEAP_MB = 4_096;

/**
 * Runs a queued calculation in a thread of its own and commits its result in one transaction, fenced by the number of the run: a run that
 * was taken over leaves nothing that anybody sees.
 */
export async function runCalculation(deps: Deps, job: CalculationJob, signal: AbortSignal): Promise<void> {
  const scope = { organization: job.organization_id };
  const started = await deps.db.tx(scope, async (tx) => {
    const found = await startCalculation(tx, job.organization_id, job.calculation_id);
    if (!found || found.run <= RUNS) return found;
    await failCalculation(tx, found, `The calculation was interrupted ${RUNS} times. Ask for it again.`);
    return null;
  });
  if (!started) return;
  const workDir = await mkdtemp(join(deps.workDir, 'calculation-'));
  try {
    const reply = await inThread(deps, started, workDir, signal);
    if (!reply.ok) return await fail(deps, started, reply);
    const outcome = await keep(deps, started, reply, workDir);
    await deps.db.tx(scope, (tx) => completeCalculation(tx, started, outcome));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function fail(
  deps: Deps,
  started: StartedCalculation,
  { error, defect }: { error: string; defect: boolean },
): Promise<void> {
  if (defect) deps.log.error({ calculation_id: started.calculation_id, error }, 'calculation failed');
  const told = defect ? 'Something went wrong on our side. Quote the calculation id to the operator.' : error;
  await deps.db.tx({ organization: started.organization_id }, (tx) => failCalculation(tx, started, told));
}

async function keep(
  deps: Deps,
  started: StartedCalculation,
  reply: ThreadReply & { ok: true },
  workDir: string,
): Promise<CalculationOutcome> {
  const key = `calculations/${started.organization_id}/${started.calculation_id}/${started.run}`;
  for (const name of reply.files) {
    await deps.store.put(`${key}/${name}`, createReadStream(join(workDir, name)), Number.MAX_SAFE_INTEGER);
  }
  return { result: reply.result, projection: reply.projection, details_key: key };
}

/** The thread's reply. Throws when the process is told to stop: the job is then taken by another. */
async function inThread(deps: Deps, { inputs }: StartedCalculation, workDir: string, signal: AbortSignal): Promise<ThreadReply> {
  const loansPath = await deps.store.localPath(inputs.pool.loans_key);
  if (!loansPath) throw new Error(`${inputs.pool.loans_key} is not in the store`);
  const task: ThreadTask = { inputs, loansPath, workDir };
  const thread = new Worker(new URL('./calculation-thread.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    return await new Promise<ThreadReply>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', (error: Error) => resolve({ ok: false, error: String(error.stack ?? error), defect: true }));
      thread.once('exit', (code) => resolve({ ok: false, error: `the thread ended with code ${code}`, defect: true }));
      stop.addEventListener('abort', () => {
        if (signal.aborted) reject(new Error('the calculation was told to stop'));
        else resolve({ ok: false, error: `The calculation took more than ${TIMEOUT_MS / 60_000} minutes.`, defect: false });
      });
    });
  } finally {
    await thread.terminate();
  }
}
