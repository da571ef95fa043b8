import { raiseAlert } from '../../events/emit.ts';
import type { Notice } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { cancelQueued } from './queue.ts';

/** Nothing but failures for this long disables a subscription. */
export const DISABLED_AFTER = `interval '5 days'`;
const ALERT_GAP = `interval '1 hour'`;

type Subscription = { subscription_id: string; organization_id: string; url: string };

/** What a batch of ends says about its subscriptions. */
export type Findings = { delivered: string[]; failed: string[]; gone: string[] };

/**
 * Follows from deliveries to subscriptions: since when one fails, its alerts, its end. Every step that tells somebody is bound to the
 * rows that its own update changed, so that of several processes one tells.
 */
export async function followHealth(tx: Tx, findings: Findings): Promise<void> {
  if (findings.gone.length > 0) await disable(tx, 'GONE', findings.gone);
  if (findings.failed.length > 0) {
    await tx.exec(
      `update webhook_subscriptions set failing_since = sluice_now() where subscription_id = any($1) and failing_since is null`,
      [findings.failed],
    );
  }
  if (findings.delivered.length > 0) {
    await tx.exec(
      'update webhook_subscriptions set failing_since = null where subscription_id = any($1) and failing_since is not null',
      [findings.delivered],
    );
  }
  if (findings.failed.length === 0) return;
  await disable(tx, 'FAILING', findings.failed);
  await warn(tx, findings.failed);
}

async function disable(tx: Tx, reason: 'GONE' | 'FAILING', ids: readonly string[]): Promise<void> {
  const ended = await tx.rows<Subscription>(
    `update webhook_subscriptions set active = false, disabled_reason = $2, disabled_at = sluice_now(), alerted_at = sluice_now(), updated_at = sluice_now()
     where subscription_id = any($1) and active and ($2 = 'GONE' or failing_since <= sluice_now() - ${DISABLED_AFTER})
     returning subscription_id, organization_id, url`,
    [ids, reason],
  );
  if (ended.length === 0) return;
  await cancelQueued(
    tx,
    ended.map((each) => each.subscription_id),
    'subscription_disabled',
  );
  const why = reason === 'GONE' ? 'It answered 410 Gone.' : 'For five days there was nothing but failures.';
  for (const each of ended) {
    await raiseAlert(tx, each.organization_id, 'webhook.subscription_failing', {
      ...notice(each),
      title: 'A webhook subscription was disabled',
      message: `Nothing is sent to ${hostOf(each.url)} any more. ${why} Set active to true to resume, then recover what failed.`,
    });
  }
}

async function warn(tx: Tx, ids: readonly string[]): Promise<void> {
  const failing = await tx.rows<Subscription>(
    `update webhook_subscriptions set alerted_at = sluice_now()
     where subscription_id = any($1) and active and failing_since is not null and (alerted_at is null or alerted_at <= sluice_now() - ${ALERT_GAP})
     returning subscription_id, organization_id, url`,
    [ids],
  );
  for (const each of failing) {
    await raiseAlert(tx, each.organization_id, 'webhook.subscription_failing', {
      ...notice(each),
      title: 'A webhook receiver fails',
      message: `A delivery to ${hostOf(each.url)} failed. It is tried again; the list of deliveries shows what the receiver answered.`,
    });
  }
}

const notice = (subscription: Subscription): Omit<Notice, 'title' | 'message'> => ({
  category: 'webhook',
  priority: 'HIGH',
  entity_type: 'webhook_subscription',
  entity_id: subscription.subscription_id,
});

const hostOf = (url: string): string => new URL(url).host;
