import { raiseAlert } from '../../events/emit.ts';
import type { Notice } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { endFailures, moveSubscriptions, startFailures, type SubscriptionAddress, takeDueWarnings } from './queries.ts';
import { cancelQueued, type EndedAttempt } from './queue-queries.ts';

/** Minimum time between two writes about the failures of one subscription, however many attempts fail. */
const CHECK_GAP_MS = 2_000;

/** Subscriptions whose health a batch of results changes. */
export type HealthSignals = {
  /** Received a delivery after a failure. */
  delivered: string[];
  failed: string[];
  /** Responded 410 Gone. */
  gone: string[];
};

/** Finds the subscriptions whose health a batch of results changes, so that a burst of failures is not a burst of updates. */
export type HealthCheck = {
  signalsOf(batch: readonly EndedAttempt[]): HealthSignals;
  /** For signals that may not have been written: the next failure of each subscription counts again. */
  reset(): void;
};

export function createHealthCheck(nowMs: () => number): HealthCheck {
  const checkedAt = new Map<string, number>();
  return {
    signalsOf(batch) {
      // A message that this process could not sign was not sent: it says nothing about the receiver.
      const attempted = batch.filter(({ result }) => result.attempted && result.error !== 'secret_unreadable');
      const failed = attempted.filter(({ result }) => result.status === 'FAILED');
      // A replay or a test is sent on request: its failure reveals nothing new about the receiver, its success does.
      const failing = idsOf(failed.filter(({ claimed, result }) => claimed.kind === 'EVENT' && result.http_status !== 410));
      const now = nowMs();
      const due = failing.filter((id) => (checkedAt.get(id) ?? -Infinity) + CHECK_GAP_MS <= now);
      for (const id of due) checkedAt.set(id, now);
      const delivered = attempted.filter(({ result }) => result.status === 'DELIVERED');
      const recovered = idsOf(delivered.filter(({ claimed }) => claimed.failing || failing.includes(claimed.subscription_id)));
      for (const id of recovered) checkedAt.delete(id);
      return { delivered: recovered, failed: due, gone: idsOf(failed.filter(({ result }) => result.http_status === 410)) };
    },
    reset: () => checkedAt.clear(),
  };
}

const idsOf = (batch: readonly EndedAttempt[]): string[] =>
  [...new Set(batch.map((each) => each.claimed.subscription_id))].sort();

/**
 * Updates the subscriptions of a batch of results: since when they fail, their warnings, and whether they are disabled. An alert is
 * raised only for a row that this update changed, so that only one of several processes raises it.
 */
export async function updateHealth(tx: Tx, signals: HealthSignals): Promise<void> {
  if (signals.gone.length > 0) await disable(tx, 'GONE', signals.gone);
  if (signals.failed.length > 0) await startFailures(tx, signals.failed);
  if (signals.delivered.length > 0) await endFailures(tx, signals.delivered);
  if (signals.failed.length === 0) return;
  await disable(tx, 'FAILING', signals.failed);
  await warn(tx, signals.failed);
}

async function disable(tx: Tx, reason: 'GONE' | 'FAILING', ids: readonly string[]): Promise<void> {
  const disabled = await moveSubscriptions(tx, ids, reason);
  if (disabled.length === 0) return;
  await cancelQueued(
    tx,
    disabled.map((each) => each.subscription_id),
    'subscription_disabled',
  );
  const why = reason === 'GONE' ? 'It responded with 410 Gone.' : 'Every delivery failed for the last five days.';
  for (const each of disabled) {
    await raiseAlert(tx, each.organization_id, 'webhook.subscription_failing', {
      ...noticeAbout(each),
      title: 'A webhook subscription was disabled',
      message: `Nothing more is sent to ${hostOf(each.url)}. ${why} Set active to true to resume, then recover the failed deliveries.`,
    });
  }
}

async function warn(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const each of await takeDueWarnings(tx, ids)) {
    await raiseAlert(tx, each.organization_id, 'webhook.subscription_failing', {
      ...noticeAbout(each),
      title: 'A webhook receiver is failing',
      message: `A delivery to ${hostOf(each.url)} failed and will be retried. The list of deliveries shows each response.`,
    });
  }
}

const noticeAbout = (subscription: SubscriptionAddress): Omit<Notice, 'title' | 'message'> => ({
  category: 'webhook',
  priority: 'HIGH',
  entity_type: 'webhook_subscription',
  entity_id: subscription.subscription_id,
});

const hostOf = (url: string): string => new URL(url).host;
