import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
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
} from './queries.ts';

export type Removed = Record<
  'deals' | 'criteria' | 'subscriptions' | 'orders' | 'iois' | 'webhook_subscriptions' | 'alerts',
  number
>;

/** An operator's key empties the sandbox; a customer's removes what is its organization's alone. Null: everything. */
export async function reset(deps: Deps, caller: Caller): Promise<Removed | null> {
  if (deps.config.environment === 'production') throw new Error('a production database is never reset');
  return deps.db.tx({ platform: true }, async (tx) => {
    if (await hasServedProduction(tx)) {
      throw new ApiError(
        'CONFLICT',
        'This database has served production and is never reset: start the sandbox on one of its own.',
      );
    }
    const removed = caller.role === 'operator' ? null : await resetOwn(tx, caller.organization_id);
    if (!removed) await emptySandbox(tx);
    audit(tx, {
      organization_id: caller.organization_id,
      actor: caller.key_id,
      action: 'sandbox.reset',
      entity_type: 'sandbox',
      entity_id: removed ? caller.organization_id : 'everything',
      after: removed,
    });
    return removed;
  });
}

async function resetOwn(tx: Tx, organizationId: string): Promise<Removed> {
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
