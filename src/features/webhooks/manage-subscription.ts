import { queueDelivery, type QueuedDelivery } from '../../events/deliveries.ts';
import { bodyOf } from '../../events/emit.ts';
import type { EventName } from '../../events/events.ts';
import { insertSampleEvent } from '../../events/queries.ts';
import { sampleOf } from '../../events/samples.ts';
import { audit } from '../../platform/audit.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { consumeLimit } from '../../platform/http/rate-limit.ts';
import type { Id } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { lockOrganization } from '../keys/queries.ts';
import {
  countSubscriptions,
  deleteSubscription,
  findSubscription,
  insertSubscription,
  moveSubscriptions,
  replaceSecret,
  updateSubscription,
  type WebhookSubscriptionRow,
} from './queries.ts';
import { cancelQueued } from './queue-queries.ts';
import { newSecret } from './signature.ts';

const MAX_SUBSCRIPTIONS = 50;

/** Samples per minute that one subscription may be sent. */
const TESTS_PER_MINUTE = 10;

/** A subscription with its signing secret, which no other response shows. */
export type SubscriptionWithSecret = WebhookSubscriptionRow & { secret: string };

export async function createSubscription(
  tx: Tx,
  actor: Actor,
  input: { url: string; events: readonly EventName[] | null },
  { secrets }: { secrets: SecretBox },
): Promise<SubscriptionWithSecret> {
  const { organization_id } = actor;
  await lockOrganization(tx, organization_id);
  await refuseBeyondLimit(tx, organization_id);
  const secret = newSecret();
  const subscription_id = tx.newId('whs');
  const secret_sealed = secrets.seal(secret, subscription_id);
  const row = await insertSubscription(tx, { ...input, subscription_id, organization_id, secret_sealed });
  auditChange(tx, actor, 'webhook_subscription.create', row.id, { url: row.url, events: row.events });
  return { ...row, secret };
}

/** Refuses one more subscription than an organization may have. */
export async function refuseBeyondLimit(reader: Reader, organizationId: Id<'org'>): Promise<void> {
  if ((await countSubscriptions(reader, organizationId)) < MAX_SUBSCRIPTIONS) return;
  throw new ApiError('SUBSCRIPTION_LIMIT', `An organization has at most ${MAX_SUBSCRIPTIONS} webhook subscriptions.`);
}

export type SubscriptionChange = { url?: string; events?: readonly EventName[]; active?: boolean };

/** Pausing ends the queued deliveries; resuming starts with a clean record. */
export async function changeSubscription(
  tx: Tx,
  actor: Actor,
  input: { subscription_id: Id<'whs'>; change: SubscriptionChange },
): Promise<WebhookSubscriptionRow> {
  const { subscription_id, change } = input;
  if (Object.values(change).every((each) => each === undefined)) return loadSubscription(tx, actor, subscription_id);
  const updated = await updateSubscription(tx, actor.organization_id, subscription_id, change);
  if (!updated) throw notFound('webhook subscription');
  if (change.active !== undefined) await moveSubscriptions(tx, [subscription_id], change.active ? 'ACTIVE' : 'PAUSED');
  if (change.active === false) await cancelQueued(tx, [subscription_id], 'subscription_disabled');
  auditChange(tx, actor, 'webhook_subscription.change', subscription_id, { ...change });
  return change.active === undefined ? updated : loadSubscription(tx, actor, subscription_id);
}

async function loadSubscription(tx: Tx, actor: Actor, id: string): Promise<WebhookSubscriptionRow> {
  const row = await findSubscription(tx, actor.organization_id, id);
  if (!row) throw notFound('webhook subscription');
  return row;
}

/** Removes a subscription. Its queued deliveries end as FAILED; their history stays readable. */
export async function removeSubscription(tx: Tx, actor: Actor, input: { subscription_id: Id<'whs'> }): Promise<void> {
  const { subscription_id } = input;
  if ((await deleteSubscription(tx, actor.organization_id, subscription_id)) === 0) throw notFound('webhook subscription');
  await cancelQueued(tx, [subscription_id], 'subscription_deleted');
  auditChange(tx, actor, 'webhook_subscription.delete', subscription_id, null);
}

export async function rotateSecret(
  tx: Tx,
  actor: Actor,
  input: { subscription_id: Id<'whs'>; grace_seconds: number },
  { secrets }: { secrets: SecretBox },
): Promise<SubscriptionWithSecret> {
  const { subscription_id, grace_seconds } = input;
  const secret = newSecret();
  const sealed = secrets.seal(secret, subscription_id);
  const row = await replaceSecret(tx, actor.organization_id, subscription_id, sealed, grace_seconds);
  if (!row) throw notFound('webhook subscription');
  auditChange(tx, actor, 'webhook_subscription.rotate_secret', subscription_id, { grace_seconds });
  return { ...row, secret };
}

/** Queues a sample for one subscription. It is signed, sent and retried like an event; the log of events does not list it. */
export async function sendTest(
  tx: Tx,
  actor: Actor,
  input: { subscription_id: Id<'whs'>; event: EventName },
): Promise<QueuedDelivery> {
  const { organization_id } = actor;
  const { subscription_id, event } = input;
  await loadSubscription(tx, actor, subscription_id);
  await consumeLimit(
    tx,
    `webhook-test:${subscription_id}`,
    TESTS_PER_MINUTE,
    `A webhook subscription is sent at most ${TESTS_PER_MINUTE} tests per minute: wait for Retry-After seconds.`,
  );
  const event_id = tx.newId('evt');
  const data = sampleOf(event);
  const body = bodyOf({ event, data }, tx.now);
  const inserted_at = tx.moment;
  await insertSampleEvent(tx, { event_id, inserted_at, organization_id, event, data, body });
  const source = { organization_id, subscription_id, event_id, event_inserted_at: inserted_at, event };
  return queueDelivery(tx, { ...source, deal_id: null, kind: 'TEST', replay_of: null, lane: 0 });
}

const auditChange = (tx: Tx, actor: Actor, action: string, id: string, after: unknown): void =>
  audit(tx, {
    organization_id: actor.organization_id,
    actor: actor.actor_id,
    action,
    entity_type: 'webhook_subscription',
    entity_id: id,
    after,
  });
