import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CriteriaSet } from '../../loans/criteria/language.ts';
import { type LoanOutcome, readOutcomes } from '../../loans/criteria/outcomes.ts';
import { runCriteria as evaluate, type RunResult } from '../../loans/criteria/run.ts';
import { openEngine } from '../../loans/engine.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../tapes/read-tape-files.ts';
import type { Basis } from './queue-run.ts';

/** The same evaluation and its first outcomes, with nothing stored. */
export async function dryRun(
  deps: Deps,
  basis: Basis,
  waivers: WaivedLoans[],
  outcomes: number,
): Promise<{ result: RunResult; loans: LoanOutcome[] }> {
  const workDir = await mkdtemp(join(deps.workDir, 'criteria-'));
  try {
    const result = await evaluateIn(deps, basis, waivers, workDir, new AbortController().signal);
    const { loansPath, rawPath, set } = await inputsOf(deps, basis);
    await using engine = await openEngine({ workDir, allowedDirectories: [workDir, dirname(loansPath), dirname(rawPath)] });
    const files = { engine, loansPath, raw: { path: rawPath }, outcomesPath: result.outcomesPath, set };
    return { result, loans: (await readOutcomes({ ...files, page: 1, limit: outcomes })).rows };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

type WaivedLoans = { rule_id: string; loan_ids: string[] };

/** Evaluates in a directory of the caller's, where the outcomes are until it is removed. */
export async function evaluateIn(
  deps: Deps,
  basis: Basis,
  waivers: WaivedLoans[],
  workDir: string,
  signal: AbortSignal,
): Promise<RunResult> {
  const { loansPath, rawPath, set } = await inputsOf(deps, basis);
  await using engine = await openEngine({ workDir, allowedDirectories: [workDir, dirname(loansPath), dirname(rawPath)] });
  return await evaluate({
    engine,
    loansPath,
    raw: { path: rawPath },
    set,
    waivers: waivers.flatMap(({ rule_id, loan_ids }) => loan_ids.map((loan_id) => ({ loan_id, rule_id }))),
    outDir: workDir,
    signal,
  });
}

async function inputsOf(
  deps: Deps,
  { tape, criteria }: Basis,
): Promise<{ loansPath: string; rawPath: string; set: CriteriaSet }> {
  const [loansPath, rawPath] = await Promise.all([localFile(deps, tape.loans_key ?? ''), localFile(deps, tape.raw_key ?? '')]);
  return { loansPath, rawPath, set: criteria.definition as unknown as CriteriaSet };
}
