import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openEngine } from '../../src/loans/engine/engine.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { startServer, stopServer } from '../../src/platform/db/embedded-server.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { newId } from '../../src/platform/ids.ts';
import { JOB_NAMES } from '../../src/job-names.ts';
import { migrateJobs } from '../../src/platform/jobs/queue-schema.ts';
import { unavailableReason } from '../../src/platform/unavailable.ts';
import { type Answer, type Gateway, startGateway } from '../support/gateway.ts';
import { cloneDatabase, testServer } from '../support/postgres.ts';
import { put } from '../support/tapes.ts';
import { mountTiny } from '../support/tiny-disk.ts';
import { until } from '../support/until.ts';

const RAISED =
  '08000 08001 08003 08004 08006 08P01 25006 25P03 25P04 40001 40P01 53000 53100 53200 53300 53400 55P03 57014 57P01 57P02 57P03 57P04 57P05 58000 58030'.split(
    ' ',
  );
const NOW = `language sql stable parallel safe as 'select now() + (select advanced from platform_clock)'`;

/** A gateway with a login of its own that is no superuser, and its database's owner. */
async function startBound(): Promise<{ gateway: Gateway; owner: pg.Client; name: string; login: string } & AsyncDisposable> {
  const database = await cloneDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const login = newId('login').toLowerCase();
  await owner.query(`create role ${login} login password 'of a test' in role sluice_app`);
  const url = Object.assign(new URL(database.url), { username: login, password: 'of a test' });
  const gateway = await startGateway({ DATABASE_URL: url.href });
  return {
    gateway,
    owner,
    login,
    name: url.pathname.slice(1),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await owner.query(`drop role ${login}`);
      await owner.end();
      await database.drop();
    },
  };
}

function assertUnavailable(answer: Answer, what: string): void {
  assert.deepEqual([answer.status, answer.body.code], [503, 'UNAVAILABLE'], `${what}: ${JSON.stringify(answer.body)}`);
  assert.ok(Number(answer.headers['retry-after']) >= 1, what);
  assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'doc_url', 'message', 'request_id', 'statusCode', 'success'], what);
  assert.equal(answer.body.message, 'A part of the platform does not respond: try again after Retry-After seconds.', what);
}

