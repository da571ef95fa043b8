import { ORDER_MOVES } from './order.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidField, notFound } from '../../platform/http/errors.ts';
import { type Id } from '../../platform/ids.ts';
import { ORDER_CHECKS } from '../compliance/compliance.ts';
import { findOrder, insertOrder, type OrderRow, updateOrderTerms } from './queries.ts';
import { alertReview, checkAsk } from '../subscriptions/subscribe.ts';
import { holdBooksOpen } from '../securitizations/queries.ts';

export type OrderTerms = { amount: number; minimum_amount: number | null; limit_yield: number | null };

/** Places an order in a tranche's book: the subscription's checks but capacity. Orders consume none. */
export async function placeOrder(
  tx: Tx,
  ask: { organization_id: Id<'org'>; deal_id: Id<'deal'>; tranche_id: Id<'trn'> },
  terms: OrderTerms,
): Promise<OrderRow> {
  checkTerms(terms);
  await holdBooksOpen(tx, ask.deal_id);
  const amount = terms.amount.toFixed(2);
  const { facts, findings, result } = await checkAsk(tx, { ...ask, amount }, ORDER_CHECKS, 'order.refused');
  const order = await insertOrder(tx, {
    ...ask,
    ...terms,
    order_id: tx.newId('ord'),
    amount,
    compliance_check_result: result,
    findings,
  });
  if (result === 'review_required') await alertReview(tx, ask.organization_id, 'order', order.order_id, facts, findings);
  return order;
}

/** Changes an open order. A larger ask or another limit gives up its place in time; a smaller ask keeps it. */
export async function amendOrder(
  tx: Tx,
  organizationId: Id<'org'>,
  orderId: Id<'ord'>,
  changes: Partial<OrderTerms>,
): Promise<OrderRow> {
  const order = await lockOpenOrder(tx, organizationId, orderId);
  const terms: OrderTerms = {
    amount: changes.amount ?? order.amount,
    minimum_amount: changes.minimum_amount === undefined ? order.minimum_amount : changes.minimum_amount,
    limit_yield: changes.limit_yield === undefined ? order.limit_yield : changes.limit_yield,
  };
  checkTerms(terms);
  const ask = { organization_id: organizationId, deal_id: order.deal_id, tranche_id: order.tranche_id, without: orderId };
  const amount = terms.amount.toFixed(2);
  const { findings, result } = await checkAsk(tx, { ...ask, amount }, ORDER_CHECKS, 'order.refused');
  const keepsPlace = terms.amount <= order.amount && terms.limit_yield === order.limit_yield;
  return updateOrderTerms(tx, {
    ...terms,
    order_id: orderId,
    amount,
    placed_at: keepsPlace ? order.placed_at : tx.now,
    compliance_check_result: result,
    findings,
  });
}

export async function cancelOrder(tx: Tx, organizationId: Id<'org'>, orderId: Id<'ord'>): Promise<OrderRow> {
  const order = await lockOpenOrder(tx, organizationId, orderId);
  return ORDER_MOVES.move(tx, order, 'CANCELLED', { reason: 'cancelled by the investor' });
}

async function lockOpenOrder(tx: Tx, organizationId: Id<'org'>, orderId: Id<'ord'>): Promise<OrderRow> {
  const found = await findOrder(tx, organizationId, orderId);
  if (!found) throw notFound('order');
  const open = await holdBooksOpen(tx, found.deal_id);
  const order = (await findOrder(tx, organizationId, orderId, true)) ?? found;
  ORDER_MOVES.check(order.status, 'CANCELLED');
  if (!open) throw new ApiError('BOOKS_CLOSED', 'The books are closed: the order stands as it is.');
  return order;
}

const YIELD_DECIMALS = 6;

function checkTerms({ amount, minimum_amount, limit_yield }: OrderTerms): void {
  if (minimum_amount !== null && minimum_amount > amount) {
    throw new ApiError('UNPROCESSABLE', 'minimum_amount is larger than amount.', {
      errors: [{ field: 'minimum_amount', code: 'ABOVE_AMOUNT', message: `expected at most the amount of ${amount.toFixed(2)}` }],
    });
  }
  if (limit_yield !== null && Number(limit_yield.toFixed(YIELD_DECIMALS)) !== limit_yield) {
    throw invalidField('limit_yield', 'INVALID', `expected percent a year with at most ${YIELD_DECIMALS} decimals`);
  }
}
