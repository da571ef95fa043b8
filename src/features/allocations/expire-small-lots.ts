import { formatAmount } from '../../finance/money.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { moveAllocations } from './allocation.ts';
import { lockSmallLots } from './queries.ts';

/**
 * Expires what was offered below the denomination to add to face of a bidder, when the last of its trades in the tranche was cancelled: it
 * could not be delivered alone. It stays unsold, and the investor is told why.
 */
export async function expireSmallLots(tx: Tx, actor: string, cancelled: Id<'all'>): Promise<void> {
  const lots = await lockSmallLots(tx, cancelled);
  const [first] = lots;
  if (!first) return;
  const reason = `It is below the denomination of ${formatAmount(first.denomination)}, and the trade to which it would have added was cancelled.`;
  await moveAllocations(tx, lots, 'EXPIRED', reason);
  audit(
    tx,
    ...lots.map(({ organization_id, allocation_id, status, allocated_amount }) => ({
      organization_id,
      actor,
      action: 'allocation.expired',
      entity_type: 'allocation',
      entity_id: allocation_id,
      before: { status },
      after: { status: 'EXPIRED', allocated_amount },
      reason,
    })),
  );
}
