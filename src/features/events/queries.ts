import type { EventName } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

export type EventRow = { id: Id<'evt'>; event: EventName; timestamp: Date; data: unknown };

/** Orders of the log: a program goes on from what it has read, a person begins with what happened last. */
export const EVENT_ORDERS = ['oldest', 'newest'] as const;

/**
 * The log of events of an organization after an id in its order. A slow transaction can commit an event with an earlier id than a quick
 * one: events that an open transaction could still precede are left for a later call. An event that lies ahead is of a clock that was set
 * back since: after it comes what happened in the last ten minutes, once more rather than never.
 */
export async function listEvents(
  tx: Tx,
  organizationId: string,
  filter: { after?: string; type?: string; limit: number; order: (typeof EVENT_ORDERS)[number] },
): Promise<EventRow[]> {
  const { after = null, type = null, limit, order } = filter;
  const [further, direction] = order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
  const settled = await tx.one<{ before: string; back: string | null }>(
    `select at::text as before, case when $3 and exists (select from events
         where event_id = $1 and organization_id = $2 and created_at > now() + interval '1 second')
       then (at - interval '10 minutes')::text end as back
     from (select sluice_settled_before() as at) settled`,
    [after, organizationId, order === 'oldest'],
  );
  return tx.rows<EventRow>(
    `select event_id as id, event, at as timestamp, convert_from(body, 'UTF8')::json -> 'data' as data from events
     where organization_id = $1 and ($2::text is null or event_id ${further} $2) and ($3::text is null or event = $3)
       and created_at < $5::timestamptz and ($6::timestamptz is null or created_at > $6) and not sample
     order by event_id ${direction} limit $4`,
    [organizationId, settled?.back ? null : after, type, limit, settled?.before, settled?.back ?? null],
  );
}
