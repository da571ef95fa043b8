import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { testServer } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import { openDatabase } from '../db/database.ts';
import { migrate, readMigrations } from '../db/migrate.ts';
import { createLocalStore } from '../files/local-store.ts';
import { newId } from '../ids.ts';
import { migrateJobs } from '../jobs/queue-schema.ts';
import { backUp } from './back-up.ts';
import { readManifest } from './manifest.ts';
import { restore } from './restore.ts';
import { refuseUnfinished } from './unfinished.ts';

const NO_OBJECTS = `select null::text as key, null::bigint as size, null::text as sha256, false as below where false`;
const ABOUT = { version: '0', keys: { signing: null, encryption: null } };

test('a backup of an earlier schema comes back in that schema and is then brought to this version', async (t) => {
  const server = await testServer();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-restore-'));
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  const names = [newId('t'), newId('t'), newId('t')] as const;
  for (const name of names) await admin.query(`create database ${name}`);
  t.after(async () => {
    for (const name of names) await admin.query(`drop database ${name} with (force)`);
    await admin.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const [source, target, ahead] = names.map((name) => server.databaseUrl(name)) as [string, string, string];
  const organizations = async (url: string, sql: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(sql);
    await client.end();
    return rows;
  };
  const earlier = readMigrations().slice(0, -1);
  await migrate(source, () => {}, earlier);
  await migrateJobs(source, []);
  await organizations(source, `insert into organizations (organization_id, name) values ('org_1', 'Acme')`);
  await organizations(
    source,
    `insert into sessions (session_hash, issuer, subject, csrf, expires_at) values ('hash', 'https://id.example', 'ann', 'csrf', now() + interval '1 hour')`,
  );
  await organizations(
    source,
    `insert into sign_ins (state_hash, nonce, code_verifier, return_to) values ('state', 'n', 'v', '/')`,
  );
  const store = createLocalStore(folder);
  const directory = join(folder, 'backup');
  const options = { directory, store, url: source, references: NO_OBJECTS, about: ABOUT, log: () => {} };

  await assert.rejects(backUp(options), /make the backup with the version that serves it/);
  await backUp({ ...options, migrations: earlier });
  const manifest = await readManifest(directory);
  await restore({ directory, manifest, url: target, store, jobNames: [], log: () => {} });
  assert.deepEqual(await organizations(target, 'select organization_id, name from organizations'), [
    { organization_id: 'org_1', name: 'Acme' },
  ]);
  const signedIn = 'select session_hash from sessions union all select state_hash from sign_ins';
  assert.deepEqual(await organizations(target, signedIn), [], 'who signed out since stays signed out');
  const applied = await organizations(target, 'select name from schema_migrations order by name');
  assert.deepEqual(
    applied.map(({ name }) => name),
    readMigrations().map(({ name }) => name),
  );

  await migrate(ahead);
  const refused = restore({ directory, manifest, url: ahead, store, jobNames: [], log: () => {} });
  await assert.rejects(refused, /which is newer than the backup: name an empty database/);
  const otherQueue = { ...manifest, job_queue_version: 1 };
  await admin.query(`drop database ${names[1]} with (force)`);
  await admin.query(`create database ${names[1]}`);
  await assert.rejects(
    restore({ directory, manifest: otherQueue, url: target, store, jobNames: [], log: () => {} }),
    /job queue is of version 1, here it is \d+/,
  );
  // Stopped in the middle, it left no row: the same command, with the right backup, goes on.
  await restore({ directory, manifest, url: target, store, jobNames: [], log: () => {} });
  assert.equal((await organizations(target, 'select 1 from organizations')).length, 1);
});

test('a restore that was interrupted behind its rows is not served, and is brought to its end by the same command', async (t) => {
  const server = await testServer();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-restore-'));
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  const [from, to] = [newId('t'), newId('t')];
  for (const name of [from, to]) await admin.query(`create database ${name}`);
  const [source, url] = [server.databaseUrl(from), server.databaseUrl(to)];
  const other = new pg.Client({ connectionString: source });
  await other.connect();
  t.after(async () => {
    await other.end();
    for (const name of [from, to]) await admin.query(`drop database ${name} with (force)`);
    await admin.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const store = createLocalStore(folder);
  await migrate(source);
  await migrateJobs(source, []);
  await other.query(`insert into organizations (organization_id, name) values ('org_1', 'First')`);
  const backup = async (name: string) => {
    const directory = join(folder, name);
    await backUp({ directory, store, url: source, references: NO_OBJECTS, about: ABOUT, log: () => {} });
    return { directory, manifest: await readManifest(directory), url, store, jobNames: [], log: () => {} };
  };
  const [ours, another] = [await backup('ours'), await backup('another')];
  const start = async (): Promise<void> => {
    await using db = openDatabase({ url, max: 1 });
    await refuseUnfinished(db);
  };

  const interrupted = async (): Promise<void> => {
    throw new Error('the power is gone');
  };
  await assert.rejects(restore({ ...ours, finish: interrupted }), /the power is gone/);
  await assert.rejects(start(), /restore of the backup of 20\S+Z into this database was interrupted: run sluice restore/);
  await assert.rejects(restore(another), /not empty, it holds the organization First/);
  let finished = 0;
  await restore({
    ...ours,
    finish: async () => {
      finished += 1;
    },
  });
  assert.equal(finished, 1);
  await start();
  await assert.rejects(restore(ours), /not empty, it holds the organization First/);
});

test('a restore leaves a database alone that has filled while the objects were copied', async (t) => {
  const server = await testServer();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-restore-'));
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  const [from, to] = [newId('t'), newId('t')];
  for (const name of [from, to]) await admin.query(`create database ${name}`);
  const [source, url] = [server.databaseUrl(from), server.databaseUrl(to)];
  const other = new pg.Client({ connectionString: url });
  t.after(async () => {
    await other.end();
    for (const name of [from, to]) await admin.query(`drop database ${name} with (force)`);
    await admin.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const store = createLocalStore(folder);
  const directory = join(folder, 'backup');
  for (const each of [source, url]) {
    await migrate(each);
    await migrateJobs(each, []);
  }
  await backUp({ directory, store, url: source, references: NO_OBJECTS, about: ABOUT, log: () => {} });
  const manifest = await readManifest(directory);

  await other.connect();
  await other.query('begin');
  await other.query(`insert into organizations (organization_id, name) values ('org_1', 'First')`);
  const second = restore({ directory, manifest, url, store, jobNames: [], log: () => {} });
  const refused = assert.rejects(second, /not empty, it holds the organization First/);
  const waiting = `select 1 from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`;
  await until(async () => (await admin.query(waiting, [to])).rowCount === 1);
  await other.query('commit');
  await refused;
  assert.deepEqual((await other.query('select name from organizations')).rows, [{ name: 'First' }]);
});
