import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { ALERT_CATEGORIES, ALERT_STATUSES, PRIORITIES } from '../../events/events.ts';
import { type ApiError, invalidField, notFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { FOR_OPERATOR, forCustomers, type RoutesOfOwn } from '../../platform/http/own-routes.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import { streamAlerts } from './stream.ts';
import { countUnread, findAlert, listAlerts, markAlert, markAlerts, ALERT_RECORD } from './queries.ts';

const AlertSchema = named('Alert', {
  id: id('alt'),
  type: Type.String({ description: 'Dotted name of the event or the problem.' }),
  category: Type.String(),
  priority: namedOneOf('AlertPriority', PRIORITIES),
  status: namedOneOf('AlertStatus', ALERT_STATUSES),
  title: Type.String(),
  message: Type.String(),
  created_at: timestamp(),
  entity_type: nullable(Type.String()),
  entity_id: nullable(Type.String()),
  read_at: nullable(timestamp()),
});

const Category = namedOneOf('AlertCategory', ALERT_CATEGORIES);

const UnreadSchema = named('UnreadAlerts', {
  total: Type.Integer(),
  by_priority: Type.Record(Type.String(), Type.Integer()),
  by_category: Type.Record(Type.String(), Type.Integer()),
});
const MarkBody = Type.Union([
  named('MarkAlertsById', { ids: Type.Array(id('alt'), { minItems: 1, maxItems: 100 }), status: oneOf(ALERT_STATUSES) }),
  named('MarkAlertsBefore', {
    before: Type.String({ format: 'date-or-instant' }),
    category: Type.Optional(Category),
    status: oneOf(ALERT_STATUSES),
  }),
]);
const MarkedSchema = named('MarkedAlerts', { updated: Type.Integer() });
const ChangeBody = named('ChangeAlert', { status: oneOf(ALERT_STATUSES) });

const eitherOf = (field: string): ApiError =>
  invalidField(field, 'NOT_BESIDE_IDS', 'Send either ids, or before with an optional category: they are not combined.');

/** The alerts of the caller's own organization. */
const routesOf = ({ base, operation, ...whose }: RoutesOfOwn): Route[] => [
  route({
    operation: operation('list', 'Alerts'),
    method: 'GET',
    path: `${base}/alerts`,
    ...whose,
    summary: 'List alerts, newest first',
    description: 'Alerts are kept for two years, whatever their status; older ones are deleted.',
    query: pageQuery({
      status: Type.Optional(oneOf(ALERT_STATUSES)),
      // Of any name, since the types grow: one that no alert has is an empty list.
      type: Type.Optional(Type.String({ maxLength: 200 })),
      category: Type.Optional(Category),
      priority: Type.Optional(oneOf(PRIORITIES)),
      ...CreatedBetween,
    }),
    reply: AlertSchema,
    replyKind: 'meta',
    errors: ['RANGE_REVERSED'],
    handler: ({ peek, caller, query }) => peek((tx) => listAlerts(tx, caller.organization_id, query)),
  }),
  route({
    operation: operation('count', 'UnreadAlerts'),
    method: 'GET',
    path: `${base}/alerts/unread-count`,
    ...whose,
    summary: 'Count unread alerts by priority and category',
    reply: UnreadSchema,
    handler: async ({ peek, caller }) => {
      const counts = await peek((tx) => countUnread(tx, caller.organization_id));
      const sum = (key: 'priority' | 'category', start: Record<string, number>) => {
        for (const row of counts) start[row[key]] = (start[row[key]] ?? 0) + row.count;
        return start;
      };
      return {
        total: counts.reduce((total, row) => total + row.count, 0),
        by_priority: sum('priority', Object.fromEntries(PRIORITIES.map((priority) => [priority, 0]))),
        by_category: sum('category', {}),
      };
    },
  }),
  route({
    operation: operation('stream', 'Alerts'),
    method: 'GET',
    path: `${base}/alerts/stream`,
    ...whose,
    summary: 'Follow alerts as they are raised (server-sent events)',
    description:
      'Each event is named `alert`; its `id` is the alert’s and its `data` the alert. A client that reconnects with `Last-Event-ID` first gets the alerts that it missed; `alt_` with 26 zeros stands before the first alert of all. At most 20 streams per organization.',
    reply: Type.String(),
    replyKind: 'stream',
    reads: 'primary',
    handler: (context) => streamAlerts(context),
  }),
  route({
    operation: operation('mark', 'Alerts'),
    method: 'POST',
    path: `${base}/alerts/mark`,
    ...whose,
    summary: 'Mark many alerts at once',
    description:
      'Either `ids` (at most 100) or `before` with an optional `category`. Alerts created at or after `before`, and archived ones, stay as they are.',
    body: MarkBody,
    reply: MarkedSchema,
    handler: ({ write, caller, body }) => {
      if ('ids' in body) for (const other of ['before', 'category']) if (other in body) throw eitherOf(other);
      return write(async (tx) => {
        const which =
          'ids' in body
            ? { ids: body.ids }
            : { before: new Date(body.before), ...(body.category === undefined ? {} : { category: body.category }) };
        return { updated: await markAlerts(tx, caller.organization_id, which, body.status) };
      });
    },
  }),
  route({
    operation: operation('get', 'Alert'),
    method: 'GET',
    path: `${base}/alerts/:alertId`,
    record: recordOfPath('alertId', ALERT_RECORD),
    ...whose,
    summary: 'Read one alert; reading changes nothing',
    params: pathId('alertId', 'alt'),
    reply: AlertSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ peek, caller, params }) => {
      const alert = await peek((tx) => findAlert(tx, caller.organization_id, params.alertId));
      if (!alert) throw notFound('alert');
      return alert;
    },
  }),
  route({
    operation: operation('change', 'Alert'),
    method: 'PATCH',
    path: `${base}/alerts/:alertId`,
    record: recordOfPath('alertId', ALERT_RECORD),
    ...whose,
    summary: 'Mark an alert read, unread or archived',
    params: pathId('alertId', 'alt'),
    body: ChangeBody,
    reply: AlertSchema,
    errors: ['NOT_FOUND'],
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => {
        const alert = await markAlert(tx, caller.organization_id, params.alertId, body.status);
        if (!alert) throw notFound('alert');
        return alert;
      }),
  }),
];

export const alertRoutes = routesOf(forCustomers('Alerts'));
export const operatorAlertRoutes = routesOf(FOR_OPERATOR);
