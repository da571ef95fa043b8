import Type from 'typebox';
import { EVENT_NAMES, type EventName } from '../../events/events.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, oneOf, timestamp } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';

type Row = { id: Id<'evt'>; event: EventName; timestamp: Date; data: unknown };

export const eventRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/events',
    access: 'customer',
    tag: 'Events',
    summary: 'Read the log of events, oldest first',
    description:
      'The same ids and data that webhooks carry, kept for 30 days. Pass `next_after` as `after` to read on; it stays where it is while there is no more, and is null while the log is empty.',
    query: Type.Object({
      after: Type.Optional(
        Type.String({ pattern: '^evt_[0-9a-z]{26}$', description: 'Identifier of the last event that was read.' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      type: Type.Optional(oneOf(EVENT_NAMES)),
    }),
    reply: named('Event', {
      id: id('evt'),
      event: namedOneOf('EventName', EVENT_NAMES),
      timestamp: timestamp(),
      data: Type.Unknown(),
    }),
    replyKind: 'cursor',
    handler: async ({ read, caller, query }) => {
      const rows = await read(async (tx) => {
        // A slow transaction commits events with earlier ids than those of a quick one: nothing is shown that could be passed over.
        const settled = await tx.one<{ before: string }>('select sluice_settled_before()::text as before');
        return tx.rows<Row>(
          `select event_id as id, event, at as timestamp, convert_from(body, 'UTF8')::json -> 'data' as data from events
           where organization_id = $1 and ($2::text is null or event_id > $2) and ($3::text is null or event = $3)
             and created_at < $5::timestamptz and not sample
           order by event_id limit $4`,
          [caller.organization_id, query.after ?? null, query.type ?? null, query.limit, settled?.before],
        );
      });
      return {
        rows: rows.map((row) => ({ ...row, timestamp: row.timestamp.toISOString() })),
        next_after: rows.at(-1)?.id ?? query.after ?? null,
      };
    },
  }),
];
