import type { Environment } from '../../config.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import {
  dealsInUse,
  emptySandbox,
  hasServedProduction,
  lockUnpooledDeals,
  removeAlerts,
  removeCriteria,
  removeDeals,
  removeIois,
  removeOpenOrders,
  removePendingSubscriptions,
  removeStoredResponses,
  removeWebhooks,
  WHOLE_SANDBOX,
} from './queries.ts';

export type RemovedCounts = Record<
  'deals' | 'criteria' | 'subscriptions' | 'orders' | 'iois' | 'webhook_subscriptions' | 'alerts',
  number
>;

/** Empties the sandbox, or removes only the records of the actor's organization. Null: everything was removed. */
export async function resetSandbox(
  tx: Tx,
  actor: { organization_id: string; actor_id: string },
  input: { everything: boolean },
  { environment }: { environment: Environment },
): Promise<RemovedCounts | null> {
  if (environment === 'production') throw new Error('a production database is never reset');
  if (await hasServedProduction(tx)) {
    throw new ApiError(
      'CONFLICT',
      'This database has served production and is never reset: use a separate database for the sandbox.',
    );
  }
  const removed = input.everything ? null : await removeOwnRecords(tx, actor.organization_id);
  if (!removed) await emptySandbox(tx);
  audit(tx, {
    organization_id: actor.organization_id,
    actor: actor.actor_id,
    action: 'sandbox.reset',
    entity_type: 'sandbox',
    entity_id: removed ? actor.organization_id : WHOLE_SANDBOX,
    after: removed,
  });
  return removed;
}

async function removeOwnRecords(tx: Tx, organizationId: string): Promise<RemovedCounts> {
  const inUse = await dealsInUse(tx, organizationId);
  if (inUse.length > 0) {
    throw new ApiError(
      'IN_USE',
      `Other organizations hold records of ${inUse.length} of your deals (deal_ids): nothing was removed. An operator's key empties the whole sandbox.`,
      { extra: { deal_ids: inUse } },
    );
  }
  const dealIds = await lockUnpooledDeals(tx, organizationId);
  await removeDeals(tx, organizationId, dealIds);
  const subscriptions = await removePendingSubscriptions(tx, organizationId);
  const removed = {
    deals: dealIds.length,
    criteria: await removeCriteria(tx, organizationId),
    subscriptions,
    orders: await removeOpenOrders(tx, organizationId),
    iois: await removeIois(tx, organizationId),
    webhook_subscriptions: await removeWebhooks(tx, organizationId),
    alerts: await removeAlerts(tx, organizationId),
  };
  await removeStoredResponses(tx, organizationId);
  return removed;
}
