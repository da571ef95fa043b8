import { insertDeliveries, type QueuedDelivery, queueDelivery } from '../../events/deliveries.ts';
import type { NewDelivery } from '../../events/queries.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { consumeLimit } from '../../platform/http/rate-limit.ts';
import type { Id } from '../../platform/ids.ts';
import { findDelivery, findRecoverable, lockRecovery, type ReplayableDelivery, stopRetries } from './delivery-queries.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { findSubscription } from './queries.ts';

/**
 * Queues a new delivery of the same event to the same subscription. The old delivery stays as it is, except that its own retries stop. A
 * disabled subscription gets it too, so that its owner can find out whether the receiver is back.
 */
export async function replayDelivery(tx: Tx, actor: Actor, input: { delivery_id: Id<'dlv'> }): Promise<QueuedDelivery> {
  const failed = await findDelivery(tx, actor.organization_id, input.delivery_id, true);
  if (!failed) throw notFound('delivery');
  if (failed.status !== 'FAILED') {
    throw new ApiError('NOT_REPLAYABLE', `The delivery is ${failed.status}; only a FAILED delivery can be replayed.`, {
      extra: { current_status: failed.status },
    });
  }
  if (failed.url === null) {
    throw new ApiError('NOT_REPLAYABLE', 'The webhook subscription of this delivery was deleted: create it again.');
  }
  if (failed.body === null) {
    throw new ApiError('NOT_REPLAYABLE', 'The event of this delivery is older than 30 days and is no longer kept.');
  }
  await stopRetries(tx, [failed.id]);
  return queueDelivery(tx, replayOf(actor, failed, 0));
}

const replayOf = (actor: Actor, { id, ...failed }: ReplayableDelivery, lane: 0 | 1): NewDelivery => ({
  organization_id: actor.organization_id,
  subscription_id: failed.subscription_id,
  event_id: failed.event_id,
  event_inserted_at: failed.event_inserted_at,
  event: failed.event,
  deal_id: failed.deal_id,
  kind: 'REPLAY',
  replay_of: id,
  lane,
});

/** Limits of recover: deliveries per call, and calls per subscription and minute. */
const MAX_RECOVERED = 10_000;
const RECOVERIES_PER_MINUTE = 10;

export type Recovery = { queued: number; remaining: number; retrying: number };

/**
 * Replays the deliveries that failed since a moment, oldest first: every event once, and no event that was delivered. An event is skipped
 * while a live replay carries it (one that waits for its first attempt or a retry): `retrying` counts the events whose replay failed and
 * will be retried. `remaining` counts the events that are left for the next call.
 */
export async function recoverSubscription(
  tx: Tx,
  actor: Actor,
  input: { subscription_id: Id<'whs'>; since: Date },
): Promise<Recovery> {
  const { subscription_id } = input;
  const subscription = await findSubscription(tx, actor.organization_id, subscription_id);
  if (!subscription) throw notFound('webhook subscription');
  if (!subscription.active) {
    throw new ApiError('CONFLICT', 'The webhook subscription is not active: resume it first (PATCH {"active": true}).');
  }
  if (!(await lockRecovery(tx, subscription_id))) {
    throw new ApiError('RECOVERY_IN_PROGRESS', undefined, { headers: { 'retry-after': '2' } });
  }
  await consumeLimit(
    tx,
    `webhook-recover:${subscription_id}`,
    RECOVERIES_PER_MINUTE,
    `A webhook subscription can be recovered at most ${RECOVERIES_PER_MINUTE} times per minute: wait for Retry-After seconds.`,
  );
  const { failed, total, retrying } = await findRecoverable(
    tx,
    actor.organization_id,
    subscription_id,
    input.since,
    MAX_RECOVERED,
  );
  await stopRetries(
    tx,
    failed.map((each) => each.id),
  );
  await insertDeliveries(
    tx,
    failed.map((each) => replayOf(actor, each, 1)),
  );
  return { queued: failed.length, remaining: total - failed.length, retrying };
}
