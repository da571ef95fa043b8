import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { TestProvider } from '../../test/support/identity-provider.ts';
import { startMailServer } from '../../test/support/mail-server.ts';
import { cloneDatabase } from '../../test/support/postgres.ts';
import { startS3 } from '../../test/support/s3.ts';
import { doctor } from './doctor.ts';

test('the doctor looks at a database and changes nothing in it', async (t) => {
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const look = async (url: string): Promise<[number, string]> => {
    const lines: string[] = [];
    const code = await doctor({ SLUICE_DATA_DIR: dataDir, DATABASE_URL: url }, (line) => lines.push(line));
    assert.equal(lines.at(-1), 'ok    object store: file');
    return [code, lines.at(-2) ?? ''];
  };
  const migrated = await look(database.url);
  assert.equal(migrated[0], 0);
  assert.match(migrated[1], /^ok {4}database: PostgreSQL .*, migrated$/);

  const name = new URL(database.url).pathname.slice(1);
  await rows(database.url, `alter database "${name}" set default_transaction_read_only = on`);
  const readOnly = [1, 'FAIL  database: the database accepts no writes: default_transaction_read_only is on'];
  assert.deepEqual(await look(database.url), readOnly, 'as a standby, or one that was recovered and not promoted');
  await rows(database.url, `begin read write; alter database "${name}" reset default_transaction_read_only; commit`);

  await rows(database.url, 'drop schema public cascade; create schema public');
  const empty = await look(database.url);
  assert.equal(empty[0], 0);
  assert.match(empty[1], /^ok {4}database: .*, \d+ migrations to apply: run sluice migrate/);
  assert.deepEqual(await rows(database.url, `select tablename from pg_tables where schemaname = 'public'`), []);

  const absent = await look(Object.assign(new URL(database.url), { pathname: 'nowhere' }).href);
  assert.deepEqual(absent, [1, 'FAIL  database: database "nowhere" does not exist']);
});

test('the doctor says where pools are compared under another key than the one here', async (t) => {
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const warned = async (): Promise<string[]> => {
    const lines: string[] = [];
    assert.equal(await doctor({ SLUICE_DATA_DIR: dataDir, DATABASE_URL: database.url }, (line) => lines.push(line)), 0);
    return lines.filter((line) => line.startsWith('WARN  fingerprints'));
  };
  assert.deepEqual(await warned(), []);
  await rows(
    database.url,
    `set session_replication_role = replica;
     insert into pools (pool_id, organization_id, name, status, deal_ids, loan_type, cut_off_date, closing_date, loan_count, balance, fingerprint_key)
     select 'pool_' || status, 'org_1', 'A', status, '{}', 'Auto', '2026-01-01', '2026-02-01', 1, 1, 'former' from unnest(array['DRAFT', 'CANCELLED']) status`,
  );
  assert.match(
    (await warned()).join(),
    /^WARN {2}fingerprints: live pools are compared under another key than the one here \(1 of them\)/,
  );
});

test('the doctor says that the clock of the machine is not that of the database', async (t) => {
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const warned = async (): Promise<string[]> => {
    const lines: string[] = [];
    assert.equal(await doctor({ SLUICE_DATA_DIR: dataDir, DATABASE_URL: database.url }, (line) => lines.push(line)), 0);
    return lines.filter((line) => line.startsWith('WARN  clock'));
  };
  assert.deepEqual(await warned(), []);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 20 * 60_000 });
  const [ahead, ...more] = await warned();
  assert.match(ahead ?? '', /^WARN {2}clock: this machine is 1[12]\d\d s ahead of the database/);
  assert.deepEqual(more, []);
});

