import { IOI_MOVES } from './ioi.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { type Id } from '../../platform/ids.ts';
import { findIoi, type IoiRow, insertIoi, updateInterest } from './queries.ts';
import { findSecuritization, holdBooksOpen, isVisible } from '../securitizations/queries.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { formatAmount } from '../../finance/money.ts';

/**
 * Signals interest in a deal, without commitment. One live indication per investor and deal: the database refuses a second one. 404 when
 * the investor cannot see the deal, 409 when its books are closed, 422 above the deal's size.
 */
export async function submitIoi(
  tx: Tx,
  { organization_id }: Actor,
  { deal_id, interest_amount }: { deal_id: Id<'deal'>; interest_amount: number },
): Promise<IoiRow> {
  if (!(await isVisible(tx, organization_id, deal_id))) throw notFound('deal');
  if (!(await holdBooksOpen(tx, deal_id))) throw new ApiError('BOOKS_CLOSED');
  // Before the amount is judged: a second indication is refused whatever its amount.
  const ioi = await insertIoi(tx, { ioi_id: tx.newId('ioi'), organization_id, deal_id, interest_amount });
  await checkWithinDeal(tx, deal_id, interest_amount);
  return ioi;
}

/** Changes the amount of a live indication while the books are open. */
export async function amendIoi(
  tx: Tx,
  actor: Actor,
  { ioi_id, interest_amount }: { ioi_id: Id<'ioi'>; interest_amount: number },
): Promise<IoiRow> {
  const { ioi, open } = await lockIoi(tx, actor, ioi_id);
  if (!open) throw new ApiError('BOOKS_CLOSED');
  IOI_MOVES.check(ioi.status, 'withdrawn');
  await checkWithinDeal(tx, ioi.deal_id, interest_amount);
  tx.unchanged = interest_amount === ioi.interest_amount;
  if (tx.unchanged) return ioi;
  return updateInterest(tx, actor.organization_id, ioi_id, interest_amount);
}

export async function withdrawIoi(tx: Tx, actor: Actor, ioiId: Id<'ioi'>): Promise<IoiRow> {
  const { ioi } = await lockIoi(tx, actor, ioiId);
  return IOI_MOVES.move(tx, ioi, 'withdrawn');
}

/** Locks the books before the indication, in the order of every operation on a deal's records. */
async function lockIoi(tx: Tx, { organization_id }: Actor, ioiId: Id<'ioi'>): Promise<{ ioi: IoiRow; open: boolean }> {
  const found = orNotFound(await findIoi(tx, organization_id, ioiId), 'indication of interest');
  const open = await holdBooksOpen(tx, found.deal_id);
  return { ioi: (await findIoi(tx, organization_id, ioiId, true)) ?? found, open };
}

async function checkWithinDeal(tx: Tx, dealId: Id<'deal'>, amount: number): Promise<void> {
  const size = (await findSecuritization(tx, dealId))?.deal_size ?? 0;
  if (amount <= size) return;
  throw new ApiError('UNPROCESSABLE', 'The interest is larger than the deal.', {
    errors: [
      { field: 'interest_amount', code: 'ABOVE_DEAL_SIZE', message: `expected at most the deal size of ${formatAmount(size)}` },
    ],
  });
}
