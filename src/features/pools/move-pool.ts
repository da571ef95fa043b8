import type { Structure } from '../../finance/structure/structure.ts';
import { validateStructure } from '../../finance/structure/validate.ts';
import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import { checkOpen, endPool, POOL_MOVES, refuseStructure } from './pool.ts';
import { findPool, lockPool, type Pool, requestIssue } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** Puts a structure on a DRAFT or STRUCTURED pool; 422 with every issue when it is not valid. */
export async function putStructure(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>, structure: Structure): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  POOL_MOVES.check(pool.status, 'STRUCTURED');
  const { issues } = validateStructure(structure, { ...pool, balance: Number(pool.balance) });
  if (issues.length > 0) refuseStructure(issues);
  return POOL_MOVES.move(tx, pool, 'STRUCTURED', { structure, structure_version: pool.structure_version + 1 });
}

/** Fixes loans, dates and structure. */
export async function lockStructure(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  return POOL_MOVES.move(tx, pool, 'LOCKED');
}

/** Gives the loans of a DRAFT or STRUCTURED pool free. */
export async function cancelPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  checkOpen(pool);
  return endPool(tx, pool, 'CANCELLED');
}

/** Asks the operator to issue a LOCKED pool; asking again changes nothing. */
export async function askForIssue(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  POOL_MOVES.check(pool.status, 'ISSUED');
  await requestIssue(tx, pool);
  return (await findPool(tx, organizationId, poolId)) as Pool;
}

async function heldPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await lockPool(tx, organizationId, poolId);
  if (!pool) throw notFound('pool');
  return pool;
}
