import Type from 'typebox';
import { EVENT_NAMES } from '../../events/events.ts';
import { FOR_OPERATOR, forCustomers, type RoutesOfOwn } from '../../platform/http/own-routes.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { EVENT_ORDERS, listEvents } from './queries.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';

const EventSchema = named('Event', {
  id: id('evt'),
  event: namedOneOf('EventName', EVENT_NAMES),
  timestamp: timestamp(),
  data: Type.Unknown(),
});

const EventOrder = namedOneOf(
  'EventOrder',
  EVENT_ORDERS,
  'newest: from the latest event back; `after` continues in the same order. Default: oldest.',
);

const routesOf = ({ base, operation, ...whose }: RoutesOfOwn): Route[] => [
  route({
    operation: operation('list', 'Events'),
    method: 'GET',
    path: `${base}/events`,
    ...whose,
    summary: 'Read the log of events, oldest first unless the order says otherwise',
    description:
      'The same ids and data as in webhooks, kept for 30 days. Pass `next_after` as `after` to continue; it does not change while there are no newer events, and is null while the log is empty.',
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          pattern: '^evt_[0-9a-z]{26}$',
          description: 'Identifier of the last event that you have read, such as evt_01m7xj4nfq000wh40xa84xpckd.',
        }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Records per page.' }),
      type: Type.Optional(oneOf(EVENT_NAMES)),
      order: Type.Optional(EventOrder),
    }),
    reply: EventSchema,
    replyKind: 'cursor',
    reads: 'primary',
    handler: async ({ read, caller, query }) => {
      const rows = await read((tx) => listEvents(tx, caller.organization_id, { order: 'oldest', ...query }));
      return {
        rows: rows.map((row) => ({ ...row, timestamp: row.timestamp.toISOString() })),
        next_after: rows.at(-1)?.id ?? query.after ?? null,
      };
    },
  }),
];

export const eventRoutes = routesOf(forCustomers('Events'));
export const operatorEventRoutes = routesOf(FOR_OPERATOR);
