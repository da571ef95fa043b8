import type { Tx } from '../../platform/db/database.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import { lockSubscriptions, updateSubscription } from '../subscriptions/queries.ts';
import { expireIois } from '../iois/queries.ts';
import { lockDealFor, moveMarket } from '../securitizations/securitization.ts';
import { closePool, type SecuritizationDeal, setBooksOpen } from '../marketplace/queries.ts';

/** Ends the marketing: no more subscriptions and orders; indications expire. */
export async function closeBooks(tx: Tx, decider: Decider, dealId: string, reason: string | null): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, dealId, 'BOOKS_CLOSED');
  await setBooksOpen(tx, dealId, false);
  await expireIois(tx, dealId);
  return moveMarket(tx, decider, deal, 'BOOKS_CLOSED', reason);
}

/** Takes the marketing up again; orders and subscriptions stand, indications that expired do not come back. */
export async function reopenBooks(tx: Tx, decider: Decider, dealId: string, reason: string | null): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, dealId, 'MARKETING');
  await setBooksOpen(tx, dealId, true);
  return moveMarket(tx, decider, deal, 'MARKETING', reason);
}

/** Closes an allocated deal. Commitments that got nothing end; trades settle when they settle. */
export async function closeDeal(tx: Tx, decider: Decider, dealId: string, reason: string | null): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, dealId, 'CLOSED');
  await setBooksOpen(tx, dealId, false);
  for (const row of await lockSubscriptions(tx, dealId, ['confirmed'])) {
    await updateSubscription(tx, row, 'expired', 'the deal closed without an allocation to it');
  }
  await closePool(tx, deal.pool_id, 'CLOSED');
  return moveMarket(tx, decider, deal, 'CLOSED', reason);
}
