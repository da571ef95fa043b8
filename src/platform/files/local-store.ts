import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, mkdir, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { verifyFile } from './integrity.ts';
import { type ObjectStore, TooLarge } from './store.ts';

/** Objects as files below `root`. A file is written beside its place and renamed into it, so that a partial upload is never visible. */
export function createLocalStore(root: string): ObjectStore {
  const pathOf = (key: string): string => {
    const path = normalize(join(root, 'objects', key));
    if (!path.startsWith(join(root, 'objects') + sep)) throw new Error('an object key leaves the store');
    return path;
  };
  const size = async (key: string): Promise<number | null> => {
    const found = await stat(pathOf(key)).catch(() => null);
    return found?.isFile() ? found.size : null;
  };
  return {
    kind: 'file',
    async put(key, bytes, maxBytes) {
      const path = pathOf(key);
      const partial = join(root, 'partial', randomUUID());
      // The sender may disconnect before the first byte is read: the pipeline reports it.
      bytes.on('error', () => {});
      await Promise.all([mkdir(dirname(path), { recursive: true }), mkdir(dirname(partial), { recursive: true })]);
      const meter = createMeter(maxBytes);
      try {
        await pipeline(bytes, meter.stream, createWriteStream(partial, { mode: 0o600, flush: true }));
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
      return meter.result();
    },
    async get(key) {
      const bytes = await size(key);
      return bytes === null ? null : { stream: createReadStream(pathOf(key)), size: bytes };
    },
    async stat(key) {
      const bytes = await size(key);
      return bytes === null ? null : { size: bytes };
    },
    async localPath(key, expected) {
      if ((await size(key)) === null) return null;
      if (expected) await verifyFile(key, pathOf(key), expected);
      return pathOf(key);
    },
    async *list(prefix) {
      // The prefix may end within a name: its folder is searched, and what else is in it is left out.
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const entries = await readdir(join(root, 'objects', folder), { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const key = relative(join(root, 'objects'), join(entry.parentPath, entry.name));
        const bytes = entry.isFile() && key.startsWith(prefix) ? await size(key) : null;
        if (bytes !== null) yield { key, size: bytes };
      }
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    async removeUnfinished(_folders, before) {
      let removed = 0;
      for await (const path of filesBefore(join(root, 'partial'), before)) {
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },
    async *localKeys(folder, before) {
      const objects = join(root, 'objects');
      for await (const path of filesBefore(join(objects, folder), before)) yield relative(objects, path).split(sep).join('/');
    },
    async ready() {
      await mkdir(root, { recursive: true });
      await access(root, constants.W_OK);
    },
  };
}

/** Files below a folder, at any depth, that were last written before a moment. Those that disappear meanwhile are skipped. */
export async function* filesBefore(folder: string, before: Date): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(() => []);
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBefore(path, before);
    const found = entry.isFile() ? await stat(path).catch(() => null) : null;
    if (found && found.mtime < before) yield path;
  }
}

/** Counts and hashes what passes; throws TooLarge at the first byte over the limit. */
export function createMeter(maxBytes: number): { stream: Transform & Readable; result(): { size: number; sha256: string } } {
  const hash = createHash('sha256');
  let seen = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > maxBytes) return done(new TooLarge(`more than ${maxBytes} bytes`));
      hash.update(chunk);
      done(null, chunk);
    },
  });
  let digest: string | undefined;
  return { stream, result: () => ({ size: seen, sha256: (digest ??= hash.digest('hex')) }) };
}
