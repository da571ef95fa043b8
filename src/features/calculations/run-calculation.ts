import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Deps } from '../../platform/deps.ts';
import { judgeFailure, MAX_ATTEMPTS, returnAttempt } from '../../platform/jobs/attempts.ts';
import { type CalculationOutput, completeCalculation, failCalculation, startCalculation } from './calculation.ts';
import { returnCalculationAttempt, type StartedCalculation } from './queries.ts';
import type { ThreadReply, ThreadTask } from './thread.ts';
import type { Id } from '../../platform/ids.ts';
import { unavailableReason } from '../../platform/unavailable.ts';

export type QueuedCalculation = { organization_id: Id<'org'>; calculation_id: Id<'calc'> };

const TIMEOUT_MS = 60 * 60 * 1000;
const HEAP_MB = 4_096;

/** The messages that a customer sees for a calculation that FAILED; the cause is in the log. */
const FAILURES = {
  CALCULATION_FAILED: 'Something went wrong on our side. Quote the calculation id to the operator.',
  CALCULATION_TIMEOUT: `The calculation took more than ${TIMEOUT_MS / 60_000} minutes and was stopped. Request fewer scenarios or paths, or replines.`,
  CALCULATION_INTERRUPTED: `The calculation was interrupted ${MAX_ATTEMPTS} times and is not retried. Request it again with fewer scenarios or paths.`,
} as const;

/**
 * Runs a queued calculation in a thread of its own and commits its result in one transaction, fenced by the number of the run: a run that
 * was taken over leaves nothing visible. The attempt is counted before it starts.
 */
export async function runCalculation(deps: Deps, job: QueuedCalculation, signal: AbortSignal, last = false): Promise<void> {
  const scope = { organization: job.organization_id };
  const started = await deps.db.tx(scope, (tx) => startCalculation(tx, job.organization_id, job.calculation_id));
  if (!started) return;
  if (started.attempts > MAX_ATTEMPTS) return fail(deps, started, 'CALCULATION_INTERRUPTED', 'every attempt crashed its process');
  const workDir = join(deps.workDir, `calculation-${randomUUID()}`);
  try {
    await mkdir(workDir);
    const reply = await runInThread(deps, started, workDir, signal);
    if (!reply.ok) return await refuse(deps, started, reply);
    const output = await storeOutput(deps, started, reply, workDir);
    await deps.db.tx(scope, (tx) => completeCalculation(tx, started, output));
  } catch (error) {
    const failure = judgeFailure(error, signal, { number: started.attempts, last });
    if (!failure.counts) await returnAttempt(signal, () => deps.db.tx(scope, (tx) => returnCalculationAttempt(tx, started)));
    if (!failure.final) throw error;
    await fail(deps, started, 'CALCULATION_FAILED', String((error as Error).stack));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function refuse(deps: Deps, started: StartedCalculation, reply: ThreadReply & { ok: false }): Promise<void> {
  const error = new Error(reply.error);
  if (reply.defect && unavailableReason(error) !== null) throw error;
  if (reply.defect) return fail(deps, started, reply.timeout ? 'CALCULATION_TIMEOUT' : 'CALCULATION_FAILED', reply.error);
  const failure = { code: 'INPUTS_UNUSABLE', message: `The calculation cannot run with these inputs: ${reply.error}` };
  await deps.db.tx({ organization: started.organization_id }, (tx) => failCalculation(tx, started, failure));
}

async function fail(deps: Deps, started: StartedCalculation, code: keyof typeof FAILURES, error: string): Promise<void> {
  deps.log.error({ calculation_id: started.calculation_id, error }, 'calculation failed');
  const failure = { code, message: FAILURES[code] };
  await deps.db.tx({ organization: started.organization_id }, (tx) => failCalculation(tx, started, failure));
}

async function storeOutput(
  deps: Deps,
  started: StartedCalculation,
  reply: ThreadReply & { ok: true },
  workDir: string,
): Promise<CalculationOutput> {
  const key = `calculations/${started.organization_id}/${started.calculation_id}/${started.run}`;
  for (const name of reply.files) {
    await deps.store.put(`${key}/${name}`, createReadStream(join(workDir, name)), Number.MAX_SAFE_INTEGER);
  }
  return { result: reply.result, projection: reply.projection, details_key: key };
}

/** The thread's reply. Throws when the worker stops: another worker then takes the job. */
async function runInThread(
  deps: Deps,
  { inputs }: StartedCalculation,
  workDir: string,
  signal: AbortSignal,
): Promise<ThreadReply> {
  const loansPath = await deps.store.localPath(inputs.pool.loans_key);
  signal.throwIfAborted();
  if (!loansPath) throw new Error(`${inputs.pool.loans_key} is not in the store`);
  const task: ThreadTask = { inputs, loansPath, workDir };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
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
        if (signal.aborted) reject(signal.reason);
        else resolve({ ok: false, error: 'the deadline has passed', defect: true, timeout: true });
      });
    });
  } finally {
    await thread.terminate();
  }
}
