import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { migrate, readMigrations, serverVersion } from '../../src/platform/db/migrate.ts';
import { newId } from '../../src/platform/ids.ts';
import { startGateway } from '../support/gateway.ts';
import { testServer } from '../support/postgres.ts';
import { createMachine } from './processes.ts';

/** The expression of 0010_webhooks.sql that was corrected after its release, as it was and as it is, and the sha-256 of the former file. */
const FORMER = `to_timestamp(right(c.relname, 8) || ' UTC', 'YYYYMMDD TZR')`;
const CORRECTED = `right(c.relname, 8)::timestamp at time zone 'UTC'`;
const FIRST_PUBLISHED = 'd766727b6af94f4236c5779fe85936f8787c7b83cbf56466db0b6d8171f11344';
/** A database without a table, and a connection to it. */
async function emptyDatabase() {
  const server = await testServer();
  const admin = new pg.Client({ connectionString: server.databaseUrl('postgres') });
  await admin.connect();
  const name = newId('t');
  await admin.query(`create database ${name}`);
  const url = server.databaseUrl(name);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    url,
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

test('a server that is too old for the migrations is refused by its name before the first of them', async () => {
  const of = (version: string, major: number) => serverVersion(async () => [{ version, major }]);
  await assert.rejects(of('PostgreSQL 14.9', 14), {
    message: /^the database is PostgreSQL 14\.9, and the gateway needs PostgreSQL 15 /,
  });
  assert.equal(await of('PostgreSQL 15.0', 15), 'PostgreSQL 15.0');
});

test('migrations of an empty database', async (t) => {
  await using database = await emptyDatabase();
  const { url, client } = database;
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

  await t.test('are refused, and so is the start, where a newer version has migrated the database', async () => {
    await client.query(`insert into schema_migrations (name, sha256) values ('9998_later.sql', 'a'), ('9999_latest.sql', 'b')`);
    for (const command of ['migrate', 'serve', 'work', 'doctor']) {
      const { code, stdout, stderr } = await machine.run([command]);
      assert.equal(code, 1, command);
      assert.match(
        `${stdout}${stderr}`,
        /a newer version of Sluice has migrated the database: it has 9998_later\.sql, 9999_latest\.sql/,
      );
    }
    await client.query(`delete from schema_migrations where name like '999%'`);
    assert.deepEqual(await migrate(url), []);
  });

  await t.test('are refused when one of them was changed after it had been applied, and the command says which', async () => {
    await client.query(`update schema_migrations set sha256 = repeat('0', 64) where name = $1`, [names[1]]);
    const { code, stderr } = await machine.run(['migrate']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`sluice: migration ${names[1]} was changed after it had been applied \\(the database has .* 000000000000`),
    );
    assert.match(stderr, /Nothing was migrated\. Install this version again/);
    const served = await machine.run(['serve']);
    assert.equal(served.code, 1);
  });
});

test('a database made by the first published version, whose webhook migration had another text, is brought to the same schema', async (t) => {
  await using database = await emptyDatabase();
  const { url, client } = database;
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  if (Number(rows[0]?.server_version_num) < 160_000)
    return t.skip('PostgreSQL 15 could not run that text: there is no such database');
  await client.query(
    'create table schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  );
  const first = readMigrations().filter(({ name }) => name < '0060');
  for (const { name, sql, sha256 } of first) {
    const text = sql.replace(CORRECTED, FORMER);
    const former = createHash('sha256').update(text).digest('hex');
    assert.equal(former, name === '0010_webhooks.sql' ? FIRST_PUBLISHED : sha256);
    await client.query(text);
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, former]);
  }
  const upkeep = async () =>
    (await client.query<{ prosrc: string }>(`select prosrc from pg_proc where proname = 'sluice_partition_upkeep'`)).rows[0]
      ?.prosrc;
  assert.ok((await upkeep())?.includes(FORMER));
  await using machine = createMachine({ DATABASE_URL: url });
  const { code, stderr } = await machine.run(['migrate']);
  assert.equal(code, 0, stderr);
  assert.ok((await upkeep())?.includes(CORRECTED));
  assert.deepEqual(await migrate(url), []);
});

