import { hash } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import type { KeyRefusal } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
import { type Claims, isToken, type TokenKeys, verifyToken } from '../../platform/tokens.ts';
import { findKey, type StoredKey } from './queries.ts';

/** How long a look-up of the key table is cached: a revoked key stops working within this time. */
const REMEMBERED_MS = 1_500;
const MOST_REMEMBERED = 10_000;

type Remembered = { claims: Claims; found: Caller | KeyRefusal; until: number };

/** Finds the holder of the key in an Authorization header, or why it is refused. */
export function createAuthenticator(options: { db: Database; keys: TokenKeys; environment: string }) {
  const remembered = new Map<string, Remembered>();
  return async (authorization: string | undefined): Promise<Caller | KeyRefusal> => {
    if (authorization === undefined) return 'KEY_MISSING';
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (!token) return 'KEY_MALFORMED';
    const fingerprint = hash('sha256', token, 'base64');
    const known = remembered.get(fingerprint);
    if (known && known.until > Date.now()) return known.found;
    const claims = known?.claims ?? verifyToken(options.keys, token);
    if (!claims) return isToken(token) ? 'KEY_UNKNOWN' : 'KEY_MALFORMED';
    const key = await options.db.tx({ platform: true }, (tx) => findKey(tx, claims));
    const found = judge(key, claims, options.environment);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    // A key that ends sooner is looked up again when it ends.
    const ends = typeof found === 'string' ? Number.POSITIVE_INFINITY : Math.min(found.expires_at.getTime(), claims.exp * 1000);
    remembered.set(fingerprint, { claims, found, until: Math.min(Date.now() + REMEMBERED_MS, ends) });
    return found;
  };
}

/** The holder of a key that is in force here, or the first reason why it is not. */
function judge(key: StoredKey | null, claims: Claims, environment: string): Caller | KeyRefusal {
  if (!key) return 'KEY_UNKNOWN';
  const { is_suspended, is_revoked, is_expired, ...caller } = key;
  if (is_suspended) return 'ORGANIZATION_SUSPENDED';
  if (is_revoked) return 'KEY_REVOKED';
  if (caller.environment !== environment || claims.aud !== environment) return 'KEY_WRONG_ENVIRONMENT';
  if (is_expired || claims.exp * 1000 <= Date.now()) return 'KEY_EXPIRED';
  return caller;
}
