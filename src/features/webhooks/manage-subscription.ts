import { insertDelivery } from '../../events/deliveries.ts';
import type { EventName } from '../../events/events.ts';
import { sampleOf } from '../../events/samples.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { consumeLimit } from '../../platform/http/rate-limit.ts';
import { type Id } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { lockOrganization } from '../keys/queries.ts';
import {
  countSubscriptions,
  deleteSubscription,
  findSubscription,
  insertSubscription,
  replaceSecret,
  type SubscriptionRow,
  updateSubscription,
} from './queries.ts';
import { cancelQueued } from './queue.ts';
import type { Queued } from './replay.ts';
import { newSecret } from './signature.ts';

export const MOST_SUBSCRIPTIONS = 50;

export type Actor = { organization_id: Id<'org'>; key_id: Id<'key'> };

/** The secret is in this answer and in no other. */
export async function createSubscription(
  tx: Tx,
  secrets: SecretBox,
  actor: Actor,
  wanted: { url: string; events: readonly EventName[] | null },
): Promise<SubscriptionRow & { secret: string }> {
  await lockOrganization(tx, actor.organization_id);
  if ((await countSubscriptions(tx, actor.organization_id)) >= MOST_SUBSCRIPTIONS) {
    throw new ApiError('SUBSCRIPTION_LIMIT', `An organization has at most ${MOST_SUBSCRIPTIONS} webhook subscriptions.`);
  }
  const secret = newSecret();
  const subscription_id = tx.newId('whs');
  const row = await insertSubscription(tx, {
    subscription_id,
    organization_id: actor.organization_id,
    url: wanted.url,
    events: wanted.events,
    secret_sealed: secrets.seal(secret, subscription_id),
  });
  note(tx, actor, 'webhook_subscription.create', row.id, { url: row.url, events: row.events });
  return { ...row, secret };
}

export async function changeSubscription(
  tx: Tx,
  actor: Actor,
  id: string,
  change: { url?: string; events?: readonly EventName[]; active?: boolean },
): Promise<SubscriptionRow> {
  const row = await updateSubscription(tx, actor.organization_id, id, change);
  if (!row) throw notFound('webhook subscription');
  if (change.active === false) await cancelQueued(tx, [id], 'subscription_disabled');
  note(tx, actor, 'webhook_subscription.change', id, { ...change });
  return row;
}

/** What still waits for it ends FAILED; its deliveries stay readable. */
export async function removeSubscription(tx: Tx, actor: Actor, id: string): Promise<void> {
  if ((await deleteSubscription(tx, actor.organization_id, id)) === 0) throw notFound('webhook subscription');
  await cancelQueued(tx, [id], 'subscription_deleted');
  note(tx, actor, 'webhook_subscription.delete', id, null);
}

export async function rotateSecret(
  tx: Tx,
  secrets: SecretBox,
  actor: Actor,
  id: string,
  graceSeconds: number,
): Promise<SubscriptionRow & { secret: string }> {
  const secret = newSecret();
  const row = await replaceSecret(tx, actor.organization_id, id, secrets.seal(secret, id), graceSeconds);
  if (!row) throw notFound('webhook subscription');
  note(tx, actor, 'webhook_subscription.rotate_secret', id, { grace_seconds: graceSeconds });
  return { ...row, secret };
}

/** How many samples a subscription is sent per 60 seconds. */
export const TESTS_PER_MINUTE = 10;

/** A sample, signed and sent like an event, once. It is in no log of events, and no other subscription gets it. */
export async function sendTest(tx: Tx, organizationId: string, id: string, event: EventName): Promise<Queued> {
  if (!(await findSubscription(tx, organizationId, id))) throw notFound('webhook subscription');
  await consumeLimit(
    tx,
    `webhook-test:${id}`,
    TESTS_PER_MINUTE,
    `A webhook subscription is sent at most ${TESTS_PER_MINUTE} tests per minute: wait for Retry-After seconds.`,
  );
  const event_id = tx.newId('evt');
  const data = sampleOf(event);
  const made = await tx.one<{ inserted_at: string }>(
    `insert into events (event_id, organization_id, event, data, body, at, sample) values ($1, $2, $3, $4, $5, $6, true)
     returning created_at::text as inserted_at`,
    [
      event_id,
      organizationId,
      event,
      JSON.stringify(data),
      Buffer.from(JSON.stringify({ event, timestamp: tx.now.toISOString(), data })),
      tx.now,
    ],
  );
  const delivery_id = await insertDelivery(tx, {
    organization_id: organizationId,
    subscription_id: id,
    event_id,
    event_inserted_at: made?.inserted_at ?? '',
    event,
    deal_id: null,
    kind: 'TEST',
    replay_of: null,
    lane: 0,
  });
  return { delivery_id, status: 'PENDING' };
}

const note = (tx: Tx, actor: Actor, action: string, id: string, after: unknown): void =>
  audit(tx, {
    organization_id: actor.organization_id,
    actor: actor.key_id,
    action,
    entity_type: 'webhook_subscription',
    entity_id: id,
    after,
  });
