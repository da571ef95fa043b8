import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../platform/deps.ts';
import { GAVE_UP, type GaveUp, judgeFailure, MAX_ATTEMPTS, returnAttempt } from '../../platform/jobs/attempts.ts';
import { type CalculationOutput, completeCalculation, failCalculation, startCalculation } from './calculation.ts';
import { findSame, returnCalculationAttempt, type StartedCalculation } from './queries.ts';
import { runInThread, TIMEOUT_MS } from './in-thread.ts';
import type { CalculationReply } from './thread.ts';
import { claimStored } from '../uploads/sweep-queries.ts';
import { storeUnclaimed } from '../uploads/upload.ts';
import type { Id } from '../../platform/ids.ts';
import { unavailableReason } from '../../platform/unavailable.ts';

export type QueuedCalculation = { organization_id: Id<'org'>; calculation_id: Id<'calc'> };

/** An output and the objects of its files, which are deleted unless it is committed. */
type StoredOutput = CalculationOutput & { stored: readonly string[] };

/** The messages that a customer sees for a calculation that FAILED; the cause is in the log. */
const FAILURES = {
  CALCULATION_FAILED: 'Something went wrong on our side. Quote the calculation id to the operator.',
  CALCULATION_TIMEOUT: `The calculation took more than ${TIMEOUT_MS / 60_000} minutes and was stopped. Request fewer scenarios or paths, or replines.`,
  CALCULATION_INTERRUPTED: `The calculation was interrupted ${MAX_ATTEMPTS} times and is not retried. Request it again with fewer scenarios or paths.`,
} as const;

/**
 * Runs a queued calculation in a thread and commits its result in one transaction, fenced by the number of the run: a run that
 * was taken over leaves nothing visible. The attempt is counted before it starts.
 */
export async function runCalculation(
  deps: Deps,
  job: QueuedCalculation,
  signal: AbortSignal,
  last = false,
): Promise<GaveUp | undefined> {
  const scope = { organization: job.organization_id };
  const started = await deps.db.tx(scope, (tx) => startCalculation(tx, job.organization_id, job.calculation_id));
  if (!started) return;
  if (started.attempts > MAX_ATTEMPTS) return fail(deps, started, 'CALCULATION_INTERRUPTED', 'every attempt crashed its process');
  const workDir = join(deps.workDir, `calculation-${randomUUID()}`);
  try {
    await mkdir(workDir);
    const output = (await copySame(deps, started)) ?? (await calculateAnew(deps, started, workDir, signal));
    if ('ok' in output) return await refuse(deps, started, output);
    const { stored, ...result } = output;
    await deps.db.tx(scope, async (tx) => {
      if (await completeCalculation(tx, started, result)) await claimStored(tx, stored);
    });
  } catch (error) {
    const failure = judgeFailure(error, signal, { number: started.attempts, last });
    if (!failure.counts) await returnAttempt(signal, () => deps.db.tx(scope, (tx) => returnCalculationAttempt(tx, started)));
    if (!failure.final) throw error;
    return await fail(deps, started, 'CALCULATION_FAILED', String((error as Error).stack));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The output of the same inputs, where another organization has had it calculated: under a key of its own, so that it stays if that one goes. */
async function copySame(deps: Deps, started: StartedCalculation): Promise<StoredOutput | null> {
  const find = () => deps.db.tx({ platform: true }, (tx) => findSame(tx, started));
  const same = await find();
  if (!same) return null;
  const { result, projection, details_key } = same;
  const key = detailsKey(started);
  const stored: string[] = [];
  for await (const object of deps.store.list(`${details_key}/`)) {
    const bytes = await deps.store.get(object.key);
    if (!bytes) return null;
    const copy = `${key}/${object.key.slice(details_key.length + 1)}`;
    await storeUnclaimed(deps, started.organization_id, copy, () => bytes.stream);
    stored.push(copy);
  }
  // Files are deleted after their calculation: where that is gone by now, some of them may not have been there to copy.
  return (await find())?.details_key === details_key ? { result, projection, details_key: key, stored } : null;
}

async function calculateAnew(
  deps: Deps,
  started: StartedCalculation,
  workDir: string,
  signal: AbortSignal,
): Promise<StoredOutput | (CalculationReply & { ok: false })> {
  const reply = await runInThread<CalculationReply>(deps, { inputs: started.inputs, workDir, wants: 'FILES' }, signal);
  return reply.ok ? storeOutput(deps, started, reply, workDir) : reply;
}

const detailsKey = ({ organization_id, calculation_id, run }: StartedCalculation): string =>
  `calculations/${organization_id}/${calculation_id}/${run}`;

async function refuse(
  deps: Deps,
  started: StartedCalculation,
  reply: CalculationReply & { ok: false },
): Promise<GaveUp | undefined> {
  const error = new Error(reply.error);
  if (reply.defect && unavailableReason(error) !== null) throw error;
  if (reply.defect) return fail(deps, started, reply.timeout ? 'CALCULATION_TIMEOUT' : 'CALCULATION_FAILED', reply.error);
  const failure = { code: 'INPUTS_UNUSABLE', message: `The calculation cannot run with these inputs: ${reply.error}` };
  await deps.db.tx({ organization: started.organization_id }, (tx) => failCalculation(tx, started, failure));
}

async function fail(deps: Deps, started: StartedCalculation, code: keyof typeof FAILURES, error: string): Promise<GaveUp> {
  deps.log.error({ calculation_id: started.calculation_id, error }, 'calculation failed');
  const failure = { code, message: FAILURES[code] };
  await deps.db.tx({ organization: started.organization_id }, (tx) => failCalculation(tx, started, failure));
  return GAVE_UP;
}

async function storeOutput(
  deps: Deps,
  started: StartedCalculation,
  reply: CalculationReply & { ok: true },
  workDir: string,
): Promise<StoredOutput> {
  const key = detailsKey(started);
  const stored: string[] = [];
  for (const name of reply.files) {
    const file = `${key}/${name}`;
    await storeUnclaimed(deps, started.organization_id, file, () => createReadStream(join(workDir, name)));
    stored.push(file);
  }
  return { result: reply.result, projection: reply.projection, details_key: key, stored };
}
