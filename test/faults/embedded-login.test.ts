import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { startServer, stopServer } from '../../src/platform/db/embedded-server.ts';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, readDeal, sendTape } from './processes.ts';
import { until } from '../support/until.ts';

type Session = { application_name: string; super: boolean; bypass: boolean };

const SESSIONS = `select application_name, rolsuper as super, rolbypassrls as bypass from pg_stat_activity join pg_roles on usename = rolname
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

test('the gateway’s processes use a login without power over the embedded database', async (t) => {
  await using machine = createMachine();
  const gateway = await machine.start(['serve', '--no-worker']);
  const worker = await machine.start(['work']);
  const token = await issueKey(machine, 'originator', 'Acme');
  const deal = await sendTape(gateway, token, autoTape(30));
  const done = async () => (await readDeal(gateway, token, deal)).status === 'QC_COMPLETED';

  await t.test('with which they serve and work', async () => {
    await until(done, 120_000, 'the checks of a tape');
    const body = { url: 'http://127.0.0.1:1025/' };
    const subscribed = await ask(gateway, 'POST', '/v1/api/webhooks/subscriptions', { token, body });
    assert.equal(subscribed.status, 201, JSON.stringify(subscribed.body));
    const { id } = subscribed.body.data;
    const sample = { token, body: { event: 'loan.approved' } };
    await ask(gateway, 'POST', `/v1/api/webhooks/subscriptions/${id}/test`, sample);
    const attempted = async () =>
      (await ask(gateway, 'GET', '/v1/api/webhooks/deliveries', { token })).body.data[0]?.status === 'FAILED';
    await until(attempted, 120_000, 'the attempt of a delivery');
    assert.doesNotMatch(gateway.stderr() + worker.stderr(), /permission denied|must be owner/);
  });

  const embedded = await startEmbeddedPostgres({ directory: join(machine.dataDir, 'postgres') });
  await using _joined = { [Symbol.asyncDispose]: () => embedded.stop() };

  await t.test('so that none of their sessions is a superuser’s or passes row-level security', async () => {
    // Idle sessions are closed after half a minute: as many as a process opens are there again.
    await Promise.all(Array.from({ length: 20 }, () => readDeal(gateway, token, deal)));
    const sessions = (await query<Session>(embedded.url, SESSIONS)).filter((each) => each.application_name.startsWith('sluice'));
    assert.ok(sessions.length > 5, `${sessions.length} sessions`);
    assert.deepEqual(
      sessions.filter((each) => each.super || each.bypass),
      [],
    );
  });

  await t.test('and which can neither take rows without a scope nor change what it does not own', async () => {
    assert.deepEqual(await query(embedded.gatewayUrl, 'select * from deals'), []);
    for (const attempt of [
      'alter table deals no force row level security',
      'alter role sluice_gateway superuser',
      'create role thief superuser',
      `copy deals to program 'cat'`,
      'create table kept (value text)',
      'truncate audit_log',
    ]) {
      await assert.rejects(query(embedded.gatewayUrl, attempt), { code: '42501' }, attempt);
    }
  });

  await t.test('and whose password nobody else can read', () => {
    assert.equal(statSync(join(machine.dataDir, 'postgres', 'login-password')).mode & 0o077, 0);
  });

  await t.test('the sandbox can still be emptied', async () => {
    const reset = await ask(gateway, 'POST', '/v1/sandbox/reset', { token });
    assert.equal(reset.status, 200, JSON.stringify(reset.body));
  });
});

test('a database that was made before there was that login gets it at the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
  const directory = join(folder, 'postgres');
  mkdirSync(directory);
  try {
    const url = await startServer({ directory });
    await query(url('postgres'), 'create database sluice');
    await query(url('sluice'), 'create role sluice_app nologin nobypassrls');
    await query(url('sluice'), 'create table kept (value int)');
    await query(url('sluice'), 'grant select on kept to sluice_app');
    await stopServer(directory);
    for (let start = 0; start < 2; start += 1) {
      const embedded = await startEmbeddedPostgres({ directory });
      assert.deepEqual(await query(embedded.gatewayUrl, 'select value from kept'), []);
      await embedded.stop();
    }
  } finally {
    await stopServer(directory);
    rmSync(folder, { recursive: true, force: true });
  }
});

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
