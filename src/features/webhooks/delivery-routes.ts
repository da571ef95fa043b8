import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { EVENT_NAMES } from '../../events/events.ts';
import { notFound, orNotFound } from '../../platform/http/errors.ts';
import { operatorList, operatorRecord } from '../../platform/http/list-route.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryDetail,
  findDelivery,
  listAttempts,
  listDeliveries,
  DELIVERY_RECORD,
  findDeliveryRow,
} from './delivery-queries.ts';
import { replayDelivery } from './replay.ts';
import { DELIVERY, DeliverySchema } from './wire.ts';

const tag = 'Webhook deliveries';

const OperatorDelivery = named('OperatorDeliverySummary', {
  ...DELIVERY,
  organization_id: id('org'),
  deal_id: nullable(Type.String()),
});
const Detail = named('Delivery', {
  ...DELIVERY,
  request: named('DeliveryRequest', {
    method: Type.Literal('POST'),
    url: nullable(Type.String()),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'The headers that depend neither on the time nor on the secret.',
    }),
    body: nullable(
      Type.String({ description: 'The exact text that is signed and sent; null when the event is no longer kept.' }),
    ),
  }),
  attempts_log: Type.Array(
    named('DeliveryAttempt', {
      at: timestamp(),
      ms: Type.Integer({ description: 'How long the attempt took.' }),
      http_status: nullable(Type.Integer()),
      error: nullable(Type.String()),
      response_excerpt: nullable(Type.String({ description: 'Beginning of the response body, at most 1,024 characters.' })),
    }),
  ),
});

const EXAMPLE = {
  id: 'dlv_01jd0example',
  delivery_id: 'dlv_01jd0example',
  subscription_id: 'whs_01jd0example',
  event_id: 'evt_01jd0example',
  event: 'deal.status_changed',
  kind: 'EVENT',
  status: 'FAILED',
  http_status: 500,
  error: 'http_status',
  attempts: 1,
  next_attempt_at: '2026-01-15T09:30:31.000Z',
  replay_of: null,
  created_at: '2026-01-15T09:30:00.000Z',
};

const filters = {
  status: Type.Optional(oneOf(DELIVERY_STATUSES)),
  event: Type.Optional(oneOf(EVENT_NAMES)),
  subscription_id: Type.Optional(id('whs')),
  ...CreatedBetween,
};

export const deliveryRoutes: Route[] = [
  route({
    operation: 'listWebhookDeliveries',
    method: 'GET',
    path: '/v1/api/webhooks/deliveries',
    access: 'customer',
    tag,
    summary: 'List deliveries, newest first',
    description:
      'Deliveries and their attempts are kept for at least 90 days and deleted by the month; the body of a delivery for at least 30 days.',
    query: pageQuery(filters),
    reply: DeliverySchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    example: { data: [EXAMPLE] },
    handler: ({ peek, caller, query }) => peek((tx) => listDeliveries(tx, caller.organization_id, query)),
  }),
  route({
    operation: 'getWebhookDelivery',
    method: 'GET',
    path: '/v1/api/webhooks/deliveries/:id',
    record: recordOfPath('id', DELIVERY_RECORD),
    access: 'customer',
    tag,
    summary: 'Read one delivery with its request and every attempt',
    params: pathId('id', 'dlv'),
    reply: Detail,
    errors: ['NOT_FOUND'],
    handler: async ({ peek, caller, params }) => {
      const deliveryId = params.id;
      const [found, log] = await peek((tx) =>
        Promise.all([findDelivery(tx, caller.organization_id, deliveryId), listAttempts(tx, caller.organization_id, deliveryId)]),
      );
      if (!found) throw notFound('delivery');
      return { ...found, request: requestOf(found), attempts_log: log };
    },
  }),
  route({
    operation: 'replayWebhookDelivery',
    right: 'ADMIN',
    method: 'POST',
    path: '/v1/api/webhooks/deliveries/:id/replay',
    access: 'customer',
    tag,
    summary: 'Send a FAILED delivery again, as a new delivery',
    description:
      'The body and `webhook-id` are the same as before. Every call makes a delivery; an `Idempotency-Key` makes a repeated call safe. The old delivery stays FAILED and is no longer retried.',
    params: pathId('id', 'dlv'),
    reply: DeliverySchema,
    status: 202,
    errors: ['NOT_FOUND', 'NOT_REPLAYABLE'],
    handler: ({ write, caller, params }) =>
      write(async (tx) => {
        const { delivery_id } = await replayDelivery(tx, caller, { delivery_id: params.id });
        return orNotFound(await findDeliveryRow(tx, delivery_id), 'delivery');
      }),
  }),
];

export const deliveryOperatorRoutes: Route[] = [
  operatorList({
    operation: 'listOperatorWebhookDeliveries',
    path: '/v1/operator/webhooks/deliveries',
    summary: 'List the deliveries of all organizations, newest first',
    filters: { ...filters, deal_id: Type.Optional(id('deal')), organization_id: Type.Optional(id('org')) },
    reply: OperatorDelivery,
    list: (tx, filters) => listDeliveries(tx, null, filters),
  }),
  operatorRecord({
    operation: 'getOperatorWebhookDelivery',
    path: '/v1/operator/webhooks/deliveries/:id',
    summary: 'Read a delivery of any organization',
    params: pathId('id', 'dlv'),
    reply: OperatorDelivery,
    record: recordOfPath('id', DELIVERY_RECORD),
    what: 'delivery',
    find: (tx, params) => findDeliveryRow(tx, params.id),
  }),
];

const requestOf = (found: DeliveryDetail) => ({
  method: 'POST' as const,
  url: found.url,
  headers: {
    'Content-Type': 'application/json',
    'X-Platform-Event': found.event,
    'X-Platform-Delivery': found.id,
    'webhook-id': found.event_id,
  },
  body: found.body?.toString('utf8') ?? null,
});
