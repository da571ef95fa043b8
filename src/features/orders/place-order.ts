import { isDeepStrictEqual } from 'node:util';
import { moveOrders, ORDER_MOVES } from './order.ts';
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
  checkLimit(terms);
  await holdBooksOpen(tx, deal_id);
  const { organization_id } = actor;
  const request = { organization_id, deal_id, tranche_id, amount: terms.amount.toFixed(2) };
  const checked = await checkRequest(tx, request, ORDER_RULE);
  checkMinimum(terms);
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
  if (changes.limit_yield !== undefined) checkLimit({ limit_yield: changes.limit_yield });
  const { order, open } = await lockOrder(tx, actor.organization_id, order_id);
  if (!open) throw new ApiError('BOOKS_CLOSED');
  ORDER_MOVES.check(order.status, 'CANCELLED');
  const terms: OrderTerms = {
    amount: changes.amount ?? order.amount,
    minimum_amount: changes.minimum_amount === undefined ? order.minimum_amount : changes.minimum_amount,
    limit_yield: changes.limit_yield === undefined ? order.limit_yield : changes.limit_yield,
  };
  const { organization_id, deal_id, tranche_id } = order;
  const amount = terms.amount.toFixed(2);
  const request = { organization_id, deal_id, tranche_id, amount, without: order_id };
  const checked = await checkRequest(tx, request, ORDER_RULE);
  checkMinimum(terms);
  const { findings, result } = checked;
  if (result === 'review_required' && order.compliance_check_result === 'passed')
    await alertReview(tx, organization_id, { type: 'order', id: order_id }, checked);
  tx.unchanged = isDeepStrictEqual({ ...order, ...terms, compliance_check_result: result, compliance_checks: findings }, order);
  if (tx.unchanged) return order;
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
  const { order, open } = await lockOrder(tx, actor.organization_id, orderId);
  ORDER_MOVES.check(order.status, 'CANCELLED');
  if (!open) throw new ApiError('BOOKS_CLOSED', 'The books are closed: the order can no longer be cancelled.');
  await moveOrders(tx, [{ row: order, to: 'CANCELLED', reason: 'cancelled by the investor' }]);
  return orNotFound(await findOrder(tx, actor.organization_id, orderId), 'order');
}

/** Holds the books before the order, in the order of every operation on a deal's records. */
async function lockOrder(tx: Tx, organizationId: Id<'org'>, orderId: Id<'ord'>): Promise<{ order: OrderRow; open: boolean }> {
  const found = orNotFound(await findOrder(tx, organizationId, orderId), 'order');
  const open = await holdBooksOpen(tx, found.deal_id);
  return { order: (await findOrder(tx, organizationId, orderId, true)) ?? found, open };
}

const YIELD_DECIMALS = 6;

function checkMinimum({ amount, minimum_amount }: OrderTerms): void {
  if (minimum_amount !== null && minimum_amount > amount) {
    throw new ApiError('UNPROCESSABLE', 'minimum_amount is larger than amount.', {
      errors: [
        { field: 'minimum_amount', code: 'ABOVE_AMOUNT', message: `expected at most the amount of ${formatAmount(amount)}` },
      ],
    });
  }
}

function checkLimit({ limit_yield }: Pick<OrderTerms, 'limit_yield'>): void {
  if (limit_yield !== null && Number(limit_yield.toFixed(YIELD_DECIMALS)) !== limit_yield) {
    throw invalidField('limit_yield', 'INVALID', `expected percent a year with at most ${YIELD_DECIMALS} decimals`);
  }
}
