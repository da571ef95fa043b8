import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { migrate, readMigrations } from '../../src/platform/db/migrate.ts';
import { newId } from '../../src/platform/ids.ts';
import { startGateway } from '../support/gateway.ts';
import { testServer } from '../support/postgres.ts';
import { createMachine } from './processes.ts';

test('migrations of an empty database', async (t) => {
  const server = await testServer();
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  const name = newId('t');
  await admin.query(`create database ${name}`);
  const url = server.databaseUrl(name);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  const names = readMigrations().map((migration) => migration.name);
  await using machine = createMachine({ DATABASE_URL: url });

  await t.test('are applied once each and in their order, however many processes start at once', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => machine.run(['migrate'])));
    for (const { code, stderr, stdout } of runs) {
      assert.equal(code, 0, stderr);
      assert.equal(stdout, '');
      assert.match(stderr, /the database is up to date/);
    }
    const told = runs.flatMap(({ stderr }) => stderr.match(/(?<=applied )\S+/g) ?? []);
    assert.deepEqual([...told].sort(), names);
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by applied_at, name');
    assert.deepEqual(
      rows.map((row) => row.name),
      names,
    );
  });

  await t.test('change nothing when they are run again', async () => {
    assert.deepEqual(await migrate(url), []);
  });

  await t.test('are refused when one of them was changed after it had been applied, and the command says which', async () => {
    await client.query(`update schema_migrations set sha256 = repeat('0', 64) where name = $1`, [names[1]]);
    const { code, stderr } = await machine.run(['migrate']);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`sluice: migration ${names[1]} was changed after it had been applied: add a new one`));
    const served = await machine.run(['serve']);
    assert.equal(served.code, 1);
  });
});

test('a gateway whose database lacks a migration is not ready and says what is missing', async () => {
  await using gateway = await startGateway();
  assert.equal((await gateway.call('GET', '/readyz')).status, 200);
  const last = readMigrations().at(-1)?.name;
  await gateway.deps.db.connect().then(async (owner) => {
    await owner.query('delete from schema_migrations where name = $1', [last]);
    await owner.end();
  });
  const { status, headers, body } = await gateway.call('GET', '/readyz');
  assert.equal(status, 503);
  assert.ok(Number(headers['retry-after']) >= 1);
  assert.deepEqual(body.checks, { database: true, storage: true, migrations: false });
});
