import type { Tx } from '../../platform/db/database.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import { listOpenAllocations } from '../allocations/queries.ts';
import { lockSubscriptions } from '../subscriptions/queries.ts';
import { moveSubscriptions } from '../subscriptions/subscription.ts';
import { expireIois } from '../iois/ioi.ts';
import { listAudience, lockDealFor, moveMarket } from '../securitizations/securitization.ts';
import { endPool } from '../pools/pool.ts';
import { lockPool } from '../pools/queries.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type SecuritizationDeal, setBooksOpen } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';

/** A deal to decide on, and the reason. */
export type MarketDecision<Reason = string | null> = { deal_id: Id<'deal'>; reason: Reason };

/** Ends the marketing: no more subscriptions and orders; indications expire. */
export async function closeBooks(tx: Tx, decider: Decider, { deal_id, reason }: MarketDecision): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, { deal_id, to: 'BOOKS_CLOSED' });
  const audience = await listAudience(tx, deal);
  await setBooksOpen(tx, deal_id, false);
  await expireIois(tx, deal_id);
  return moveMarket(tx, decider, deal, { to: 'BOOKS_CLOSED', reason, audience });
}

/** Resumes the marketing. Orders and subscriptions stay; expired indications do not come back. */
export async function reopenBooks(tx: Tx, decider: Decider, { deal_id, reason }: MarketDecision): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, { deal_id, to: 'MARKETING' });
  await setBooksOpen(tx, deal_id, true);
  return moveMarket(tx, decider, deal, { to: 'MARKETING', reason });
}

/** How many of the open allocations a refusal lists. */
const LISTED_ALLOCATIONS = 100;

/** Closes an allocated deal. Subscriptions without an allocation expire. 409 while an allocation waits for an answer or its trade for settlement. */
export async function closeDeal(tx: Tx, decider: Decider, { deal_id, reason }: MarketDecision): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, { deal_id, to: 'CLOSED' });
  await refuseOpenAllocations(tx, deal_id);
  await setBooksOpen(tx, deal_id, false);
  const audience = await listAudience(tx, deal);
  const unfilled = await lockSubscriptions(tx, deal_id, ['confirmed']);
  await moveSubscriptions(
    tx,
    unfilled.map((row) => ({ row, to: 'expired', reason: 'the deal closed without allocating to it' })),
  );
  await endPool(tx, orNotFound(await lockPool(tx, deal.organization_id, deal.pool_id), 'pool'), 'CLOSED');
  return moveMarket(tx, decider, deal, { to: 'CLOSED', reason, audience });
}

async function refuseOpenAllocations(tx: Tx, dealId: Id<'deal'>): Promise<void> {
  const { rows, total } = await listOpenAllocations(tx, dealId, LISTED_ALLOCATIONS);
  if (total === 0) return;
  const waiting = total === 1 ? '1 allocation of the deal waits' : `${total} allocations of the deal wait`;
  throw new ApiError(
    'ALLOCATIONS_OPEN',
    `${waiting} to be accepted or declined, or to settle: the deal can be closed after that.`,
    {
      extra: { allocations: rows, total },
    },
  );
}
