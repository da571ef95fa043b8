import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidTransition, notFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import { lockSecuritization, type MarketStatus, type SecuritizationDeal, updateMarketStatus } from '../marketplace/queries.ts';

/** The moves of a deal on the market. ALLOCATED is reached by allocating. */
export const MARKET_MOVES: Record<MarketStatus, readonly MarketStatus[]> = {
  MARKETING: ['BOOKS_CLOSED', 'WITHDRAWN'],
  BOOKS_CLOSED: ['MARKETING', 'ALLOCATED', 'WITHDRAWN'],
  ALLOCATED: ['CLOSED', 'WITHDRAWN'],
  CLOSED: [],
  WITHDRAWN: [],
};

/** Locks a deal for a move that it can make. */
export async function lockDealFor(tx: Tx, decider: Decider, dealId: string, to: MarketStatus): Promise<SecuritizationDeal> {
  const deal = await lockSecuritization(tx, dealId);
  if (!deal) throw notFound('deal');
  refuseOwnOrganization(decider, deal.organization_id);
  const allowed = MARKET_MOVES[deal.market_status];
  if (!allowed.includes(to)) throw invalidTransition('deal', deal.market_status, allowed);
  return deal;
}

/** Moves a locked deal on the market and writes who did it. */
export async function moveMarket(
  tx: Tx,
  decider: Decider,
  deal: SecuritizationDeal,
  to: MarketStatus,
  reason: string | null,
): Promise<SecuritizationDeal> {
  await updateMarketStatus(tx, deal.deal_id, to);
  audit(tx, {
    organization_id: deal.organization_id,
    actor: decider.key_id,
    action: `deal.market_${to.toLowerCase()}`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
    before: { market_status: deal.market_status },
    after: { market_status: to },
    reason,
  });
  return { ...deal, market_status: to, status: to === 'WITHDRAWN' ? 'WITHDRAWN' : deal.status };
}
