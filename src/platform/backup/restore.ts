import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type pg from 'pg';
import { copyIn } from '../db/copy.ts';
import { migrate, readMigrations } from '../db/migrate.ts';
import type { ObjectStore } from '../files/store.ts';
import { jobQueueVersion, migrateJobs, requeueRunning } from '../jobs/queue-schema.ts';
import { columnsOf, connectToAll, nameOf, type Partition, readCatalog } from './catalog.ts';
import { BackupError, fileOf, type Manifest, pathIn, type SavedObject, savedObjects } from './manifest.ts';
import { severalAtOnce } from './save-objects.ts';
import { isUnfinished, markFinished, markUnfinished } from './unfinished.ts';

export type RestoreOptions = {
  directory: string;
  manifest: Manifest;
  /** Address of the database, for the login that will own its tables. */
  url: string;
  store: ObjectStore;
  /** The queues of this version. */
  jobNames: readonly string[];
  /** What is left to do once the database is of this version. It may be done twice. */
  finish?(): Promise<void>;
  log(line: string): void;
};

const SIGNED_IN = ['sessions', 'sign_ins'].map((name) => nameOf({ schema: 'public', name }));

/**
 * Restores a backup into an empty database: the schema as of the backup, the objects, then all rows in one transaction, then the newer
 * migrations of this version and what else is left. If it is interrupted, it can be run again: without rows it begins anew, and with them it
 * goes on behind them.
 */
export async function restore(options: RestoreOptions): Promise<void> {
  const { manifest, url, finish, log } = options;
  const migrations = knownMigrations(manifest);
  if (await withClient(url, (client) => isUnfinished(client, manifest)))
    log('the rows of this backup are in the database already: only what is left of its restore is done');
  else await fill(options, migrations);
  await migrate(url, log);
  await finish?.();
  await withClient(url, markFinished);
}

async function fill(options: RestoreOptions, migrations: ReturnType<typeof readMigrations>): Promise<void> {
  const { manifest, url, store, directory, log } = options;
  await withClient(url, (client) => refuseUnlessEmpty(client, manifest));
  await migrate(url, log, migrations);
  await migrateJobs(url, options.jobNames);
  log(`copying ${manifest.objects.count} objects`);
  await severalAtOnce(savedObjects(directory), (object) => restoreObject(directory, store, object));
  await withClient(url, async (client) => {
    await client.query('begin');
    // Whoever else fills the database has its first organization committed, or waits.
    await client.query('lock table public.organizations in access exclusive mode');
    await refuseUnlessEmpty(client, manifest);
    await refuseOtherJobQueue(client, manifest);
    await loadTables(options, client);
    await markUnfinished(client, manifest);
    await client.query('commit');
    await client.query('analyze');
  });
}

/** The migrations of the backup, in the order in which its database had them. */
function knownMigrations(manifest: Manifest): ReturnType<typeof readMigrations> {
  const known = new Map(readMigrations().map((migration) => [migration.name, migration]));
  return manifest.migrations.map(({ name, sha256 }) => {
    const migration = known.get(name);
    if (migration?.sha256 === sha256) return migration;
    throw new BackupError(
      `the backup was made by Sluice ${manifest.version}, whose migration ${name} this version does not have: restore it with that version or a newer one`,
    );
  });
}

/** Refuses a database that is in use (it has an organization) or whose schema is newer than the backup's. */
async function refuseUnlessEmpty(client: pg.Client, manifest: Manifest): Promise<void> {
  if (await exists(client, 'public.organizations')) {
    const { rows } = await client.query<{ name: string }>('select name from organizations order by created_at limit 1');
    if (rows[0]) {
      throw new BackupError(
        `the database is not empty, it holds the organization ${rows[0].name}: name an empty one in DATABASE_URL, or an empty SLUICE_DATA_DIR`,
      );
    }
  }
  if (!(await exists(client, 'public.schema_migrations'))) return;
  const { rows } = await client.query<{ name: string }>(
    'select name from schema_migrations where name <> all($1) order by name limit 1',
    [manifest.migrations.map(({ name }) => name)],
  );
  if (rows[0]) {
    throw new BackupError(
      `the database already has the migration ${rows[0].name}, which is newer than the backup: name an empty database, or an empty SLUICE_DATA_DIR`,
    );
  }
}

async function refuseOtherJobQueue(client: pg.Client, manifest: Manifest): Promise<void> {
  const version = await jobQueueVersion(client);
  if (version === manifest.job_queue_version) return;
  throw new BackupError(
    `the backup's job queue is of version ${manifest.job_queue_version}, here it is ${version}: restore it with Sluice ${manifest.version}, then upgrade`,
  );
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  return (await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table])).rows[0]?.there ?? false;
}

