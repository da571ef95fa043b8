import { isResidual, type Structure } from '../../finance/structure/structure.ts';
import { validateStructure } from '../../finance/structure/validate.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { checkMove, refuseStructure } from './pool.ts';
import {
  findPool,
  findPoolOwner,
  insertIssue,
  lockPool,
  type NewTranche,
  type Pool,
  releaseClaims,
  requestIssue,
  setPoolStatus,
  setStructure,
} from './queries.ts';

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

/** The operator's confirmation: the securitization deal with its tranches appears to investors, in MARKETING. */
export async function issuePool(tx: Tx, poolId: string, actor: string): Promise<{ pool: Pool; deal_id: string }> {
  const owner = await findPoolOwner(tx, poolId);
  if (!owner) throw notFound('pool');
  const pool = await heldPool(tx, owner, poolId);
  checkMove(pool, 'ISSUED');
  if (!pool.issue_requested_at) {
    throw new ApiError('CONFLICT', 'The originator has not asked for the issue of this pool.', {
      extra: { current_status: pool.status },
    });
  }
  const tranches = tranchesOf(pool.structure as Structure, pool.closing_date);
  const size = tranches.reduce((cents, tranche) => cents + (tranche.offered ? Math.round(tranche.balance * 100) : 0), 0) / 100;
  const dealId = newId('deal', tx.now.getTime());
  await insertIssue(tx, pool, dealId, size, tranches);
  await audit(tx, {
    organization_id: owner,
    actor,
    action: 'pool.issued',
    entity_type: 'pool',
    entity_id: poolId,
    before: { status: pool.status },
    after: { status: 'ISSUED', deal_id: dealId, deal_size: size },
  });
  return { pool: { ...pool, status: 'ISSUED', deal_id: dealId }, deal_id: dealId };
}

async function heldPool(tx: Tx, organizationId: string, poolId: string): Promise<Pool> {
  const pool = await lockPool(tx, organizationId, poolId);
  if (!pool) throw notFound('pool');
  return pool;
}

const LEAST_HOLDING = 1_000;

/** Tranches as the market knows them; residuals and empty ones are not offered. */
function tranchesOf(structure: Structure, closingDate: string): NewTranche[] {
  return structure.tranches.map((tranche, place) => ({
    tranche_id: newId('trn'),
    tranche: tranche.tranche,
    class: tranche.class ?? tranche.tranche,
    offered: tranche.balance > 0 && !isResidual(structure, tranche),
    balance: tranche.balance,
    coupon_type: tranche.coupon?.type ?? 'FIXED',
    coupon: tranche.coupon?.type === 'FLOATING' ? null : (tranche.coupon?.rate ?? 0),
    day_count: tranche.day_count ?? '30/360',
    rating: tranche.rating ?? null,
    seniority: tranche.seniority ?? place + 1,
    denomination: tranche.denomination || LEAST_HOLDING,
    increment: tranche.increment || LEAST_HOLDING,
    erisa_eligible: tranche.erisa_eligible ?? true,
    offered_yield: tranche.offered_yield ?? null,
    dated_date: structure.payment?.dated_date ?? closingDate,
    final_maturity: tranche.final_maturity ?? null,
  }));
}
