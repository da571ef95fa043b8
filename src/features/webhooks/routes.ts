import { DeliverySchema } from './wire.ts';
import { findDeliveryRow } from './delivery-queries.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { EVENT_NAMES, EVENTS, type EventName } from '../../events/events.ts';
import { sampleOf } from '../../events/samples.ts';
import { notFound, orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { FOR_OPERATOR, forCustomers, type RoutesOfOwn } from '../../platform/http/own-routes.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import {
  changeSubscription,
  createSubscription,
  refuseBeyondLimit,
  removeSubscription,
  rotateSecret,
  sendTest,
} from './manage-subscription.ts';
import { DISABLED_REASONS, findSubscription, listSubscriptions, WEBHOOK_SUBSCRIPTION_RECORD } from './queries.ts';
import { checkReceiverUrl, readReceiverUrl } from './receiver-url.ts';
import { recoverSubscription } from './replay.ts';

const tag = 'Webhook subscriptions';

const url = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description:
    'Address of the receiver: http or https (in production https only), at most 2,048 characters, port 80, 443 or at least 1024, without user, password, fragment or control characters.',
});
const events = Type.Array(oneOf(EVENT_NAMES), {
  minItems: 1,
  maxItems: 100,
  description: 'Names of the events to send. Duplicates are merged.',
});

const Subscription = {
  id: id('whs'),
  subscription_id: id('whs', 'The same as `id`.'),
  url: Type.String(),
  events: Type.Array(oneOf(EVENT_NAMES)),
  active: Type.Boolean({ description: 'False: nothing is sent until it is set to true.' }),
  disabled_reason: nullable(
    namedOneOf(
      'DisabledReason',
      DISABLED_REASONS,
      'PAUSED: you set active to false. GONE: the receiver responded with 410. FAILING: every delivery failed for five days.',
    ),
  ),
  disabled_at: nullable(timestamp()),
  failing_since: nullable(timestamp('Since when every delivery has failed; null when the last one did not.')),
  previous_secret_expires_at: nullable(timestamp('Until when the secret before the last rotation stays valid.')),
  created_at: timestamp(),
  updated_at: timestamp(),
};

const SubscriptionSchema = named('WebhookSubscription', Subscription);
const WithSecret = named('WebhookSubscriptionWithSecret', {
  ...Subscription,
  secret: Type.Optional(Type.String({ description: 'Signing secret, `whsec_…`. Only this response shows it.' })),
  secret_omitted: Type.Optional(Type.Boolean()),
});
const params = pathId('id', 'whs');
const ROTATION_GRACE_SECONDS = 86_400;
const distinct = (names: readonly EventName[]): EventName[] => [...new Set(names)];

const EXAMPLE = {
  id: 'whs_01jd0example',
  subscription_id: 'whs_01jd0example',
  url: 'https://example.com/hooks/sluice',
  events: ['deal.status_changed', 'sc.completed'],
  active: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_expires_at: null,
  created_at: '2026-01-15T09:30:00.000Z',
  updated_at: '2026-01-15T09:30:00.000Z',
};

const NewBody = named('NewWebhookSubscription', { url, events: Type.Optional(events) });
const ChangeBody = named('ChangeWebhookSubscription', {
  url: Type.Optional(url),
  events: Type.Optional(events),
  active: Type.Optional(Type.Boolean()),
});
const TestBody = named('TestWebhook', { event: oneOf(EVENT_NAMES) });
const RotateBody = named('RotateSecret', {
  grace_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: ROTATION_GRACE_SECONDS,
      description: 'At most 7 days.',
    }),
  ),
});
const RecoverBody = named('RecoverDeliveries', { since: Type.String({ format: 'date-or-instant' }) });
const RecoveredSchema = named('RecoveredDeliveries', {
  queued: Type.Integer({ description: 'Replays that this call queued.' }),
  remaining: Type.Integer({ description: 'Events left for the next call.' }),
  retrying: Type.Integer({ description: 'Events that were skipped: an earlier replay failed and will be retried.' }),
});

