import { createHash } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';

const BLOCK_BYTES = 64;

/** SQL of keyed digests of a text, and the relation that a query needs for them. */
export type KeyedSql = { hmac: (text: string) => string; cutDigest: (text: string) => string; from: string };

/**
 * Runs `work` with SQL for HMAC-SHA-256 (RFC 2104) under a key: `hmac(text)` is a digest as 64 hexadecimal digits, within a query that
 * selects from `from` too; `cutDigest(text)` is a digest at half the cost, of which a part alone may be shown: a whole one could be extended. The key stands in a table while the work lasts, since the text of a statement can end up in a message.
 */
export async function withHmac<Result>(engine: Engine, key: Buffer, work: (sql: KeyedSql) => Promise<Result>): Promise<Result> {
  return await engine.withTable("SELECT ''::BLOB AS inner_pad, ''::BLOB AS outer_pad LIMIT 0", async (pads) => {
    await engine.run(`INSERT INTO ${pads} VALUES (unhex($1), unhex($2))`, [pad(key, 0x36), pad(key, 0x5c)]);
    return await work({
      from: pads,
      cutDigest: (text) => `sha256(inner_pad || encode(${text}))`,
      hmac: (text) => `sha256(outer_pad || unhex(sha256(inner_pad || encode(${text}))))`,
    });
  });
}

/** The key, filled up to a block of the hash function and combined with one byte, in hexadecimal. */
function pad(key: Buffer, byte: number): string {
  const block = Buffer.alloc(BLOCK_BYTES);
  (key.length > BLOCK_BYTES ? createHash('sha256').update(key).digest() : key).copy(block);
  return Buffer.from(block.map((each) => each ^ byte)).toString('hex');
}
