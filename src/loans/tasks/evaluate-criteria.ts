import { dirname } from 'node:path';
import type { CriteriaSet } from '../criteria/language.ts';
import { type LoanOutcome, readOutcomes } from '../criteria/outcomes.ts';
import { runCriteria, type RunResult, type RuleWaiver } from '../criteria/run.ts';
import { openEngine } from '../engine/engine.ts';

export type Evaluation = {
  loansPath: string;
  rawPath: string;
  set: CriteriaSet;
  waivers: RuleWaiver[];
  /** Directory for the outcomes file. */
  outDir: string;
  /** Number of outcomes to return with the result, from the first loan on. */
  firstOutcomes: number;
};

/** Runs a criteria set over a tape; `loans` are the first outcomes with their reasons. */
export async function evaluateCriteria(input: Evaluation): Promise<{ result: RunResult; loans: LoanOutcome[] }> {
  const { loansPath, rawPath, set, waivers, outDir, firstOutcomes } = input;
  await using engine = await openEngine({ workDir: outDir, allowedDirectories: [dirname(loansPath), dirname(rawPath)] });
  const files = { engine, loansPath, raw: { path: rawPath }, set };
  const result = await runCriteria({ ...files, waivers, outDir });
  if (firstOutcomes === 0) return { result, loans: [] };
  const { rows } = await readOutcomes({ ...files, outcomesPath: result.outcomesPath, page: 1, limit: firstOutcomes });
  return { result, loans: rows };
}
