import { curePoolTests, largestPool } from '../../loans/criteria/cure.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { Run } from './run-queries.ts';
import { filesOf, withNumbers } from './read-outcomes.ts';

/** What would make the pool tests of a run pass: least balance out, or the largest pool under all of them. */
export async function curePool(
  deps: Deps,
  caller: Caller,
  run: Run,
  objective: 'min_removal' | 'max_pool',
): Promise<Record<string, unknown>> {
  const files = await filesOf(deps, caller, run);
  const found = objective === 'max_pool' ? await largestPool(files) : await curePoolTests(files);
  return { sc_job_id: run.sc_job_id, objective, ...(withNumbers(found) as Record<string, unknown>) };
}
