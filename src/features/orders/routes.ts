import Type from 'typebox';
import { notFound } from '../../platform/http/errors.ts';
import { operatorList, ownList } from '../../platform/http/list-route.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { amount, id, money, nullable, oneOf, pathId, timestamp } from '../../platform/http/schemas.ts';
import { amendOrder, cancelOrder, placeOrder } from './place-order.ts';
import { findOrder, listOrders, ORDER_STATUSES } from './queries.ts';
import { auditRefusals } from '../compliance/refusal.ts';
import { ComplianceFields, ListQuery, OperatorListQuery } from '../subscriptions/routes.ts';

const Order = {
  order_id: id('ord'),
  status: oneOf(ORDER_STATUSES),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  amount: money('Amount asked for.'),
  minimum_amount: nullable(money('Least fill that is taken.')),
  limit_yield: nullable(Type.Number({ description: 'Least yield that is taken, percent a year; null: at market.' })),
  ...ComplianceFields,
  reason: nullable(Type.String({ description: 'How the order fared.' })),
  placed_at: timestamp('Place in time: where asks tie, the earlier one comes first.'),
  created_at: timestamp(),
  updated_at: timestamp(),
};
const OrderSchema = Type.Object(Order);
const OperatorOrder = Type.Object({ ...Order, organization_id: id('org') });

const limitYield = Type.Number({ minimum: 0, maximum: 100, description: 'Percent a year, at most 6 decimals.' });
const tag = 'Orders';
const status = Type.Optional(oneOf(ORDER_STATUSES));

export const orderRoutes: Route[] = [
  route({
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
      'The checks of a subscription but capacity: orders consume none. Without `limit_yield` it is an order at market, as a confirmed subscription is.',
    params: pathId('dealId', 'deal'),
    body: Type.Object({
      tranche_id: Type.String({ maxLength: 128, description: 'Tranche on offer.' }),
      amount: amount('Amount asked for.'),
      minimum_amount: Type.Optional(nullable(amount('Least fill that is taken; a smaller one drops out.'))),
      limit_yield: Type.Optional(nullable(limitYield)),
    }),
    reply: OrderSchema,
    status: 201,
    errors: ['NOT_FOUND', 'COMPLIANCE_FAILED', 'UNPROCESSABLE'],
    handler: ({ deps, write, caller, params, body }) => {
      const ask = { organization_id: caller.organization_id, deal_id: params.dealId, tranche_id: body.tranche_id };
      const terms = { amount: body.amount, minimum_amount: body.minimum_amount ?? null, limit_yield: body.limit_yield ?? null };
      return auditRefusals(deps, caller, () => write((tx) => placeOrder(tx, ask, terms)));
    },
  }),
  ownList({
    path: '/v1/api/investor/orders',
    access: 'investor',
    tag,
    summary: 'List your orders, newest first',
    filters: { ...ListQuery, status },
    reply: OrderSchema,
    list: listOrders,
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/orders/:orderId',
    access: 'investor',
    tag,
    summary: 'Read one of your orders',
    params: pathId('orderId', 'ord'),
    reply: OrderSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      const order = await read((tx) => findOrder(tx, caller.organization_id, params.orderId));
      if (!order) throw notFound('order');
      return order;
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/api/investor/orders/:orderId',
    access: 'investor',
    audit: {
      action: 'order.amended',
      entity_type: 'order',
      id: 'order_id',
      after: ['status', 'deal_id', 'tranche_id', 'amount', 'minimum_amount', 'limit_yield'],
    },
    tag,
    summary: 'Change an open order',
    description: 'A larger ask or another limit takes a new place in time; a smaller ask keeps its place.',
    params: pathId('orderId', 'ord'),
    body: Type.Object({
      amount: Type.Optional(amount('Amount asked for.')),
      minimum_amount: Type.Optional(nullable(amount('Least fill that is taken; null: none.'))),
      limit_yield: Type.Optional(nullable(limitYield)),
    }),
    reply: OrderSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'BOOKS_CLOSED', 'COMPLIANCE_FAILED', 'UNPROCESSABLE'],
    handler: ({ deps, write, caller, params, body }) =>
      auditRefusals(deps, caller, () => write((tx) => amendOrder(tx, caller.organization_id, params.orderId, body))),
  }),
  route({
    method: 'DELETE',
    path: '/v1/api/investor/orders/:orderId',
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
    handler: ({ write, caller, params }) => write((tx) => cancelOrder(tx, caller.organization_id, params.orderId)),
  }),
  operatorList({
    path: '/v1/operator/orders',
    summary: 'List orders of all investors',
    filters: { ...OperatorListQuery, status },
    reply: OperatorOrder,
    list: (tx, asked) => listOrders(tx, null, asked),
  }),
];