/** Brings a database to the version before a migration; its rows go in alone from then on, without what they refer to. */
async function migrateUpTo(name: string, { url, client }: Awaited<ReturnType<typeof emptyDatabase>>): Promise<void> {
  const all = readMigrations();
  const place = all.findIndex((each) => each.name.endsWith(name));
  await migrate(url, () => {}, all.slice(0, place));
  await client.query(`set session_replication_role = replica`);
}

test('a migration that waits for a table lets requests pass, says so, and is applied when the table is free', async () => {
  await using database = await emptyDatabase();
  const { url, client: holder } = database;
  await migrate(url);
  const sql = 'alter table alerts add column later text';
  const migrations = [...readMigrations(), { name: '9999_later.sql', sql, sha256: 'a' }];
  const reader = new pg.Client({ connectionString: url, statement_timeout: 20_000 });
  await reader.connect();
  await holder.query('begin; lock table alerts in access share mode');
  const told: string[] = [];
  const migrated = migrate(url, (line) => told.push(line), migrations);
  try {
    const isWaiting = `select from pg_locks where relation = 'alerts'::regclass and not granted`;
    while ((await reader.query(isWaiting)).rowCount === 0);
    await reader.query('select from alerts');
  } finally {
    await holder.query('commit');
    await reader.end();
  }
  assert.deepEqual(await migrated, ['9999_later.sql']);
  assert.match(told[0] ?? '', /^9999_later\.sql waits: another transaction uses a table/);
  assert.equal(told.at(-1), 'applied 9999_later.sql');
});

test('reports that were applied before there were payments stay applied, and nothing is booked for them', async () => {
  await using database = await emptyDatabase();
  const { url, client } = database;
  await migrateUpTo('_payments.sql', database);
  await client.query(
    `insert into remittances (pool_id, period, organization_id, remittance_id, deal_id, payment_date, report, performance, triggers, state, created_at)
     select 'pool_1', period, 'org_1', 'rem_' || period, 'deal_1', '2026-01-15', '{}', '{}', '[]', '{"period": 1}', '2026-01-16T09:00:00Z' from generate_series(1, 2) period`,
  );
  await client.query(
    `insert into ledger_entries (journal_id, organization_id, account, amount, trade_id, booked_at) values ('jrn_1', 'org_1', 'CASH', 5, 'trd_1', now())`,
  );
  await migrate(url);
  const { rows } = await client.query(
    `select status, version, applied_at = created_at as at_once, state_after ->> 'period' as period, restated_at from remittances order by remittance_id`,
  );
  const row = { status: 'APPLIED', version: 1, at_once: true, period: '1', restated_at: null };
  assert.deepEqual(rows, [row, row]);
  const { rows: booked } = await client.query(
    'select (select count(*)::int from payments) as payments, party, payment_id from ledger_entries',
  );
  assert.deepEqual(booked, [{ payments: 0, party: 'HOLDER', payment_id: null }]);
});

