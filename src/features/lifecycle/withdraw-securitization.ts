import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import { moveAllocations } from '../allocations/allocation.ts';
import { lockIssuedAllocations } from '../allocations/queries.ts';
import { moveOrders } from '../orders/order.ts';
import { lockOfferedTranches, lockOpenOrders } from '../orders/queries.ts';
import { lockSubscriptions } from '../subscriptions/queries.ts';
import { moveSubscriptions } from '../subscriptions/subscription.ts';
import { expireIois } from '../iois/ioi.ts';
import { hasSettledTrades, lockUnsettledTrades } from '../trades/queries.ts';
import { tellTrades, TRADE_MOVES } from '../trades/trade.ts';
import { listAudience, lockDealFor, MARKET_MOVES, moveMarket } from '../securitizations/securitization.ts';
import { removeScheduled } from '../remittances/remove-remittance.ts';
import { endPool } from '../pools/pool.ts';
import { lockPool } from '../pools/queries.ts';
import { listStakeholders, type SecuritizationDeal, setBooksOpen } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';
import type { MarketDecision } from './run-books.ts';

/**
 * Takes a deal off the market: every open commitment ends, the pool is cancelled, its loans are free, and every
 * stakeholder gets an event. 409 when a trade has settled already: a position cannot be withdrawn.
 */
export async function withdrawSecuritization(
  tx: Tx,
  decider: Decider,
  { deal_id, reason }: MarketDecision<string>,
): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, { deal_id, to: 'WITHDRAWN' });
  if (await hasSettledTrades(tx, deal_id)) {
    const allowed = MARKET_MOVES.allowed(deal.market_status).filter((status) => status !== 'WITHDRAWN');
    throw new ApiError('INVALID_TRANSITION', 'Trades of the deal have settled: it can be closed, not withdrawn.', {
      extra: { current_status: deal.market_status, allowed },
    });
  }
  const holders = await listStakeholders(tx, deal_id);
  const audience = await listAudience(tx, deal);
  await endEverything(tx, deal_id);
  const pool = orNotFound(await lockPool(tx, deal.organization_id, deal.pool_id), 'pool');
  await removeScheduled(tx, decider, pool, ENDED);
  await endPool(tx, pool, 'CANCELLED');
  const withdrawn = await moveMarket(tx, decider, deal, { to: 'WITHDRAWN', reason, audience });
  await emit(tx, emissionsOf(deal, withdrawn, reason, [deal.organization_id, ...holders.map((each) => each.organization_id)]));
  return withdrawn;
}

const ENDED = 'the deal was withdrawn';

async function endEverything(tx: Tx, dealId: Id<'deal'>): Promise<void> {
  await lockOfferedTranches(tx, dealId);
  await setBooksOpen(tx, dealId, false);
  await expireIois(tx, dealId);
  const subscriptions = await lockSubscriptions(tx, dealId, ['pending_confirmation', 'confirmed', 'allocated']);
  await moveSubscriptions(
    tx,
    subscriptions.map((row) => ({ row, to: 'cancelled', reason: ENDED })),
  );
  const orders = await lockOpenOrders(tx, dealId);
  await moveOrders(
    tx,
    orders.map((row) => ({ row, to: 'CANCELLED', reason: ENDED })),
  );
  await moveAllocations(tx, await lockIssuedAllocations(tx, dealId), 'EXPIRED');
  const unsettled = await lockUnsettledTrades(tx, dealId);
  await TRADE_MOVES.moveAll(
    tx,
    unsettled.map((row) => ({ row, to: 'CANCELLED', values: { reason: ENDED } })),
  );
  await tellTrades(
    tx,
    'CANCELLED',
    unsettled.map((trade) => ({ trade, reason: ENDED })),
  );
}

function emissionsOf(
  before: SecuritizationDeal,
  after: SecuritizationDeal,
  reason: string,
  organizationIds: readonly Id<'org'>[],
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