test('a request that meets the database in a state that passes is asked to come again, and served afterwards', async (t) => {
  await using bound = await startBound();
  const { gateway, owner, name, login } = bound;
  const holder = await gateway.key('both', 'House');
  const list = () => gateway.call('GET', '/v1/api/alerts', { as: holder });
  /** A read in a transaction, which begins by asking for the platform's time. */
  const listEvents = () => gateway.call('GET', '/v1/api/events', { as: holder });
  const served = () => until(async () => (await list()).status === 200, 120_000, 'a response');
  const endSessions = () => owner.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [login]);
  /** Puts what the sessions of the database begin with to other values. */
  const withSettings = async (settings: Record<string, string>, work: () => Promise<void>): Promise<void> => {
    for (const [key, value] of Object.entries(settings)) await owner.query(`alter database ${name} set ${key} = '${value}'`);
    await endSessions();
    try {
      await work();
    } finally {
      await owner.query(`alter database ${name} reset all`);
      await endSessions();
    }
    await served();
  };
  const withLock = async (work: () => Promise<void>): Promise<void> => {
    await owner.query('begin');
    await owner.query('lock table alerts in access exclusive mode');
    try {
      await work();
    } finally {
      await owner.query('rollback');
    }
  };
  await served();

  await t.test('whatever the database says it lacks', async () => {
    for (const code of RAISED) {
      await owner.query(
        `create or replace function sluice_now() returns timestamptz language plpgsql as $$ begin raise exception 'secret' using errcode = '${code}'; end $$`,
      );
      assertUnavailable(await listEvents(), code);
    }
  });

  await t.test('a person who signs in gets it as a page', async () => {
    const { status, headers, text } = await gateway.call('GET', '/auth/login');
    assert.deepEqual([status, headers['retry-after']], [503, '5'], text);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.match(text, /A part of the platform does not respond/);
  });

  await t.test('and a defect is still one', async () => {
    await owner.query(
      `create or replace function sluice_now() returns timestamptz language plpgsql as $$ begin raise exception 'secret' using errcode = '22012'; end $$`,
    );
    const { status, body } = await listEvents();
    assert.deepEqual([status, body.code], [500, 'INTERNAL']);
    assert.doesNotMatch(JSON.stringify(body), /secret/);
    await owner.query(`create or replace function sluice_now() returns timestamptz ${NOW}`);
    await served();
  });

  await t.test('when it takes no writes: nor is the gateway ready then', () =>
    withSettings({ default_transaction_read_only: 'on' }, async () => {
      assertUnavailable(await list(), 'a read, which the limiter counts');
      const ready = await gateway.call('GET', '/readyz');
      assert.deepEqual([ready.status, ready.body.checks], [503, { database: false, storage: true, migrations: true }]);
    }),
  );

  await t.test('when a lock is not free in time', () =>
    withSettings({ lock_timeout: '100ms' }, () => withLock(async () => assertUnavailable(await list(), 'lock timeout'))),
  );

  await t.test('when a statement takes too long: within 15 seconds', () =>
    withLock(async () => {
      const began = performance.now();
      assertUnavailable(await list(), 'statement timeout');
      assert.ok(performance.now() - began < 15_000);
    }),
  );

  await t.test('when its session is ended by an administrator', () =>
    withLock(async () => {
      const asked = list();
      for (let ended = 0; ended === 0; ) {
        const waiting = `select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and wait_event_type = 'Lock'`;
        ended = (await owner.query(waiting, [login])).rowCount ?? 0;
      }
      assertUnavailable(await asked, 'terminated');
    }),
  );

  await t.test('when the transaction takes too long', async (inner) => {
    const { rows } = await owner.query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
    if ((rows[0]?.version ?? 0) < 170_000) return inner.skip('transaction_timeout is of PostgreSQL 17');
    await withSettings({ transaction_timeout: '200ms' }, () =>
      withLock(async () => assertUnavailable(await list(), 'transaction timeout')),
    );
  });

  await t.test('when its idle sessions are ended: then most requests do not even notice', () =>
    // As long as a session that is in use is never idle, on a machine that is busy too.
    withSettings({ idle_session_timeout: '500ms' }, async () => {
      const statuses: number[] = [];
      const sessions = async () => (await owner.query('select 1 from pg_stat_activity where usename = $1', [login])).rowCount;
      for (let count = 0; count < 6; count += 1) {
        statuses.push((await list()).status);
        await until(async () => (await sessions()) === 0, 120_000, 'the end of the sessions');
      }
      assert.deepEqual(
        statuses.filter((status) => status !== 200 && status !== 503),
        [],
      );
      assert.ok(statuses.filter((status) => status === 200).length > 3, statuses.join());
    }),
  );

  await t.test('when it has no connection left', async () => {
    await owner.query(`alter role ${login} connection limit 0`);
    await endSessions();
    assertUnavailable(await list(), 'no connection');
    assert.equal((await gateway.call('GET', '/readyz')).status, 503);
    await owner.query(`alter role ${login} connection limit -1`);
    await served();
  });

  await t.test('when its password was changed', async () => {
    await owner.query(`alter role ${login} password 'another'`);
    await endSessions();
    assertUnavailable(await list(), 'refused login');
    await owner.query(`alter role ${login} password 'of a test'`);
    await served();
  });

  await t.test('when its disk is full', async (inner) => {
    const disk = process.env.TEST_DATABASE_URL ? null : mountTiny();
    if (!disk) return inner.skip('no file system of its own can be mounted here');
    const space = newId('space').toLowerCase();
    try {
      await owner.query(`create tablespace ${space} location '${disk.path}'`);
      await owner.query(`alter table webhook_subscriptions set tablespace ${space}`);
      disk.fill();
      const subscribe = () =>
        gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url: 'http://127.0.0.1:1025/' } });
      assertUnavailable(await subscribe(), 'disk full');
      disk.free();
      assert.equal((await subscribe()).status, 201);
      await owner.query('alter table webhook_subscriptions set tablespace pg_default');
      await owner.query(`drop tablespace ${space}`);
    } finally {
      disk.unmount();
    }
  });
});

