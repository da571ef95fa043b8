import { emit } from '../../events/emit.ts';
import type { Emission, EventData } from '../../events/events.ts';
import { formatAmount } from '../../finance/money.ts';
import type { MarketStatus } from '../deals/queries.ts';
import { Mover } from '../../platform/moves.ts';
import { listStakeholders, listWatchers, lockSecuritization, type SecuritizationDeal } from './queries.ts';
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
    MARKETING: ['BOOKS_CLOSED', 'WITHDRAWN'],
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

/** Moves a locked deal on the market, with an audit entry; tells `audience`, by default those who watch or hold something in it. */
export async function moveMarket(
  tx: Tx,
  decider: Decider,
  deal: SecuritizationDeal,
  { to, reason, audience }: { to: MarketStatus; reason: string | null; audience?: readonly Id<'org'>[] },
): Promise<SecuritizationDeal> {
  const moved = await MARKET_MOVES.move(tx, deal, to, to === 'WITHDRAWN' ? { status: 'WITHDRAWN' } : {});
  audit(tx, {
    organization_id: deal.organization_id,
    actor: decider.actor_id,
    action: `deal.market_${to.toLowerCase()}`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
    before: { market_status: deal.market_status },
    after: { market_status: to },
    reason,
  });
  await tellMarketMove(tx, deal, to, audience ?? (await listAudience(tx, deal)));
  return moved;
}

/** Whom a deal's moves concern: its owner, and everybody who watches it or holds something in it. */
export async function listAudience(tx: Tx, { deal_id, organization_id }: SecuritizationDeal): Promise<Id<'org'>[]> {
  const others = [...(await listStakeholders(tx, deal_id)), ...(await listWatchers(tx, deal_id))];
  return [...new Set([organization_id, ...others.map((each) => each.organization_id)])];
}

export function listedEvent(organizationId: Id<'org'>, data: EventData<'deal.listed'>): Emission {
  return {
    organization_id: organizationId,
    event: 'deal.listed',
    data,
    alert: {
      category: 'deal',
      priority: 'MEDIUM',
      title: `${data.name} is on the market`,
      message: `${data.asset_type}, ${formatAmount(data.deal_size)} on offer.`,
      entity_type: 'deal',
      entity_id: data.deal_id,
    },
  };
}

/** `deal` is the record before the move. */
export async function tellMarketMove(
  tx: Tx,
  deal: SecuritizationDeal,
  to: MarketStatus,
  audience: readonly Id<'org'>[],
): Promise<void> {
  const { deal_id, name, asset_type, deal_size, market_status } = deal;
  await emit(
    tx,
    audience.map((organization_id) => ({
      organization_id,
      event: 'deal.market_status_changed',
      data: { deal_id, name, asset_type, deal_size, previous_market_status: market_status, current_market_status: to },
      alert: {
        category: 'deal',
        priority: 'MEDIUM',
        title: `${name}: ${to}`,
        message: `The deal of ${formatAmount(deal_size)} was ${market_status} and is ${to}.`,
        entity_type: 'deal',
        entity_id: deal_id,
      },
    })),
  );
}
