import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { verifyFile } from './integrity.ts';
import { makeFolder } from './make-folder.ts';
import { type ObjectStore, type StoredObject, TooLarge } from './store.ts';

/**
 * Objects as files below `root`. A file is written under a temporary name and then renamed, so that a partial upload is never visible.
 */
export const createLocalStore = (root: string): ObjectStore => new LocalStore(root);

export const objectsFolder = (root: string): string => join(root, 'objects');

class LocalStore implements ObjectStore {
  readonly kind = 'file';
  readonly #objects: string;
  readonly #partial: string;

  constructor(root: string) {
    this.#objects = objectsFolder(root);
    // Beside the objects, which may be a file system of their own: a file is renamed within one only.
    this.#partial = join(this.#objects, '.partial');
  }

  async put(key: string, bytes: Readable, maxBytes: number): Promise<StoredObject> {
    const path = this.#pathOf(key);
    const partial = join(this.#partial, randomUUID());
    // The sender may disconnect before the first byte is read: the pipeline reports it.
    bytes.on('error', () => {});
    await Promise.all([makeFolder(dirname(path)), makeFolder(dirname(partial))]);
    const meter = createMeter(maxBytes);
    try {
      await pipeline(bytes, meter.stream, createWriteStream(partial, { mode: 0o600, flush: true }));
      await rename(partial, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    return meter.result();
  }

  async get(key: string): Promise<{ stream: Readable; size: number } | null> {
    const found = await this.stat(key);
    return found && { stream: createReadStream(this.#pathOf(key)), size: found.size };
  }

  async stat(key: string): Promise<{ size: number } | null> {
    const found = await stat(this.#pathOf(key)).catch(absentAsNull);
    return found?.isFile() ? { size: found.size } : null;
  }

  async localPath(key: string, expected?: StoredObject): Promise<string | null> {
    if (!(await this.stat(key))) return null;
    if (expected) await verifyFile(key, this.#pathOf(key), expected);
    return this.#pathOf(key);
  }

  async *list(prefix: string): AsyncGenerator<{ key: string; size: number }> {
    // The prefix may end within a name: its folder is searched and filtered.
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const entries = await readdir(join(this.#objects, folder), { recursive: true, withFileTypes: true }).catch(absentAsNull);
    for (const entry of entries ?? []) {
      const key = relative(this.#objects, join(entry.parentPath, entry.name));
      const found = entry.isFile() && key.startsWith(prefix) ? await this.stat(key) : null;
      if (found) yield { key, size: found.size };
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async removeUnfinished(_folders: readonly string[], before: Date): Promise<number> {
    let removed = 0;
    for await (const path of filesBefore(this.#partial, before)) {
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  async removeCopies(): Promise<number> {
    return 0;
  }

  async *localKeys(folder: string, before: Date): AsyncGenerator<string> {
    for await (const path of filesBefore(join(this.#objects, folder), before)) {
      yield relative(this.#objects, path).split(sep).join('/');
    }
  }

  async ready(): Promise<void> {
    await makeFolder(this.#objects);
    await access(this.#objects, constants.W_OK);
  }

  #pathOf(key: string): string {
    const path = normalize(join(this.#objects, key));
    if (!path.startsWith(this.#objects + sep)) throw new Error('an object key leaves the store');
    return path;
  }
}

/** A disk that fails or may not be read is no missing object: who asked would be told that it was never sent. */
function absentAsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

/** A renamed file has its new name after a loss of power, too. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/**
 * Files below a folder, at any depth, that were last written before a moment. Files that disappear in the meantime are skipped; what cannot be
 * read is a failure, or it would stay for ever.
 */
export async function* filesBefore(folder: string, before: Date): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(absentAsNull);
  for await (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBefore(path, before);
    const found = entry.isFile() ? await stat(path).catch(absentAsNull) : null;
    if (found && found.mtime < before) yield path;
  }
}

/** Counts and hashes the bytes; throws TooLarge at the first byte over the limit. */
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
