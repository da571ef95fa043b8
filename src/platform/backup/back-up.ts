import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { copyOut } from '../db/copy.ts';
import { type Migration, readMigrations } from '../db/migrate.ts';
import { createMeter } from '../files/local-store.ts';
import type { ObjectStore } from '../files/store.ts';
import { jobQueueVersion } from '../jobs/queue-schema.ts';
import { type Catalog, columnsOf, connectToAll, nameOf, readCatalog, type Table } from './catalog.ts';
import {
  BackupError,
  fileOf,
  FORMAT,
  type Manifest,
  OBJECT_LIST,
  pathIn,
  type SavedFile,
  type SavedTable,
  writeManifest,
} from './manifest.ts';
import { compare, expand, type Reference, type SavedObjects, saveObjects } from './save-objects.ts';

export type BackupOptions = {
  directory: string;
  /** Address of the database, for a login that owns its tables. */
  url: string;
  store: ObjectStore;
  /** Statement that lists the objects that rows name, as rows of `Reference`. */
  references: string;
  about: Pick<Manifest, 'version' | 'keys'>;
  /** The migrations that the database must have: those of this version. */
  migrations?: readonly Migration[];
  log(line: string): void;
};

const SNAPSHOTS = 5;

/**
 * Writes the database as of one moment, and every object that it names, into an empty directory, while the gateway keeps working. One
 * method for every PostgreSQL: a repeatable-read transaction and COPY, over an ordinary connection.
 */
export async function backUp(options: BackupOptions): Promise<Manifest> {
  const { directory } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0) throw new BackupError(`${directory} is not empty: name a directory of its own`);
  try {
    const manifest = await save(options);
    await writeManifest(directory, manifest);
    return manifest;
  } catch (error) {
    // Without its manifest it is not a backup, and would only take up space.
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
    throw error;
  }
}

async function save(options: BackupOptions): Promise<Manifest> {
  const { directory, store, about, log } = options;
  const client = await connectToAll(options.url, 'sluice-backup');
  const observer = await connectToAll(options.url, 'sluice-backup');
  try {
    const migrations = await appliedMigrations(client, options.migrations ?? readMigrations());
    const saved: SavedObjects = new Map();
    // Most bytes are copied before the snapshot, so that its transaction stays short.
    const before = await readReferences(options, client);
    log(`copying ${before.size} objects`);
    await saveObjects(directory, store, before.keys(), saved);
    const { catalog, references, snapshotAt } = await takeSnapshot(options, client, observer, saved);
    log(`copying ${catalog.tables.length} tables as they were at ${snapshotAt}`);
    const tables: SavedTable[] = [];
    await mkdir(join(directory, 'tables'), { mode: 0o700 });
    for (const table of catalog.tables) tables.push(await saveTable(directory, client, table));
    const postgres = await one<{ version: string }>(client, `select current_setting('server_version') as version`);
    const jobQueue = await jobQueueVersion(client);
    await client.query('commit');
    return {
      format: FORMAT,
      ...about,
      postgres: postgres.version,
      snapshot_at: snapshotAt,
      migrations,
      job_queue_version: jobQueue,
      tables,
      partitions: catalog.partitions,
      sequences: catalog.sequences,
      objects: await listObjects(directory, references, saved),
      problems: compare(references, saved),
    };
  } finally {
    await Promise.all([client.end(), observer.end()].map((ending) => ending.catch(() => {})));
  }
}

type Snapshot = { catalog: Catalog; references: Map<string, Reference>; snapshotAt: string };

/**
 * Opens the transaction that sees one moment, with a copy of every object that it names. If an object was deleted in between, with the
 * row that named it, that moment cannot be copied any more and a later one is taken.
 */
