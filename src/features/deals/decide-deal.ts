import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import { findLatestTape } from '../tapes/queries.ts';
import { type Move, moveDeal } from './deal.ts';
import { type Deal, findOwner, lockDeal } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** An operator's decision on a loan deal: approve, reject or withdraw, with its audit entry. */
export async function decideDeal(tx: Tx, decider: Decider, dealId: Id<'deal'>, decision: Omit<Move, 'actor'>): Promise<Deal> {
  const owner = await findOwner(tx, dealId);
  const deal = owner && (await lockDeal(tx, owner, dealId));
  if (!deal) throw notFound('deal');
  refuseOwnOrganization(decider, owner);
  const move: Move = { ...decision, actor: decider.key_id };
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

/** What is approved must be what the checks have seen to the end: a newer tape or mapping may still run, or have been given up. */
async function refuseWhileChecked(tx: Tx, deal: Deal): Promise<void> {
  if (deal.status !== 'QC_COMPLETED') return;
  const tape = await findLatestTape(tx, deal.organization_id, deal.deal_id);
  if (tape?.state !== 'RUNNING' && tape?.state !== 'FAILED') return;
  const why =
    tape.state === 'RUNNING'
      ? 'are still running'
      : 'failed: they must be started again, or another version be sent, before a decision';
  throw new ApiError('INVALID_TRANSITION', `The checks of version ${tape.version} of the tape ${why}.`, {
    extra: { current_status: deal.status, allowed: ['REJECTED'] },
  });
}

async function refuseWhilePooled(tx: Tx, deal: Deal): Promise<void> {
  const pool = await tx.one<{ pool_id: Id<'pool'> }>(
    `select p.pool_id from pools p join pool_claims c using (pool_id) where p.organization_id = $1 and $2 = any(p.deal_ids) and c.live limit 1`,
    [deal.organization_id, deal.deal_id],
  );
  if (pool) {
    throw new ApiError('INVALID_TRANSITION', `The deal's loans are in the live pool ${pool.pool_id}: cancel the pool first.`, {
      extra: { current_status: deal.status, allowed: [] },
    });
  }
}
