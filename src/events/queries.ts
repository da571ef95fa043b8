import type { EventName } from './events.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Id } from '../platform/ids.ts';
import type { EventData, Notice } from './events.ts';

export type DeliverableEvent = { event_id: string; inserted_at: string; organization_id: string; event: EventName; data: object };

/** Why a delivery was queued. */
export const DELIVERY_KINDS = ['EVENT', 'REPLAY', 'TEST'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** A delivery to queue, before it has an id. */
export type NewDelivery = {
  organization_id: string;
  subscription_id: string;
  event_id: string;
  event_inserted_at: string;
  event: EventName;
  deal_id: string | null;
  kind: DeliveryKind;
  replay_of: string | null;
  /** 0 for a first attempt; 1 for retries and bulk replays, which leave capacity to first attempts. */
  lane: 0 | 1;
};

export type NewEvent = {
  event_id: string;
  inserted_at: string;
  organization_id: string;
  event: string;
  data: object;
  body: Buffer;
};

export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  await tx.exec(
    `insert into events (event_id, organization_id, event, data, body, at, created_at)
     select event_id, organization_id, event, data, body, $7::timestamptz, inserted_at
     from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::bytea[], $6::timestamptz[])
       as t(event_id, organization_id, event, data, body, inserted_at)`,
    [
      events.map((each) => each.event_id),
      events.map((each) => each.organization_id),
      events.map((each) => each.event),
      events.map((each) => JSON.stringify(each.data)),
      events.map((each) => each.body),
      events.map((each) => each.inserted_at),
      tx.now,
    ],
  );
}

/** Inserts the event of a test delivery, which the log of events does not list. */
export async function insertSampleEvent(tx: Tx, sample: NewEvent): Promise<void> {
  await tx.exec(
    'insert into events (event_id, organization_id, event, data, body, at, created_at, sample) values ($1, $2, $3, $4, $5, $6, $7, true)',
    [sample.event_id, sample.organization_id, sample.event, JSON.stringify(sample.data), sample.body, tx.now, sample.inserted_at],
  );
}

export type NewAlert = Notice & { organization_id: string; type: string; event_id: string | null };

/** The organizations that operate the platform, and are no customers beside that. */
export async function listOperators(tx: Tx): Promise<Id<'org'>[]> {
  const rows = await tx.rows<{ organization_id: Id<'org'> }>(
    `select organization_id from organizations where roles = '{operator}' and status = 'ACTIVE' order by organization_id`,
  );
  return rows.map((row) => row.organization_id);
}

/**
 * Writes alerts; `ids` has one id for each. An event makes at most one alert per organization. The alerts that their organization wants
 * by e-mail are noted in the same statement; workers make the e-mails.
 */
export async function insertAlerts(tx: Tx, ids: readonly string[], alerts: readonly NewAlert[]): Promise<void> {
  const column = <Key extends keyof NewAlert>(key: Key): NewAlert[Key][] => alerts.map((each) => each[key]);
  await tx.exec(
    `with raised as (
       insert into alerts (alert_id, organization_id, type, category, priority, title, message, entity_type, entity_id, event_id, created_at)
       select *, $11::timestamptz from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
       on conflict on constraint alerts_one_per_event do nothing
       returning alert_id, organization_id, type, priority
     )
     insert into alerts_to_mail (organization_id, kind, alert_id, created_at)
     select r.organization_id, k.kind, r.alert_id, $11
     from raised r join notification_preferences p using (organization_id)
     cross join lateral (values ('ALERT', r.priority = any(p.immediate)), ('DIGEST', p.digest = 'DAILY')) as k(kind, wanted)
     where k.wanted and r.type <> all(p.types_off)
       and exists (select from notification_addresses a where a.organization_id = r.organization_id)`,
    [
      ids,
      column('organization_id'),
      column('type'),
      column('category'),
      column('priority'),
      column('title'),
      column('message'),
      column('entity_type'),
      column('entity_id'),
      column('event_id'),
      tx.now,
    ],
  );
}

/**
 * The active webhook subscriptions that want each event. `index` counts the events from 1. The share lock keeps a subscription from
 * being deleted until the caller's transaction ends.
 */
export function findSubscribers(
  tx: Tx,
  events: readonly DeliverableEvent[],
): Promise<{ index: number; subscription_id: string }[]> {
  return tx.rows(
    `select e.index::int, s.subscription_id
     from unnest($1::text[], $2::text[]) with ordinality as e(organization_id, event, index)
     join webhook_subscriptions s on s.organization_id = e.organization_id and s.active and (s.events is null or e.event = any(s.events))
     for key share of s`,
    [events.map((each) => each.organization_id), events.map((each) => each.event)],
  );
}

/** Writes deliveries and their queue rows in one statement; `ids` has one id for each. */
export async function insertQueuedDeliveries(tx: Tx, ids: readonly string[], deliveries: readonly NewDelivery[]): Promise<void> {
  const column = <Key extends keyof NewDelivery>(key: Key): NewDelivery[Key][] => deliveries.map((each) => each[key]);
  await tx.exec(
    `with made as materialized (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[], $10::int[])
         as t(delivery_id, organization_id, subscription_id, event_id, event_inserted_at, event, deal_id, kind, replay_of, lane)
     ), kept as (
       insert into webhook_deliveries (delivery_id, organization_id, subscription_id, event_id, event_inserted_at, event, deal_id, kind, replay_of, created_at)
       select delivery_id, organization_id, subscription_id, event_id, event_inserted_at, event, deal_id, kind, replay_of, $11 from made
     )
     insert into webhook_queue (delivery_id, delivery_inserted_at, organization_id, subscription_id, event_id, event_inserted_at, kind, lane, due_at)
     select delivery_id, now(), organization_id, subscription_id, event_id, event_inserted_at, kind, lane, $11 from made`,
    [
      ids,
      column('organization_id'),
      column('subscription_id'),
      column('event_id'),
      column('event_inserted_at'),
      column('event'),
      column('deal_id'),
      column('kind'),
      column('replay_of'),
      column('lane'),
      tx.now,
    ],
  );
}

/** An event that goes to many organizations; `organization_id` is the owner of its deal. */
export type FanOut = {
  fan_out_id: string;
  organization_id: string;
  event: 'deal.listed';
  deal_id: string;
  data: EventData<'deal.listed'>;
};

export async function insertFanOut(tx: Tx, row: FanOut): Promise<void> {
  await tx.exec(
    'insert into event_fan_outs (fan_out_id, organization_id, event, deal_id, data, created_at) values ($1, $2, $3, $4, $5, $6)',
    [row.fan_out_id, row.organization_id, row.event, row.deal_id, JSON.stringify(row.data), tx.now],
  );
}
