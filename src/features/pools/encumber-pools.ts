import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { identitiesTask } from '../../loans/tasks/tasks.ts';
import type { Identities } from '../../loans/identity/write-identities.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { settleHolders } from '../pledges/settle-holders.ts';
import { compareLoans, keepClaims, rewriteFingerprints } from '../pledges/pledge.ts';
import { holderOf } from './pool.ts';
import { findUnsettledPool, listPoolTapes, lockAnyPool, setCompared, setEncumbered, type UnsettledPool } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/**
 * Compares the loans of a pool with those that others hold, and opens the conflicts. After the transaction that claims them: of two pools
 * that are formed at once, the later one sees the earlier.
 */
export async function comparePool(db: Database, poolId: Id<'pool'>): Promise<void> {
  await db.patient().tx({ platform: true }, (tx) => compare(tx, poolId));
}

async function compare(tx: Tx, poolId: Id<'pool'>): Promise<void> {
  const pool = await lockAnyPool(tx, poolId);
  if (!pool || pool.status === 'CANCELLED') return;
  await compareLoans(tx, { ...holderOf(pool), loan_type: pool.loan_type });
  await setCompared(tx, poolId);
}

/**
 * Writes down the loans of live pools that were formed before this was done with each pool, writes their fingerprints anew when the key of
 * the fingerprints has changed, and compares what is not compared yet. Returns how many pools it settled.
 */
export async function encumberPools(deps: Deps): Promise<number> {
  return settleHolders({
    find: (after) => deps.db.tx({ platform: true }, (tx) => findUnsettledPool(tx, deps.fingerprints.keyId, after)),
    idOf: (pool) => pool.pool_id,
    settle: (pool) => settle(deps, pool),
  });
}

async function settle(deps: Deps, pool: UnsettledPool): Promise<void> {
  if (pool.encumbered_at === null || pool.fingerprint_key !== deps.fingerprints.keyId) await encumber(deps, pool);
  await comparePool(deps.db, pool.pool_id);
}

async function encumber(deps: Deps, pool: UnsettledPool): Promise<void> {
  const workDir = await mkdtemp(join(deps.workDir, 'identities-'));
  try {
    const path = join(workDir, 'identities');
    const identities = await writeIdentities(deps, pool, { path, workDir });
    await deps.db.tx({ platform: true }, async (tx) => {
      const current = await lockAnyPool(tx, pool.pool_id);
      // Loans that were selected again in the meantime are written down by that.
      if (!current || current.status === 'CANCELLED' || current.loans_key !== pool.loans_key) return;
      const holder = { ...holderOf(pool), loan_type: pool.loan_type };
      if (pool.encumbered_at === null) await keepClaims(tx, holder, path);
      else await rewriteFingerprints(tx, holder, path);
      await setEncumbered(tx, pool, identities.fingerprinted, deps.fingerprints.keyId);
    });
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function writeIdentities(deps: Deps, pool: UnsettledPool, out: { path: string; workDir: string }): Promise<Identities> {
  const tapes = await deps.db.tx({ platform: true }, (tx) => listPoolTapes(tx, pool));
  const poolPath = await localFile(deps, pool.loans_key);
  const sources = await Promise.all(
    tapes.map(async ({ loans_key, synthetic_ids, deal_number }) => ({
      loansPath: await localFile(deps, loans_key),
      syntheticIds: synthetic_ids,
      pool: { path: poolPath, deal_number },
    })),
  );
  return deps.compute.run(
    identitiesTask,
    { organizationId: pool.organization_id, loanType: pool.loan_type, sources, key: deps.fingerprints.key, ...out },
    { owner: pool.organization_id },
  );
}
