import Type from 'typebox';
import { DELIVERY_KINDS } from '../../events/queries.ts';
import { EVENT_NAMES } from '../../events/events.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { DELIVERY_STATUSES } from './delivery-queries.ts';

/** The fields of a delivery that lists show. */
export const DELIVERY = {
  id: id('dlv'),
  delivery_id: id('dlv', 'The same as `id`.'),
  subscription_id: id('whs'),
  event_id: id('evt'),
  event: oneOf(EVENT_NAMES),
  kind: namedOneOf('DeliveryKind', DELIVERY_KINDS, 'Why it was made: for an event, a replay or a test.'),
  status: namedOneOf(
    'DeliveryStatus',
    DELIVERY_STATUSES,
    'Outcome of the latest attempt; PENDING until the first attempt has ended.',
  ),
  http_status: nullable(Type.Integer({ description: 'Status of the response; null without a response.' })),
  error: nullable(
    Type.String({
      description:
        'Why it is FAILED: http_status, redirect, dns, refused, unreachable, timeout, tls, blocked, reset, invalid_response, secret_unreadable, subscription_disabled, subscription_deleted, event_expired, abandoned.',
    }),
  ),
  attempts: Type.Integer(),
  next_attempt_at: nullable(timestamp('When it will be retried; null when it will not.')),
  replay_of: nullable(Type.String({ description: 'The delivery that this one replays.' })),
  created_at: timestamp(),
};

export const DeliverySchema = named('DeliverySummary', DELIVERY);
