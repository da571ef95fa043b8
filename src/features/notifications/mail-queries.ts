import type { Priority } from '../../events/events.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { deleteInBatches } from '../../platform/retention.ts';
import { SUSPENDED } from '../keys/queries.ts';
import { DIGEST_TOPIC, type EmailKind, GIVEN_UP_AFTER_MS } from './notification.ts';

/** Longer than an attempt and the recording of its result: a claim that is older belongs to a dead process. */
export const LEASE_SECONDS = 90;

/** An e-mail to make, before it has an id. */
export type NewEmail = { organization_id: string; address_id: string; kind: EmailKind; alert_ids: string[]; total: number };

/** An alert that is to be sent at once to an address; `address_id` is null where nobody wants it any more. */
export type WantedAlert = { organization_id: string; alert_id: string; address_id: string | null };

/**
 * Takes noted alerts that no other worker has, with the addresses that want them now: preferences may have changed since they were
 * raised. One that nobody could be told of in time is told to nobody.
 */
export function takeNotedAlerts(tx: Tx, limit: number): Promise<WantedAlert[]> {
  return tx.rows<WantedAlert>(
    `with picked as materialized (
       select organization_id, alert_id from alerts_to_mail where kind = 'ALERT' order by alert_id limit $1 for update skip locked
     ), taken as (
       delete from alerts_to_mail m using picked t
       where m.kind = 'ALERT' and m.organization_id = t.organization_id and m.alert_id = t.alert_id
       returning m.organization_id, m.alert_id, m.created_at
     )
     select t.organization_id, t.alert_id, w.address_id
     from taken t left join lateral (
       select n.address_id, n.position from alerts a
       join notification_preferences p on p.organization_id = a.organization_id and a.priority = any(p.immediate) and a.type <> all(p.types_off)
       join notification_addresses n on n.organization_id = a.organization_id and a.type <> all(n.unsubscribed)
       where a.alert_id = t.alert_id and t.created_at > sluice_now() - make_interval(secs => $2 / 1000.0)) w on true
     order by t.alert_id, w.position`,
    [limit, GIVEN_UP_AFTER_MS],
  );
}

/** Locks the preferences of organizations whose digest of the day is due and not made, and that no other worker has. */
export function lockDueDigests(
  tx: Tx,
  day: { date: string; before: Date },
  limit: number,
): Promise<{ organization_id: string }[]> {
  return tx.rows<{ organization_id: string }>(
    `select organization_id from notification_preferences p
     where digest = 'DAILY' and (digested_on is null or digested_on < $1)
       and exists (select from alerts_to_mail m where m.organization_id = p.organization_id and m.kind = 'DIGEST' and m.created_at < $2)
     order by organization_id limit $3 for update skip locked`,
    [day.date, day.before, limit],
  );
}

/** Takes the noted alerts of an organization for its digest, those that are still wanted, the most urgent first. */
export async function takeDigest(tx: Tx, organizationId: string, day: { date: string; before: Date }): Promise<DigestAlert[]> {
  await tx.exec('update notification_preferences set digested_on = $2 where organization_id = $1', [organizationId, day.date]);
  return tx.rows<DigestAlert>(
    `with taken as (delete from alerts_to_mail where organization_id = $1 and kind = 'DIGEST' and created_at < $2 returning alert_id)
     select a.alert_id, a.type from taken t join alerts a using (alert_id)
     join notification_preferences p on p.organization_id = a.organization_id and a.type <> all(p.types_off)
     order by array_position(array['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'], a.priority), a.created_at desc, a.alert_id desc`,
    [organizationId, day.before],
  );
}

export type DigestAlert = { alert_id: string; type: string };

/** The addresses of an organization that take the digest, with the types that each has unsubscribed from. */
export function listDigestAddresses(tx: Tx, organizationId: string): Promise<{ address_id: string; unsubscribed: string[] }[]> {
  return tx.rows(
    `select address_id, unsubscribed from notification_addresses where organization_id = $1 and $2 <> all(unsubscribed) order by position`,
    [organizationId, DIGEST_TOPIC],
  );
}

export async function insertEmails(tx: Tx, emails: readonly NewEmail[]): Promise<void> {
  if (emails.length === 0) return;
  await tx.exec(
    `insert into emails (email_id, organization_id, address_id, kind, alert_ids, total, created_at, due_at)
     select email_id, organization_id, address_id, kind, array(select json_array_elements_text(alert_ids)), total, $2, $2
     from json_to_recordset($1::json) as e(email_id text, organization_id text, address_id text, kind text, alert_ids json, total int)`,
    [JSON.stringify(emails.map((each) => ({ ...each, email_id: tx.newId('eml') }))), tx.now],
  );
}

export type MailedAlert = { type: string; priority: Priority; title: string; created_at: string; entity_id: string | null };

/** An e-mail that this process may send until its lease ends, with everything that it says. */
export type ClaimedEmail = {
  email_id: string;
  organization_id: string;
  address_id: string;
  kind: EmailKind;
  total: number;
  created_at: Date;
  age_ms: number;
  attempts: number;
  claims: number;
  email: string;
  organization: string;
  alerts: MailedAlert[];
};

/**
 * Claims due e-mails that no other process has. Organizations take turns, so that many e-mails of one do not delay those of another; those
 * of suspended organizations wait.
 */
