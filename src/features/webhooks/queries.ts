import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Page } from '../../platform/http/route.ts';
import { EVENT_NAMES, type EventName } from '../../events/events.ts';
import type { Id } from '../../platform/ids.ts';

export const DISABLED_REASONS = ['PAUSED', 'FAILING', 'GONE'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export type SubscriptionRow = {
  id: Id<'whs'>;
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

type Stored = Omit<SubscriptionRow, 'events'> & { events: EventName[] | null };

const SUBSCRIPTION = `subscription_id as id, url, events, active, disabled_reason, disabled_at, failing_since,
  case when previous_secret_until > sluice_now() then previous_secret_until end as previous_secret_expires_at, created_at, updated_at`;

const told = (row: Stored): SubscriptionRow => ({ ...row, events: row.events ?? [...EVENT_NAMES] });

export async function listSubscriptions(
  tx: Reader,
  organizationId: string,
  filter: { page: number; limit: number; active?: boolean },
): Promise<Page<SubscriptionRow>> {
  const where = 'organization_id = $1 and ($2::boolean is null or active = $2)';
  const params = [organizationId, filter.active ?? null];
  const [rows, count] = await Promise.all([
    tx.rows<Stored>(
      `select ${SUBSCRIPTION} from webhook_subscriptions where ${where} order by created_at desc, subscription_id desc limit $3 offset $4`,
      [...params, filter.limit, (filter.page - 1) * filter.limit],
    ),
    tx.one<{ total: number }>(`select count(*)::int as total from webhook_subscriptions where ${where}`, params),
  ]);
  return { rows: rows.map(told), total: count?.total ?? 0 };
}

export async function findSubscription(tx: Reader, organizationId: string, id: string): Promise<SubscriptionRow | null> {
  const row = await tx.one<Stored>(
    `select ${SUBSCRIPTION} from webhook_subscriptions where organization_id = $1 and subscription_id = $2`,
    [organizationId, id],
  );
  return row && told(row);
}

export async function countSubscriptions(tx: Tx, organizationId: string): Promise<number> {
  const row = await tx.one<{ total: number }>(
    'select count(*)::int as total from webhook_subscriptions where organization_id = $1',
    [organizationId],
  );
  return row?.total ?? 0;
}

export async function insertSubscription(
  tx: Tx,
  row: { subscription_id: string; organization_id: string; url: string; events: readonly string[] | null; secret_sealed: string },
): Promise<SubscriptionRow> {
  const stored = await tx.one<Stored>(
    `insert into webhook_subscriptions (subscription_id, organization_id, url, events, secret_sealed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6) returning ${SUBSCRIPTION}`,
    [row.subscription_id, row.organization_id, row.url, row.events, row.secret_sealed, tx.now],
  );
  return told(stored as Stored);
}

/** Null leaves a field as it is. Set active, a subscription starts with a clean record. */
export async function updateSubscription(
  tx: Tx,
  organizationId: string,
  id: string,
  change: { url?: string; events?: readonly string[]; active?: boolean },
): Promise<SubscriptionRow | null> {
  const row = await tx.one<Stored>(
    `update webhook_subscriptions set
       url = coalesce($3, url), events = coalesce($4, events), active = coalesce($5, active),
       disabled_reason = case when $5 then null when not $5 and active then 'PAUSED' else disabled_reason end,
       disabled_at = case when $5 then null when not $5 and active then sluice_now() else disabled_at end,
       failing_since = case when $5 or $3 is not null then null else failing_since end,
       alerted_at = case when $5 then null else alerted_at end,
       updated_at = sluice_now()
     where organization_id = $1 and subscription_id = $2 returning ${SUBSCRIPTION}`,
    [organizationId, id, change.url ?? null, change.events ?? null, change.active ?? null],
  );
  return row && told(row);
}

export function deleteSubscription(tx: Tx, organizationId: string, id: string): Promise<number> {
  return tx.exec('delete from webhook_subscriptions where organization_id = $1 and subscription_id = $2', [organizationId, id]);
}

/** Puts a new secret in force; the one before counts on for the grace. */
export async function replaceSecret(
  tx: Tx,
  organizationId: string,
  id: string,
  sealed: string,
  graceSeconds: number,
): Promise<SubscriptionRow | null> {
  const row = await tx.one<Stored>(
    `update webhook_subscriptions set previous_secret_sealed = case when $4::int > 0 then secret_sealed end,
       previous_secret_until = case when $4::int > 0 then sluice_now() + make_interval(secs => $4::int) end, secret_sealed = $3, updated_at = sluice_now()
     where organization_id = $1 and subscription_id = $2 returning ${SUBSCRIPTION}`,
    [organizationId, id, sealed, graceSeconds],
  );
  return row && told(row);
}

export const DELIVERY_KINDS = ['EVENT', 'REPLAY', 'TEST'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryRow = {
  id: Id<'dlv'>;
  subscription_id: Id<'whs'>;
  event_id: Id<'evt'>;
  event: EventName;
  kind: DeliveryKind;
  status: DeliveryStatus;
  http_status: number | null;
  error: string | null;
  attempts: number;
  next_attempt_at: Date | null;
  replay_of: Id<'dlv'> | null;
  created_at: Date;
};

const DELIVERY = `delivery_id as id, organization_id, subscription_id, event_id, event, deal_id, kind, status, http_status, error, attempts,
  next_attempt_at, replay_of, created_at`;

export type DeliveryFilter = {
  page: number;
  limit: number;
  organization_id?: string;
  subscription_id?: string;
  deal_id?: string;
  event?: string;
  status?: string;
  from?: Date | null;
  to?: Date | null;
};

/** Deliveries, newest first. Without an organization: those of all, for the operator. */
export async function listDeliveries(
  tx: Reader,
  organizationId: string | null,
  filter: DeliveryFilter,
): Promise<Page<DeliveryRow & { organization_id: Id<'org'>; deal_id: Id<'deal'> | null }>> {
  const conditions: string[] = ['true'];
  const params: unknown[] = [];
  const add = (condition: (place: string) => string, value: unknown): void => {
    if (value === undefined || value === null) return;
    params.push(value);
    conditions.push(condition(`$${params.length}`));
  };
  add((place) => `organization_id = ${place}`, organizationId ?? filter.organization_id);
  for (const name of ['subscription_id', 'deal_id', 'event', 'status'] as const)
    add((place) => `${name} = ${place}`, filter[name]);
  add((place) => `created_at >= ${place}`, filter.from);
  add((place) => `created_at < ${place}`, filter.to);
  const where = conditions.join(' and ');
  const [rows, count] = await Promise.all([
    tx.rows<DeliveryRow & { organization_id: Id<'org'>; deal_id: Id<'deal'> | null }>(
      `select ${DELIVERY} from webhook_deliveries where ${where} order by created_at desc, delivery_id desc limit $${params.length + 1} offset $${params.length + 2}`,
      [...params, filter.limit, (filter.page - 1) * filter.limit],
    ),
    tx.one<{ total: number }>(`select count(*)::int as total from webhook_deliveries where ${where}`, params),
  ]);
  return { rows, total: count?.total ?? 0 };
}

export type DeliveryDetail = DeliveryRow & { event_inserted_at: string; body: Buffer | null; url: string | null };

/** A delivery with what was sent: the body is null when its event is no longer kept, the url when the subscription is gone. */
export function findDelivery(tx: Reader, organizationId: string, id: string, lock = false): Promise<DeliveryDetail | null> {
  return tx.one<DeliveryDetail>(
    `select d.delivery_id as id, d.subscription_id, d.event_id, d.event, d.deal_id, d.kind, d.status, d.http_status, d.error, d.attempts, d.next_attempt_at,
            d.replay_of, d.created_at, d.event_inserted_at::text as event_inserted_at, e.body, s.url
     from webhook_deliveries d
     left join events e on e.event_id = d.event_id and e.created_at = d.event_inserted_at
     left join webhook_subscriptions s on s.subscription_id = d.subscription_id
     where d.organization_id = $1 and d.delivery_id = $2 ${lock ? 'for update of d' : ''}`,
    [organizationId, id],
  );
}

export type AttemptRow = {
  at: Date;
  ms: number;
  http_status: number | null;
  error: string | null;
  response_excerpt: string | null;
};

export function listAttempts(tx: Reader, organizationId: string, deliveryId: string): Promise<AttemptRow[]> {
  return tx.rows<AttemptRow>(
    `select at, ms, http_status, error, response_excerpt from webhook_attempts where organization_id = $1 and delivery_id = $2 order by n`,
    [organizationId, deliveryId],
  );
}
