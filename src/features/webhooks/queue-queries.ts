import type { DeliveryKind } from '../../events/queries.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { deleteInBatches } from '../../platform/retention.ts';
import { SUSPENDED } from '../keys/queries.ts';
import { MAX_JITTER } from './retry-plan.ts';

/** After this, another process attempts the deliveries of a dead one. A live process renews its leases three times as often. */
export const LEASE_SECONDS = 15;

/** A delivery that this process may attempt until its lease ends, with everything that the request needs. */
export type ClaimedDelivery = {
  delivery_id: string;
  delivery_inserted_at: string;
  organization_id: string;
  subscription_id: string;
  event_id: string;
  kind: DeliveryKind;
  lane: 0 | 1;
  attempts: number;
  claims: number;
  /** Time from the transaction that queued it to this claim. */
  waited_seconds: number;
  event: string | null;
  body: Buffer | null;
  url: string | null;
  active: boolean | null;
  secret_sealed: string | null;
  previous_secret_sealed: string | null;
  failing: boolean;
};

export type ClaimLimits = {
  claimId: string;
  /** How many at most, and how many of them may be retries. */
  free: number;
  freeRetries: number;
  /** How many of one subscription, and of one organization, may be in flight in all processes. */
  perSubscription: number;
  perOrganization: number;
  /** Claimed deliveries of which no attempt is under way any more, though its result is not recorded yet: they take nobody's place. */
  ended: readonly string[];
  /** Subscriptions by the state of their breaker: no attempts, one at a time, `perThrottled` at a time. */
  open: readonly string[];
  halfOpen: readonly string[];
  throttled: readonly string[];
  perThrottled: number;
  leaseSeconds: number;
};

/** Claims of all processes take turns: each sees the claims of the others, so that the limit per subscription holds exactly. */
const CLAIM_LOCK = 7_305_823_012;

/** SQL: the subscriptions with queued deliveries, each found by an index lookup however many it has. */
const HEAD = `head as (
       (select subscription_id, organization_id from webhook_queue order by subscription_id limit 1)
       union all
       select n.subscription_id, n.organization_id from head h cross join lateral (
         select q.subscription_id, q.organization_id from webhook_queue q where q.subscription_id > h.subscription_id order by q.subscription_id limit 1) n
     )`;

/**
 * Claims due deliveries fairly: index lookups find each subscription with due rows and what it has in flight, each gets at most what its
 * limit leaves, and organizations take turns. 50,000 rows of one subscription do not delay a single row of another. Those of suspended
 * organizations wait.
 */
