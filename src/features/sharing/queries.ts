import type { Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type ActorFields, actorColumns } from '../../platform/http/actor-fields.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Role } from '../../platform/http/caller.ts';
import type { ActorId, Id } from '../../platform/ids.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { visibleTo } from '../securitizations/queries.ts';
import type { Recipient, RecipientStatus } from './recipient.ts';

export const RECIPIENT_RECORD = storedRecord('share_recipients', 'recipient_id', { without: ['last_used_at'] });

export type RecipientRow = ActorFields & {
  recipient_id: Id<'rcp'>;
  organization_id: Id<'org'>;
  name: string;
  deal_ids: Id<'deal'>[] | null;
  status: RecipientStatus;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  /** To within a minute; null before its first request. */
  last_used_at: Date | null;
};

// A recipient ends at once: what was revoked by a transaction that began after this one is revoked too.
const STATUS = `case when r.revoked_at is not null then 'REVOKED' when r.expires_at <= now() then 'EXPIRED' else 'ACTIVE' end`;
const RECIPIENT = `r.recipient_id, r.organization_id, r.name, r.deal_ids, ${STATUS} as status, r.created_at, r.expires_at, r.revoked_at, r.last_used_at,
  ${actorColumns('r.created_by')}`;

export type RecipientFilter = PageRequest & Between & { status?: RecipientStatus };

/** Recipients of an organization, newest first. */
export function listRecipients(tx: Tx, organizationId: Id<'org'>, filter: RecipientFilter): Promise<Page<RecipientRow>> {
  return selectPage<RecipientRow>(
    tx,
    {
      select: RECIPIENT,
      from: 'share_recipients r',
      filters: [['r.organization_id = ?', organizationId], [`${STATUS} = ?`, filter.status], ...between('r.created_at', filter)],
      order: newestFirst('r.created_at', 'r.recipient_id'),
    },
    filter,
  );
}

export function findRecipient(tx: Tx, organizationId: Id<'org'>, recipientId: Id<'rcp'>): Promise<RecipientRow | null> {
  return tx.one<RecipientRow>(
    `select ${RECIPIENT} from share_recipients r where r.organization_id = $1 and r.recipient_id = $2`,
    [organizationId, recipientId],
  );
}

/** Keeps a recipient as it is until the end of the transaction. */
export async function lockRecipient(tx: Tx, organizationId: Id<'org'>, recipientId: Id<'rcp'>): Promise<RecipientRow | null> {
  await tx.rows('select from share_recipients where organization_id = $1 and recipient_id = $2 for update', [
    organizationId,
    recipientId,
  ]);
  return findRecipient(tx, organizationId, recipientId);
}

/** Recipients in force, under a lock that keeps others from being made. */
export async function lockRecipients(tx: Tx, organizationId: Id<'org'>): Promise<Pick<RecipientRow, 'name' | 'recipient_id'>[]> {
  await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 113))', [organizationId]);
  return tx.rows(
    `select r.name, r.recipient_id from share_recipients r where r.organization_id = $1 and r.revoked_at is null and r.expires_at > now()`,
    [organizationId],
  );
}

export type NewRecipient = Pick<RecipientRow, 'recipient_id' | 'organization_id' | 'name' | 'deal_ids'> & {
  token_hash: string;
  role: Role;
  created_by: ActorId;
  lifeDays: number;
};

/** Writes a recipient. One of the same name whose time is over makes room for it. */
export async function insertRecipient(tx: Tx, recipient: NewRecipient): Promise<void> {
  const { recipient_id, organization_id, name, deal_ids, token_hash, role, created_by, lifeDays } = recipient;
  await tx.exec(
    `update share_recipients set revoked_at = expires_at
     where organization_id = $1 and name = $2 and revoked_at is null and expires_at <= now()`,
    [organization_id, name],
  );
  await tx.exec(
    `insert into share_recipients (recipient_id, organization_id, name, deal_ids, token_hash, role, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8))`,
    [recipient_id, organization_id, name, deal_ids, token_hash, role, created_by, lifeDays],
  );
}

/** Ends a recipient; one that has ended stays as it is. */
export async function endRecipient(tx: Tx, organizationId: Id<'org'>, recipientId: Id<'rcp'>): Promise<void> {
  await tx.exec(
    'update share_recipients set revoked_at = now() where organization_id = $1 and recipient_id = $2 and revoked_at is null',
    [organizationId, recipientId],
  );
}

/** Those of the ids that name a deal of the organization, to one who sells, or one on the market that it sees, to one who buys. */
export async function listKnownDeals(
  tx: Tx,
  organizationId: Id<'org'>,
  dealIds: readonly Id<'deal'>[],
  { sells, buys }: { sells: boolean; buys: boolean },
): Promise<Id<'deal'>[]> {
  const rows = await tx.rows<{ deal_id: Id<'deal'> }>(
    `select deal_id from deals where organization_id = $1 and deal_id = any($2) and $3
     union select d.deal_id from securitization_deals d
     where d.deal_id = any($2) and (($3 and d.organization_id = $1) or ($4 and ${visibleTo('$1')}))`,
    [organizationId, dealIds, sells, buys],
  );
  return rows.map(({ deal_id }) => deal_id);
}

export type StoredRecipient = Recipient & {
  name: string;
  status: RecipientStatus;
  is_suspended: boolean;
  is_use_old: boolean;
  expires_at: Date;
  revoked_at: Date | null;
};

const IN_FORCE = `r.recipient_id, r.organization_id, o.roles as organization_roles, r.role, r.deal_ids, r.created_by, r.name, ${STATUS} as status,
  o.status <> 'ACTIVE' as is_suspended, r.last_used_at is null or r.last_used_at < now() - interval '1 minute' as is_use_old,
  r.expires_at, r.revoked_at`;

/** The recipient of a token, in whatever state. Needs the platform's scope. */
export function findRecipientByToken(tx: Tx, tokenHash: string): Promise<StoredRecipient | null> {
  return tx.one<StoredRecipient>(
    `select ${IN_FORCE} from share_recipients r join organizations o using (organization_id) where r.token_hash = $1`,
    [tokenHash],
  );
}

/** The recipient that a signed address names, in whatever state. Needs the platform's scope. */
export function findRecipientById(tx: Tx, recipientId: string): Promise<StoredRecipient | null> {
  return tx.one<StoredRecipient>(
    `select ${IN_FORCE} from share_recipients r join organizations o using (organization_id) where r.recipient_id = $1`,
    [recipientId],
  );
}

export async function noteRecipientUse(tx: Tx, recipientId: Id<'rcp'>): Promise<void> {
  await tx.exec('update share_recipients set last_used_at = greatest(last_used_at, now()) where recipient_id = $1', [
    recipientId,
  ]);
}
