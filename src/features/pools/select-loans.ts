import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { poolTableTask } from '../../loans/tasks/write-pool.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { filterCondition } from './loan-filter.ts';
import type { PoolSources } from './pool-sources.ts';
import type { PoolOwner, PoolTerms, SelectedLoans } from './queries.ts';

const DEADLINE_MS = 120_000;
const INSTEAD = 'Form several pools of fewer deals.';

/** Selects the loans of a pool into a table of their own in the object store. 422 when no loan is left. */
export async function selectLoans(
  owner: PoolOwner,
  terms: PoolTerms,
  sources: PoolSources,
  client: WaitingClient,
): Promise<SelectedLoans> {
  const { deps } = client;
  const files = await locateFiles(sources, deps.store);
  const condition = terms.filter && filterCondition(terms.filter, terms.loan_type, terms.cut_off_date);
  const workDir = await mkdtemp(join(deps.workDir, 'pool-'));
  try {
    const path = join(workDir, 'loans.parquet');
    const selection = { loanType: terms.loan_type, cutOff: terms.cut_off_date, sources: files, condition, path, workDir };
    const table = await runForRequest(client, poolTableTask, selection, { deadlineMs: DEADLINE_MS, instead: INSTEAD });
    if (table.loan_count === 0)
      throw new ApiError('UNPROCESSABLE', 'No loan is left: the filter and the runs leave nothing to pool.');
    const key = `pools/${owner.organization_id}/${owner.pool_id}/${table.loan_set.slice(0, 16)}-${newId('set')}/loans.parquet`;
    await deps.store.put(key, createReadStream(path), Number.MAX_SAFE_INTEGER);
    const tapeVersions = Object.fromEntries(sources.deals.map((deal) => [deal.deal_id, deal.tape_version]));
    return { ...table, loans_key: key, tape_versions: tapeVersions, warnings: [...table.warnings, ...basisWarnings(sources)] };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The local files of the deals' loan tables and of the runs' outcomes. */
function locateFiles({ deals, runs }: PoolSources, store: WaitingClient['deps']['store']) {
  const local = async (key: string): Promise<string> => {
    const path = await store.localPath(key);
    if (!path) throw new Error(`${key} is not in the store`);
    return path;
  };
  return Promise.all(
    deals.map(async ({ deal_id, deal_number, tape_version, loans_key }) => ({
      deal_id,
      deal_number,
      tape_version,
      loansPath: await local(loans_key),
      outcomesPaths: await Promise.all(
        runs.filter((run) => run.deal_id === deal_id).map(({ outcomes_key }) => local(outcomes_key)),
      ),
    })),
  );
}

const BASES: Record<string, string> = { ORIGINAL: 'original balances', LIMIT: 'credit limits' };

function basisWarnings({ deals }: PoolSources): string[] {
  return deals.flatMap(({ deal_id, balance_basis }) => {
    const basis = BASES[balance_basis ?? ''];
    return basis ? [`the tape of ${deal_id} has no current balances: ${basis} are used instead`] : [];
  });
}
