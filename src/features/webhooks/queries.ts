import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { mapPage, newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { Id } from '../../platform/ids.ts';
import type { Moves } from '../../platform/moves.ts';
import { EVENT_NAMES, type EventName } from '../../events/events.ts';

/** Without the time of the last warning about it. */
export const WEBHOOK_SUBSCRIPTION_RECORD = storedRecord('webhook_subscriptions', 'subscription_id', { without: ['alerted_at'] });

export const DISABLED_REASONS = ['PAUSED', 'GONE', 'FAILING'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export type SubscriptionState = 'ACTIVE' | DisabledReason;

/** The moves of a webhook subscription. Resuming an active one clears its record of failures. */
export const SUBSCRIPTION_MOVES: Moves<SubscriptionState> = {
  ACTIVE: ['ACTIVE', 'PAUSED', 'GONE', 'FAILING'],
  PAUSED: ['ACTIVE'],
  GONE: ['ACTIVE'],
  FAILING: ['ACTIVE'],
};

export type WebhookSubscriptionRow = {
  id: Id<'whs'>;
  subscription_id: Id<'whs'>;
  url: string;
  events: EventName[];
  active: boolean;
  disabled_reason: DisabledReason | null;
  disabled_at: Date | null;
  failing_since: Date | null;
  previous_secret_expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

type StoredSubscription = Omit<WebhookSubscriptionRow, 'events'> & { events: EventName[] | null };

const SUBSCRIPTION = `subscription_id as id, subscription_id, url, events, active, disabled_reason, disabled_at, failing_since,
  case when previous_secret_until > sluice_now() then previous_secret_until end as previous_secret_expires_at, created_at, updated_at`;

const withEventNames = (row: StoredSubscription): WebhookSubscriptionRow => ({ ...row, events: row.events ?? [...EVENT_NAMES] });

export async function listSubscriptions(
  tx: Reader,
  organizationId: string,
  filter: PageRequest & Between & { active?: boolean },
): Promise<Page<WebhookSubscriptionRow>> {
  const filters: Filter[] = [
    ['organization_id = ?', organizationId],
    ['active = ?', filter.active],
    ...between('created_at', filter),
  ];
  const order = newestFirst('created_at', 'subscription_id');
  const page = await selectPage<StoredSubscription>(
    tx,
    { select: SUBSCRIPTION, from: 'webhook_subscriptions', filters, order },
    filter,
  );
  return mapPage(page, withEventNames);
}

export async function findSubscription(tx: Reader, organizationId: string, id: string): Promise<WebhookSubscriptionRow | null> {
  const row = await tx.one<StoredSubscription>(
    `select ${SUBSCRIPTION} from webhook_subscriptions where organization_id = $1 and subscription_id = $2`,
    [organizationId, id],
  );
  return row && withEventNames(row);
}

export async function countSubscriptions(tx: Reader, organizationId: string): Promise<number> {
  const row = await tx.one<{ total: number }>(
    'select count(*)::int as total from webhook_subscriptions where organization_id = $1',
    [organizationId],
  );
  return row?.total ?? 0;
}

export async function insertSubscription(
  tx: Tx,
  row: { subscription_id: string; organization_id: string; url: string; events: readonly string[] | null; secret_sealed: string },
): Promise<WebhookSubscriptionRow> {
  const stored = await tx.one<StoredSubscription>(
    `insert into webhook_subscriptions (subscription_id, organization_id, url, events, secret_sealed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6) returning ${SUBSCRIPTION}`,
    [row.subscription_id, row.organization_id, row.url, row.events, row.secret_sealed, tx.now],
  );
  return withEventNames(stored as StoredSubscription);
}

/** Changes a subscription; fields that are left out stay unchanged. A new address starts without failures. */
export async function updateSubscription(
  tx: Tx,
  organizationId: string,
  id: string,
  change: { url?: string; events?: readonly string[] },
): Promise<WebhookSubscriptionRow | null> {
  const row = await tx.one<StoredSubscription>(
    `update webhook_subscriptions set url = coalesce($3, url), events = coalesce($4, events),
       failing_since = case when $3 is not null then null else failing_since end, updated_at = sluice_now()
     where organization_id = $1 and subscription_id = $2 returning ${SUBSCRIPTION}`,
    [organizationId, id, change.url ?? null, change.events ?? null],
  );
  return row && withEventNames(row);
}

export type SubscriptionAddress = { subscription_id: string; organization_id: string; url: string };

/** A subscription with nothing but failures for this long is disabled. */
const DISABLED_AFTER = `interval '5 days'`;

/** Moves the subscriptions whose present state allows it; FAILING is reached only after `DISABLED_AFTER`. Returns those that moved. */
export function moveSubscriptions(tx: Tx, ids: readonly string[], to: SubscriptionState): Promise<SubscriptionAddress[]> {
  const froms = Object.entries(SUBSCRIPTION_MOVES).flatMap(([from, allowed]) => (allowed.includes(to) ? [from] : []));
  return tx.rows<SubscriptionAddress>(
    `update webhook_subscriptions set active = $2 = 'ACTIVE', disabled_reason = nullif($2, 'ACTIVE'),
       disabled_at = case when $2 <> 'ACTIVE' then sluice_now() end,
       failing_since = case when $2 <> 'ACTIVE' then failing_since end,
       alerted_at = case when $2 in ('GONE', 'FAILING') then sluice_now() when $2 = 'PAUSED' then alerted_at end,
       updated_at = sluice_now()
     where subscription_id = any($1) and case when active then 'ACTIVE' else disabled_reason end = any($3)
       and ($2 <> 'FAILING' or failing_since <= sluice_now() - ${DISABLED_AFTER})
     returning subscription_id, organization_id, url`,
    [ids, to, froms],
  );
}

export function deleteSubscription(tx: Tx, organizationId: string, id: string): Promise<number> {
  return tx.exec('delete from webhook_subscriptions where organization_id = $1 and subscription_id = $2', [organizationId, id]);
}

/** Replaces the signing secret; the previous one stays valid for the grace period. */
export async function replaceSecret(
  tx: Tx,
  organizationId: string,
  id: string,
  sealed: string,
  graceSeconds: number,
): Promise<WebhookSubscriptionRow | null> {
  const row = await tx.one<StoredSubscription>(
    `update webhook_subscriptions set previous_secret_sealed = case when $4::int > 0 then secret_sealed end,
       previous_secret_until = case when $4::int > 0 then sluice_now() + make_interval(secs => $4::int) end, secret_sealed = $3, updated_at = sluice_now()
     where organization_id = $1 and subscription_id = $2 returning ${SUBSCRIPTION}`,
    [organizationId, id, sealed, graceSeconds],
  );
  return row && withEventNames(row);
}

const WARNING_GAP = `interval '1 hour'`;

export async function startFailures(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.exec(
    'update webhook_subscriptions set failing_since = sluice_now() where subscription_id = any($1) and failing_since is null',
    [ids],
  );
}

export async function endFailures(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.exec(
    'update webhook_subscriptions set failing_since = null where subscription_id = any($1) and failing_since is not null',
    [ids],
  );
}

/** Failing subscriptions whose owner has had no alert for an hour; marks them as warned. */
export function takeDueWarnings(tx: Tx, ids: readonly string[]): Promise<SubscriptionAddress[]> {
  return tx.rows<SubscriptionAddress>(
    `update webhook_subscriptions set alerted_at = sluice_now()
     where subscription_id = any($1) and active and failing_since is not null and (alerted_at is null or alerted_at <= sluice_now() - ${WARNING_GAP})
     returning subscription_id, organization_id, url`,
    [ids],
  );
}

/** The signing secrets that were sealed first and last. */
export function listEdgeSecrets(tx: Tx): Promise<{ subscription_id: string; secret_sealed: string }[]> {
  const edge = (order: string) =>
    `(select subscription_id, secret_sealed from webhook_subscriptions order by created_at ${order}, subscription_id limit 1)`;
  return tx.rows(`${edge('asc')} union all ${edge('desc')}`);
}
