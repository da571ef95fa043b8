import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../test/support/postgres.ts';
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

  await rows(database.url, 'drop schema public cascade; create schema public');
  const empty = await look(database.url);
  assert.equal(empty[0], 0);
  assert.match(empty[1], /^ok {4}database: .*, \d+ migrations to apply: run sluice migrate/);
  assert.deepEqual(await rows(database.url, `select tablename from pg_tables where schemaname = 'public'`), []);

  const absent = await look(Object.assign(new URL(database.url), { pathname: 'nowhere' }).href);
  assert.deepEqual(absent, [1, 'FAIL  database: database "nowhere" does not exist']);
});

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = await client.query(sql);
  await client.end();
  return found.rows;
}
