import type { EventName } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

export type EventRow = { id: Id<'evt'>; event: EventName; timestamp: Date; data: unknown };

/** Orders of the log: a program goes on from what it has read, a person begins with what happened last. */
export const EVENT_ORDERS = ['oldest', 'newest'] as const;

/**
 * The log of events of an organization after an id in its order. A slow transaction can commit an event with an earlier id than a quick
 * one: events that an open transaction could still precede are left for a later call.
 */
export async function listEvents(
  tx: Tx,
  organizationId: string,
  filter: { after?: string; type?: string; limit: number; order: (typeof EVENT_ORDERS)[number] },
): Promise<EventRow[]> {
  const [further, direction] = filter.order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
  const settled = await tx.one<{ before: string }>('select sluice_settled_before()::text as before');
  return tx.rows<EventRow>(
    `select event_id as id, event, at as timestamp, convert_from(body, 'UTF8')::json -> 'data' as data from events
     where organization_id = $1 and ($2::text is null or event_id ${further} $2) and ($3::text is null or event = $3)
       and created_at < $5::timestamptz and not sample
     order by event_id ${direction} limit $4`,
    [organizationId, filter.after ?? null, filter.type ?? null, filter.limit, settled?.before],
  );
}
