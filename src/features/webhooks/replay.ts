import { insertDeliveries, type NewDelivery, insertDelivery } from '../../events/deliveries.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { consumeLimit } from '../../platform/http/rate-limit.ts';
import { findDelivery, findSubscription } from './queries.ts';
import { findRecoverable, lockRecovery, type Replayable } from './recovery-queries.ts';
import type { Id } from '../../platform/ids.ts';

export type Queued = { delivery_id: Id<'dlv'>; status: 'PENDING' };

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
  const delivery_id = await insertDelivery(tx, again(organizationId, old, 0));
  return { delivery_id, status: 'PENDING' };
}

const again = (organizationId: string, old: Replayable, lane: 0 | 1): NewDelivery => ({
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

/** Also of attempts in flight: their outcome counts no more. */
async function stopRetries(tx: Tx, deliveryIds: readonly string[]): Promise<void> {
  await tx.exec(
    `with gone as (delete from webhook_queue where delivery_id = any($1) returning delivery_id, delivery_inserted_at)
     update webhook_deliveries d set next_attempt_at = null from gone where d.delivery_id = gone.delivery_id and d.inserted_at = gone.delivery_inserted_at`,
    [deliveryIds],
  );
}

/** How many deliveries one call replays, and how many calls a subscription takes per 60 seconds. */
export const MOST_RECOVERED = 10_000;
export const RECOVERIES_PER_MINUTE = 10;

export type Recovered = { queued: number; remaining: number; retrying: number };

/**
 * Replays what failed since a moment, oldest first: every event once, and none that has been delivered. An event that a live replay
 * carries (one that waits for its first attempt or for another) is passed over: `retrying` counts those that failed and go on by
 * themselves. `remaining` says how many are left for the next call.
 */
export async function recoverSince(tx: Tx, organizationId: string, subscriptionId: string, since: Date): Promise<Recovered> {
  const subscription = await findSubscription(tx, organizationId, subscriptionId);
  if (!subscription) throw notFound('webhook subscription');
  if (!subscription.active) {
    throw new ApiError('CONFLICT', 'The webhook subscription is not active: resume it first (PATCH {"active": true}).');
  }
  if (!(await lockRecovery(tx, subscriptionId))) {
    throw new ApiError('RECOVERY_IN_PROGRESS', undefined, { headers: { 'retry-after': '2' } });
  }
  await consumeLimit(
    tx,
    `webhook-recover:${subscriptionId}`,
    RECOVERIES_PER_MINUTE,
    `A webhook subscription is recovered at most ${RECOVERIES_PER_MINUTE} times per minute: wait for Retry-After seconds.`,
  );
  const { failed, total, retrying } = await findRecoverable(tx, organizationId, subscriptionId, since, MOST_RECOVERED);
  await stopRetries(
    tx,
    failed.map((each) => each.id),
  );
  await insertDeliveries(
    tx,
    failed.map((each) => again(organizationId, each, 1)),
  );
  return { queued: failed.length, remaining: total - failed.length, retrying };
}
