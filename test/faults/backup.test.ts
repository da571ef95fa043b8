import assert from 'node:assert/strict';
import { existsSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { newId } from '../../src/platform/ids.ts';
import { OTHER_KEYS, STORED_OBJECTS } from '../../src/stored-objects.ts';
import { cloneDatabase, testServer } from '../support/postgres.ts';
import { startS3 } from '../support/s3.ts';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, readDeal, type Running, sendTape } from './processes.ts';
import { until } from '../support/until.ts';

const LOANS = '/v1/api/originator/loans';
const ENDED_MS = 120_000;
const TAPE_EVERY = 40;

/** A folder for backups, gone with the test. */
function backupFolder(): { path(name: string): string } & Disposable {
  const root = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
  return { path: (name) => join(root, name), [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

type Acknowledged = { path: string; token: string; at: number };

/** Clients that save criteria, and a tape now and then, until they are told to end; what was acknowledged, and when. */
function writers(gateway: Running, tokens: string[]): { acknowledged: Acknowledged[]; end(): Promise<void> } {
  const acknowledged: Acknowledged[] = [];
  let ending = false;
  const lanes = tokens.map(async (token, lane) => {
    for (let turn = 0; !ending; turn += 1) {
      const path =
        turn % TAPE_EVERY === 0 ? await writeTape(gateway, token, `${lane}-${turn}`) : await writeCriteria(gateway, token);
      acknowledged.push({ path, token, at: Date.now() });
    }
  });
  return {
    acknowledged,
    end: async () => {
      ending = true;
      await Promise.all(lanes);
    },
  };
}

async function writeTape(gateway: Running, token: string, name: string): Promise<string> {
  return `${LOANS}/${await sendTape(gateway, token, autoTape(3), `tape ${name}`)}`;
}

async function writeCriteria(gateway: Running, token: string): Promise<string> {
  const path = '/v1/api/originator/sc/criteria';
  const loan_rules = [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } }];
  const saved = await ask(gateway, 'POST', path, { token, body: { loan_type: 'Auto', loan_rules } });
  assert.equal(saved.status, 201, JSON.stringify(saved.body));
  return `${path}/${saved.body.data.criteria_id}`;
}

test('a backup of a running gateway with its own database', async (t) => {
  using folder = backupFolder();
  await using machine = createMachine();
  const gateway = await machine.start(['serve', '--no-worker']);
  const worker = await machine.start(['work']);
  const tokens = await Promise.all(['Acme', 'Bolt', 'Cargo'].map((name) => issueKey(machine, 'both', name)));
  const [token = ''] = tokens;
  const operator = await issueKey(machine, 'operator', 'Platform');
  const directory = folder.path('daily');
  const writing = writers(gateway, tokens);
  const tapes = () => writing.acknowledged.filter(({ path }) => path.startsWith(LOANS));
  const checked = () => existsSync(join(machine.dataDir, 'objects', 'tapes'));
  await until(() => tapes().length > 5 && checked(), ENDED_MS, 'the first acknowledged tapes, and checks of some');
  worker.signal('SIGTERM');
  await worker.exited;
  // One tape of each client may have been checked yet: with more than that, some wait in the queue.
  const stopped = tapes().length;
  await until(() => tapes().length > stopped + tokens.length, ENDED_MS, 'tapes that nobody checks');
  const sent = tapes().length;
  const startedAt = Date.now();
  const made = await machine.run(['backup', directory]);
  const endedAt = Date.now();
  await until(() => writing.acknowledged.some(({ at }) => at > endedAt), ENDED_MS, 'writes after the backup');
  await writing.end();

  await t.test('says on standard output what it holds, and beside it which keys it does not', () => {
    assert.equal(made.code, 0, made.stderr);
    const told = JSON.parse(made.stdout);
    assert.equal(told.directory, directory);
    assert.ok(told.rows > 100 && told.objects >= sent, made.stdout);
    assert.deepEqual(told.problems, []);
    for (const name of ['signing-key.pem', 'encryption-key']) {
      assert.match(made.stderr, new RegExp(`${machine.dataDir}/secrets/${name.replace('.', '\\.')}`));
    }
  });

  await t.test('is for its owner alone, and holds neither key', () => {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    const secrets = readdirSync(join(machine.dataDir, 'secrets')).map((name) =>
      readFileSync(join(machine.dataDir, 'secrets', name), 'utf8').trim(),
    );
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      assert.equal(statSync(path).mode & 0o777, entry.isFile() ? 0o600 : 0o700, path);
      if (!entry.isFile()) continue;
      const text = readFileSync(path, 'utf8');
      for (const secret of secrets) assert.ok(!text.includes(secret), path);
    }
  });

  await t.test('comes back elsewhere with every write that was acknowledged before it, files and queued work too', async () => {
    await using other = createMachine();
    const keyless = await other.run(['restore', directory]);
    assert.equal(keyless.code, 0, keyless.stderr);
    assert.match(keyless.stderr, /signing key here is not the backup’s/);
    assert.match(keyless.stderr, /encryption key here is not the backup’s/);
    assert.deepEqual(JSON.parse(keyless.stdout).ledger.valid, true);
    cpSync(join(machine.dataDir, 'secrets'), join(other.dataDir, 'secrets'), { recursive: true });
    const again = await other.start(['serve']);
    for (const { path, token: holder } of writing.acknowledged.filter(({ at }) => at < startedAt)) {
      const there = await ask(again, 'GET', path, { token: holder });
      assert.equal(there.status, 200, path);
      if (!path.startsWith(LOANS)) continue;
      const checked = async () => (await ask(again, 'GET', path, { token: holder })).body.data.status === 'QC_COMPLETED';
      await until(checked, ENDED_MS, `the checks of ${path}`);
      assert.equal((await ask(again, 'GET', `${path}/loans`, { token: holder })).body.data.length, 3, path);
    }
    const audit = await ask(again, 'GET', '/v1/operator/audit/verify', { token: operator });
    assert.equal(audit.body.data.valid, true);
    assert.equal((await ask(again, 'GET', '/v1/api/me', { token })).status, 200);
  });

  await t.test('is not written over anything, and leaves nothing where it fails', async () => {
    const again = await machine.run(['backup', directory]);
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /is not empty: name a directory of its own/);
    assert.equal((await machine.run(['backup'])).code, 2);
    const nowhere = folder.path('nowhere');
    const failed = await machine.run(['backup', nowhere], { DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:9/none' });
    assert.equal(failed.code, 1);
    assert.doesNotMatch(failed.stderr, /secret|\.ts:\d/);
    assert.ok(!existsSync(nowhere));
  });

  await t.test('can be made when nothing runs, and leaves nothing running', async () => {
    gateway.signal('SIGTERM');
    await gateway.exited;
    const alone = await machine.run(['backup', folder.path('alone')]);
    assert.equal(alone.code, 0, alone.stderr);
    assert.equal(machine.postmaster(), null);
  });

  await t.test('tells of an object that the store does not have, and ends with 1', async () => {
    const [lost = ''] = readdirSync(join(machine.dataDir, 'objects', 'tapes'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.parquet'),
    );
    rmSync(join(machine.dataDir, 'objects', 'tapes', lost));
    const short = await machine.run(['backup', folder.path('short')]);
    assert.equal(short.code, 1);
    assert.match(short.stderr, new RegExp(`tapes/${lost} is not in the object store`));
    assert.deepEqual(JSON.parse(short.stdout).problems, [{ key: `tapes/${lost}`, problem: 'missing' }]);
  });

  await t.test('that is damaged or unfinished is refused before anything is written', async () => {
    await using other = createMachine();
    const damages: [name: string, damage: (copy: string) => void, says: RegExp][] = [
      ['manifest', (copy) => rmSync(join(copy, 'manifest.json')), /holds no manifest\.json: it is not a backup/],
      [
        'table',
        (copy) => writeFileSync(join(copy, 'tables/public.deals.copy'), ''),
        /damaged: tables\/public\.deals\.copy has 0 bytes/,
      ],
      ['object', (copy) => rmSync(join(copy, 'objects/tapes'), { recursive: true }), /damaged: objects\/tapes\/.* is missing/],
      [
        'version',
        (copy) => edit(copy, (manifest) => void Object.assign(manifest.migrations.at(-1) ?? {}, { name: '9999_later.sql' })),
        /migration 9999_later\.sql this version does not have/,
      ],
      ['format', (copy) => edit(copy, (manifest) => Object.assign(manifest, { format: 2 })), /of format 2, expected 1/],
    ];
    for (const [name, damage, says] of damages) {
      const copy = folder.path(`damaged ${name}`);
      cpSync(directory, copy, { recursive: true });
      damage(copy);
      const refused = await other.run(['restore', copy]);
      assert.deepEqual([refused.code, refused.stdout], [1, ''], refused.stderr);
      assert.match(refused.stderr, says);
      assert.ok(!readdirSync(other.dataDir).includes('objects'));
    }
  });
});

test('a backup of an external database, made and restored by a login that may do nothing special', async (t) => {
  using folder = backupFolder();
  await using s3 = await startS3();
  await using source = await ordinaryDatabase();
  await using target = await ordinaryDatabase();
  await using machine = createMachine({ DATABASE_URL: source.url, SLUICE_STORAGE_URL: `${s3.url}` });
  const gateway = await machine.start(['serve']);
  const token = await issueKey(machine, 'both', 'Acme');
  const seeded = await ask(gateway, 'POST', '/v1/sandbox/seed', { token, body: { months: 1 }, withinMs: 300_000 });
  assert.equal(seeded.status, 200, JSON.stringify(seeded.body));
  // Rows of a time for which a new database has no partition.
  await source.client.query(`set role ${new URL(source.url).username}`);
  await source.client.query(
    `create table events_20260601 partition of events for values from ('2026-06-01 00:00:00+00') to ('2026-06-08 00:00:00+00')`,
  );
  await source.client.query(`select set_config('sluice.scope', 'platform', false)`);
  await source.client.query(
    `insert into events (event_id, organization_id, event, data, body, at, created_at)
     values ('evt_old', 'org_old', 'old', '{"a":"tab\\tline\\n"}', '\\x00ff5c', '2026-06-02', '2026-06-02')`,
  );
  await source.client.query('reset role');
  gateway.signal('SIGTERM');
  await gateway.exited;
  await source.client.query(`update pgboss.job set state = 'active', started_on = now() where state = 'created'`);
  // Monthly tapes as they were sent, which nothing needs once they are read: they wait for their deletion.
  const read = await source.client.query<{ upload_id: string }>('select upload_id from pool_tapes');
  const kept = s3
    .keys()
    .filter((key) => !read.rows.some(({ upload_id }) => key.startsWith('uploads/') && key.includes(`/${upload_id}/`)));
  const directory = folder.path('external');
  const made = await machine.run(['backup', directory]);
  assert.equal(made.code, 0, made.stderr);

  await t.test('holds every object of the store that is not to be deleted', () => {
    assert.ok(kept.length > 50);
    assert.equal(JSON.parse(made.stdout).objects, kept.length);
  });

  await using other = createMachine({ DATABASE_URL: target.url });
  const restored = await other.run(['restore', directory]);

  await t.test('comes back row by row, in every table and partition, with other storage under it', async () => {
    assert.equal(restored.code, 0, restored.stderr);
    const [then, now] = [await digests(source.client), await digests(target.client)];
    assert.ok(then.size > 40);
    assert.deepEqual(now, then);
    assert.equal((await target.client.query(`select 1 from events_20260601 where event_id = 'evt_old'`)).rowCount, 1);
    const stored = readdirSync(join(other.dataDir, 'objects'), { recursive: true, withFileTypes: true });
    assert.equal(stored.filter((entry) => entry.isFile()).length, kept.length);
  });

  await t.test('guards rows as before: row-level security, triggers, foreign keys and sequences', async () => {
    assert.deepEqual(await guards(target.client), await guards(source.client));
    const next = `select nextval('deal_numbers')::int as n`;
    const [here, there] = [(await source.client.query(next)).rows[0].n, (await target.client.query(next)).rows[0].n];
    assert.equal(there, here);
  });

  await t.test('serves, and works on', async () => {
    cpSync(join(machine.dataDir, 'secrets'), join(other.dataDir, 'secrets'), { recursive: true });
    const again = await other.start(['serve']);
    assert.equal((await ask(again, 'GET', '/v1/api/me', { token })).status, 200);
    const deal = await sendTape(again, token, autoTape(5));
    await until(async () => (await readDeal(again, token, deal)).status === 'QC_COMPLETED', ENDED_MS, 'the checks of a new tape');
    again.signal('SIGTERM');
    await again.exited;
  });

  await t.test('is not restored over anything', async () => {
    const refused = await other.run(['restore', directory]);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /the database is not empty, it holds the organization .*: name an empty one/);
  });
});

test('every column that is called a key is known to name objects, or not to', async () => {
  const database = await cloneDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attname like '%\\_key' order by 1, 2`,
  );
  await client.query(STORED_OBJECTS);
  await client.end();
  await database.drop();
  const named = ({ table, column }: { table: string; column: string }): boolean =>
    STORED_OBJECTS.split('union all').some((part) => part.includes(column) && new RegExp(`from ${table}\\b`).test(part));
  assert.ok(rows.length > 10);
  assert.deepEqual(
    rows.filter((row) => named(row) === OTHER_KEYS.includes(`${row.table}.${row.column}`)),
    [],
  );
});

function edit(directory: string, change: (manifest: { migrations: object[] }) => void): void {
  const path = join(directory, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { migrations: object[] };
  change(manifest);
  writeFileSync(path, JSON.stringify(manifest));
}

/** An empty database whose owner is no superuser, and a superuser's connection to it. */
async function ordinaryDatabase(): Promise<{ url: string; client: pg.Client } & AsyncDisposable> {
  const server = await testServer();
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  const name = newId('t');
  await admin.query(`create role ${name} login password 'ordinary'`);
  await admin.query(`create database ${name} owner ${name}`);
  const url = Object.assign(new URL(server.databaseUrl(name)), { username: name, password: 'ordinary' }).href;
  // Row-level security hides nothing from a superuser: what the owner cannot see would be missed here.
  const client = new pg.Client({ connectionString: server.databaseUrl(name) });
  await client.connect();
  return {
    url,
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.query(`drop role ${name}`);
      await admin.end();
    },
  };
}

/** Of each table its rows in one figure; what processes keep about themselves is left out. */
async function digests(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p' and c.relname <> 'schema_migrations'
     union select 'pgboss.queue' order by 1`,
  );
  const found = new Map<string, string>();
  for (const { name } of rows) {
    const digest = await client.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as digest from ${name} t`,
    );
    found.set(name, digest.rows[0]?.digest ?? '');
  }
  const jobs = await client.query<{ jobs: string }>(
    `select string_agg(id || name || data::text || case state when 'active' then 'created' else state::text end, ',' order by id) as jobs from pgboss.job`,
  );
  return found.set('pgboss.job', jobs.rows[0]?.jobs ?? '');
}

async function guards(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(
    `select relname as name, relrowsecurity::text as first, relforcerowsecurity::text as second from pg_class
       where relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and relkind in ('r', 'p')
     union all select tgrelid::regclass || ' ' || tgname, tgenabled::text, '' from pg_trigger where not tgisinternal
     union all select conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid), convalidated::text from pg_constraint where contype = 'f'
     order by 1, 2, 3`,
  );
  return rows;
}