test('the doctor says whether the mail server answers and takes the password', async (t) => {
  await using server = await startMailServer({ user: { name: 'gateway', password: 'right' } });
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const look = async (settings: Record<string, string>): Promise<[number, string]> => {
    const lines: string[] = [];
    const env = { SLUICE_DATA_DIR: dataDir, DATABASE_URL: database.url, ...settings };
    const code = await doctor(env, (line) => lines.push(line));
    return [code, lines.find((line) => line.includes('e-mail:')) ?? ''];
  };
  assert.deepEqual(await look({}), [0, 'ok    e-mail: off: SLUICE_SMTP_URL is not set']);
  const from = { SLUICE_SMTP_FROM: 'desk@mail.example' };
  assert.deepEqual(await look({ ...from, SLUICE_SMTP_URL: server.url }), [
    0,
    `ok    e-mail: 127.0.0.1:${server.port} answers, not encrypted, signed in; sender desk@mail.example`,
  ]);
  const [code, line] = await look({ ...from, SLUICE_SMTP_URL: server.url.replace('right', 'wrong') });
  assert.equal(code, 1);
  assert.match(line, /^FAIL {2}e-mail: .*Invalid login/);
  assert.doesNotMatch(line, /wrong/);
  assert.deepEqual(server.received, []);
});

test('the doctor says whether the identity provider answers as the one that is named', async (t) => {
  await using provider = await TestProvider.start();
  await provider.serve('http://127.0.0.1:1');
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const look = async (issuer: string | null): Promise<[number, string]> => {
    const lines: string[] = [];
    const settings = issuer === null ? {} : { SLUICE_OIDC_ISSUER: issuer, SLUICE_OIDC_CLIENT_ID: 'sluice' };
    const code = await doctor({ SLUICE_DATA_DIR: dataDir, DATABASE_URL: database.url, ...settings }, (line) => lines.push(line));
    return [code, lines.find((line) => line.includes('sign-in')) ?? ''];
  };
  assert.deepEqual(await look(null), [0, 'ok    sign-in: a page asks who one is: SLUICE_OIDC_ISSUER is not set']);
  assert.deepEqual(await look(provider.issuer), [0, `ok    sign-in: ${provider.issuer} answers`]);
  const other = await look(provider.issuer.replace('127.0.0.1', 'localhost'));
  assert.equal(other[0], 1);
  assert.match(other[1], /^FAIL {2}sign-in: The identity provider does not respond as it should \(OAUTH_/);
  await provider.stop();
  assert.equal((await look(provider.issuer))[0], 1);
});

test('the doctor reads the keys before the database is migrated, and says when they cannot be used', async (t) => {
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  await rows(database.url, 'drop schema public cascade; create schema public');
  await mkdir(join(dataDir, 'secrets'));
  await writeFile(join(dataDir, 'secrets', 'signing-key.pem'), 'no key');
  const lines: string[] = [];
  assert.equal(await doctor({ SLUICE_DATA_DIR: dataDir, DATABASE_URL: database.url }, (line) => lines.push(line)), 1);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('FAIL')),
    ['FAIL  keys: the signing key is not an Ed25519 key in PEM (PKCS#8)'],
  );
  assert.match(lines.join('\n'), /migrations to apply/);
});

test('the doctor writes, reads and deletes an object, and says when the store refuses that', async (t) => {
  await using s3 = await startS3();
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  // It has the bucket, and a credential that may look at it and write nothing.
  const readOnly = createServer((request, response) => {
    response.statusCode = request.method === 'HEAD' ? 200 : 403;
    response.end();
  });
  await new Promise<void>((resolve) => readOnly.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    readOnly.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const look = async (storage: string): Promise<[number, string]> => {
    const lines: string[] = [];
    const env = { SLUICE_DATA_DIR: dataDir, DATABASE_URL: database.url, SLUICE_STORAGE_URL: storage };
    const code = await doctor(env, (line) => lines.push(line));
    return [code, lines.at(-1) ?? ''];
  };
  assert.deepEqual([await look(s3.url), s3.keys()], [[0, 'ok    object store: s3'], []]);
  assert.deepEqual(await look(''), [0, 'ok    object store: file']);
  const files = await readdir(join(dataDir, 'objects'), { recursive: true, withFileTypes: true });
  assert.deepEqual(
    files.filter((each) => each.isFile()),
    [],
  );
  const { port } = readOnly.address() as AddressInfo;
  const [code, line] = await look(`s3://bucket?endpoint=http://127.0.0.1:${port}`);
  assert.equal(code, 1);
  assert.match(line, /^FAIL {2}object store: /);
});

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = await client.query(sql);
  await client.end();
  return found.rows;
}
