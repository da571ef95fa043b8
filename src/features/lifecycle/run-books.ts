import type { Tx } from '../../platform/db/database.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import { lockSubscriptions } from '../subscriptions/queries.ts';
import { moveSubscription } from '../subscriptions/subscription.ts';
import { expireIois } from '../iois/ioi.ts';
import { lockDealFor, moveMarket } from '../securitizations/securitization.ts';
import { endPool } from '../pools/pool.ts';
import { lockPool } from '../pools/queries.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type SecuritizationDeal, setBooksOpen } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';

/** Ends the marketing: no more subscriptions and orders; indications expire. */
export async function closeBooks(
  tx: Tx,
  decider: Decider,
  dealId: Id<'deal'>,
  reason: string | null,
): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, dealId, 'BOOKS_CLOSED');
  await setBooksOpen(tx, dealId, false);
  await expireIois(tx, dealId);
  return moveMarket(tx, decider, deal, 'BOOKS_CLOSED', reason);
}

/** Takes the marketing up again; orders and subscriptions stand, indications that expired do not come back. */
export async function reopenBooks(
  tx: Tx,
  decider: Decider,
  dealId: Id<'deal'>,
  reason: string | null,
): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, dealId, 'MARKETING');
  await setBooksOpen(tx, dealId, true);
  return moveMarket(tx, decider, deal, 'MARKETING', reason);
}

/** Closes an allocated deal. Commitments that got nothing end; trades settle when they settle. */
export async function closeDeal(
  tx: Tx,
  decider: Decider,
  dealId: Id<'deal'>,
  reason: string | null,
): Promise<SecuritizationDeal> {
  const deal = await lockDealFor(tx, decider, dealId, 'CLOSED');
  await setBooksOpen(tx, dealId, false);
  for (const row of await lockSubscriptions(tx, dealId, ['confirmed'])) {
    await moveSubscription(tx, row, 'expired', 'the deal closed without an allocation to it');
  }
  await endPool(tx, orNotFound(await lockPool(tx, deal.organization_id, deal.pool_id), 'pool'), 'CLOSED');
  return moveMarket(tx, decider, deal, 'CLOSED', reason);
}