export async function claimDue(tx: Tx, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  // If a process hangs here, the others wait until the server ends its idle transaction.
  const locked = tx.exec(
    `select pg_advisory_xact_lock($1), set_config('synchronous_commit', 'off', true),
            set_config('idle_in_transaction_session_timeout', '5000', true)`,
    [CLAIM_LOCK],
  );
  const claimed = tx.rows<ClaimedDelivery>(
    `with recursive ${HEAD}, in_flight as (
       select h.subscription_id, h.organization_id, f.claims from head h cross join lateral (
         select count(*) as claims from webhook_queue q
         where q.subscription_id = h.subscription_id and q.claim_id is not null and q.lease_until > now() and q.delivery_id not in (select unnest($11::text[]))) f
     ), share as (
       select h.subscription_id, h.organization_id,
              greatest(0, case when h.subscription_id = any($7::text[]) then 1 when h.subscription_id = any($9::text[]) then $10::int else $4::int end - h.claims) as room
       from in_flight h
       where h.subscription_id <> all($6::text[]) and h.organization_id not in ${SUSPENDED}
     ), due as (
       select s.subscription_id, s.organization_id, s.room, d.*
       from share s cross join lateral (
         (select q.delivery_id, q.lane, q.due_at from webhook_queue q
          where q.subscription_id = s.subscription_id and q.lane = 0 and q.due_at <= (select sluice_now()) and (q.claim_id is null or q.lease_until <= now())
          order by q.due_at, q.delivery_id limit s.room)
         union all
         (select q.delivery_id, q.lane, q.due_at from webhook_queue q
          where q.subscription_id = s.subscription_id and q.lane = 1 and q.due_at <= (select sluice_now()) and (q.claim_id is null or q.lease_until <= now())
          order by q.due_at, q.delivery_id limit least(s.room, $3::int))
       ) d where s.room > 0
     ), turns as (
       select *, row_number() over (partition by subscription_id order by lane, due_at, delivery_id) as turn from due
     ), ranked as (
       select t.*, row_number() over (partition by t.organization_id order by t.turn, t.due_at, t.delivery_id) as organization_turn,
              row_number() over (partition by t.lane order by t.turn, t.due_at, t.delivery_id) as lane_turn
       from turns t where t.turn <= t.room
     ), chosen as (
       select r.delivery_id from ranked r
       left join (select organization_id, sum(claims) as claims from in_flight group by 1) o using (organization_id)
       where r.organization_turn <= $5::int - coalesce(o.claims, 0) and (r.lane = 0 or r.lane_turn <= $3::int)
       order by r.organization_turn, r.due_at, r.delivery_id limit $2::int
     ), locked as (
       select q.delivery_id from webhook_queue q join chosen using (delivery_id) order by q.delivery_id for update of q skip locked
     ), claimed as (
       update webhook_queue q set claim_id = $1::uuid, lease_until = now() + make_interval(secs => $8), claims = q.claims + 1
       from locked l where q.delivery_id = l.delivery_id
       returning q.*
     )
     select c.delivery_id, c.delivery_inserted_at::text as delivery_inserted_at, c.organization_id, c.subscription_id, c.event_id, c.kind,
            c.lane, c.attempts, c.claims, extract(epoch from clock_timestamp() - c.delivery_inserted_at)::float8 as waited_seconds,
            e.event, case when row_number() over (partition by c.event_id) = 1 then e.body end as body, s.url, s.active, s.secret_sealed,
            case when s.previous_secret_until > (select sluice_now()) then s.previous_secret_sealed end as previous_secret_sealed,
            s.failing_since is not null as failing
     from claimed c
     left join webhook_subscriptions s on s.subscription_id = c.subscription_id
     left join events e on e.event_id = c.event_id and e.created_at = c.event_inserted_at`,
    [
      limits.claimId,
      limits.free,
      limits.freeRetries,
      limits.perSubscription,
      limits.perOrganization,
      limits.open,
      limits.halfOpen,
      limits.leaseSeconds,
      limits.throttled,
      limits.perThrottled,
      limits.ended,
    ],
  );
  const [, rows] = await Promise.all([locked, claimed]);
  // The body of an event crosses once, however many receivers it has.
  const bodies = new Map(rows.flatMap(({ event_id, body }) => (body === null ? [] : [[event_id, body]])));
  return rows.map((row) => ({ ...row, body: bodies.get(row.event_id) ?? null }));
}

/** The result of one attempt, or of a delivery that cannot be attempted (`attempted` false). */
export type AttemptResult = {
  delivery_id: string;
  delivery_inserted_at: string;
  claim_id: string;
  attempted: boolean;
  status: 'DELIVERED' | 'FAILED';
  http_status: number | null;
  error: string | null;
  ms: number;
  excerpt: string | null;
  /** Milliseconds until the next attempt; null when there is none. */
  retry_in_ms: number | null;
};

/** An attempt that has ended but is not recorded yet. */
export type EndedAttempt = { claimed: ClaimedDelivery; result: AttemptResult };

/**
 * Records a batch of results. A result counts only while its queue row carries the claim under which it was made: a process that lost its
 * lease cannot overwrite the result of another. Returns the ids of the recorded deliveries.
 */
