import { isDeepStrictEqual } from 'node:util';
import type { WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { type Id, newId } from '../../platform/ids.ts';
import type { Deps } from '../../platform/deps.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import { claimLoans, releaseLoans } from '../pledges/pledge.ts';
import { claimStored } from '../uploads/sweep-queries.ts';
import { comparePool } from './encumber-pools.ts';
import { hasUnencumberedPools } from './forming-queries.ts';
import { checkDates, checkOpen, checkStructure, holderOf } from './pool.ts';
import { changedMeanwhile, confirmSources, loadSources } from './pool-sources.ts';
import {
  dropFormerLoans,
  findPool,
  insertPool,
  lockPool,
  type Pool,
  type PoolOwner,
  type PoolTerms,
  type SelectedLoans,
  updateLoans,
  updateTerms,
} from './queries.ts';
import { type Selection, withSelectedLoans } from './select-loans.ts';
import { refuseFields } from './set-disclosure.ts';

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
  const sources = await read((tx) => loadSources(tx, actor, request));
  checkDates(request);
  const terms = { ...request, loan_type: sources.loan_type };
  const owner = { organization_id: actor.organization_id, pool_id: newId('pool') };
  const formed = await withSelectedLoans(owner, terms, sources, client, (selection) =>
    write(async (tx) => {
      await confirmSources(tx, actor, request, sources);
      return orNotFound(await insertPool(tx, owner, terms, await claimFor(tx, owner, selection)), 'pool');
    }),
  );
  await compareSoon(client.deps, owner.pool_id);
  return formed;
}

/** Claims the loans of a pool and their table. 503 while pools from before claims were kept by loan are being written down. */
async function claimFor(tx: Tx, owner: PoolOwner, { loans, identitiesPath, reused }: Selection): Promise<SelectedLoans> {
  await claimStored(tx, [loans.loans_key]);
  if (await hasUnencumberedPools(tx, owner.organization_id)) throw new ApiError('UNAVAILABLE', WRITING_DOWN, RETRY);
  const claimed = await claimLoans(tx, holderOf(owner), identitiesPath);
  const count = Math.max(reused, claimed.reused);
  if (count === 0) return loans;
  const finding = `IDENTITY_REUSED: ${count} of ${loans.loan_count} loans have the id of another loan of a live pool, with another original balance and another origination date, and count as other loans`;
  return { ...loans, warnings: [...loans.warnings, finding] };
}

/** The pool is formed whatever comes of this: a worker compares the loans of those that were not compared. */
async function compareSoon(deps: Deps, poolId: Id<'pool'>): Promise<void> {
  await comparePool(deps.db, poolId).catch((error: unknown) => {
    deps.log.warn({ pool_id: poolId, err: error }, 'the loans of a pool were not compared yet');
  });
}

const WRITING_DOWN =
  'The loans of your earlier pools are being written down, so that none is pooled twice. Try again in a minute.';
const RETRY = { headers: { 'retry-after': '30' } };

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
  const reselect = SELECTING_TERMS.some((term) => JSON.stringify(request[term]) !== JSON.stringify(before[term]));
  const sources = reselect ? await read((tx) => loadSources(tx, actor, request)) : null;
  checkDates(request);
  const terms = { ...request, loan_type: sources?.loan_type ?? before.loan_type };
  const change = (selection: Selection | null) =>
    write(async (tx) => {
      const pool = orNotFound(await lockPool(tx, actor.organization_id, poolId), 'pool');
      checkOpen(pool);
      if (pool.updated_at.getTime() !== before.updated_at.getTime()) throw changedMeanwhile();
      tx.unchanged = isDeepStrictEqual(request, before);
      if (tx.unchanged) return pool;
      if (sources) await confirmSources(tx, actor, request, sources);
      if (terms.loan_type !== pool.loan_type) refuseFields(terms.loan_type, pool.disclosed_fields, 'disclosure.fields');
      if (pool.structure) checkStructure(pool.structure, terms, selection?.loans.balance ?? pool.balance);
      if (selection) await replaceLoans(tx, pool, selection);
      return orNotFound(await updateTerms(tx, pool, terms), 'pool');
    });
  if (!sources) return change(null);
  const changed = await withSelectedLoans(before, terms, sources, client, change);
  await compareSoon(client.deps, poolId);
  return changed;
}

async function replaceLoans(tx: Tx, pool: Pool, selection: Selection): Promise<void> {
  // A conflict that the former loans were in ends for the other side too, which is another organization.
  await asPlatform(tx, () => releaseLoans(tx, holderOf(pool)));
  await updateLoans(tx, pool, await claimFor(tx, pool, selection));
  await dropFormerLoans(tx, pool);
}

async function findOpenPool(tx: Tx, { organization_id }: Actor, poolId: Id<'pool'>): Promise<Pool> {
  const pool = orNotFound(await findPool(tx, organization_id, poolId), 'pool');
  checkOpen(pool);
  return pool;
}
