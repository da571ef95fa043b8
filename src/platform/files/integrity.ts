import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ObjectDamaged, type StoredObject } from './store.ts';

const READ_BYTES = 1024 * 1024;

/**
 * Passes bytes on while it compares them. The last chunk waits for the result, so that a reader never gets a damaged object completely.
 */
export function createVerifier(key: string, expected: StoredObject): Transform {
  const hash = createHash('sha256');
  let size = 0;
  let last: Buffer | null = null;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      const before = last;
      last = chunk;
      if (size > expected.size) return done(new ObjectDamaged(key, expected, { size, sha256: '' }));
      done(null, before ?? undefined);
    },
    flush(done) {
      const found = { size, sha256: hash.digest('hex') };
      if (found.size !== expected.size || found.sha256 !== expected.sha256) return done(new ObjectDamaged(key, expected, found));
      done(null, last ?? undefined);
    },
  });
}

/** Reads a local file to its end: ObjectDamaged unless it holds the expected bytes. */
export async function verifyFile(key: string, path: string, expected: StoredObject): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await pipeline(createReadStream(path, { highWaterMark: READ_BYTES }), createVerifier(key, expected), nowhere);
}