export async function recordResults(tx: Tx, results: readonly AttemptResult[]): Promise<Set<string>> {
  const column = <Key extends keyof AttemptResult>(key: Key): AttemptResult[Key][] => results.map((each) => each[key]);
  const rows = await tx.rows<{ delivery_id: string }>(
    `with ended as materialized (
       select * from unnest($1::text[], $2::timestamptz[], $3::uuid[], $4::boolean[], $5::text[], $6::int[], $7::text[], $8::int[], $9::text[], $10::float8[])
         as t(delivery_id, delivery_inserted_at, claim_id, attempted, status, http_status, error, ms, excerpt, retry_in_ms)
     ), held as materialized (
       select q.delivery_id, q.organization_id, q.attempts + e.attempted::int as attempts, e.delivery_inserted_at, e.attempted, e.status, e.http_status,
              e.error, e.ms, e.excerpt, (select sluice_now()) + make_interval(secs => e.retry_in_ms / 1000) as next_attempt_at
       from webhook_queue q join ended e using (delivery_id, claim_id) order by q.delivery_id for update of q
     ), gone as (
       delete from webhook_queue q using held h where q.delivery_id = h.delivery_id and h.next_attempt_at is null
     ), again as (
       update webhook_queue q set claim_id = null, lease_until = null, lane = 1, claims = h.attempts, attempts = h.attempts, due_at = h.next_attempt_at
       from held h where q.delivery_id = h.delivery_id and h.next_attempt_at is not null
     ), updated as (
       update webhook_deliveries d set status = h.status, http_status = h.http_status, error = h.error, attempts = h.attempts, next_attempt_at = h.next_attempt_at
       from held h where d.delivery_id = h.delivery_id and d.inserted_at = h.delivery_inserted_at
     ), logged as (
       insert into webhook_attempts (delivery_id, organization_id, n, at, ms, http_status, error, response_excerpt)
       select delivery_id, organization_id, attempts, (select sluice_now()) - make_interval(secs => ms / 1000.0), ms, http_status, error, excerpt
       from held where attempted
     )
     select delivery_id from held`,
    [
      column('delivery_id'),
      column('delivery_inserted_at'),
      column('claim_id'),
      column('attempted'),
      column('status'),
      column('http_status'),
      column('error'),
      column('ms'),
      column('excerpt'),
      column('retry_in_ms'),
    ],
  );
  return new Set(rows.map((row) => row.delivery_id));
}

/** Extends the leases of claims in flight; returns how many were still held. */
export function renewLeases(
  tx: Tx,
  held: readonly { delivery_id: string; claim_id: string }[],
  leaseSeconds: number,
): Promise<number> {
  return tx.exec(
    `with held as (select q.delivery_id from webhook_queue q join unnest($1::text[], $2::uuid[]) as h(delivery_id, claim_id) using (delivery_id, claim_id)
       order by q.delivery_id for update of q)
     update webhook_queue q set lease_until = now() + make_interval(secs => $3) from held where q.delivery_id = held.delivery_id`,
    [held.map((each) => each.delivery_id), held.map((each) => each.claim_id), leaseSeconds],
  );
}

/**
 * Where the clock was set back: leases end as ones of this moment do, and a delivery is attempted after its wait in the plan at the latest.
 * What a receiver asked for beyond it is forgotten.
 */
export async function bringDeliveriesForward(tx: Tx, planMs: readonly number[]): Promise<void> {
  await tx.exec(
    `with latest as (
       select delivery_id, sluice_now() + make_interval(secs => coalesce(($1::float8[])[attempts], 0) / 1000) as due_at from webhook_queue
     ), late as (
       update webhook_queue q set due_at = l.due_at from latest l where q.delivery_id = l.delivery_id and q.due_at > l.due_at
       returning q.delivery_id, q.delivery_inserted_at, q.attempts, l.due_at
     )
     update webhook_deliveries d set next_attempt_at = l.due_at from late l
     where d.delivery_id = l.delivery_id and d.inserted_at = l.delivery_inserted_at and l.attempts > 0`,
    [planMs.map((each) => each * (1 + MAX_JITTER))],
  );
  await tx.exec(
    'update webhook_queue set lease_until = now() + make_interval(secs => $1) where lease_until > now() + make_interval(secs => $1)',
    [LEASE_SECONDS],
  );
}

