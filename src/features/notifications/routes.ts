import Type from 'typebox';
import { PRIORITIES } from '../../events/events.ts';
import type { Deps } from '../../platform/deps.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { FOR_OPERATOR, forCustomers, type RoutesOfOwn } from '../../platform/http/own-routes.ts';
import { refuseUnknownFields } from '../../platform/http/refuse-unknown-fields.ts';
import { recordOfCaller, storedRecord } from '../../platform/http/stored-record.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { ALERT_TYPES, DIGESTS } from './notification.ts';
import { lockPreferences } from './queries.ts';
import { type Preferences, readPreferences, setPreferences } from './set-preferences.ts';

const digest = namedOneOf(
  'NotificationDigest',
  DIGESTS,
  'DAILY: one e-mail each business day at 7:00 of the business zone that lists the alerts since the last one; none when there were none.',
);
const immediate = Type.Array(oneOf(PRIORITIES), {
  maxItems: 10,
  description: 'Alerts of these priorities are sent at once. HIGH and CRITICAL until you choose.',
});
const emails = Type.Array(Type.String({ maxLength: 1_000 }), {
  maxItems: 20,
  description: 'Who gets the e-mails. Addresses that are given twice count once.',
});
const types = Type.Record(Type.String(), Type.Boolean(), {
  description: 'Types of alerts that are sent by e-mail; the alerts themselves are always raised.',
});
const AddressSchema = named('NotificationAddress', {
  email: Type.String(),
  unsubscribed: Type.Array(Type.String(), {
    description:
      'Types, or `digest`, that the person at this address has unsubscribed from by the link in an e-mail. To undo it, remove the address and add it again.',
  }),
  last_sent_at: nullable(timestamp('When the mail server last accepted an e-mail to it.')),
  last_error: nullable(
    named('NotificationError', {
      at: timestamp(),
      message: Type.String({ description: 'What the mail server replied, or what went wrong.' }),
      permanent: Type.Boolean({ description: 'True: the e-mail was given up. False: it is tried again.' }),
    }),
  ),
});
const PreferencesSchema = named('NotificationPreferences', {
  emails,
  digest,
  immediate,
  types,
  delivery: namedOneOf('NotificationDelivery', ['on', 'off'], 'off: this platform has no mail server, so nothing is sent.'),
  addresses: Type.Array(AddressSchema),
  updated_at: nullable(timestamp('Null: nothing was ever set, and these are the defaults.')),
});
/** Each known type by its name, so that a misspelt one is told with the nearest. */
const TypesBody = Type.Object(Object.fromEntries(ALERT_TYPES.map((type) => [type, Type.Optional(Type.Boolean())])));
const KnownTypes = Type.Object({ types: TypesBody });
const ChangeBody = named('ChangeNotificationPreferences', {
  emails: Type.Optional(emails),
  digest: Type.Optional(digest),
  immediate: Type.Optional(immediate),
  types: Type.Optional(types),
});

const RECORD = storedRecord('notification_preferences', 'organization_id', {
  // There is no row to lock before they are first set: of several requests that may only make them, one does.
  hold: (tx, _, organizationId) => lockPreferences(tx, organizationId),
  without: ['digested_on'],
  also: [
    '(select jsonb_agg(a.email order by a.position) from notification_addresses a where a.organization_id = r.organization_id)',
  ],
});

const EXAMPLE = {
  emails: ['desk@example.com'],
  digest: 'DAILY',
  immediate: ['HIGH', 'CRITICAL'],
  types: { 'demand.changed': false },
};

const withDelivery = ({ config }: Deps, preferences: Preferences) => ({
  ...preferences,
  delivery: config.mail ? ('on' as const) : ('off' as const),
});

/** What the caller's own organization gets by e-mail. */
const routesOf = ({ base, operation, ...whose }: RoutesOfOwn): Route[] => [
  route({
    operation: operation('get', 'NotificationPreferences'),
    method: 'GET',
    path: `${base}/notification-preferences`,
    record: recordOfCaller(RECORD),
    ...whose,
    summary: 'Read what is sent by e-mail, to whom, and what became of it',
    reply: PreferencesSchema,
    handler: async ({ deps, peek, caller }) =>
      withDelivery(deps, await peek((reader) => readPreferences(reader, caller.organization_id))),
  }),
  route({
    operation: operation('set', 'NotificationPreferences'),
    method: 'PUT',
    path: `${base}/notification-preferences`,
    record: recordOfCaller(RECORD),
    ...whose,
    summary: 'Choose what is sent by e-mail, and to whom',
    description:
      'Fields and types that are left out stay as they are; `emails` is the whole list. An e-mail has the title of an alert, its priority, its time and the id of its record, and nothing else of it. An address is not asked to confirm: the organization answers for those that it names, and whoever reads there can stop each type, or the digest, by the link in an e-mail. While `delivery` is off the choice is kept and nothing is sent. Before the first choice there is no `ETag`: `If-None-Match: *` sets them only where nobody has.',
    body: ChangeBody,
    reply: PreferencesSchema,
    errors: ['UNKNOWN_FIELD'],
    example: { body: EXAMPLE },
    handler: async ({ deps, write, caller, body }) => {
      if (body.types) refuseUnknownFields(KnownTypes, { types: body.types });
      return withDelivery(deps, await write((tx) => setPreferences(tx, caller, body)));
    },
  }),
];

export const notificationRoutes = routesOf(forCustomers('Alerts'));
export const operatorNotificationRoutes = routesOf(FOR_OPERATOR);
