import type { MarketStatus } from '../deals/deal.ts';
import { Mover } from '../../platform/moves.ts';
import { lockSecuritization, type SecuritizationDeal } from './queries.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';

/** The moves of a deal on the market. */
export const MARKET_MOVES = new Mover<SecuritizationDeal, 'market_status', MarketStatus>({
  noun: 'deal',
  table: 'securitization_deals',
  key: ['deal_id'],
  column: 'market_status',
  touches: 'updated_at',
  moves: {
    MARKETING: ['BOOKS_CLOSED', 'ALLOCATED', 'WITHDRAWN'],
    BOOKS_CLOSED: ['MARKETING', 'ALLOCATED', 'WITHDRAWN'],
    ALLOCATED: ['CLOSED', 'WITHDRAWN'],
    CLOSED: [],
    WITHDRAWN: [],
  },
});

/** Locks a deal for a move that it can make. */
export async function lockDealFor(
  tx: Tx,
  decider: Decider,
  { deal_id, to }: { deal_id: Id<'deal'>; to: MarketStatus },
): Promise<SecuritizationDeal> {
  const deal = orNotFound(await lockSecuritization(tx, deal_id), 'deal');
  refuseOwnOrganization(decider, deal.organization_id);
  MARKET_MOVES.check(deal.market_status, to);
  return deal;
}

/** Moves a locked deal on the market, with an audit entry. */
export async function moveMarket(
  tx: Tx,
  decider: Decider,
  deal: SecuritizationDeal,
  { to, reason }: { to: MarketStatus; reason: string | null },
): Promise<SecuritizationDeal> {
  const moved = await MARKET_MOVES.move(tx, deal, to, to === 'WITHDRAWN' ? { status: 'WITHDRAWN' } : {});
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
  return moved;
}
