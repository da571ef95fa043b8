import { hash, randomBytes } from 'node:crypto';
import type { Role } from '../../platform/http/caller.ts';
import type { ActorId, Id } from '../../platform/ids.ts';

/** Says of a text, wherever it is found, that it is a recipient's token. */
const TOKEN_PREFIX = 'sluice_share_';

/** A token, and the hash under which the database knows it. */
export function newToken(): { token: string; token_hash: string } {
  const token = `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`;
  return { token, token_hash: hashOf(token) };
}

export const hashOf = (token: string): string => hash('sha256', token, 'hex');

export const isToken = (text: string): boolean => text.startsWith(TOKEN_PREFIX);

export const RECIPIENT_STATUSES = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

/** A program that reads the loan tables of an organization, as its token shows it. */
export type Recipient = {
  recipient_id: Id<'rcp'>;
  organization_id: Id<'org'>;
  organization_roles: Role[];
  /** The role of what made it. */
  role: Role;
  /** Deals whose tables it reads; null: of all that its maker may read. */
  deal_ids: Id<'deal'>[] | null;
  /** The key or member that made it. */
  created_by: ActorId;
};

/** Lives of tokens, in days. */
export const DEFAULT_LIFE_DAYS = 90;
export const LONGEST_LIFE_DAYS = 365;

/** Recipients of an organization that are in force at once. */
export const MOST_RECIPIENTS = 100;

/** What a client of Delta Sharing reads as its profile file. */
export function profileOf(publicUrl: string, token: string, expires_at: Date) {
  return {
    shareCredentialsVersion: 1,
    endpoint: `${publicUrl}${SHARING_PATH}`,
    bearerToken: token,
    expirationTime: expires_at.toISOString(),
  };
}

export const SHARING_PATH = '/delta-sharing';

/** How long the signed address of a file works: a client that reads it in many requests needs some time. */
export const ADDRESS_MINUTES = 60;
