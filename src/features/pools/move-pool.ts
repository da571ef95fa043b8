import { type Structure, StructureSchema } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { refuseUnknownFields } from '../../platform/http/refuse-unknown-fields.ts';
import type { Id } from '../../platform/ids.ts';
import { checkOpen, checkStructure, endPool, POOL_MOVES, refuseLeftOut } from './pool.ts';
import { clearIssueRequested, lockPool, type Pool, setIssueRequested } from './queries.ts';

/** Puts a structure on a DRAFT or STRUCTURED pool; 422 with every issue when it is not valid. */
export async function putStructure(tx: Tx, actor: Actor, poolId: Id<'pool'>, structure: Structure): Promise<Pool> {
  const pool = await lockOwnPool(tx, actor, poolId);
  POOL_MOVES.check(pool.status, 'STRUCTURED');
  refuseLeftOut(structure);
  refuseUnknownFields(StructureSchema, structure);
  checkStructure(structure, pool, pool.balance);
  return POOL_MOVES.move(tx, pool, 'STRUCTURED', { structure, structure_version: pool.structure_version + 1 });
}

/** Fixes loans, dates and structure. */
export async function lockStructure(tx: Tx, actor: Actor, poolId: Id<'pool'>): Promise<Pool> {
  return POOL_MOVES.move(tx, await lockOwnPool(tx, actor, poolId), 'LOCKED');
}

/** Cancels a DRAFT or STRUCTURED pool and releases its loans. */
export async function cancelPool(tx: Tx, actor: Actor, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await lockOwnPool(tx, actor, poolId);
  checkOpen(pool);
  return endPool(tx, pool, 'CANCELLED');
}

/** Requests the issue of a LOCKED pool from the operator; a second request keeps the time of the first. */
export async function requestIssue(tx: Tx, actor: Actor, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await lockOwnPool(tx, actor, poolId);
  POOL_MOVES.check(pool.status, 'ISSUED');
  return pool.issue_requested_at ? pool : orNotFound(await setIssueRequested(tx, pool), 'pool');
}

/** Takes the request back while the operator has not decided: the pool stays LOCKED and cannot be issued. 409 when none is open. */
export async function withdrawIssueRequest(tx: Tx, actor: Actor, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await lockOwnPool(tx, actor, poolId);
  POOL_MOVES.check(pool.status, 'ISSUED');
  if (pool.issue_requested_at === null)
    throw new ApiError('INVALID_TRANSITION', 'The issue of this pool is not requested: there is no request to withdraw.', {
      extra: { current_status: pool.status, allowed: [] },
    });
  return orNotFound(await clearIssueRequested(tx, pool), 'pool');
}

async function lockOwnPool(tx: Tx, actor: Actor, poolId: Id<'pool'>): Promise<Pool> {
  return orNotFound(await lockPool(tx, actor.organization_id, poolId), 'pool');
}
