import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Objective } from '../../loans/tasks/search-pool.ts';
import { searchTask } from '../../loans/tasks/tasks.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import { WAITED_MS } from './evaluate-basis.ts';
import type { Run } from './run-queries.ts';
import { filesOf, withNumbers } from './read-outcomes.ts';

const INSTEAD = 'Run criteria with fewer pool tests, or split the deal.';

/** A pool that passes the pool tests of a run: with the least balance removed, or the largest under all of them. */
export async function curePool(client: WaitingClient, run: Run, objective: Objective): Promise<Record<string, unknown>> {
  const { deps, caller } = client;
  const files = await filesOf(deps, caller, run);
  const workDir = await mkdtemp(join(deps.workDir, 'search-'));
  try {
    const waited = { deadlineMs: WAITED_MS, instead: INSTEAD, alone: true };
    const found = await runForRequest(client, searchTask, { files, objective, workDir }, waited);
    return { sc_job_id: run.sc_job_id, objective, ...(withNumbers(found) as Record<string, unknown>) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
