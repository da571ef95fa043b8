import type { WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { type Id, newId } from '../../platform/ids.ts';
import { checkDates, checkOpen, checkStructure } from './pool.ts';
import { changedMeanwhile, confirmSources, loadSources, refuseOverlaps } from './pool-sources.ts';
import { findPool, insertPool, lockPool, type Pool, type PoolTerms, updateLoans, updateTerms } from './queries.ts';
import { selectLoans } from './select-loans.ts';

export type PoolRequest = Omit<PoolTerms, 'loan_type'>;

/** The two transactions of a request: one reads the sources of the loans, the other writes the pool and returns the response. */
type Transactions<Output> = {
  read: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  write: (work: (tx: Tx) => Promise<Pool>) => Promise<Output>;
};

/**
 * Forms a DRAFT pool: the loans are selected outside any transaction into a table of their own, then the pool and its claims on the
 * loans are written at once. 409 LOAN_ALREADY_POOLED when another live pool holds one of them.
 */
export async function createPool<Output>(
  { read, write }: Transactions<Output>,
  actor: Actor,
  request: PoolRequest,
  client: WaitingClient,
): Promise<Output> {
  checkDates(request);
  const sources = await read((tx) => loadSources(tx, actor, request));
  const terms = { ...request, loan_type: sources.loan_type };
  const owner = { organization_id: actor.organization_id, pool_id: newId('pool') };
  const loans = await selectLoans(owner, terms, sources, client);
  return write(async (tx) => {
    await confirmSources(tx, actor, request, sources);
    await refuseOverlaps(tx, owner, loans.claims);
    return orNotFound(await insertPool(tx, owner, terms, loans), 'pool');
  });
}

/** Terms whose change requires a new selection of loans. */
const SELECTING_TERMS = ['deal_ids', 'sc_job_ids', 'filter', 'cut_off_date'] as const;

/** Changes a DRAFT or STRUCTURED pool. If its loans change they are selected again, and an existing structure must still fit them. */
export async function changePool<Output>(
  { read, write }: Transactions<Output>,
  actor: Actor,
  { poolId, changes }: { poolId: Id<'pool'>; changes: Partial<PoolRequest> },
  client: WaitingClient,
): Promise<Output> {
  const before = await read((tx) => findOpenPool(tx, actor, poolId));
  const request: PoolRequest = { ...before, ...changes };
  checkDates(request);
  const reselect = SELECTING_TERMS.some((term) => JSON.stringify(request[term]) !== JSON.stringify(before[term]));
  const sources = reselect ? await read((tx) => loadSources(tx, actor, request)) : null;
  const terms = { ...request, loan_type: sources?.loan_type ?? before.loan_type };
  const loans = sources && (await selectLoans(before, terms, sources, client));
  return write(async (tx) => {
    const pool = orNotFound(await lockPool(tx, actor.organization_id, poolId), 'pool');
    checkOpen(pool);
    if (pool.updated_at.getTime() !== before.updated_at.getTime()) throw changedMeanwhile();
    if (sources && loans) {
      await confirmSources(tx, actor, request, sources);
      await refuseOverlaps(tx, pool, loans.claims);
    }
    if (pool.structure) checkStructure(pool.structure, terms, loans?.balance ?? pool.balance);
    if (loans) await updateLoans(tx, pool, loans);
    return orNotFound(await updateTerms(tx, pool, terms), 'pool');
  });
}

async function findOpenPool(tx: Tx, { organization_id }: Actor, poolId: Id<'pool'>): Promise<Pool> {
  const pool = orNotFound(await findPool(tx, organization_id, poolId), 'pool');
  checkOpen(pool);
  return pool;
}
