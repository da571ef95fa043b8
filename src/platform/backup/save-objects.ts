import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failures } from '../failures.ts';
import { createMeter } from '../files/local-store.ts';
import type { ObjectStore } from '../files/store.ts';
import { fileOf, type ObjectProblem, pathIn, type SavedObject } from './manifest.ts';

/** An object that a row names. `below`: the row names the start of the keys of several. */
export type Reference = { key: string; size: number | null; sha256: string | null; below: boolean };

const AT_ONCE = 8;

/** The objects that a backup holds so far. They never change under their key, so each is copied once. */
export type SavedObjects = Map<string, SavedObject>;

/** Copies the missing objects, several at a time; returns the keys that the store does not have. */
export async function saveObjects(
  directory: string,
  store: ObjectStore,
  keys: Iterable<string>,
  saved: SavedObjects,
): Promise<string[]> {
  const missing: string[] = [];
  await severalAtOnce(keys, async (key) => {
    if (saved.has(key)) return;
    const copied = await saveObject(directory, store, key);
    if (copied) saved.set(key, copied);
    else missing.push(key);
  });
  return missing;
}

/** The references by key; a prefix is replaced by the keys that it stands for. */
export async function expand(store: ObjectStore, references: readonly Reference[]): Promise<Map<string, Reference>> {
  const all = new Map<string, Reference>();
  for (const row of references) {
    const reference = { ...row, size: row.size === null ? null : Number(row.size) };
    if (!reference.below) {
      // Several rows may name one object; a size and hash from any of them apply.
      if (!all.get(reference.key)?.sha256) all.set(reference.key, reference);
      continue;
    }
    for await (const { key } of store.list(`${reference.key}/`)) all.set(key, { ...reference, key, below: false });
  }
  return all;
}

/** The problems of the copies: objects that are missing, and objects that differ from their record. */
export function compare(references: ReadonlyMap<string, Reference>, saved: SavedObjects): ObjectProblem[] {
  return [...references.values()].flatMap(({ key, size, sha256 }): ObjectProblem[] => {
    const copy = saved.get(key);
    if (!copy) return [{ key, problem: 'missing' }];
    const same = (size === null || size === copy.size) && (sha256 === null || sha256 === copy.sha256);
    return same ? [] : [{ key, problem: 'differs' }];
  });
}

async function saveObject(directory: string, store: ObjectStore, key: string): Promise<SavedObject | null> {
  const found = await store.get(key);
  if (!found) return null;
  const path = pathIn(directory, fileOf(key));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const meter = createMeter(Number.MAX_SAFE_INTEGER);
  try {
    await pipeline(found.stream, meter.stream, createWriteStream(path, { mode: 0o600, flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    // A local file may disappear between the check and its opening.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const copied = { key, ...meter.result() };
  if (copied.size !== found.size) throw new Error(`the object store gave ${copied.size} of ${found.size} bytes of ${key}`);
  return copied;
}

/** Runs the work over the items, a few at a time. After a failure nothing more begins, and it is thrown once what had begun has ended. */
export async function severalAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = (async function* () {
    yield* items;
  })();
  const failures = new Failures();
  const lane = async (): Promise<void> => {
    try {
      for (let next = await queue.next(); !next.done; next = await queue.next()) await work(next.value);
    } finally {
      await queue.return();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, () => failures.keep(lane())));
  if (failures.errors.length > 0) throw failures.errors[0];
}
