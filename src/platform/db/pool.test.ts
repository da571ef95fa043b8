import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { startSilentProxy } from '../../../test/support/silent-proxy.ts';
import { unavailableReason } from '../unavailable.ts';
import { type Database, openDatabase } from './database.ts';

const patience = { connectMs: 4_000, statementMs: 1_000 };
const QUERY_TIMEOUT_MS = 2_000;

const WAYS: Record<string, (db: Database) => Promise<unknown>> = {
  'a read in one trip': (db) =>
    db.peek({ platform: true }, (reader) => Promise.all([reader.one('select 1'), reader.rows('select 2')])),
  'a transaction': (db) => db.tx({ platform: true }, (tx) => tx.rows('select 1')),
  'a statement of its own': (db) => db.direct('select 1'),
};

test('a connection that falls silent', async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  await using proxy = await startSilentProxy(database.url);
  for (const [way, run] of Object.entries(WAYS)) {
    await t.test(`fails ${way} in time, as a failure of the moment, and the others beside it are not tried`, async () => {
      await using db = openDatabase({ url: proxy.url(database.url), role: 'sluice_app', max: 5, patience });
      await Promise.all(Array.from({ length: 5 }, () => db.tx({ platform: true }, (tx) => tx.rows('select pg_sleep(0.05)'))));
      proxy.silence();
      const began = performance.now();
      const failure = await run(db).then(
        () => null,
        (error: unknown) => error,
      );
      assert.notEqual(unavailableReason(failure), null, String(failure));
      assert.ok(performance.now() - began < 15_000);
      await run(db);
    });
  }

  await t.test('is told from one that is idle, or whose statements take their time one after the other', async () => {
    await using db = openDatabase({ url: proxy.url(database.url), role: 'sluice_app', max: 1, patience });
    const pid = async () =>
      (await db.peek({ platform: true }, (reader) => reader.one<{ pid: number }>('select pg_backend_pid() as pid')))?.pid;
    const before = await pid();
    await sleep(QUERY_TIMEOUT_MS + 300);
    await db.tx({ platform: true }, async (tx) => {
      for (let count = 0; count < 23; count += 1) await tx.rows('select pg_sleep(0.1)');
    });
    assert.equal(await pid(), before);
  });

  await t.test('has its time where its work may take longer', async () => {
    await using db = openDatabase({ url: proxy.url(database.url), role: 'sluice_app', max: 1, patience });
    await assert.rejects(
      db.tx({ platform: true }, (tx) => tx.rows('select pg_sleep(1.5)')),
      { code: '57014' },
    );
    await db.patient().tx({ platform: true }, (tx) => tx.rows('select pg_sleep(2.5)'));
    await db.patient().peek({ platform: true }, (reader) => reader.rows('select pg_sleep(2.5)'));
    await assert.rejects(
      db.tx({ platform: true }, (tx) => tx.rows('select pg_sleep(1.5)')),
      { code: '57014' },
    );
  });
});
