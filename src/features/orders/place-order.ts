import { ORDER_MOVES } from './order.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidField, orNotFound } from '../../platform/http/errors.ts';
import { type Id } from '../../platform/ids.ts';
import { ORDER_CHECKS } from '../compliance/checks.ts';
import { findOrder, insertOrder, type OrderRow, updateOrderTerms } from './queries.ts';
import { holdBooksOpen } from '../securitizations/queries.ts';
import { alertReview, checkRequest, type CheckRule } from '../compliance/compliance.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { formatAmount } from '../../finance/money.ts';

export type OrderTerms = { amount: number; minimum_amount: number | null; limit_yield: number | null };

const ORDER_RULE: CheckRule = { checks: ORDER_CHECKS, refusal: 'order.refused' };

/** Places an order in a tranche's book. It must pass the subscription's checks except capacity, which orders do not consume. */
export async function placeOrder(
  tx: Tx,
  actor: Actor,
  { deal_id, tranche_id, ...terms }: OrderTerms & { deal_id: Id<'deal'>; tranche_id: Id<'trn'> },
): Promise<OrderRow> {
  checkTerms(terms);
  await holdBooksOpen(tx, deal_id);
  const { organization_id } = actor;
  const request = { organization_id, deal_id, tranche_id, amount: terms.amount.toFixed(2) };
  const checked = await checkRequest(tx, request, ORDER_RULE);
  const { findings, result } = checked;
  const order_id = tx.newId('ord');
  const order = await insertOrder(tx, {
    ...request,
    ...terms,
    order_id,
    amount: request.amount,
    compliance_check_result: result,
    findings,
  });
  if (result === 'review_required') await alertReview(tx, organization_id, { type: 'order', id: order_id }, checked);
  return order;
}

/** Changes an open order. A larger amount or another limit loses its place in time; a smaller amount keeps it. */
export async function amendOrder(
  tx: Tx,
  actor: Actor,
  { order_id, ...changes }: Partial<OrderTerms> & { order_id: Id<'ord'> },
): Promise<OrderRow> {
  const order = await lockOpenOrder(tx, actor.organization_id, order_id);
  const terms: OrderTerms = {
    amount: changes.amount ?? order.amount,
    minimum_amount: changes.minimum_amount === undefined ? order.minimum_amount : changes.minimum_amount,
    limit_yield: changes.limit_yield === undefined ? order.limit_yield : changes.limit_yield,
  };
  checkTerms(terms);
  const { organization_id, deal_id, tranche_id } = order;
  const amount = terms.amount.toFixed(2);
  const request = { organization_id, deal_id, tranche_id, amount, without: order_id };
  const { findings, result } = await checkRequest(tx, request, ORDER_RULE);
  const keepsPlace = terms.amount <= order.amount && terms.limit_yield === order.limit_yield;
  return updateOrderTerms(tx, {
    ...terms,
    order_id,
    amount,
    placed_at: keepsPlace ? order.placed_at : tx.now,
    compliance_check_result: result,
    findings,
  });
}

export async function cancelOrder(tx: Tx, actor: Actor, orderId: Id<'ord'>): Promise<OrderRow> {
  const order = await lockOpenOrder(tx, actor.organization_id, orderId);
  return ORDER_MOVES.move(tx, order, 'CANCELLED', { reason: 'cancelled by the investor' });
}

async function lockOpenOrder(tx: Tx, organizationId: Id<'org'>, orderId: Id<'ord'>): Promise<OrderRow> {
  const found = orNotFound(await findOrder(tx, organizationId, orderId), 'order');
  const open = await holdBooksOpen(tx, found.deal_id);
  const order = (await findOrder(tx, organizationId, orderId, true)) ?? found;
  ORDER_MOVES.check(order.status, 'CANCELLED');
  if (!open) throw new ApiError('BOOKS_CLOSED', 'The books are closed: the order can no longer be changed or cancelled.');
  return order;
}

const YIELD_DECIMALS = 6;

function checkTerms({ amount, minimum_amount, limit_yield }: OrderTerms): void {
  if (minimum_amount !== null && minimum_amount > amount) {
    throw new ApiError('UNPROCESSABLE', 'minimum_amount is larger than amount.', {
      errors: [
        { field: 'minimum_amount', code: 'ABOVE_AMOUNT', message: `expected at most the amount of ${formatAmount(amount)}` },
      ],
    });
  }
  if (limit_yield !== null && Number(limit_yield.toFixed(YIELD_DECIMALS)) !== limit_yield) {
    throw invalidField('limit_yield', 'INVALID', `expected percent a year with at most ${YIELD_DECIMALS} decimals`);
  }
}
