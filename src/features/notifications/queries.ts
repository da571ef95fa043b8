import type { AlertType, Priority } from '../../events/events.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Digest } from './notification.ts';

export type StoredPreferences = { digest: Digest; immediate: Priority[]; types_off: AlertType[]; updated_at: Date };

/** Null: the organization has set nothing. */
export function findPreferences(tx: Reader, organizationId: string): Promise<StoredPreferences | null> {
  return tx.one<StoredPreferences>(
    'select digest, immediate, types_off, updated_at from notification_preferences where organization_id = $1',
    [organizationId],
  );
}

/** Serialises changes of an organization's preferences, also the first. */
export async function lockPreferences(tx: Tx, organizationId: string): Promise<StoredPreferences | null> {
  await tx.exec('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`notification preferences ${organizationId}`]);
  return findPreferences(tx, organizationId);
}

export async function upsertPreferences(
  tx: Tx,
  organizationId: string,
  { digest, immediate, types_off }: Omit<StoredPreferences, 'updated_at'>,
): Promise<void> {
  await tx.exec(
    `insert into notification_preferences (organization_id, digest, immediate, types_off, updated_at) values ($1, $2, $3, $4, $5)
     on conflict on constraint notification_preferences_pkey
     do update set digest = excluded.digest, immediate = excluded.immediate, types_off = excluded.types_off, updated_at = excluded.updated_at`,
    [organizationId, digest, immediate, types_off, tx.now],
  );
}

export type AddressRow = {
  address_id: string;
  email: string;
  unsubscribed: string[];
  last_sent_at: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  last_error_permanent: boolean | null;
};

export function listAddresses(tx: Reader, organizationId: string): Promise<AddressRow[]> {
  return tx.rows<AddressRow>(
    `select address_id, email, unsubscribed, last_sent_at, last_error, last_error_at, last_error_permanent
     from notification_addresses where organization_id = $1 order by position, email`,
    [organizationId],
  );
}

/** Makes these the addresses of an organization, in this order; an address that stays keeps what it has unsubscribed from. */
export async function replaceAddresses(tx: Tx, organizationId: string, emails: readonly string[]): Promise<void> {
  await tx.exec('delete from notification_addresses where organization_id = $1 and email <> all($2)', [organizationId, emails]);
  await tx.exec(
    `insert into notification_addresses (address_id, organization_id, email, position, created_at)
     select a.address_id, $1, a.email, a.position, $4 from unnest($2::text[], $3::text[]) with ordinality as a(address_id, email, position)
     on conflict on constraint notification_addresses_once do update set position = excluded.position`,
    [organizationId, emails.map(() => tx.newId('nad')), emails, tx.now],
  );
}

/** Adds a topic to what an address has unsubscribed from; null when it has already, or the organization has removed the address. */
export function insertUnsubscription(tx: Tx, addressId: string, topic: string): Promise<{ address_id: string } | null> {
  return tx.one<{ address_id: string }>(
    `update notification_addresses set unsubscribed = unsubscribed || $2::text
     where address_id = $1 and $2 <> all(unsubscribed) returning address_id`,
    [addressId, topic],
  );
}