/** Returns claimed deliveries that were not attempted to the queue. */
export function releaseClaims(tx: Tx, held: readonly { delivery_id: string; claim_id: string }[]): Promise<number> {
  return tx.exec(
    `with held as (select q.delivery_id from webhook_queue q join unnest($1::text[], $2::uuid[]) as h(delivery_id, claim_id) using (delivery_id, claim_id)
       order by q.delivery_id for update of q)
     update webhook_queue q set claim_id = null, lease_until = null, claims = claims - 1 from held where q.delivery_id = held.delivery_id`,
    [held.map((each) => each.delivery_id), held.map((each) => each.claim_id)],
  );
}

/** Ends the queued deliveries that `chosen` names with an error as FAILED, except those in flight. */
const endAsFailed = (chosen: string): string =>
  `with chosen as (${chosen}
     ), waiting as (
       select q.delivery_id, c.error from webhook_queue q join chosen c using (delivery_id)
       where q.claim_id is null or q.lease_until <= now() order by q.delivery_id for update of q
     ), gone as (
       delete from webhook_queue q using waiting w where q.delivery_id = w.delivery_id returning q.delivery_id, q.delivery_inserted_at, w.error
     )
     update webhook_deliveries d set status = 'FAILED', error = case when d.status = 'PENDING' then gone.error else d.error end, next_attempt_at = null
     from gone where d.delivery_id = gone.delivery_id and d.inserted_at = gone.delivery_inserted_at`;

/** As many take a good half of a second. */
const MOST_CANCELLED = 10_000;

/** Ends queued deliveries of subscriptions as FAILED, those that are due first, 10,000 at most; `endWaiting` ends the rest. */
export function cancelQueued(tx: Tx, subscriptionIds: readonly string[], error: string): Promise<number> {
  return tx.exec(
    endAsFailed(
      `select delivery_id, $2 as error from webhook_queue where subscription_id = any($1) and (claim_id is null or lease_until <= now())
       order by subscription_id, lane, due_at, delivery_id limit $3`,
    ),
    [subscriptionIds, error, MOST_CANCELLED],
  );
}

/** What waits for a subscription that is no more, or waited for one when it was disabled: replays and tests made after that are sent. */
const WAITING = endAsFailed(
  `with recursive ${HEAD}
     select w.delivery_id, case when s.subscription_id is null then 'subscription_deleted' else 'subscription_disabled' end as error
     from head h left join webhook_subscriptions s using (subscription_id) cross join lateral (
       select q.delivery_id from webhook_queue q join webhook_deliveries d on d.delivery_id = q.delivery_id and d.inserted_at = q.delivery_inserted_at
       where q.subscription_id = h.subscription_id and (q.claim_id is null or q.lease_until <= now())
         and d.created_at <= coalesce(s.disabled_at, 'infinity') limit $1) w
     where s.active is not true limit $1`,
);

/** Ends what `cancelQueued` left of the deliveries that waited for subscriptions now disabled or deleted; returns how many. */
export const endWaiting = (db: Database): Promise<number> => deleteInBatches(db, WAITING);

/** Length of the queue, and how long its oldest due delivery has been due that does not wait for its organization to be resumed. */
export async function measureQueue(tx: Tx): Promise<{ depth: number; oldest_due_seconds: number }> {
  const row = await tx.one<{ depth: number; oldest_due_seconds: number }>(
    `select count(*)::int as depth,
            coalesce(greatest(0, extract(epoch from sluice_now() - min(due_at) filter (where organization_id not in ${SUSPENDED}))), 0)::float8 as oldest_due_seconds
     from webhook_queue`,
  );
  return row ?? { depth: 0, oldest_due_seconds: 0 };
}

/** Creates future partitions and drops expired ones (30 days of events, 90 of deliveries and attempts); returns how many of both. */
export async function keepPartitions(db: Database): Promise<number> {
  const row = await db.tx({ platform: true }, (tx) => tx.one<{ changed: number }>('select sluice_partition_upkeep() as changed'));
  return row?.changed ?? 0;
}
