import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { RecentLooks } from '../../platform/recent-looks.ts';
import { findRecipientById, findRecipientByToken, noteRecipientUse, type StoredRecipient } from './queries.ts';
import { hashOf, isToken, type Recipient } from './recipient.ts';

export type RecipientAuthenticator = {
  /** The recipient whose token an Authorization header carries; 401 with the reason otherwise. */
  byToken(authorization: string | undefined): Promise<Recipient>;
  /** The recipient by its id; refused as by its token once it has ended. */
  byId(recipientId: string): Promise<Recipient>;
  /** Whether a recipient is in force now, whatever is cached. */
  isInForce(recipientId: string): Promise<boolean>;
};

/** Finds recipients and refuses those that are not in force. */
export function createRecipientAuthenticator(db: Database, now?: () => number): RecipientAuthenticator {
  const looks = new RecentLooks<StoredRecipient | null>(now);
  const find = async (name: string, look: () => Promise<StoredRecipient | null>): Promise<Recipient> => {
    const known = looks.last(name);
    if (known?.isRecent) return inForce(known.found);
    const remember = looks.begin(name);
    const found = await look();
    remember(found);
    return inForce(found);
  };
  return {
    byToken: async (authorization) => {
      const token = tokenOf(authorization);
      const digest = hashOf(token);
      return find(digest, () =>
        db.tx({ platform: true }, async (tx) => {
          const recipient = await findRecipientByToken(tx, digest);
          if (recipient?.is_use_old && recipient.status === 'ACTIVE') await noteRecipientUse(tx, recipient.recipient_id);
          return recipient;
        }),
      );
    },
    byId: (recipientId) => find(recipientId, () => db.tx({ platform: true }, (tx) => findRecipientById(tx, recipientId))),
    isInForce: async (recipientId) => {
      const found = await db.tx({ platform: true }, (tx) => findRecipientById(tx, recipientId));
      return found?.status === 'ACTIVE' && !found.is_suspended;
    },
  };
}

function tokenOf(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new ApiError(
      'KEY_MISSING',
      'The request has no Authorization header. Send the bearerToken of the profile file as Authorization: Bearer <TOKEN>.',
    );
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  if (isToken(token)) return token;
  throw new ApiError(
    'KEY_MALFORMED',
    'This is not the token of a recipient; an API key is none. Make a recipient with POST /v1/api/share-recipients, and send the bearerToken of its profile.',
  );
}

function inForce(recipient: StoredRecipient | null): Recipient {
  if (!recipient)
    throw new ApiError('KEY_UNKNOWN', 'No recipient has this token: make another one with POST /v1/api/share-recipients.');
  const { recipient_id, name, status, is_suspended, expires_at, revoked_at } = recipient;
  if (is_suspended)
    throw new ApiError(
      'ORGANIZATION_SUSPENDED',
      `The organization of the recipient "${name}" (${recipient_id}) is suspended: ask the operator to resume it.`,
    );
  if (status === 'REVOKED')
    throw new ApiError('KEY_REVOKED', `The recipient "${name}" (${recipient_id}) was revoked on ${revoked_at?.toISOString()}.`);
  if (status === 'EXPIRED' || expires_at.getTime() <= Date.now())
    throw new ApiError(
      'KEY_EXPIRED',
      `The recipient "${name}" (${recipient_id}) expired on ${expires_at.toISOString()}: make another one with POST /v1/api/share-recipients.`,
    );
  return recipient;
}
