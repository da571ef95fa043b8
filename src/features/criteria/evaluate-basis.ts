import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoanOutcome } from '../../loans/criteria/outcomes.ts';
import type { RunResult } from '../../loans/criteria/run.ts';
import type { Evaluation } from '../../loans/tasks/evaluate-criteria.ts';
import { evaluationTask } from '../../loans/tasks/tasks.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import type { WaivedLoans } from './exception-queries.ts';
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
    const { result, loans } = await runForRequest(client, evaluationTask, input, { deadlineMs: WAITED_MS, instead, alone: true });
    return { result: withLeftOut(result, waivers), loans };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

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
  return withLeftOut(result, waivers);
}

/** Tells of the waivers that were not applied, since row numbers of another version stand for the ids of their loans. */
function withLeftOut(result: RunResult, waivers: readonly WaivedLoans[]): RunResult {
  const versions = [...new Set(waivers.filter(({ holds }) => !holds).map(({ given_on }) => given_on))].toSorted((a, b) => a - b);
  const told = versions.map(
    (version) =>
      `a waiver given on version ${version} of the tape is not applied: its loans or those of this version have no ids, and rows of two versions are not the same loans`,
  );
  return { ...result, assumptions: [...result.assumptions, ...told] };
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
    waivers: waivers
      .filter(({ holds }) => holds)
      .flatMap(({ rule_id, loan_ids }) => loan_ids.map((loan_id) => ({ loan_id, rule_id }))),
    outDir,
    firstOutcomes,
  };
}
