import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createVerifier } from './integrity.ts';
import { ObjectDamaged } from './store.ts';

const BYTES = Buffer.from('0123456789');
const expected = { size: BYTES.length, sha256: createHash('sha256').update(BYTES).digest('hex') };

/** Sends bytes in pieces of three through a verifier: what came out, and how it ended. */
async function pass(bytes: Buffer): Promise<{ text: string; error: unknown }> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, index) => bytes.subarray(index * 3, index * 3 + 3));
  let text = '';
  try {
    for await (const piece of Readable.from(pieces).pipe(createVerifier('key', expected))) text += String(piece);
    return { text, error: null };
  } catch (error) {
    return { text, error };
  }
}

test('bytes that are the expected ones pass whole', async () => {
  assert.deepEqual(await pass(BYTES), { text: BYTES.toString(), error: null });
});

test('too few, too many or other bytes end in an error before the last of them is passed on', async () => {
  for (const [wrong, problem] of [
    [BYTES.subarray(0, 9), /9 bytes instead of 10/],
    [Buffer.concat([BYTES, BYTES]), /12 bytes instead of 10/],
    [Buffer.from('0123456780'), /sha-256 [0-9a-f]{64} instead of/],
    [Buffer.alloc(0), /0 bytes instead of 10/],
  ] as const) {
    const { text, error } = await pass(wrong);
    assert.ok(error instanceof ObjectDamaged, String(error));
    assert.match(error.message, problem);
    assert.ok(text.length < Math.max(1, Math.min(wrong.length, BYTES.length)), text);
  }
});