test('waivers that wait twice for a loan stay, and the first of them holds it', async () => {
  await using database = await emptyDatabase();
  const { url, client } = database;
  await migrateUpTo('_pending_waivers.sql', database);
  await client.query(`insert into organizations (organization_id, name) values ('org_1', 'Harbor')`);
  for (const [deal, mapping] of [
    ['ids', { mappings: [{ target: 'loan_id' }] }],
    ['rows', { mappings: [] }],
  ] as const) {
    await client.query(
      `insert into tapes (organization_id, deal_id, version, file_name, format, object_key, size, sha256, state, mapping)
       values ('org_1', $1, 3, 'a.csv', 'csv', 'a', 1, 'a', 'DONE', $2)`,
      [deal, JSON.stringify(mapping)],
    );
    await client.query(
      `insert into sc_jobs (sc_job_id, organization_id, deal_id, criteria_id, criteria_version, tape_version, status) values ($1, 'org_1', $1, 'crt_1', 1, 3, 'COMPLETED')`,
      [deal],
    );
    await client.query(
      `insert into exception_files (exception_file_id, organization_id, deal_id, sc_job_id, exception_count) values ($1, 'org_1', $1, $1, 9)`,
      [deal],
    );
    for (const [number, loans, status] of [
      [1, ['L1', 'L2', 'L1'], 'PENDING'],
      [2, ['L2', 'L3'], 'PENDING'],
      [3, ['L4'], 'DENIED'],
    ] as const)
      await client.query(
        `insert into waivers (waiver_id, organization_id, deal_id, exception_file_id, criteria_id, rule_id, loan_ids, reason, status, requested_by, created_at)
         values ($1 || '_' || $2, 'org_1', $1, $1, 'crt_1', 'R', $3, 'x', $4, 'key_1', ('2026-01-0' || $2)::timestamptz)`,
        [deal, String(number), loans, status],
      );
  }
  await client.query(`set session_replication_role = origin`);
  await migrate(url);
  const held = async () => {
    const { rows } = await client.query<{ held: string }>(
      `select concat_ws(' ', waiver_id, tape_version, loan_id) as held from pending_waiver_loans order by 1`,
    );
    return rows.map((row) => row.held);
  };
  const ofRows = ['rows_1 3 L1', 'rows_1 3 L2', 'rows_2 3 L3'];
  assert.deepEqual(await held(), ['ids_1 0 L1', 'ids_1 0 L2', 'ids_2 0 L3', ...ofRows]);
  await client.query(`update waivers set status = 'APPROVED', decided_by = 'key_2' where waiver_id = 'ids_1'`);
  assert.deepEqual(await held(), ['ids_2 0 L3', ...ofRows]);
});

test('a gateway whose database lacks a migration is not ready and says what is missing', async () => {
  await using gateway = await startGateway();
  assert.equal((await gateway.call('GET', '/readyz')).status, 200);
  const last = readMigrations().at(-1)?.name;
  await gateway.owner().then(async (owner) => {
    await owner.query('delete from schema_migrations where name = $1', [last]);
    await owner.end();
  });
  const { status, headers, body } = await gateway.call('GET', '/readyz');
  assert.equal(status, 503);
  assert.ok(Number(headers['retry-after']) >= 1);
  assert.deepEqual(body.checks, { database: true, storage: true, migrations: false });
});

test('fingerprints that were kept loan by loan are gathered into blocks, each with its own loan', async () => {
  await using database = await emptyDatabase();
  const { url, client } = database;
  const all = readMigrations();
  await migrate(
    url,
    () => {},
    all.slice(
      0,
      all.findIndex((each) => each.name.includes('fingerprint_blocks')),
    ),
  );
  await client.query(`set sluice.scope = 'platform'`);
  const digests = [
    'abcd0000-0000-4000-8000-000000000002',
    'abcd0000-0000-4000-8000-000000000001',
    'ffff0000-0000-4000-8000-000000000003',
  ];
  for (const [place, digest] of digests.entries()) {
    await client.query(
      `insert into encumbered_loans (holder_id, organization_id, row_no, generation, identity, vin, invoice)
       values ('pool_1', 'org_1', $1, 0, gen_random_uuid(), $2, $3)`,
      [place + 1, digest, place === 2 ? digests[0] : null],
    );
  }
  await migrate(url);
  const { rows } = await client.query('select kind, block, digests, row_nos from loan_fingerprints order by kind, block');
  assert.deepEqual(rows, [
    { kind: 'invoice', block: 0xabcd, digests: [digests[0]], row_nos: [3] },
    { kind: 'vin', block: 0xabcd, digests: [digests[1], digests[0]], row_nos: [2, 1] },
    { kind: 'vin', block: 0xffff, digests: [digests[2]], row_nos: [3] },
  ]);
});