async function takeSnapshot(
  options: BackupOptions,
  client: pg.Client,
  observer: pg.Client,
  saved: SavedObjects,
): Promise<Snapshot> {
  for (let attempt = 1; attempt <= SNAPSHOTS; attempt += 1) {
    const expected = await readCatalog(client);
    await client.query('begin isolation level repeatable read read only');
    // Tables are locked before they are read, so that none of them changes its columns during the copy.
    await client.query(`lock table ${expected.tables.map(nameOf).join(', ')} in access share mode`);
    const catalog = await readCatalog(client);
    const moment = await one<{ at: string }>(
      client,
      `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
    );
    const references = await readReferences(options, client);
    const missing = await saveObjects(options.directory, options.store, references.keys(), saved);
    const named = missing.length > 0 ? await readReferences(options, observer) : references;
    const sameShape = JSON.stringify(catalog.tables) === JSON.stringify(expected.tables);
    if (sameShape && missing.every((key) => named.has(key))) return { catalog, references, snapshotAt: moment.at };
    options.log('objects or tables of the snapshot changed in the meantime: taking another snapshot');
    await client.query('rollback');
  }
  throw new BackupError(
    `objects were deleted faster than they could be copied, ${SNAPSHOTS} times: try again when fewer uploads are replaced`,
  );
}

async function readReferences({ references, store }: BackupOptions, client: pg.Client): Promise<Map<string, Reference>> {
  return await expand(store, (await client.query<Reference>(references)).rows);
}

/** The migrations of this version. The database must have exactly these, since only for them is it known which columns name objects. */
async function appliedMigrations(client: pg.Client, expected: readonly Migration[]): Promise<Manifest['migrations']> {
  const known = new Map(expected.map(({ name, sha256 }) => [name, sha256]));
  const there = await client.query(`select 1 where to_regclass('public.schema_migrations') is not null`);
  if (there.rowCount === 0) throw new BackupError('the database has no gateway in it: there is nothing to back up');
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by applied_at, name',
  );
  if (rows.length === known.size && rows.every(({ name, sha256 }) => known.get(name) === sha256)) return rows;
  throw new BackupError(
    `the database has ${rows.length} migrations, this version of Sluice has ${known.size} or others: make the backup with the version that serves it`,
  );
}

async function saveTable(directory: string, client: pg.Client, table: Table): Promise<SavedTable> {
  const file = `tables/${table.schema}.${table.name}.copy`;
  const meter = createMeter(Number.MAX_SAFE_INTEGER);
  const written = pipeline(meter.stream, createWriteStream(pathIn(directory, file), { flags: 'wx', mode: 0o600, flush: true }));
  const copied = copyOut(client, `copy (select ${columnsOf(table)} from ${nameOf(table)}) to stdout`, meter.stream).then(
    (rows) => {
      meter.stream.end();
      return rows;
    },
    (error: Error) => {
      meter.stream.destroy(error);
      throw error;
    },
  );
  const [rows] = await Promise.all([copied, written]);
  return { ...table, file, rows, ...meter.result() };
}

/** Writes the list of the objects, and removes copies that the snapshot no longer names. */
async function listObjects(
  directory: string,
  references: ReadonlyMap<string, Reference>,
  saved: SavedObjects,
): Promise<Manifest['objects']> {
  const kept = [...saved.values()].filter(({ key }) => references.has(key)).sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const key of saved.keys()) if (!references.has(key)) await rm(pathIn(directory, fileOf(key)), { force: true });
  const meter = createMeter(Number.MAX_SAFE_INTEGER);
  await pipeline(
    Readable.from(kept.values().map((object) => `${JSON.stringify(object)}\n`)),
    meter.stream,
    createWriteStream(pathIn(directory, OBJECT_LIST), { flags: 'wx', mode: 0o600, flush: true }),
  );
  const list: SavedFile = { file: OBJECT_LIST, ...meter.result() };
  return { ...list, count: kept.length, bytes: kept.reduce((sum, { size }) => sum + size, 0) };
}

async function one<Row extends pg.QueryResultRow>(client: pg.Client, sql: string): Promise<Row> {
  return (await client.query<Row>(sql)).rows[0] as Row;
}
