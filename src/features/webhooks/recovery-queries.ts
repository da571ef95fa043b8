import type { NewDelivery } from '../../events/deliveries.ts';
import type { Tx } from '../../platform/db/database.ts';

/** What a replay takes over from a delivery. */
export type Replayable = Pick<NewDelivery, 'subscription_id' | 'event_id' | 'event_inserted_at' | 'event'> & {
  id: string;
  deal_id?: string | null;
};

/** Takes the right to recover a subscription for this transaction, and keeps it from being deleted; false while another has it. */
export async function lockRecovery(tx: Tx, subscriptionId: string): Promise<boolean> {
  const row = await tx.one<{ free: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('webhook-recover:' || subscription_id, 0)) as free
     from webhook_subscriptions where subscription_id = $1 for key share`,
    [subscriptionId],
  );
  return row?.free ?? false;
}

type Row = Replayable & { id: string | null; total: number; retrying: number };

/**
 * The newest FAILED delivery of every event that no other one carries, oldest event first. `total` counts them beyond the limit,
 * `retrying` the events that are left alone because a replay of them failed and is tried again by itself.
 */
export async function findRecoverable(
  tx: Tx,
  organizationId: string,
  subscriptionId: string,
  since: Date,
  limit: number,
): Promise<{ failed: Replayable[]; total: number; retrying: number }> {
  const rows = await tx.rows<Row>(
    `with own as materialized (
       select d.delivery_id, d.event_id, d.event_inserted_at, d.event, d.deal_id, d.created_at, d.status,
              d.kind = 'REPLAY' and d.status = 'FAILED' and d.next_attempt_at is not null as retrying
       from webhook_deliveries d
       where d.subscription_id = $1 and d.organization_id = $2 and d.created_at >= $3
     ), newest as (
       select distinct on (event_id) * from own where status = 'FAILED' order by event_id, created_at desc, delivery_id desc
     ), carried as (
       select event_id, bool_or(status in ('DELIVERED', 'PENDING')) as without_failure from own
       where status in ('DELIVERED', 'PENDING') or retrying group by event_id
     ), judged as (
       select n.*, c.event_id is null as open, not c.without_failure as left_alone
       from newest n join events e on e.event_id = n.event_id and e.created_at = n.event_inserted_at
       left join carried c on c.event_id = n.event_id
     ), counts as (
       select count(*) filter (where open)::int as total, count(*) filter (where left_alone)::int as retrying from judged
     )
     select c.total, c.retrying, f.delivery_id as id, $1 as subscription_id, f.event_id, f.event_inserted_at::text as event_inserted_at, f.event, f.deal_id
     from counts c left join (select * from judged where open order by event_id limit $4) f on true order by f.event_id`,
    [subscriptionId, organizationId, since, limit],
  );
  const { total = 0, retrying = 0 } = rows[0] ?? {};
  return { failed: rows.filter((row) => row.id !== null), total, retrying };
}
