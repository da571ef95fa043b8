import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Actor, type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import { moveDeal } from './deal.ts';
import { type Deal, findChecksInForce, findLivePool, findNewestChecks, findOwner, lockDeal, type Move } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

export type DealDecision = Omit<Move, 'actor'> & { dealId: Id<'deal'> };

/** An operator's decision on a loan deal: approve, reject or withdraw, with its audit entry. */
export async function decideDeal(tx: Tx, decider: Decider, { dealId, ...decision }: DealDecision): Promise<Deal> {
  const owner = orNotFound(await findOwner(tx, dealId), 'deal');
  const deal = orNotFound(await lockDeal(tx, owner, dealId), 'deal');
  refuseOwnOrganization(decider, owner);
  const move: Move = { ...decision, actor: decider.actor_id };
  if (move.to === 'APPROVED') await refuseWhileChecked(tx, deal);
  if (move.to === 'WITHDRAWN') await refuseWhilePooled(tx, deal);
  const moved = await moveDeal(tx, deal, move);
  audit(tx, {
    organization_id: deal.organization_id,
    actor: move.actor,
    action: `deal.${move.to.toLowerCase()}`,
    entity_type: 'deal',
    entity_id: dealId,
    before: { status: deal.status },
    after: { status: moved.status, ...(move.reason_code ? { reason_code: move.reason_code } : {}) },
    reason: move.reason ?? null,
  });
  return moved;
}

/** The originator withdraws a deal of its own that was approved and is in no live pool. */
export async function withdrawOwnDeal(
  tx: Tx,
  { organization_id, actor_id }: Actor,
  { dealId, reason }: { dealId: Id<'deal'>; reason: string | null },
): Promise<Deal> {
  const deal = orNotFound(await lockDeal(tx, organization_id, dealId), 'deal');
  await refuseWhilePooled(tx, deal);
  return moveDeal(tx, deal, { to: 'WITHDRAWN', actor: actor_id, reason: reason ?? 'withdrawn by the originator' });
}

/**
 * Refuses the approval until the checks of the newest tape have ended, which may still be running or have failed, and while the tape in
 * force waits for a mapping, and so has no loans.
 */
async function refuseWhileChecked(tx: Tx, deal: Deal): Promise<void> {
  if (deal.status !== 'QC_COMPLETED') return;
  const refusal = (why: string) =>
    new ApiError('INVALID_TRANSITION', why, { extra: { current_status: deal.status, allowed: ['REJECTED'] } });
  const newest = await findNewestChecks(tx, deal.organization_id, deal.deal_id);
  const checks = `The checks of version ${newest?.version} of the tape`;
  if (newest?.state === 'RUNNING') throw refusal(`${checks} are still running.`);
  if (newest?.state === 'FAILED')
    throw refusal(
      `${checks} failed: the originator has to start them again or send another version before the deal can be approved.`,
    );
  const inForce = await findChecksInForce(tx, deal.organization_id, deal.deal_id);
  if (inForce?.state === 'NEEDS_MAPPING')
    throw refusal(
      `Version ${inForce.version} of the tape has no column that can be read as the amount, and so no loans: the originator has to map one before the deal can be approved.`,
    );
}

/** 409 with the live pool that holds loans of the deal. */
async function refuseWhilePooled(tx: Tx, deal: Deal): Promise<void> {
  const poolId = await findLivePool(tx, deal.organization_id, deal.deal_id);
  if (poolId === null) return;
  throw new ApiError('INVALID_TRANSITION', `The deal's loans are in the live pool ${poolId}: cancel the pool first.`, {
    extra: { current_status: deal.status, allowed: [], pool_id: poolId },
  });
}
