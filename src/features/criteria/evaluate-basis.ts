import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoanOutcome } from '../../loans/criteria/outcomes.ts';
import type { RunResult } from '../../loans/criteria/run.ts';
import type { Evaluation } from '../../loans/tasks/evaluate-criteria.ts';
import { evaluationTask } from '../../loans/tasks/tasks.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import type { Basis } from './queue-run.ts';

/** How long a client waits for a dry run, a cure or the largest pool. */
export const WAITED_MS = 30_000;

/** The same evaluation and its first outcomes, with nothing stored. */
export async function dryRun(
  client: WaitingClient,
  basis: Basis,
  waivers: WaivedLoans[],
  firstOutcomes: number,
): Promise<{ result: RunResult; loans: LoanOutcome[] }> {
  const workDir = await mkdtemp(join(client.deps.workDir, 'criteria-'));
  try {
    const input = await evaluationOf(client.deps, basis, waivers, workDir, firstOutcomes);
    const instead = 'Run it as a job: leave dry_run out.';
    return await runForRequest(client, evaluationTask, input, { deadlineMs: WAITED_MS, instead, alone: true });
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

type WaivedLoans = { rule_id: string; loan_ids: string[] };

/** Evaluates in the caller's directory; the outcomes are there until the caller removes it. */
export async function evaluateIn(
  deps: Deps,
  basis: Basis,
  waivers: WaivedLoans[],
  workDir: string,
  signal: AbortSignal,
): Promise<RunResult> {
  const input = await evaluationOf(deps, basis, waivers, workDir, 0);
  const { result } = await deps.compute.run(evaluationTask, input, { owner: basis.deal.organization_id, signal });
  return result;
}

async function evaluationOf(
  deps: Deps,
  { tape, criteria }: Basis,
  waivers: WaivedLoans[],
  outDir: string,
  firstOutcomes: number,
): Promise<Evaluation> {
  const [loansPath, rawPath] = await Promise.all([localFile(deps, tape.loans_key ?? ''), localFile(deps, tape.raw_key ?? '')]);
  return {
    loansPath,
    rawPath,
    set: criteria.definition,
    waivers: waivers.flatMap(({ rule_id, loan_ids }) => loan_ids.map((loan_id) => ({ loan_id, rule_id }))),
    outDir,
    firstOutcomes,
  };
}
