import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorList, ownList, operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { amount, id, money, nullable, oneOf, pathId, timestamp } from '../../platform/http/schemas.ts';
import { amendOrder, cancelOrder, placeOrder } from './place-order.ts';
import { findOrder, listOrders, ORDER_STATUSES, ORDER_RECORD } from './queries.ts';
import { ComplianceFields, ListQuery, OperatorListQuery } from '../compliance/fields.ts';
import { auditRefusals } from '../compliance/compliance.ts';

const Order = {
  order_id: id('ord'),
  status: namedOneOf('OrderStatus', ORDER_STATUSES),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  amount: money('Requested amount.'),
  minimum_amount: nullable(money('Smallest fill that the order accepts.')),
  limit_yield: nullable(Type.Number({ description: 'Lowest yield that the order accepts, percent a year; null: at market.' })),
  ...ComplianceFields,
  reason: nullable(Type.String({ description: 'How the order was filled, or why it ended.' })),
  placed_at: timestamp('Time priority: where bids tie, the earlier one comes first.'),
  created_at: timestamp(),
  updated_at: timestamp(),
};

const OrderSchema = named('Order', Order);
const OperatorOrder = named('OperatorOrder', { ...Order, organization_id: id('org') });

const limitYield = Type.Number({
  minimum: 0,
  maximum: 100,
  description:
    'Lowest yield that the order accepts, percent a year with at most 6 decimals, compounded as the tranche’s mark is: bond equivalent unless its calculation says MONTHLY.',
});
const tag = 'Orders';
const status = Type.Optional(oneOf(ORDER_STATUSES));

export const orderRoutes: Route[] = [
  route({
    operation: 'placeOrder',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/investor/deals/:dealId/orders',
    access: 'investor',
    audit: {
      action: 'order.placed',
      entity_type: 'order',
      id: 'order_id',
      after: ['status', 'deal_id', 'tranche_id', 'amount', 'minimum_amount', 'limit_yield'],
    },
    tag,
    summary: 'Place an order in a tranche’s book',
    description:
      'Runs the checks of a subscription except capacity, which orders do not consume. Without `limit_yield` it is an order at market, as a confirmed subscription is.',
    params: pathId('dealId', 'deal'),
    body: named('NewOrder', {
      tranche_id: id('trn', 'Tranche on offer.'),
      amount: amount('Requested amount.'),
      minimum_amount: Type.Optional(nullable(amount('Smallest fill that the order accepts; a smaller one drops out.'))),
      limit_yield: Type.Optional(nullable(limitYield)),
    }),
    reply: OrderSchema,
    status: 201,
    errors: ['NOT_FOUND', 'BOOKS_CLOSED', 'COMPLIANCE_FAILED', 'UNPROCESSABLE'],
    handler: ({ deps, write, caller, params, body }) => {
      const { tranche_id, amount: face, minimum_amount = null, limit_yield = null } = body;
      const order = { deal_id: params.dealId, tranche_id, amount: face, minimum_amount, limit_yield };
      return auditRefusals(deps, caller, () => write((tx) => placeOrder(tx, caller, order)));
    },
  }),
  ownList({
    operation: 'listOrders',
    path: '/v1/api/investor/orders',
    access: 'investor',
    tag,
    summary: 'List your orders, newest first',
    filters: { ...ListQuery, status },
    reply: OrderSchema,
    list: listOrders,
  }),
  route({
    operation: 'getOrder',
    method: 'GET',
    path: '/v1/api/investor/orders/:orderId',
    record: recordOfPath('orderId', ORDER_RECORD),
    access: 'investor',
    tag,
    summary: 'Read one of your orders',
    params: pathId('orderId', 'ord'),
    reply: OrderSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      return orNotFound(await read((tx) => findOrder(tx, caller.organization_id, params.orderId)), 'order');
    },
  }),
  route({
    operation: 'changeOrder',
    right: 'APPROVE',
    method: 'PATCH',
    path: '/v1/api/investor/orders/:orderId',
    record: recordOfPath('orderId', ORDER_RECORD),
    access: 'investor',
    audit: {
      action: 'order.amended',
      entity_type: 'order',
      id: 'order_id',
      after: ['status', 'deal_id', 'tranche_id', 'amount', 'minimum_amount', 'limit_yield'],
    },
    tag,
    summary: 'Change an open order',
    description: 'A larger amount or another limit loses the order’s place in time; a smaller amount keeps it.',
    params: pathId('orderId', 'ord'),
    body: named('ChangeOrder', {
      amount: Type.Optional(amount('Requested amount.')),
      minimum_amount: Type.Optional(nullable(amount('Smallest fill that the order accepts; null: any.'))),
      limit_yield: Type.Optional(nullable(limitYield)),
    }),
    reply: OrderSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'BOOKS_CLOSED', 'COMPLIANCE_FAILED', 'UNPROCESSABLE'],
    handler: ({ deps, write, caller, params, body }) =>
      auditRefusals(deps, caller, () => write((tx) => amendOrder(tx, caller, { ...body, order_id: params.orderId }))),
  }),
  route({
    operation: 'cancelOrder',
    right: 'APPROVE',
    method: 'DELETE',
    path: '/v1/api/investor/orders/:orderId',
    record: recordOfPath('orderId', ORDER_RECORD),
    access: 'investor',
    audit: {
      action: 'order.cancelled',
      entity_type: 'order',
      id: 'order_id',
      after: ['status', 'deal_id', 'tranche_id', 'amount'],
    },
    tag,
    summary: 'Cancel an open order',
    params: pathId('orderId', 'ord'),
    reply: OrderSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'BOOKS_CLOSED'],
    handler: ({ write, caller, params }) => write((tx) => cancelOrder(tx, caller, params.orderId)),
  }),
  operatorList({
    operation: 'listOperatorOrders',
    path: '/v1/operator/orders',
    summary: 'List orders of all investors',
    filters: { ...OperatorListQuery, status },
    reply: OperatorOrder,
    list: (tx, filters) => listOrders(tx, null, filters),
  }),
  operatorRecord({
    operation: 'getOperatorOrder',
    path: '/v1/operator/orders/:orderId',
    summary: 'Read an order of any investor',
    params: pathId('orderId', 'ord'),
    reply: OperatorOrder,
    record: recordOfPath('orderId', ORDER_RECORD),
    what: 'order',
    find: (tx, { orderId }) => findOrder(tx, null, orderId),
  }),
];
