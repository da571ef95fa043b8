import { createHash } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';

const BLOCK_BYTES = 64;
/** 96 bits as hex: two of ten million obligors get one token with a chance of one in 10^15. */
const TOKEN_DIGITS = 24;
/** Pattern of a token. */
export const TOKEN = `obl_[0-9a-f]{${TOKEN_DIGITS}}`;

/** Gives the engine the key of an organization's tokens, in the two forms that HMAC-SHA-256 uses; no statement holds it as text. */
export async function setTokenKey(engine: Engine, key: string): Promise<void> {
  const bytes = Buffer.from(key, 'hex');
  const block = Buffer.alloc(BLOCK_BYTES);
  (bytes.length > BLOCK_BYTES ? createHash('sha256').update(bytes).digest() : bytes).copy(block);
  const padded = (pad: number) => Buffer.from(block.map((byte) => byte ^ pad)).toString('hex');
  await engine.run('SET VARIABLE token_inner = from_hex($1)', [padded(0x36)]);
  await engine.run('SET VARIABLE token_outer = from_hex($1)', [padded(0x5c)]);
}

/**
 * SQL of the token of a text that is not null: `obl_` and 96 bits of its HMAC-SHA-256 under the organization's key, which groups equal
 * texts and tells nothing else. A token stays what it is. NULL without a key.
 */
export function tokenSql(text: string): string {
  const inner = `from_hex(sha256(getvariable('token_inner') || encode(${text})))`;
  return `CASE WHEN ${isTokenSql(text)} THEN ${text} ELSE 'obl_' || left(sha256(getvariable('token_outer') || ${inner}), ${TOKEN_DIGITS}) END`;
}

export function isTokenSql(text: string): string {
  return `(starts_with(${text}, 'obl_') AND regexp_full_match(${text}, '${TOKEN}'))`;
}
