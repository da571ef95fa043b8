import type { Structure } from '../../finance/structure/structure.ts';
import { validateStructure } from '../../finance/structure/validate.ts';
import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import { requestIssue } from '../securitizations/queries.ts';
import { checkMove, refuseStructure } from './pool.ts';
import { findPool, lockPool, type Pool, releaseClaims, setPoolStatus, setStructure } from './queries.ts';

/** Puts a structure on a DRAFT or STRUCTURED pool; 422 with every issue when it is not valid. */
export async function putStructure(tx: Tx, organizationId: string, poolId: string, structure: Structure): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  checkMove(pool, 'STRUCTURED');
  const { issues } = validateStructure(structure, { ...pool, balance: Number(pool.balance) });
  if (issues.length > 0) refuseStructure(issues);
  await setStructure(tx, pool, structure);
  return (await findPool(tx, organizationId, poolId)) as Pool;
}

/** Fixes loans, dates and structure. */
export async function lockStructure(tx: Tx, organizationId: string, poolId: string): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  checkMove(pool, 'LOCKED');
  await setPoolStatus(tx, pool, 'LOCKED');
  return (await findPool(tx, organizationId, poolId)) as Pool;
}

/** Gives the loans of a DRAFT or STRUCTURED pool free. */
export async function cancelPool(tx: Tx, organizationId: string, poolId: string): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  checkMove(pool, 'CANCELLED');
  await setPoolStatus(tx, pool, 'CANCELLED');
  await releaseClaims(tx, pool);
  return pool;
}

/** Asks the operator to issue a LOCKED pool; asking again changes nothing. */
export async function askForIssue(tx: Tx, organizationId: string, poolId: string): Promise<Pool> {
  const pool = await heldPool(tx, organizationId, poolId);
  checkMove(pool, 'ISSUED');
  await requestIssue(tx, pool);
  return (await findPool(tx, organizationId, poolId)) as Pool;
}

async function heldPool(tx: Tx, organizationId: string, poolId: string): Promise<Pool> {
  const pool = await lockPool(tx, organizationId, poolId);
  if (!pool) throw notFound('pool');
  return pool;
}
