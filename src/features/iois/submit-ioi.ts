import { IOI_MOVES } from './ioi.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { type Id } from '../../platform/ids.ts';
import { findIoi, type IoiRow, insertIoi, updateInterest } from './queries.ts';
import { findSecuritization, holdBooksOpen, isVisible } from '../securitizations/queries.ts';

/**
 * Signals interest in a deal, without commitment. One live indication per investor and deal: the database refuses a second one.
 * 404 when the deal is not there for the investor, 409 when its books are closed, 422 above the deal's size.
 */
export async function submitIoi(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>, amount: number): Promise<IoiRow> {
  if (!(await isVisible(tx, organizationId, dealId))) throw notFound('deal');
  await requireOpenBooks(tx, dealId);
  await checkWithinDeal(tx, dealId, amount);
  return insertIoi(tx, { ioi_id: tx.newId('ioi'), organization_id: organizationId, deal_id: dealId, interest_amount: amount });
}

export async function amendIoi(tx: Tx, organizationId: Id<'org'>, ioiId: Id<'ioi'>, amount: number): Promise<IoiRow> {
  const ioi = await lockLive(tx, organizationId, ioiId);
  await requireOpenBooks(tx, ioi.deal_id);
  await checkWithinDeal(tx, ioi.deal_id, amount);
  return updateInterest(tx, organizationId, ioiId, amount);
}

export async function withdrawIoi(tx: Tx, organizationId: Id<'org'>, ioiId: Id<'ioi'>): Promise<IoiRow> {
  return IOI_MOVES.move(tx, await lockLive(tx, organizationId, ioiId), 'withdrawn');
}

/** Books are held before the indication, as everybody does who changes a deal's records. */
async function lockLive(tx: Tx, organizationId: Id<'org'>, ioiId: Id<'ioi'>): Promise<IoiRow> {
  const found = await findIoi(tx, organizationId, ioiId);
  if (!found) throw notFound('indication of interest');
  await holdBooksOpen(tx, found.deal_id);
  const ioi = (await findIoi(tx, organizationId, ioiId, true)) ?? found;
  IOI_MOVES.check(ioi.status, 'withdrawn');
  return ioi;
}

async function requireOpenBooks(tx: Tx, dealId: Id<'deal'>): Promise<void> {
  if (!(await holdBooksOpen(tx, dealId))) throw new ApiError('BOOKS_CLOSED');
}

async function checkWithinDeal(tx: Tx, dealId: Id<'deal'>, amount: number): Promise<void> {
  const size = (await findSecuritization(tx, dealId))?.deal_size ?? 0;
  if (amount <= size) return;
  throw new ApiError('UNPROCESSABLE', 'The interest is larger than the deal.', {
    errors: [
      { field: 'interest_amount', code: 'ABOVE_DEAL_SIZE', message: `expected at most the deal size of ${size.toFixed(2)}` },
    ],
  });
}
