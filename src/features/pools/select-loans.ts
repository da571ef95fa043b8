import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identities } from '../../loans/identity/write-identities.ts';
import { poolTableTask } from '../../loans/tasks/tasks.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { filterCondition } from '../tapes/loan-filter.ts';
import { storeUnclaimed } from '../uploads/upload.ts';
import type { PoolSources } from './pool-sources.ts';
import type { PoolOwner, PoolTerms, SelectedLoans } from './queries.ts';

const DEADLINE_MS = 120_000;
/** Pools of a whole platform are often formed on one day: a request waits for its turn rather than be sent away. */
const WAIT_MS = 30_000;
const INSTEAD = 'Form several pools of fewer deals.';

/** The loans of a pool, whose table is deleted unless the transaction that names it claims it, and the file of what identifies each of them. */
export type Selection = { loans: SelectedLoans; identitiesPath: string; reused: number };

/**
 * Selects the loans of a pool into a table of their own in the object store, and passes them to `use`. 422 when no loan is left, 409
 * LOAN_ALREADY_POOLED when two of the deals have one.
 */
export async function withSelectedLoans<Result>(
  owner: PoolOwner,
  terms: PoolTerms,
  sources: PoolSources,
  client: WaitingClient,
  use: (selection: Selection) => Promise<Result>,
): Promise<Result> {
  const { deps } = client;
  const files = await locateFiles(sources, deps);
  const condition = terms.filter && filterCondition(terms.filter, terms.loan_type, terms.cut_off_date);
  const workDir = await mkdtemp(join(deps.workDir, 'pool-'));
  try {
    const path = join(workDir, 'loans.parquet');
    const identitiesPath = join(workDir, 'identities');
    const selection = {
      loanType: terms.loan_type,
      cutOff: terms.cut_off_date,
      sources: files,
      condition,
      path,
      workDir,
      organizationId: owner.organization_id,
      syntheticIds: sources.deals.filter((deal) => deal.synthetic_ids).map((deal) => deal.deal_id),
      key: deps.fingerprints.key,
      identitiesPath,
    };
    const options = { deadlineMs: DEADLINE_MS, waitMs: WAIT_MS, instead: INSTEAD };
    const { table, identities } = await runForRequest(client, poolTableTask, selection, options);
    if (table.loan_count === 0)
      throw new ApiError('UNPROCESSABLE', 'No loan is left: the filter and the runs leave nothing to pool.');
    if (identities.repeated.total > 0) throw repeatedLoans(identities.repeated);
    const key = `pools/${owner.organization_id}/${owner.pool_id}/${table.loan_set.slice(0, 16)}-${newId('set')}/loans.parquet`;
    await storeUnclaimed(deps, owner.organization_id, key, () => createReadStream(path));
    const tapeVersions = Object.fromEntries(sources.deals.map((deal) => [deal.deal_id, deal.tape_version]));
    const { fingerprinted } = identities;
    const loans = {
      ...table,
      loans_key: key,
      tape_versions: tapeVersions,
      warnings: [...table.warnings, ...basisWarnings(sources)],
      fingerprinted,
      fingerprint_key: deps.fingerprints.keyId,
    };
    return await use({ loans, identitiesPath, reused: identities.reused });
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

function repeatedLoans({ loan_ids, total }: Identities['repeated']): ApiError {
  const loans = loan_ids.map((loan_id) => ({ loan_id, pool_id: null }));
  const message = `${total === 1 ? 'A loan is' : `${total} loans are`} in two of the deals of this pool, such as ${loan_ids[0]}. Leave one of the deals out, or filter its loans.`;
  return new ApiError('LOAN_ALREADY_POOLED', message, { extra: { loans, total, pool_ids: [] } });
}

/** The local files of the deals' loan tables and of the runs' outcomes. */
function locateFiles({ deals, runs }: PoolSources, deps: WaitingClient['deps']) {
  return Promise.all(
    deals.map(async ({ deal_id, deal_number, tape_version, loans_key }) => ({
      deal_id,
      deal_number,
      tape_version,
      loansPath: await localFile(deps, loans_key),
      outcomesPaths: await Promise.all(
        runs.filter((run) => run.deal_id === deal_id).map(({ outcomes_key }) => localFile(deps, outcomes_key)),
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
