import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const DIRECTORY = fileURLToPath(new URL('../../../db/migrations/', import.meta.url));
const LOCK = 7_305_823_011;

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
 * Applies what is missing, one transaction per file; several processes may start at once (they queue on an advisory lock). A restore
 * names the migrations that its backup knew.
 */
export async function migrate(
  url: string,
  log: (line: string) => void = () => {},
  migrations: readonly Migration[] = readMigrations(),
): Promise<string[]> {
  const applied: string[] = [];
  await oneAtATime(url, async (client) => {
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations');
    const done = new Map(rows.map((row) => [row.name, row.sha256]));
    for (const migration of migrations) {
      const before = done.get(migration.name);
      if (before === migration.sha256) continue;
      if (before) throw new Error(`migration ${migration.name} was changed after it had been applied: add a new one`);
      await apply(client, migration);
      applied.push(migration.name);
      log(`applied ${migration.name}`);
    }
  });
  return applied;
}

/** Runs changes of the schema while no other process runs any. */
export async function oneAtATime(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await work(client);
  } finally {
    await client.end();
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [migration.name, migration.sha256]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/** The migrations of this version that the database does not have; all of them when it has never seen one. */
export async function missingMigrations(rows: (sql: string) => Promise<{ name: string }[]>): Promise<string[]> {
  const known = await rows(`select 'schema_migrations' as name where to_regclass('schema_migrations') is not null`);
  const applied = new Set((known.length > 0 ? await rows('select name from schema_migrations') : []).map((row) => row.name));
  return readMigrations().flatMap(({ name }) => (applied.has(name) ? [] : [name]));
}
