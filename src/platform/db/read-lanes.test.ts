import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { unavailableReason } from '../unavailable.ts';
import { OF_REQUESTS } from './connection.ts';
import { type Database, openDatabase, type Scope } from './database.ts';
import { PipelinedRead } from './pipelined-read.ts';
import { openPool } from './pool.ts';
import { createReadLanes } from './read-lanes.ts';

const CONNECT_MS = 400;
const DIVIDE = 'select 6 / $1::int as value';
const SLEEP = 'select pg_sleep($1) is null as slept';
const OWN = `select current_setting('sluice.organization') as organization`;

const ours: Scope = { organization: 'ours' };
const divide = (db: Database, by: number) => db.peek(ours, (reader) => reader.one<{ value: number }>(DIVIDE, [by]));
const sleep = (db: Database, seconds: number) => db.peek(ours, (reader) => reader.one(SLEEP, [seconds]));

/** Asks for a statement until the lanes have seen it answered quickly. */
async function knowAsQuick(ask: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < 40; round += 1) await ask();
}

/** Quick reads beside slow ones, in seconds, have all ended before the first of these. */
async function assertQuickBeside(db: Database, slow: number, seconds: number): Promise<void> {
  let slept = 0;
  const sleeping = Array.from({ length: slow }, async () => {
    await sleep(db, seconds);
    slept += 1;
  });
  await Promise.all(Array.from({ length: 50 }, () => divide(db, 2)));
  assert.equal(slept, 0);
  await Promise.all(sleeping);
}

async function withOwner(url: string, work: (owner: pg.Client) => Promise<void>): Promise<void> {
  const owner = new pg.Client(url);
  await owner.connect();
  try {
    await work(owner);
  } finally {
    await owner.end();
  }
}

