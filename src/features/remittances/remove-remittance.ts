import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor, Decider } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import type { Pool } from '../pools/queries.ts';
import { setCoupons } from '../coupons/coupon.ts';
import { deleteAllUnapplied, deleteUnapplied, findRemittance, listRemittancesAfter, type StoredRemittance } from './queries.ts';
import { lockServicedPool } from './serviced-pool.ts';

/** Removes a report that was not applied. 409 for an applied one, and while a later report begins where it ends. */
export async function removeRemittance(
  tx: Tx,
  actor: Actor,
  { pool_id, remittance_id }: { pool_id: Id<'pool'>; remittance_id: Id<'rem'> },
): Promise<void> {
  const pool = await lockServicedPool(tx, actor.organization_id, pool_id);
  const row = orNotFound(await findRemittance(tx, actor.organization_id, pool_id, remittance_id), 'report');
  if (row.status === 'APPLIED') {
    throw new ApiError('CONFLICT', `The report of period ${row.period} has been applied: it can be restated, not removed.`, {
      extra: { current_status: row.status },
    });
  }
  const [later] = await listRemittancesAfter(tx, pool, row.period);
  if (later) {
    throw new ApiError('CONFLICT', `The report of period ${later.period} begins where this one ends: delete that one first.`, {
      extra: { remittance_id: later.remittance_id, period: later.period },
    });
  }
  await deleteUnapplied(tx, pool, remittance_id);
  await setCoupons(tx, pool);
  audit(tx, removal(actor, actor.organization_id, row, null));
}

/** Removes the reports ahead of a deal that is withdrawn: its locked pool pays nothing any more. In the platform's scope. */
export async function removeScheduled(tx: Tx, decider: Decider, pool: Pool, reason: string): Promise<void> {
  const removed = await deleteAllUnapplied(tx, pool);
  if (removed.length > 0) audit(tx, ...removed.map((row) => removal(decider, pool.organization_id, row, reason)));
}

function removal({ actor_id }: { actor_id: string }, owner: string, row: StoredRemittance, reason: string | null) {
  const { remittance_id, pool_id, deal_id, period, payment_date, status } = row;
  return {
    organization_id: owner,
    actor: actor_id,
    action: 'remittance.removed',
    entity_type: 'remittance',
    entity_id: remittance_id,
    before: { pool_id, deal_id, period, payment_date, status },
    reason,
  };
}