async function restoreObject(directory: string, store: ObjectStore, { key, size, sha256 }: SavedObject): Promise<void> {
  // A store that survived its database already has them.
  if ((await store.stat(key))?.size === size && (await hashOf(store, key)) === sha256) return;
  const stored = await store.put(key, createReadStream(pathIn(directory, fileOf(key))), size);
  if (stored.sha256 !== sha256) throw new BackupError(`the backup changed while it was read: ${fileOf(key)}`);
}

async function hashOf(store: ObjectStore, key: string): Promise<string | null> {
  const found = await store.get(key);
  if (!found) return null;
  const hash = createHash('sha256');
  for await (const chunk of found.stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Fills every table, with no more rights than those of their owner: triggers that acted when the rows were first written are disabled,
 * and foreign keys are dropped and added again, which checks them all at once and needs no order among the tables.
 */
async function loadTables({ directory, manifest, log }: RestoreOptions, client: pg.Client): Promise<void> {
  const here = new Map((await readCatalog(client)).tables.map((table) => [nameOf(table), new Set(table.columns)]));
  for (const table of manifest.tables) {
    const columns = here.get(nameOf(table));
    if (columns && table.columns.every((column) => columns.has(column))) continue;
    throw new BackupError(`the backup has ${nameOf(table)} (${columnsOf(table)}), which this version's schema does not have`);
  }
  const names = manifest.tables.map(nameOf);
  const guards = await readGuards(client, names);
  for (const { off } of guards) await client.query(off);
  for (const partition of manifest.partitions) await makePartition(client, partition);
  await client.query(`truncate ${names.join(', ')}`);
  for (const table of manifest.tables) {
    const source = createReadStream(pathIn(directory, table.file)) as AsyncIterable<Buffer>;
    const rows = await copyIn(client, `copy ${nameOf(table)} (${columnsOf(table)}) from stdin`, source);
    if (rows !== table.rows) throw new BackupError(`${nameOf(table)} took ${rows} rows, expected ${table.rows}`);
  }
  log(`${manifest.tables.reduce((sum, { rows }) => sum + rows, 0)} rows in ${names.length} tables`);
  for (const sequence of manifest.sequences) {
    await client.query('select setval($1::regclass, $2::bigint, true)', [nameOf(sequence), sequence.value]);
  }
  // Who signed out since would be signed in again.
  for (const name of names.filter((each) => SIGNED_IN.includes(each))) await client.query(`delete from ${name}`);
  await requeueRunning(client);
  for (const { on } of guards.reverse()) await client.query(on);
}

type Guard = { off: string; on: string };

/**
 * Forced row-level security, constraints and triggers that would prevent a plain copy, with the statements that remove and restore them.
 */
async function readGuards(client: pg.Client, names: string[]): Promise<Guard[]> {
  const { rows } = await client.query<Guard>(
    `with loaded as (select c.oid, c.oid::regclass as name from pg_class c where c.oid = any($1::regclass[]))
     select format('alter table %s no force row level security', name) as off,
       format('alter table %s force row level security', name) as on
     from loaded join pg_class c on c.oid = loaded.oid where c.relforcerowsecurity
     union all
     select format('alter table %s disable trigger %I', name, tgname),
       format('alter table %s enable %s trigger %I', name, case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, tgname)
     from loaded join pg_trigger on tgrelid = loaded.oid where not tgisinternal and tgenabled <> 'D'
     union all
     select format('alter table %s drop constraint %I', name, conname),
       format('alter table %s add constraint %I %s', name, conname, pg_get_constraintdef(con.oid))
     from loaded join pg_constraint con on conrelid = loaded.oid where contype = 'f' and conparentid = 0`,
    [names],
  );
  return rows;
}

const BOUND = /^(?:DEFAULT|FOR VALUES (?:FROM \([^()]*\) TO \([^()]*\)|IN \([^()]*\)))$/;

/** Creates a partition that this database does not have yet: old rows go by their own retention. */
async function makePartition(client: pg.Client, partition: Partition): Promise<void> {
  const { schema, parent, bound, options, guarded } = partition;
  const name = nameOf(partition);
  if (await exists(client, name)) return;
  if (!BOUND.test(bound)) throw new BackupError(`the bounds of ${name} cannot be read: ${bound}`);
  const settings = options.length > 0 ? `with (${options.join(', ')})` : '';
  await client.query(`create table ${name} partition of ${nameOf({ schema, name: parent })} ${bound} ${settings}`);
  if (guarded) await client.query(`call sluice_protect('${name}')`);
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connectToAll(url, 'sluice-restore');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
