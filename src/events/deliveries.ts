import type { Tx } from '../platform/db/database.ts';
import type { Id } from '../platform/ids.ts';
import { type DeliverableEvent, findSubscribers, insertQueuedDeliveries, type NewDelivery } from './queries.ts';

/** The database channel that signals queued deliveries. */
export const DELIVERIES_QUEUED = 'webhook-deliveries';

/** Queues one delivery per active webhook subscription that wants the event, inside the caller's transaction. */
export async function queueDeliveries(tx: Tx, events: readonly DeliverableEvent[]): Promise<void> {
  const subscribers = await findSubscribers(tx, events);
  const deliveries = subscribers.flatMap(({ index, subscription_id }): NewDelivery[] => {
    const source = events[index - 1];
    if (!source) return [];
    const { event_id, inserted_at, organization_id, event, data } = source;
    const target = { organization_id, subscription_id, event_id, event_inserted_at: inserted_at, event };
    return [{ ...target, deal_id: dealOf(data), kind: 'EVENT', replay_of: null, lane: 0 }];
  });
  await insertDeliveries(tx, deliveries);
}

const dealOf = (data: object): string | null => ('deal_id' in data && typeof data.deal_id === 'string' ? data.deal_id : null);

/** Queues deliveries and wakes the delivery engines after the commit. Returns the new ids, in the order of the deliveries. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<Id<'dlv'>[]> {
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(() => tx.newId('dlv'));
  await insertQueuedDeliveries(tx, ids, deliveries);
  for (const [index, id] of ids.entries()) tx.caused.push({ organization_id: deliveries[index]?.organization_id ?? '', id });
  tx.signal(DELIVERIES_QUEUED);
  return ids;
}

export type QueuedDelivery = { delivery_id: Id<'dlv'>; status: 'PENDING' };

export async function queueDelivery(tx: Tx, delivery: NewDelivery): Promise<QueuedDelivery> {
  const [delivery_id] = await insertDeliveries(tx, [delivery]);
  if (delivery_id === undefined) throw new Error('the delivery was not written');
  return { delivery_id, status: 'PENDING' };
}