test('reads that share a connection', async (t) => {
  const { url, drop } = await cloneDatabase();
  t.after(drop);
  const open = (max: number): Database =>
    openDatabase({ url, max, role: 'sluice_app', patience: { connectMs: CONNECT_MS, statementMs: 9_000 } });

  await t.test('have a scope and an answer each', async () => {
    await using db = open(2);
    const seenBy = (organization: string) =>
      db.peek({ organization }, async (reader) => {
        const first = await reader.one<{ organization: string }>(OWN);
        const [second] = await reader.rows<{ organization: string }>(OWN);
        return [first?.organization, second?.organization];
      });
    await knowAsQuick(() => seenBy('warm'));
    const names = Array.from({ length: 200 }, (_, index) => `org_${index}`);
    const seen = await Promise.all(names.map((name) => seenBy(name)));
    assert.deepEqual(
      seen,
      names.map((name) => [name, name]),
    );
  });

  await t.test('take fewer turns at the connections than there are reads', async () => {
    const pool = openPool({ url, name: 'lanes', patience: OF_REQUESTS, max: 8 });
    let turns = 0;
    const connect = (): Promise<pg.PoolClient> => {
      turns += 1;
      return pool.connect();
    };
    // On a clock that stands still every read is quick, however busy the machine is.
    const lanes = createReadLanes({ ...pool, connect }, () => 0);
    const ask = async (by: number): Promise<unknown> => {
      const read = new PipelinedRead();
      const answer = read.add({ name: 'divide', text: DIVIDE, values: [by] });
      lanes.send(read);
      return (await answer)[0]?.value;
    };
    await knowAsQuick(() => ask(1));
    turns = 0;
    const answers = await Promise.all(Array.from({ length: 96 }, (_, index) => ask((index % 3) + 1)));
    await pool.end();
    assert.deepEqual(
      answers,
      Array.from({ length: 96 }, (_, index) => 6 / ((index % 3) + 1)),
    );
    assert.ok(turns < 48, `${turns} turns`);
  });

  await t.test('fail alone', async () => {
    await using db = open(1);
    await knowAsQuick(() => divide(db, 1));
    const ended = await Promise.allSettled([1, 0, 2, 0, 3].map((by) => divide(db, by)));
    assert.deepEqual(
      ended.map((each) => (each.status === 'fulfilled' ? each.value?.value : (each.reason as { code: string }).code)),
      [6, '22012', 3, '22012', 2],
    );
  });

  await t.test('fail alone on a connection that has not prepared the statement of the other', async () => {
    await using db = open(1);
    const own = () => db.peek(ours, (reader) => reader.one<{ organization: string }>(OWN));
    await knowAsQuick(own);
    await knowAsQuick(() => divide(db, 1));
    await db.direct('select pg_terminate_backend(pg_backend_pid())').catch(() => {});
    await knowAsQuick(() => divide(db, 1));
    const failing = db.peek(ours, (reader) => Promise.all([reader.rows(DIVIDE, [0]), reader.rows(OWN)]));
    const [failed, answered] = await Promise.allSettled([failing, own()]);
    assert.equal(failed.status === 'rejected' && failed.reason.code, '22012');
    assert.deepEqual(answered.status === 'fulfilled' && { ...answered.value }, { organization: 'ours' });
  });

  await t.test('are spread over the connections that are free', async () => {
    await using db = open(8);
    const pid = () => db.peek(ours, (reader) => reader.one<{ pid: number }>('select pg_backend_pid() as pid'));
    await Promise.all(Array.from({ length: 8 }, () => db.tx(ours, (tx) => tx.rows('select pg_sleep(0.05)'))));
    await knowAsQuick(pid);
    for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 4 }, pid));
    const pids = await Promise.all(Array.from({ length: 4 }, async () => (await pid())?.pid));
    assert.equal(new Set(pids).size, 4);
  });

  await t.test('do not fail with one that breaks their connection', async () => {
    await using db = open(1);
    const end = (really: boolean) =>
      db.peek(ours, (reader) =>
        reader.one('select case when $1 then pg_terminate_backend(pg_backend_pid()) end as ended', [really]),
      );
    await knowAsQuick(() => end(false));
    await knowAsQuick(() => divide(db, 1));
    const ended = await Promise.allSettled([end(true), divide(db, 2), divide(db, 3)]);
    assert.deepEqual(
      ended.map((each) => (each.status === 'fulfilled' ? (each.value as { value: number }).value : 'broken')),
      ['broken', 3, 2],
    );
  });

  await t.test('that a lock holds up are not taken for a silent server', async () => {
    const patience = { connectMs: 2_000, statementMs: 1_200 };
    await using db = openDatabase({ url, max: 12, role: 'sluice_app', patience });
    await using other = open(1);
    const alerts = () => db.peek({ platform: true }, (reader) => reader.rows('select alert_id from alerts'));
    const pid = () => db.tx(ours, (tx) => tx.one<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.05)'));
    const pids = async () => (await Promise.all(Array.from({ length: 12 }, pid))).map((row) => row?.pid);
    const before = await pids();
    await knowAsQuick(alerts);
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const locking = withOwner(url, async (owner) => {
      await owner.query('begin; lock table alerts in access exclusive mode');
      locked.resolve();
      await release.promise;
      await owner.query('rollback');
    });
    await locked.promise;
    const ended = await Promise.allSettled(Array.from({ length: 40 }, alerts));
    assert.ok(ended.every((each) => each.status === 'rejected'));
    // The abandoned ones end with their own time.
    await knowAsQuick(() => other.direct('select pg_sleep(0.04)'));
    release.resolve();
    await locking;
    const after = new Set(await pids());
    assert.ok(before.filter((each) => after.has(each)).length >= 4, 'the pool was replaced');
  });

  await t.test('do not wait behind one that was slow when it was last asked', async () => {
    await using db = open(3);
    await knowAsQuick(() => divide(db, 1));
    await sleep(db, 0.05);
    await assertQuickBeside(db, 2, 1);
  });

  await t.test('do not wait for one that was quick so far, sent together with it or later', async () => {
    await using db = open(8);
    await knowAsQuick(() => divide(db, 1));
    await knowAsQuick(() => sleep(db, 0));
    await assertQuickBeside(db, 4, 0.4);
  });

  await t.test('fail in time, all of them, where no connection is to be had, and go on when one is', async () => {
    await using db = open(1);
    await knowAsQuick(() => divide(db, 1));
    const held = Promise.withResolvers<void>();
    const holding = db.tx(ours, () => held.promise);
    const began = performance.now();
    const ended = await Promise.allSettled(Array.from({ length: 20 }, () => divide(db, 1)));
    const reasons = ended.map((each) => (each.status === 'rejected' ? unavailableReason(each.reason) : null));
    assert.ok(!reasons.includes(null), String(reasons));
    assert.ok(performance.now() - began < 10 * CONNECT_MS);
    held.resolve();
    await holding;
    assert.equal((await divide(db, 3))?.value, 2);
  });
});
