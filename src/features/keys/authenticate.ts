import { hash } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import type { ApiVersion } from '../../platform/http/api-version.ts';
import type { KeyRefusal } from '../../platform/http/errors.ts';
import type { Caller, RefusedKey } from '../../platform/http/caller.ts';
import { RecentLooks } from '../../platform/recent-looks.ts';
import { type Claims, isToken, type TokenKeys, verifyToken } from '../../platform/tokens.ts';
import { findKey, noteUse, type StoredKey } from './queries.ts';
import { describeMalformed, describeUnknown } from './refused-header.ts';

/** `ends` is of the clock of the key. */
type Look = { claims: Claims; holder: Caller | RefusedKey; ends: number };

/** Finds the holder of the key in an Authorization header, or why it is refused. */
export function createAuthenticator(options: { db: Database; keys: TokenKeys; environment: string }, now?: () => number) {
  const looks = new RecentLooks<Look>(now);
  return async (authorization: string | undefined, version: ApiVersion | null): Promise<Caller | RefusedKey> => {
    if (authorization === undefined) return { refused: 'KEY_MISSING' };
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (!token) return malformed(authorization);
    const fingerprint = hash('sha256', token, 'base64');
    const known = looks.last(fingerprint);
    if (known?.isRecent && known.found.ends > Date.now()) return known.found.holder;
    const claims = known?.found.claims ?? verifyToken(options.keys, token);
    if (!claims) return isToken(token) ? refusedFor('KEY_UNKNOWN', describeUnknown(token)) : malformed(authorization);
    const remember = looks.begin(fingerprint);
    const holder = await options.db.tx({ platform: true }, async (tx) => {
      const key = await findKey(tx, claims);
      const judged = judge(key, claims, options.environment);
      // A key that was never used has no last use either, so its first call is noted here.
      if ('refused' in judged || !key?.is_use_old || version === null) return judged;
      return { ...judged, api_version: await noteUse(tx, key.actor_id, version) };
    });
    if (version === null) return holder;
    // A key that ends sooner is looked up again when it ends.
    const ends = 'refused' in holder ? Number.POSITIVE_INFINITY : Math.min(holder.expires_at.getTime(), claims.exp * 1000);
    remember({ claims, holder, ends });
    return holder;
  };
}

const refusedFor = (refused: KeyRefusal, message: string): RefusedKey => ({ refused, message });
const malformed = (authorization: string): RefusedKey => refusedFor('KEY_MALFORMED', describeMalformed(authorization));

/** The holder of a key that is in force here, or the first reason why it is not. */
function judge(key: StoredKey | null, claims: Claims, environment: string): Caller | RefusedKey {
  if (!key)
    return refusedFor(
      'KEY_UNKNOWN',
      'This platform has signed the API key but has no record of it: its database was reset since, or the key is of another one. Ask the operator for a new key.',
    );
  const { is_suspended, is_revoked, is_expired, is_use_old: _, revoked_at, ...caller } = key;
  const { actor_id, api_version } = caller;
  const refuse = (refused: KeyRefusal, message: string): RefusedKey => ({ ...refusedFor(refused, message), api_version });
  if (is_suspended)
    return refuse(
      'ORGANIZATION_SUSPENDED',
      `The organization of the API key ${actor_id} is suspended, and none of its keys works: ask the operator to resume it.`,
    );
  if (is_revoked)
    return refuse(
      'KEY_REVOKED',
      `The API key ${actor_id} was revoked on ${revoked_at?.toISOString()}: ask the operator for a new one.`,
    );
  const other = [caller.environment, claims.aud].find((each) => each !== environment);
  if (other !== undefined)
    return refuse(
      'KEY_WRONG_ENVIRONMENT',
      `The API key ${actor_id} is of the environment ${other}, and this address is that of ${environment}: use the address of ${other}, or a key of ${environment}.`,
    );
  const expires = new Date(Math.min(caller.expires_at.getTime(), claims.exp * 1000));
  if (is_expired || expires.getTime() <= Date.now())
    return refuse('KEY_EXPIRED', `The API key ${actor_id} expired on ${expires.toISOString()}: ask the operator for a new one.`);
  return caller;
}
