import { storedRecord } from '../../platform/http/stored-record.ts';
import type { DeliveryKind, NewDelivery } from '../../events/queries.ts';
import type { EventName } from '../../events/events.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { Id } from '../../platform/ids.ts';

export const DELIVERY_RECORD = storedRecord('webhook_deliveries', 'delivery_id');

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryRow = {
  id: Id<'dlv'>;
  delivery_id: Id<'dlv'>;
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

export type OperatorDeliveryRow = DeliveryRow & { organization_id: Id<'org'>; deal_id: Id<'deal'> | null };

export type DeliveryFilter = PageRequest &
  Between & {
    organization_id?: string;
    subscription_id?: string;
    deal_id?: string;
    event?: EventName;
    status?: DeliveryStatus;
  };

const DELIVERY = `delivery_id as id, delivery_id, organization_id, subscription_id, event_id, event, deal_id, kind, status, http_status, error, attempts,
  next_attempt_at, replay_of, created_at`;

/** Deliveries, newest first. Without an organization: those of all, for the operator. */
export function listDeliveries(
  tx: Reader,
  organizationId: string | null,
  filter: DeliveryFilter,
): Promise<Page<OperatorDeliveryRow>> {
  const filters = [
    ['organization_id = ?', organizationId ?? filter.organization_id],
    ['subscription_id = ?', filter.subscription_id],
    ['deal_id = ?', filter.deal_id],
    ['event = ?', filter.event],
    ['status = ?', filter.status],
    ...between('created_at', filter),
  ] as const;
  return selectPage(
    tx,
    { select: DELIVERY, from: 'webhook_deliveries', filters, order: newestFirst('created_at', 'delivery_id'), apart: 'all' },
    filter,
  );
}

/** A delivery of the organizations whose rows the transaction sees. */
export function findDeliveryRow(tx: Reader, id: string): Promise<OperatorDeliveryRow | null> {
  return tx.one<OperatorDeliveryRow>(`select ${DELIVERY} from webhook_deliveries where delivery_id = $1`, [id]);
}

export type DeliveryDetail = DeliveryRow & {
  deal_id: string | null;
  event_inserted_at: string;
  /** Null when the event is no longer kept. */
  body: Buffer | null;
  /** Null when the subscription was deleted. */
  url: string | null;
};

export function findDelivery(tx: Reader, organizationId: string, id: string, lock = false): Promise<DeliveryDetail | null> {
  return tx.one<DeliveryDetail>(
    `select d.delivery_id as id, d.delivery_id, d.subscription_id, d.event_id, d.event, d.deal_id, d.kind, d.status, d.http_status, d.error, d.attempts, d.next_attempt_at,
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

/** Takes deliveries out of the queue: no further attempt starts, and the result of one in flight is discarded. */
export async function stopRetries(tx: Tx, deliveryIds: readonly string[]): Promise<void> {
  await tx.exec(
    `with removed as (delete from webhook_queue where delivery_id = any($1) returning delivery_id, delivery_inserted_at)
     update webhook_deliveries d set next_attempt_at = null from removed r where d.delivery_id = r.delivery_id and d.inserted_at = r.delivery_inserted_at`,
    [deliveryIds],
  );
}

/** The fields that a replay copies from a delivery. */
export type ReplayableDelivery = Pick<NewDelivery, 'subscription_id' | 'event_id' | 'event_inserted_at' | 'event' | 'deal_id'> & {
  id: string;
};

/**
 * Locks the recovery of a subscription for this transaction, and keeps the subscription from being deleted; false while another
 * transaction holds the lock.
 */
export async function lockRecovery(tx: Tx, subscriptionId: string): Promise<boolean> {
  const row = await tx.one<{ free: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('webhook-recover:' || subscription_id, 0)) as free
     from webhook_subscriptions where subscription_id = $1 for key share`,
    [subscriptionId],
  );
  return row?.free ?? false;
}

type RecoverableRow = Omit<ReplayableDelivery, 'id'> & { id: string | null; total: number; retrying: number };

/**
 * The newest FAILED delivery of every event that no other delivery carries, oldest event first. `total` counts them beyond the limit,
 * `retrying` the events that are skipped because a replay of them failed and will be retried. One pass over the deliveries, for there may be
 * hundreds of thousands: their events are not looked up, since all of the last 30 days are kept.
 */
export async function findRecoverable(
  tx: Tx,
  organizationId: string,
  subscriptionId: string,
  since: Date,
  limit: number,
): Promise<{ failed: ReplayableDelivery[]; total: number; retrying: number }> {
  const rows = await tx.rows<RecoverableRow>(
    `with uncarried as materialized (
       select event_id, max(delivery_id) as id, min(event_inserted_at) as event_inserted_at, min(event) as event, min(deal_id) as deal_id,
              bool_or(kind = 'REPLAY' and next_attempt_at is not null) as retrying
       from webhook_deliveries
       where subscription_id = $1 and organization_id = $2 and created_at >= $3 and event_inserted_at > now() - interval '30 days'
       group by event_id having bool_and(status = 'FAILED')
     ), counts as (
       select count(*) filter (where not retrying)::int as total, count(*) filter (where retrying)::int as retrying from uncarried
     )
     select c.total, c.retrying, f.id, $1 as subscription_id, f.event_id, f.event_inserted_at::text as event_inserted_at, f.event, f.deal_id
     from counts c left join (select * from uncarried where not retrying order by event_id limit $4) f on true order by f.event_id`,
    [subscriptionId, organizationId, since, limit],
  );
  const { total = 0, retrying = 0 } = rows[0] ?? {};
  // Without a recoverable delivery the counts come alone, in a row without an id.
  const failed = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]));
  return { failed, total, retrying };
}
