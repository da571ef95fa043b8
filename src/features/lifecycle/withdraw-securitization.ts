import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import { lockIssuedAllocations, updateAllocationStatus } from '../allocations/queries.ts';
import { cancelOrders, lockOfferedTranches } from '../orders/queries.ts';
import { lockSubscriptions, updateSubscription } from '../subscriptions/queries.ts';
import { expireIois } from '../iois/queries.ts';
import { hasSettledTrades, lockUnsettledTrades, updateTrade } from '../trades/queries.ts';
import { lockDealFor, moveMarket } from '../securitizations/securitization.ts';
import { closePool, listStakeholders, type SecuritizationDeal, setBooksOpen } from '../marketplace/queries.ts';

/**
 * Takes a deal off the market: everything that is live ends, the pool is cancelled and its loans are free, and whoever has a stake is
 * told. 409 when a trade has settled already: what is held cannot be withdrawn.
 */
export async function withdrawSecuritization(
  tx: Tx,
  decider: Decider,
  dealId: string,
  reason: string,
): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, dealId, 'WITHDRAWN');
  if (await hasSettledTrades(tx, dealId)) {
    throw new ApiError('INVALID_TRANSITION', 'Trades of the deal have settled: it can be closed, not withdrawn.', {
      extra: { current_status: deal.market_status, allowed: deal.market_status === 'ALLOCATED' ? ['CLOSED'] : [] },
    });
  }
  const holders = await listStakeholders(tx, dealId);
  await endEverything(tx, dealId);
  await closePool(tx, deal.pool_id, 'CANCELLED');
  const withdrawn = await moveMarket(tx, decider, deal, 'WITHDRAWN', reason);
  await emit(tx, emissionsOf(deal, withdrawn, reason, [deal.organization_id, ...holders.map((each) => each.organization_id)]));
  return withdrawn;
}

const ENDED = 'the deal was withdrawn';

async function endEverything(tx: Tx, dealId: string): Promise<void> {
  await lockOfferedTranches(tx, dealId);
  await setBooksOpen(tx, dealId, false);
  await expireIois(tx, dealId);
  for (const row of await lockSubscriptions(tx, dealId, ['pending_confirmation', 'confirmed', 'allocated'])) {
    await updateSubscription(tx, row, 'cancelled', ENDED);
  }
  await cancelOrders(tx, dealId, ENDED);
  for (const row of await lockIssuedAllocations(tx, dealId)) await updateAllocationStatus(tx, row.allocation_id, 'EXPIRED');
  for (const row of await lockUnsettledTrades(tx, dealId)) {
    await updateTrade(tx, row.trade_id, 'CANCELLED', { reason: ENDED, settled_at: null });
  }
}

function emissionsOf(
  before: SecuritizationDeal,
  after: SecuritizationDeal,
  reason: string,
  organizationIds: readonly string[],
): Emission[] {
  return [...new Set(organizationIds)].map((organization_id) => ({
    organization_id,
    event: 'deal.status_changed',
    data: { deal_id: before.deal_id, previous_status: before.status, current_status: after.status },
    alert: {
      category: 'deal',
      priority: 'HIGH',
      title: `${before.name}: withdrawn`,
      message: reason,
      entity_type: 'deal',
      entity_id: before.deal_id,
    },
  }));
}
