import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { findPoolOwner } from '../pools/queries.ts';
import { applyDue, applyRemittance } from './apply-remittances.ts';
import { findAnyRemittance, type RemittanceWithState, setAccepted } from './queries.ts';
import { lockServicedPool } from './serviced-pool.ts';

/**
 * Signs off a report that differs from its structure: a HELD one is applied, and those that waited behind it; a SCHEDULED one will be on
 * its payment date. 409 where there is nothing to sign off.
 */
export async function acceptRemittance(
  tx: Tx,
  decider: Decider,
  remittanceId: Id<'rem'>,
  reason: string,
): Promise<RemittanceWithState> {
  const found = orNotFound(await findAnyRemittance(tx, remittanceId), 'report');
  const owner = orNotFound(await findPoolOwner(tx, found.pool_id), 'pool');
  refuseOwnOrganization(decider, owner);
  const pool = await lockServicedPool(tx, owner, found.pool_id);
  // Under the lock: it may have been replaced or accepted since.
  const row = orNotFound(await findAnyRemittance(tx, remittanceId), 'report');
  if (row.status === 'APPLIED' || row.verification.status !== 'DIFFERS' || row.accepted_at !== null) {
    const state = row.accepted_at ? 'has been accepted' : row.status === 'APPLIED' ? 'has been applied' : 'does not differ';
    throw new ApiError('CONFLICT', `The report of period ${row.period} ${state}: there is nothing to accept.`, {
      extra: { current_status: row.status },
    });
  }
  await setAccepted(tx, row, decider.actor_id, reason);
  audit(tx, {
    organization_id: owner,
    actor: decider.actor_id,
    action: 'remittance.accepted',
    entity_type: 'remittance',
    entity_id: remittanceId,
    before: { status: row.status },
    after: { pool_id: row.pool_id, deal_id: row.deal_id, period: row.period, payment_date: row.payment_date },
    reason,
  });
  if (row.status === 'HELD') await applyRemittance(tx, pool, row);
  await applyDue(tx, pool);
  return orNotFound(await findAnyRemittance(tx, remittanceId), 'report');
}
