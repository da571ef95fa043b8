import type { CriteriaSet, PoolTest } from '../language.ts';
import type { LoanType } from '../../types.ts';
import { type LoanOutcome, readOutcomes } from '../outcomes.ts';
import type { PoolTestResult } from '../pool-result.ts';
import { runCriteria, type RunResult, type RuleWaiver } from '../run.ts';
import { type LoanValues, type SmallTape, smallTape } from './small-tape.ts';

export type Outcomes = { result: RunResult; rows: LoanOutcome[] };

/** Runs a set over a tape; the outcomes are those of the first hundred loans. */
export async function outcomesOn(tape: SmallTape, set: CriteriaSet, waivers: readonly RuleWaiver[] = []): Promise<Outcomes> {
  const result = await runCriteria({ ...tape, set, waivers });
  const { rows } = await readOutcomes({ ...tape, set, outcomesPath: result.outcomesPath, page: 1, limit: 100 });
  return { result, rows };
}

/** Runs a set over literal loans. */
export async function outcomesOf(
  loans: readonly LoanValues[],
  set: Partial<CriteriaSet>,
  source: readonly Record<string, string | null>[] = [],
): Promise<Outcomes> {
  const type: LoanType = set.loan_type ?? 'Auto';
  await using tape = await smallTape(type, loans, source);
  return await outcomesOn(tape, { loan_type: type, loan_rules: [], ...set });
}

/** Per loan what it does not pass, as `RULE REASON`. */
export function reasonsIn({ rows }: Outcomes): string[][] {
  return rows.map(({ failures }) => failures.map(({ rule_id, reason }) => `${rule_id} ${reason}`));
}

/** Measures pool tests on literal loans; a test without an operator is an upper limit. */
export async function measure(
  loans: readonly LoanValues[],
  tests: readonly object[],
  more: Partial<CriteriaSet> = {},
  source: readonly Record<string, string | null>[] = [],
): Promise<PoolTestResult[]> {
  const pool_tests = tests.map((each, index) => ({ id: `P${index}`, op: 'lte', ...each }) as PoolTest);
  const { result } = await outcomesOf(loans, { pool_tests, ...more }, source);
  return result.pool_tests;
}
