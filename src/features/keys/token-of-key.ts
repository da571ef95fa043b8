import { ISSUER, signToken, type TokenKeys } from '../../platform/tokens.ts';
import type { KeyRow } from './queries.ts';

/** The API key of a stored key: the same whenever it is signed, and kept nowhere. */
export function tokenOfKey(
  tokens: TokenKeys,
  key: Pick<KeyRow, 'key_id' | 'organization_id' | 'environment' | 'role' | 'issued_at' | 'expires_at'>,
): string {
  return signToken(tokens, {
    iss: ISSUER,
    aud: key.environment,
    sub: key.organization_id,
    jti: key.key_id,
    role: key.role,
    iat: Math.floor(key.issued_at.getTime() / 1000),
    exp: Math.floor(key.expires_at.getTime() / 1000),
  });
}
