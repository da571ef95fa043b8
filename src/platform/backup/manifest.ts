import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import type { Partition, Sequence, Table } from './catalog.ts';

export const FORMAT = 1;
const MANIFEST = 'manifest.json';
/** One line of JSON for each object: a `SavedObject`. */
export const OBJECT_LIST = 'objects.jsonl';
const OBJECTS = 'objects';

/** A file of the backup, by its path below the backup's directory. */
export type SavedFile = { file: string; size: number; sha256: string };
export type SavedTable = Table & SavedFile & { rows: number };
export type SavedObject = { key: string; size: number; sha256: string };
/** An object that the database names but that the store lacks or holds with other bytes. */
export type ObjectProblem = { key: string; problem: 'missing' | 'differs' };

export type Manifest = {
  format: number;
  /** Version of Sluice that made the backup. */
  version: string;
  postgres: string;
  /** The moment of the database's snapshot. */
  snapshot_at: string;
  migrations: { name: string; sha256: string }[];
  job_queue_version: number | null;
  /** Fingerprints of the keys that sealed the secrets in it and signed the API keys; never the keys themselves. */
  keys: { signing: string | null; encryption: string | null };
  tables: SavedTable[];
  partitions: Partition[];
  sequences: Sequence[];
  objects: SavedFile & { count: number; bytes: number };
  problems: ObjectProblem[];
};

/** A defect of a backup, in words for the person who restores it. */
export class BackupError extends Error {}

/** Writes the manifest last, completely or not at all: a directory without one is not a backup. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const path = join(directory, MANIFEST);
  const file = await open(`${path}.new`, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const parent = await open(directory);
  await parent.sync().finally(() => parent.close());
}

/** Reads the manifest of a backup and compares every file with it, objects included: damage is refused before anything is written. */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new BackupError(`${directory} holds no ${MANIFEST}: it is not a backup, or the backup did not finish`);
  });
  const manifest = parse(text);
  if (manifest?.format !== FORMAT) {
    throw new BackupError(
      `${MANIFEST} is of format ${manifest?.format ?? 'unknown'}, expected ${FORMAT}: restore it with the version of Sluice that made it`,
    );
  }
  for (const saved of [...manifest.tables, manifest.objects]) await verifyFile(directory, saved);
  for await (const { key, ...saved } of savedObjects(directory)) await verifyFile(directory, { file: fileOf(key), ...saved });
  return manifest;
}

/** The objects of a backup, one after the other. */
export async function* savedObjects(directory: string): AsyncGenerator<SavedObject> {
  const lines = createInterface({ input: createReadStream(join(directory, OBJECT_LIST)), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) yield JSON.parse(line) as SavedObject;
}

/** The file of an object, below the backup's directory. */
export const fileOf = (key: string): string => join(OBJECTS, key);

function parse(text: string): Manifest | null {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return null;
  }
}

/** Path of a file of the backup; a name that leads out of it is refused. */
export function pathIn(directory: string, file: string): string {
  const inside = normalize(file);
  if (isAbsolute(inside) || inside.startsWith('..')) throw new BackupError(`${file} is outside the backup`);
  return join(directory, inside);
}

async function verifyFile(directory: string, { file, size, sha256 }: SavedFile): Promise<void> {
  const hash = createHash('sha256');
  let seen = 0;
  try {
    for await (const chunk of createReadStream(pathIn(directory, file)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      seen += chunk.length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BackupError(`the backup is damaged: ${file} is missing`);
  }
  if (seen !== size) throw new BackupError(`the backup is damaged: ${file} has ${seen} bytes, expected ${size}`);
  if (hash.digest('hex') !== sha256) throw new BackupError(`the backup is damaged: ${file} has other bytes than were written`);
}