/** The webhook subscriptions of the caller's own organization. */
const routesOf = ({ base, operation, ...whose }: RoutesOfOwn): Route[] => [
  route({
    operation: operation('create', 'WebhookSubscription'),
    right: 'ADMIN',
    method: 'POST',
    path: `${base}/webhooks/subscriptions`,
    ...whose,
    summary: 'Subscribe a receiver to events',
    description:
      'Without `events` every event is sent, including those that later versions add. Private and loopback addresses are allowed outside production only.',
    body: NewBody,
    reply: WithSecret,
    secretFields: ['secret'],
    status: 201,
    errors: ['URL_NOT_ALLOWED', 'SUBSCRIPTION_LIMIT'],
    example: {
      body: { url: EXAMPLE.url, events: EXAMPLE.events },
      data: { ...EXAMPLE, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
    },
    handler: async ({ deps, peek, write, caller, body }) => {
      readReceiverUrl(deps, body.url);
      // Before a name is looked up for nothing.
      await peek((reader) => refuseBeyondLimit(reader, caller.organization_id));
      const address = await checkReceiverUrl(deps, body.url);
      const wanted = { url: address, events: body.events ? distinct(body.events) : null };
      return write((tx) => createSubscription(tx, caller, wanted, deps));
    },
  }),
  route({
    operation: operation('list', 'WebhookSubscriptions'),
    method: 'GET',
    path: `${base}/webhooks/subscriptions`,
    ...whose,
    summary: 'List webhook subscriptions, newest first; secrets are never shown',
    query: pageQuery({
      active: Type.Optional(Type.Boolean({ description: 'True: only active subscriptions; false: only inactive ones.' })),
      ...CreatedBetween,
    }),
    reply: SubscriptionSchema,
    replyKind: 'page',
    example: { data: [EXAMPLE] },
    handler: ({ peek, caller, query }) => peek((tx) => listSubscriptions(tx, caller.organization_id, query)),
  }),
  route({
    operation: operation('get', 'WebhookSubscription'),
    method: 'GET',
    path: `${base}/webhooks/subscriptions/:id`,
    record: recordOfPath('id', WEBHOOK_SUBSCRIPTION_RECORD),
    ...whose,
    summary: 'Read one webhook subscription',
    params,
    reply: SubscriptionSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ peek, caller, params }) => {
      const row = await peek((tx) => findSubscription(tx, caller.organization_id, params.id));
      if (!row) throw notFound('webhook subscription');
      return row;
    },
  }),
  route({
    operation: operation('change', 'WebhookSubscription'),
    right: 'ADMIN',
    method: 'PATCH',
    path: `${base}/webhooks/subscriptions/:id`,
    record: recordOfPath('id', WEBHOOK_SUBSCRIPTION_RECORD),
    ...whose,
    summary: 'Change a receiver’s address or events, pause or resume it',
    description:
      '`active: false` ends queued deliveries as FAILED; `active: true` resumes with a clean record, and `recover` then replays the deliveries that failed.',
    params,
    body: ChangeBody,
    reply: SubscriptionSchema,
    errors: ['NOT_FOUND', 'URL_NOT_ALLOWED'],
    handler: async ({ deps, peek, write, caller, params, body }) => {
      // Outside the transaction of the change: the name of a receiver is looked up on the net.
      if (body.url !== undefined)
        orNotFound(await peek((reader) => findSubscription(reader, caller.organization_id, params.id)), 'webhook subscription');
      const address = body.url === undefined ? {} : { url: await checkReceiverUrl(deps, body.url) };
      const change = {
        ...address,
        ...(body.events ? { events: distinct(body.events) } : {}),
        ...(body.active === undefined ? {} : { active: body.active }),
      };
      return write((tx) => changeSubscription(tx, caller, { subscription_id: params.id, change }));
    },
  }),
  route({
    operation: operation('delete', 'WebhookSubscription'),
    right: 'ADMIN',
    method: 'DELETE',
    path: `${base}/webhooks/subscriptions/:id`,
    record: recordOfPath('id', WEBHOOK_SUBSCRIPTION_RECORD),
    ...whose,
    summary: 'Remove a webhook subscription; its deliveries stay readable',
    params,
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND'],
    handler: ({ write, caller, params }) =>
      write(async (tx) => {
        await removeSubscription(tx, caller, { subscription_id: params.id });
        return 'The webhook subscription was removed.';
      }),
  }),
  route({
    operation: operation('test', 'WebhookSubscription'),
    right: 'ADMIN',
    method: 'POST',
    path: `${base}/webhooks/subscriptions/:id/test`,
    ...whose,
    summary: 'Send a signed sample to the receiver; a failed one is retried like any delivery',
    description: 'At most 10 per minute and subscription, then 429 with `Retry-After`.',
    params,
    body: TestBody,
    reply: DeliverySchema,
    status: 202,
    errors: ['NOT_FOUND'],
    example: { body: { event: 'deal.status_changed' } },
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => {
        const { delivery_id } = await sendTest(tx, caller, { subscription_id: params.id, event: body.event });
        return orNotFound(await findDeliveryRow(tx, delivery_id), 'delivery');
      }),
  }),
  route({
    operation: operation('rotate', 'WebhookSecret'),
    right: 'ADMIN',
    method: 'POST',
    path: `${base}/webhooks/subscriptions/:id/rotate-secret`,
    record: recordOfPath('id', WEBHOOK_SUBSCRIPTION_RECORD),
    ...whose,
    summary: 'Make a new signing secret; the old one stays valid for a grace period',
    description:
      'During the grace period `X-Platform-Signature` is made with the old secret, `X-Platform-Signature-Next` with the new one, and `webhook-signature` lists both. With `grace_seconds: 0` the old secret is invalid at once.',
    params,
    body: RotateBody,
    bodyOptional: true,
    reply: WithSecret,
    secretFields: ['secret'],
    errors: ['NOT_FOUND'],
    example: { body: { grace_seconds: 3_600 } },
    handler: ({ deps, write, caller, params, body }) =>
      write((tx) =>
        rotateSecret(
          tx,
          caller,
          { subscription_id: params.id, grace_seconds: body?.grace_seconds ?? ROTATION_GRACE_SECONDS },
          deps,
        ),
      ),
  }),
  route({
    operation: operation('recover', 'WebhookDeliveries'),
    right: 'ADMIN',
    method: 'POST',
    path: `${base}/webhooks/subscriptions/:id/recover`,
    ...whose,
    summary: 'Replay the deliveries that failed since a moment',
    description:
      'Every event once, oldest first, except events that have been delivered since or that a live replay carries. `retrying` counts the events whose replay failed and will be retried (replay such a delivery to send it at once). At most 10,000 in one call: `remaining` counts the rest. One call at a time per subscription (409), at most 10 per minute (429). Resume an inactive subscription first (409).',
    params,
    body: RecoverBody,
    reply: RecoveredSchema,
    status: 202,
    errors: ['NOT_FOUND', 'CONFLICT', 'RECOVERY_IN_PROGRESS'],
    example: { body: { since: '2026-01-15T00:00:00Z' }, data: { queued: 12, remaining: 0, retrying: 0 } },
    handler: ({ write, caller, params, body }) =>
      write((tx) => recoverSubscription(tx, caller, { subscription_id: params.id, since: new Date(body.since) })),
  }),
  route({
    operation: operation('list', 'EventTypes'),
    method: 'GET',
    path: `${base}/webhooks/event-types`,
    ...whose,
    summary: 'List the events with the schema of their data and a sample of the whole body',
    reply: Type.Array(
      named('EventType', { name: oneOf(EVENT_NAMES), event: oneOf(EVENT_NAMES), schema: Type.Unknown(), sample: Type.Unknown() }),
    ),
    handler: async () =>
      EVENT_NAMES.map((event) => ({
        name: event,
        event,
        schema: EVENTS[event],
        sample: { event, timestamp: '2026-01-15T09:30:00.000Z', data: sampleOf(event) },
      })),
  }),
];

export const webhookRoutes = routesOf(forCustomers(tag));

export const operatorWebhookRoutes = routesOf(FOR_OPERATOR);
