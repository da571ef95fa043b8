import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { migrate, readMigrations } from '../../src/platform/db/migrate.ts';
import { JOB_NAMES } from '../../src/job-names.ts';
import { migrateJobs } from '../../src/platform/jobs/queue-schema.ts';
import { newId } from '../../src/platform/ids.ts';

// Tests need no durability; what a crash may lose is tested by the tests that crash.
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum_naptime: '10s',
  max_connections: '300',
};

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A private database, cloned from a migrated template; the server is shared by all test files and started when it is not there. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const server = await testServer();
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  const template = `template_${createHash('sha256')
    .update(
      readMigrations()
        .map((each) => each.sha256)
        .join(),
    )
    .digest('hex')
    .slice(0, 12)}`;
  const name = newId('t');
  try {
    await admin.query('select pg_advisory_lock(1)');
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1 and datistemplate', [template]);
    if (rowCount === 0) await makeTemplate(admin, server, template);
    await admin.query(`create database ${name} template ${template}`);
    await admin.query('select pg_advisory_unlock(1)');
  } finally {
    await admin.end();
  }
  return { url: server.databaseUrl(name), drop: () => drop(server, name) };
}

async function makeTemplate(admin: pg.Client, server: TestServer, template: string): Promise<void> {
  await admin.query(`drop database if exists ${template} with (force)`);
  await admin.query(`create database ${template}`);
  await migrate(server.databaseUrl(template));
  await migrateJobs(server.databaseUrl(template), JOB_NAMES);
  await admin.query(`alter database ${template} is_template true`);
}

async function drop(server: TestServer, name: string): Promise<void> {
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.end();
}

type TestServer = Pick<EmbeddedPostgres, 'url' | 'databaseUrl' | 'stop'>;

let started: Promise<EmbeddedPostgres> | undefined;

/** The server that all test files share, `TEST_DATABASE_URL` or an embedded one; `test/run.ts` stops it at the end. */
export function testServer(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL;
  if (url)
    return Promise.resolve({ url, databaseUrl: (name) => Object.assign(new URL(url), { pathname: name }).href, async stop() {} });
  started ??= startEmbeddedPostgres({
    directory: process.env.TEST_POSTGRES_DIR ?? join(tmpdir(), `sluice-test-postgres-${process.getuid?.() ?? 0}`),
    settings: FAST,
  });
  return started;
}

/** Whether a server takes a connection now. */
export async function canConnect(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
