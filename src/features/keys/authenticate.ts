import { hash } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/route.ts';
import { findCaller } from './queries.ts';
import { type Claims, type TokenKeys, verifyToken } from '../../platform/tokens.ts';

/** How long a look-up of the key table is cached: a revoked key stops working within this time. */
const REMEMBERED_MS = 1_500;
const MOST_REMEMBERED = 10_000;

type Remembered = { claims: Claims; caller: Caller | null; until: number };

/**
 * Finds the holder of the key in an Authorization header; null when the key is wrong, expired, revoked, suspended or of another
 * environment.
 */
export function createAuthenticator(options: { db: Database; keys: TokenKeys; environment: string }) {
  const remembered = new Map<string, Remembered>();
  return async (authorization: string | undefined): Promise<Caller | null> => {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) return null;
    const fingerprint = hash('sha256', token, 'base64');
    const known = remembered.get(fingerprint);
    if (known && known.until > Date.now()) return stillValid(known.caller);
    const claims = known?.claims ?? verifyToken(options.keys, token);
    if (!claims || claims.aud !== options.environment || claims.exp * 1000 <= Date.now()) return null;
    const caller = await options.db.tx({ platform: true }, (tx) => findCaller(tx, claims, options.environment));
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(fingerprint, { claims, caller, until: Date.now() + REMEMBERED_MS });
    return stillValid(caller);
  };
}

function stillValid(caller: Caller | null): Caller | null {
  return caller && caller.expires_at.getTime() > Date.now() ? caller : null;
}
