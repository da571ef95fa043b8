import { insertDeliveries, type NewDelivery } from '../../events/deliveries.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { findDelivery, findSubscription } from './queries.ts';

export type Queued = { delivery_id: string; status: 'PENDING' };

/**
 * A new delivery of the same event to the same subscription. The old row stays as it is, except that its own retries stop. Works on a
 * disabled subscription too: it is how one finds out whether the receiver is back.
 */
export async function replayDelivery(tx: Tx, organizationId: string, deliveryId: string): Promise<Queued> {
  const old = await findDelivery(tx, organizationId, deliveryId, true);
  if (!old) throw notFound('delivery');
  if (old.status !== 'FAILED') {
    throw new ApiError('NOT_REPLAYABLE', `The delivery is ${old.status}; only a FAILED one can be replayed.`, {
      extra: { current_status: old.status },
    });
  }
  if (old.url === null) throw new ApiError('NOT_REPLAYABLE', 'The subscription of this delivery was deleted: create it again.');
  if (old.body === null)
    throw new ApiError('NOT_REPLAYABLE', 'The event of this delivery is older than 30 days and no longer kept.');
  await stopRetries(tx, [old.id]);
  const [delivery_id = ''] = await insertDeliveries(tx, [again(organizationId, old, 0)]);
  return { delivery_id, status: 'PENDING' };
}

type Source = Pick<NewDelivery, 'subscription_id' | 'event_id' | 'event_inserted_at' | 'event'> & {
  id: string;
  deal_id?: string | null;
};

const again = (organizationId: string, old: Source, lane: 0 | 1): NewDelivery => ({
  organization_id: organizationId,
  subscription_id: old.subscription_id,
  event_id: old.event_id,
  event_inserted_at: old.event_inserted_at,
  event: old.event,
  deal_id: old.deal_id ?? null,
  kind: 'REPLAY',
  replay_of: old.id,
  lane,
});

/** Also of attempts under way: what they find out later counts no more. */
async function stopRetries(tx: Tx, deliveryIds: readonly string[]): Promise<void> {
  await tx.exec(
    `with gone as (delete from webhook_queue where delivery_id = any($1) returning delivery_id, delivery_inserted_at)
     update webhook_deliveries d set next_attempt_at = null from gone where d.delivery_id = gone.delivery_id and d.inserted_at = gone.delivery_inserted_at`,
    [deliveryIds],
  );
}

/** How many one call replays; a larger backlog takes several calls. */
export const MOST_RECOVERED = 10_000;

/**
 * Replays what failed since a moment, oldest first: every event once, and none that has been delivered or is waiting by another
 * delivery. `remaining` says how many are left for the next call.
 */
export async function recoverSince(
  tx: Tx,
  organizationId: string,
  subscriptionId: string,
  since: Date,
): Promise<{ queued: number; remaining: number }> {
  if (!(await findSubscription(tx, organizationId, subscriptionId))) throw notFound('webhook subscription');
  await tx.rows('select 1 from webhook_subscriptions where subscription_id = $1 for update', [subscriptionId]);
  const failed = await tx.rows<Source & { total: number }>(
    `with failed as (
       select distinct on (d.event_id) d.delivery_id as id, d.subscription_id, d.event_id, d.event_inserted_at, d.event, d.deal_id
       from webhook_deliveries d
       join events e on e.event_id = d.event_id and e.created_at = d.event_inserted_at
       where d.subscription_id = $1 and d.organization_id = $2 and d.created_at >= $3 and d.status = 'FAILED'
         and not exists (select 1 from webhook_deliveries o where o.subscription_id = $1 and o.created_at >= $3 and o.event_id = d.event_id
                         and o.status in ('DELIVERED', 'PENDING'))
       order by d.event_id, d.created_at desc, d.delivery_id desc
     )
     select id, subscription_id, event_id, event_inserted_at::text as event_inserted_at, event, deal_id, count(*) over ()::int as total
     from failed order by event_id limit $4`,
    [subscriptionId, organizationId, since, MOST_RECOVERED],
  );
  await stopRetries(
    tx,
    failed.map((each) => each.id),
  );
  await insertDeliveries(
    tx,
    failed.map((each) => again(organizationId, each, 1)),
  );
  return { queued: failed.length, remaining: (failed[0]?.total ?? 0) - failed.length };
}