export function claimEmails(tx: Tx, claimId: string, limit: number, leaseSeconds: number): Promise<ClaimedEmail[]> {
  return tx.rows<ClaimedEmail>(
    `with recursive sender as (
       (select organization_id from emails order by organization_id limit 1)
       union all
       select n.organization_id from sender s cross join lateral (
         select e.organization_id from emails e where e.organization_id > s.organization_id order by e.organization_id limit 1) n
     ), due as (
       select d.* from sender s cross join lateral (
         select e.email_id, e.due_at, row_number() over (order by e.due_at, e.email_id) as turn from emails e
         where e.organization_id = s.organization_id and e.due_at <= sluice_now() and (e.claim_id is null or e.lease_until <= now())
         order by e.due_at, e.email_id limit $2) d
       where s.organization_id not in ${SUSPENDED}
     ), locked as (
       select e.email_id from emails e
       where e.email_id in (select email_id from due order by turn, due_at, email_id limit $2)
         and (e.claim_id is null or e.lease_until <= now())
       order by e.email_id for update skip locked
     ), claimed as (
       update emails e set claim_id = $1::uuid, lease_until = now() + make_interval(secs => $3), claims = e.claims + 1
       from locked l where e.email_id = l.email_id returning e.*
     )
     select c.email_id, c.organization_id, c.address_id, c.kind, c.total, c.created_at, c.attempts, c.claims, n.email, o.name as organization,
            extract(epoch from sluice_now() - c.created_at)::float8 * 1000 as age_ms,
            coalesce((select json_agg(json_build_object('type', a.type, 'priority', a.priority, 'title', a.title, 'created_at', a.created_at, 'entity_id', a.entity_id)
                                      order by array_position(c.alert_ids, a.alert_id))
                      from alerts a where a.alert_id = any(c.alert_ids) and a.organization_id = c.organization_id), '[]') as alerts
     from claimed c join notification_addresses n using (address_id) join organizations o on o.organization_id = c.organization_id
     order by c.due_at, c.email_id`,
    [claimId, limit, leaseSeconds],
  );
}

/** How an attempt ended. `retry_in_ms` null: the e-mail is done with. `error` null: it was sent, or there was nothing to send. */
export type EmailResult = {
  email_id: string;
  address_id: string;
  claim_id: string;
  sent: boolean;
  error: string | null;
  permanent: boolean;
  retry_in_ms: number | null;
};

/** Records results of e-mails that are still claimed as they were; one that another process took over meanwhile is that one's. */
export async function recordResult(tx: Tx, result: EmailResult): Promise<void> {
  const { email_id, address_id, claim_id, sent, error, permanent, retry_in_ms } = result;
  const claim = [email_id, claim_id];
  const held =
    retry_in_ms === null
      ? await tx.exec('delete from emails where email_id = $1 and claim_id = $2', claim)
      : await tx.exec(
          `update emails set claim_id = null, lease_until = null, attempts = attempts + 1, claims = attempts + 1,
             due_at = sluice_now() + make_interval(secs => $3 / 1000.0)
           where email_id = $1 and claim_id = $2`,
          [...claim, retry_in_ms],
        );
  if (held === 0 || (!sent && error === null)) return;
  await tx.exec(
    `update notification_addresses set last_sent_at = case when $2 then sluice_now() else last_sent_at end,
       last_error = $3, last_error_at = case when $3::text is not null then sluice_now() end,
       last_error_permanent = case when $3::text is not null then $4::boolean end
     where address_id = $1`,
    [address_id, sent, error, permanent],
  );
}

/** Where the clock was set back: leases end as ones of this moment do, and what waits for a later one is attempted at once. */
export async function bringEmailsForward(tx: Tx): Promise<void> {
  await tx.exec(
    `update emails set due_at = least(due_at, sluice_now()), lease_until = least(lease_until, now() + make_interval(secs => $1))
     where due_at > sluice_now() or lease_until > now() + make_interval(secs => $1)`,
    [LEASE_SECONDS],
  );
}

export async function measureEmails(tx: Tx): Promise<{ depth: number; oldest_due_seconds: number }> {
  const row = await tx.one<{ depth: number; oldest_due_seconds: number }>(
    `select count(*)::int as depth,
            coalesce(greatest(0, extract(epoch from sluice_now() - min(due_at) filter (where organization_id not in ${SUSPENDED}))), 0)::float8 as oldest_due_seconds
     from emails`,
  );
  return row ?? { depth: 0, oldest_due_seconds: 0 };
}

/** What no process has sent in a week, although it might: e-mail is switched off. */
const OLD_EMAILS = `delete from emails where email_id in (
  select email_id from emails where created_at < sluice_now() - interval '7 days' and organization_id not in ${SUSPENDED} order by created_at limit $1 for update skip locked)`;
const OLD_NOTES = `delete from alerts_to_mail where ctid in (
  select ctid from alerts_to_mail where created_at < sluice_now() - interval '7 days' order by created_at limit $1 for update skip locked)`;

export const deleteOldEmails = async (db: Database): Promise<number> =>
  (await deleteInBatches(db, OLD_EMAILS)) + (await deleteInBatches(db, OLD_NOTES));