test('an upload that meets a full disk is asked to come again, and served afterwards', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system of its own can be mounted here');
  try {
    await using gateway = await startGateway({ SLUICE_DATA_DIR: disk.path });
    const originator = await gateway.key('originator');
    const body = { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'auto.csv' };
    const initiated = await gateway.call('POST', '/v1/api/originator/loans/initiate', { as: originator, body });
    disk.fill();
    assertUnavailable(await put(gateway, initiated, Buffer.alloc(300_000, '1,2,3\n')), 'disk full');
    disk.free();
    assert.equal((await put(gateway, initiated, 'Loan ID,Current Balance\n1,1000.00\n')).status, 200);
  } finally {
    disk.unmount();
  }
});

test('the columnar engine that meets a full disk fails for want of disk, and writes when there is room', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system of its own can be mounted here');
  try {
    await using engine = await openEngine({ workDir: disk.path, allowedDirectories: [disk.path] });
    const write = () => engine.run(`copy (select 1 as loan) to '${disk.path}/loans.parquet' (format parquet)`);
    disk.fill();
    await assert.rejects(write(), (error) => unavailableReason(error) === 'the disk is full');
    disk.free();
    await write();
  } finally {
    disk.unmount();
  }
});

test('a server in recovery answers reads, but a gateway on it is not ready', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'standby-'));
  try {
    const url = (await startServer({ directory }))('postgres');
    await migrate(url);
    await migrateJobs(url, JOB_NAMES);
    await stopServer(directory);
    writeFileSync(join(directory, 'data', 'standby.signal'), '');
    const standby = (await startServer({ directory }))('postgres');
    await using gateway = await startGateway({ DATABASE_URL: standby });
    const ready = await gateway.call('GET', '/readyz');
    assert.deepEqual([ready.status, ready.body.checks], [503, { database: false, storage: true, migrations: true }]);
    assertUnavailable(await gateway.call('GET', '/v1/api/alerts', { as: 'no.such.key' }), 'a standby');
  } finally {
    await stopServer(directory);
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a database that cannot be reached, or not for want of descriptors, is away and not a defect', async () => {
  for (const address of ['no-such-host.invalid:5432', '127.0.0.1:9', '240.0.0.1:5432']) {
    await using db = openDatabase({
      url: `postgresql://nobody@${address}/none`,
      patience: { connectMs: 1_000, statementMs: 1_000 },
    });
    const failure = await db.direct('select 1').catch((error: unknown) => error);
    assert.notEqual(unavailableReason(failure), null, `${address}: ${String(failure)}`);
  }
  const script = `
    import { openSync } from 'node:fs';
    import { openDatabase } from './src/platform/db/database.ts';
    import { createLocalStore } from './src/platform/files/local-store.ts';
    import { unavailableReason } from './src/platform/unavailable.ts';
    import { Readable } from 'node:stream';
    const db = openDatabase({ url: ${JSON.stringify((await testServer()).url)} });
    const store = createLocalStore(${JSON.stringify(tmpdir())});
    try { for (;;) openSync('/dev/null'); } catch {}
    for (const work of [db.direct('select 1'), store.put('a', Readable.from(['b']), 10)]) {
      const error = await work.catch((thrown) => thrown);
      console.log(error.code, unavailableReason(error));
    }
    process.exit(0);`;
  const command = `ulimit -n 64 && exec "$0" --input-type=module-typescript --eval "$1"`;
  const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
  assert.equal(stdout, 'EMFILE this process has no file descriptor left\n'.repeat(2), stderr);
});
