import { businessDate } from '../../finance/business-date.ts';
import { ALLOCATION_MOVES, moveAllocations } from './allocation.ts';
import { priceTrade } from '../../finance/settlement.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidTransition, orNotFound } from '../../platform/http/errors.ts';
import { type Id } from '../../platform/ids.ts';
import { findTradeTerms, insertTrade } from '../trades/queries.ts';
import type { MarkWithCash } from '../calculations/mark-cash.ts';
import { type AllocationRow, findAllocation, lockDueAllocations } from './queries.ts';
import { listSubscriptionsById, lockBook } from '../subscriptions/queries.ts';
import { markRequired, salePrice } from './sale.ts';
import { reofferFace } from './reoffer-face.ts';
import { concludeSubscriptions } from '../trades/trade.ts';
import { holdSecuritization, lockSecuritization } from '../securitizations/queries.ts';
import type { Actor } from '../../platform/http/own-organization.ts';

/** `mark` prices an allocation whose price was not fixed when it was issued. */
export type Acceptance = { allocation_id: Id<'all'>; mark: MarkWithCash | undefined };

/**
 * The investor accepts its allocation, which creates the trade at the allocation's price. 409 when it was decided before, its response
 * deadline has passed, or the deal is no longer ALLOCATED.
 */
export async function acceptAllocation(
  tx: Tx,
  actor: Actor,
  { allocation_id: allocationId, mark }: Acceptance,
): Promise<AllocationRow> {
  const { organization_id } = actor;
  const found = orNotFound(await findAllocation(tx, organization_id, allocationId), 'allocation');
  const deal = orNotFound(await holdSecuritization(tx, found.deal_id), 'deal');
  const allocation = await lockIssued(tx, organization_id, allocationId);
  if (deal.market_status !== 'ALLOCATED') throw invalidTransition('deal', deal.market_status, []);
  const terms = await findTradeTerms(tx, allocation.tranche_id);
  if (!terms) throw new ApiError('CONFLICT', 'The tranche no longer exists.');
  const face = allocation.allocated_amount.toFixed(2);
  const price = fixedPrice(allocation, mark);
  const priced = priceTrade(face, price, terms, businessDate(tx.now, tx.zone));
  await moveAllocations(tx, [allocation], 'ACCEPTED');
  await insertTrade(tx, {
    ...priced,
    trade_id: tx.newId('trd'),
    organization_id,
    deal_id: allocation.deal_id,
    tranche_id: allocation.tranche_id,
    allocation_id: allocationId,
    face,
    yield: allocation.yield,
  });
  return orNotFound(await findAllocation(tx, organization_id, allocationId), 'allocation');
}

/** The investor declines its allocation; the face is offered once more to bidders who were not filled in full. */
export async function declineAllocation(tx: Tx, actor: Actor, allocationId: Id<'all'>): Promise<AllocationRow> {
  const { organization_id } = actor;
  const found = orNotFound(await findAllocation(tx, organization_id, allocationId), 'allocation');
  const deal = await lockSecuritization(tx, found.deal_id);
  await lockBook(tx, found.tranche_id);
  const allocation = await lockIssued(tx, organization_id, allocationId);
  await returnFace(tx, [allocation], 'DECLINED');
  // The freed face goes to other investors, whose records are outside this investor's scope.
  if (deal) await asPlatform(tx, () => reofferFace(tx, deal, [allocation]));
  return orNotFound(await findAllocation(tx, organization_id, allocationId), 'allocation');
}

/** Expires allocations of a tranche whose response deadline has passed, and offers their face again in one round; returns their number. */
export async function expireDue(
  tx: Tx,
  { deal_id, tranche_id }: Pick<AllocationRow, 'deal_id' | 'tranche_id'>,
  limit: number,
): Promise<number> {
  const deal = await lockSecuritization(tx, deal_id);
  if (!deal) return 0;
  await lockBook(tx, tranche_id);
  const due = await lockDueAllocations(tx, tranche_id, limit);
  await returnFace(tx, due, 'EXPIRED');
  await reofferFace(tx, deal, due);
  return due.length;
}

async function lockIssued(tx: Tx, organizationId: Id<'org'>, allocationId: Id<'all'>): Promise<AllocationRow> {
  const allocation = orNotFound(await findAllocation(tx, organizationId, allocationId, true), 'allocation');
  ALLOCATION_MOVES.check(allocation.status, 'ACCEPTED');
  // The deadline has passed although housekeeping has not expired it yet.
  if (allocation.expires_at <= tx.now) throw invalidTransition('allocation', 'EXPIRED', []);
  return allocation;
}

function fixedPrice({ price, method, yield: cleared, tranche_id }: AllocationRow, mark: MarkWithCash | undefined): string {
  const text = price === null ? salePrice(method, cleared, mark) : String(price);
  if (text === null) throw markRequired([{ tranche_id, tranche: mark?.tranche ?? tranche_id }]);
  return text;
}

/** A subscription ends with the last of its allocations and trades. */
async function returnFace(tx: Tx, allocations: readonly AllocationRow[], to: 'DECLINED' | 'EXPIRED'): Promise<void> {
  await moveAllocations(tx, allocations, to);
  const end =
    to === 'DECLINED'
      ? ({ to: 'cancelled', reason: 'its allocation was declined' } as const)
      : ({ to: 'expired', reason: 'its allocation expired at the response deadline' } as const);
  const ids = new Set(allocations.flatMap(({ subscription_id }) => subscription_id ?? []));
  if (ids.size > 0) await concludeSubscriptions(tx, await listSubscriptionsById(tx, [...ids], true), end);
}
