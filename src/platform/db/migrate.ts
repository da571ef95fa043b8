import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { connectAlone, OF_MIGRATIONS } from './connection.ts';

const DIRECTORY = fileURLToPath(new URL('../../../db/migrations/', import.meta.url));
const LOCK = 7_305_823_011;
/** How long a migration waits for a table, and requests behind it, before it lets them pass. */
const LOCK_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
/** A lock that was not free in time, and a deadlock, as requests that come in another order make. */
const LOCKED = ['55P03', '40P01'];
/** The oldest release that the migrations and statements are written for. */
const OLDEST_POSTGRES = 15;

/**
 * Hashes of a migration that databases ran before it was corrected in place; a later migration makes them equal to all others. Since then
 * no released file is edited (db/migrations.sha256).
 */
const FORMER_TEXTS: Record<string, readonly string[]> = {
  // Until the correction for PostgreSQL 15; 0077_retention_and_reset.sql replaces the function that differed.
  '0010_webhooks.sql': ['d766727b6af94f4236c5779fe85936f8787c7b83cbf56466db0b6d8171f11344'],
};

export type Migration = { name: string; sql: string; sha256: string };

/** The project's migrations in their order. */
export function readMigrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(DIRECTORY, name), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    });
}

/**
 * Applies the missing migrations, one transaction per file; several processes may start at once (they queue on an advisory lock). A
 * restore names the migrations that its backup knew.
 */
export async function migrate(
  url: string,
  log: (line: string) => void = () => {},
  migrations: readonly Migration[] = readMigrations(),
): Promise<string[]> {
  const applied: string[] = [];
  await oneAtATime(url, async (client) => {
    await serverVersion(async (sql) => (await client.query(sql)).rows);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations');
    const done = new Map(rows.map((row) => [row.name, row.sha256]));
    refuseNewer([...done.keys()], migrations);
    for (const migration of migrations) {
      const before = done.get(migration.name);
      if (before === migration.sha256 || (before && FORMER_TEXTS[migration.name]?.includes(before))) continue;
      if (before) throw changedMigration(migration, before);
      await applyWhenFree(client, migration, log);
      applied.push(migration.name);
      log(`applied ${migration.name}`);
    }
  });
  return applied;
}

/** A version that does not know the schema would write what the newer one does not expect. */
function refuseNewer(applied: readonly string[], known: readonly { name: string }[]): void {
  const names = new Set(known.map(({ name }) => name));
  const newer = applied.filter((name) => !names.has(name)).sort();
  if (newer.length === 0) return;
  throw new Error(
    `a newer version of Sluice has migrated the database: it has ${newer.join(', ')}, which this one does not know. Nothing was changed. Start that version or a later one; to go back, restore a backup that this version has made`,
  );
}

/** Name and release of the server; throws where it is older than what the gateway needs. */
export async function serverVersion(rows: (sql: string) => Promise<{ version: string; major: number }[]>): Promise<string> {
  const [row] = await rows(
    `select split_part(version(), ' on ', 1) as version, current_setting('server_version_num')::int / 10000 as major`,
  );
  if (!row || row.major < OLDEST_POSTGRES)
    throw new Error(`the database is ${row?.version}, and the gateway needs PostgreSQL ${OLDEST_POSTGRES} or newer`);
  return row.version;
}

function changedMigration({ name, sha256 }: Migration, applied: string): Error {
  return new Error(
    `migration ${name} was changed after it had been applied (the database has the text with sha-256 ${applied.slice(0, 12)}…, this installation ${sha256.slice(0, 12)}…). Nothing was migrated. Install this version again to restore the released file; put a change of your own into a new file. If an unreleased version made this database, start with an empty one.`,
  );
}

/** Runs changes of the schema while no other process runs any. */
export async function oneAtATime(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connectAlone({ url, name: 'sluice-migrate', patience: OF_MIGRATIONS });
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await work(client);
  } finally {
    await client.end();
  }
}

/** A wait for a table makes everybody wait behind it: short ones, again and again, while requests pass in between. */
async function applyWhenFree(client: pg.Client, migration: Migration, log: (line: string) => void): Promise<void> {
  const end = Date.now() + OF_MIGRATIONS.statementMs;
  for (let told = false; ; told = true) {
    try {
      return await apply(client, migration);
    } catch (error) {
      if (!(error instanceof LockedTable) || Date.now() > end) throw error;
      if (!told) log(`${migration.name} waits: another transaction uses a table that it changes (see pg_stat_activity)`);
      await setTimeout(LOCK_PAUSE_MS);
    }
  }
}

class LockedTable extends Error {}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_MS}`);
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [migration.name, migration.sha256]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    const because = LOCKED.includes((error as pg.DatabaseError).code ?? '') ? LockedTable : Error;
    throw new because(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

type Rows = (sql: string) => Promise<{ name: string }[]>;

/** The migrations of this version that the database does not have; all of them when it has never seen one. */
export async function missingMigrations(rows: Rows): Promise<string[]> {
  const applied = new Set(await appliedMigrations(rows));
  return readMigrations().flatMap(({ name }) => (applied.has(name) ? [] : [name]));
}

/** Throws where a newer version has migrated the database. */
export async function refuseNewerDatabase(rows: Rows): Promise<void> {
  refuseNewer(await appliedMigrations(rows), readMigrations());
}

async function appliedMigrations(rows: Rows): Promise<string[]> {
  const known = await rows(`select 'schema_migrations' as name where to_regclass('schema_migrations') is not null`);
  return (known.length > 0 ? await rows('select name from schema_migrations') : []).map((row) => row.name);
}
