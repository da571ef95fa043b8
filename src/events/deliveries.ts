import type { Tx } from '../platform/db/database.ts';
import { type Id } from '../platform/ids.ts';

export type DeliverableEvent = { event_id: string; organization_id: string; event: string; data: object };

/** The channel of the database's signals that says: there is something to deliver. */
export const DELIVERIES_WAIT = 'webhook-deliveries';

/** A delivery to be made, before it has an id. */
export type NewDelivery = {
  organization_id: string;
  subscription_id: string;
  event_id: string;
  event_inserted_at: Date | string;
  event: string;
  deal_id: string | null;
  kind: 'EVENT' | 'REPLAY' | 'TEST';
  replay_of: string | null;
  lane: 0 | 1;
};

/** Queues one delivery per active webhook subscription that wants the event, inside the caller's transaction. */
export async function queueDeliveries(tx: Tx, events: readonly DeliverableEvent[]): Promise<void> {
  // The share lock keeps a subscription from being deleted between this look and the commit.
  const wanted = await tx.rows<{ index: number; subscription_id: string; inserted_at: string }>(
    `select e.index::int, s.subscription_id, now()::text as inserted_at
     from unnest($1::text[], $2::text[]) with ordinality as e(organization_id, event, index)
     join webhook_subscriptions s on s.organization_id = e.organization_id and s.active and (s.events is null or e.event = any(s.events))
     for key share of s`,
    [events.map((each) => each.organization_id), events.map((each) => each.event)],
  );
  const deliveries = wanted.flatMap(({ index, subscription_id, inserted_at }): NewDelivery[] => {
    const source = events[index - 1];
    if (!source) return [];
    const { event_id, organization_id, event } = source;
    const origin = { kind: 'EVENT', replay_of: null, lane: 0 } as const;
    return [
      {
        event_id,
        organization_id,
        event,
        subscription_id,
        event_inserted_at: inserted_at,
        deal_id: dealOf(source.data),
        ...origin,
      },
    ];
  });
  await insertDeliveries(tx, deliveries);
}

const dealOf = (data: object): string | null => ('deal_id' in data && typeof data.deal_id === 'string' ? data.deal_id : null);

/** Writes one delivery; its id. */
export async function insertDelivery(tx: Tx, delivery: NewDelivery): Promise<Id<'dlv'>> {
  const [id] = await insertDeliveries(tx, [delivery]);
  if (id === undefined) throw new Error('the delivery was not written');
  return id;
}

/** Writes deliveries and their rows of the queue by one statement and wakes the senders after the commit. Returns the new ids. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<Id<'dlv'>[]> {
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(() => tx.newId('dlv'));
  const column = <Key extends keyof NewDelivery>(key: Key): NewDelivery[Key][] => deliveries.map((each) => each[key]);
  await tx.exec(
    `with made as materialized (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[], $10::int[])
         as t(delivery_id, organization_id, subscription_id, event_id, event_inserted_at, event, deal_id, kind, replay_of, lane)
     ), kept as (
       insert into webhook_deliveries (delivery_id, organization_id, subscription_id, event_id, event_inserted_at, event, deal_id, kind, replay_of, created_at)
       select delivery_id, organization_id, subscription_id, event_id, event_inserted_at, event, deal_id, kind, replay_of, $11 from made
     )
     insert into webhook_queue (delivery_id, delivery_inserted_at, organization_id, subscription_id, event_id, event_inserted_at, kind, lane, due_at)
     select delivery_id, now(), organization_id, subscription_id, event_id, event_inserted_at, kind, lane, $11 from made`,
    [
      ids,
      column('organization_id'),
      column('subscription_id'),
      column('event_id'),
      column('event_inserted_at'),
      column('event'),
      column('deal_id'),
      column('kind'),
      column('replay_of'),
      column('lane'),
      tx.now,
    ],
  );
  tx.signal(DELIVERIES_WAIT);
  return ids;
}
