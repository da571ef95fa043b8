import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import { unavailableReason } from '../unavailable.ts';
import { OF_REQUESTS } from './connection.ts';
import { type Database, openDatabase, type Scope } from './database.ts';
import { PipelinedRead } from './pipelined-read.ts';
import { openPool } from './pool.ts';
import { createReadLanes } from './read-lanes.ts';

const CONNECT_MS = 400;
const DIVIDE = 'select 6 / $1::int as value';
const GATE = 4711;
/** Sleeps so long, and then waits while the owner has closed the gate. */
const PASS = `select pg_sleep($1) is null as slept, pg_advisory_xact_lock_shared(${GATE}) is null as passed`;
const OWN = `select current_setting('sluice.organization') as organization`;

const ours: Scope = { organization: 'ours' };
const divide = (db: Database, by: number) => db.peek(ours, (reader) => reader.one<{ value: number }>(DIVIDE, [by]));
const pass = (db: Database, seconds = 0) => db.peek(ours, (reader) => reader.one(PASS, [seconds]));

/** While the clock stands still every read is quick, however busy the machine is. */
async function onStillClock(work: () => Promise<void>): Promise<void> {
  const still = mock.method(performance, 'now', () => 0);
  try {
    await work();
    // What was asked last has been judged then.
    await new Promise(setImmediate);
  } finally {
    still.mock.restore();
  }
}

/** Asks for a statement until the lanes have seen it answered quickly. */
const knowAsQuick = (ask: () => Promise<unknown>): Promise<void> =>
  onStillClock(async () => {
    for (let round = 0; round < 40; round += 1) await ask();
  });

/** Quick reads beside slow ones have all ended while these still wait at the gate. */
async function assertQuickBeside(db: Database, url: string, slow: number): Promise<void> {
  await withOwner(url, async (owner) => {
    await owner.query('select pg_advisory_lock($1)', [GATE]);
    const passing = Array.from({ length: slow }, () => pass(db));
    await Promise.all(Array.from({ length: 50 }, () => divide(db, 2)));
    const { rows } = await owner.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [GATE],
    );
    assert.ok((rows[0]?.waiting ?? 0) > 0);
    await owner.query('select pg_advisory_unlock($1)', [GATE]);
    await Promise.all(passing);
  });
}

/** The processes of so many connections of a pool, all of them opened at once. */
async function pidsOf(db: Database, count: number): Promise<(number | undefined)[]> {
  const opened = Promise.withResolvers<void>();
  let waiting = 0;
  const pid = (): Promise<number | undefined> =>
    db.tx(ours, async (tx) => {
      const row = await tx.one<{ pid: number }>('select pg_backend_pid() as pid');
      waiting += 1;
      if (waiting === count) opened.resolve();
      await opened.promise;
      return row?.pid;
    });
  return Promise.all(Array.from({ length: count }, pid));
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
  const open = (max: number, connectMs = 10_000): Database =>
    openDatabase({ url, max, role: 'sluice_app', patience: { connectMs, statementMs: 9_000 } });

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
    await onStillClock(async () => {
      assert.deepEqual(
        await Promise.all(names.map((name) => seenBy(name))),
        names.map((name) => [name, name]),
      );
    });
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
    await pidsOf(db, 8);
    await knowAsQuick(pid);
    await onStillClock(async () => {
      for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 4 }, pid));
      const pids = await Promise.all(Array.from({ length: 4 }, async () => (await pid())?.pid));
      assert.equal(new Set(pids).size, 4);
    });
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
    const patience = { connectMs: 10_000, statementMs: 1_200 };
    await using db = openDatabase({ url, max: 12, role: 'sluice_app', patience });
    await using other = open(1);
    const alerts = () => db.peek({ platform: true }, (reader) => reader.rows('select alert_id from alerts'));
    const before = await pidsOf(db, 12);
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
    await other.direct('select pg_sleep(1.6)');
    release.resolve();
    await locking;
    const after = new Set(await pidsOf(db, 12));
    assert.ok(before.filter((each) => after.has(each)).length >= 4, 'the pool was replaced');
  });

  await t.test('do not wait behind one that was slow when it was last asked', async () => {
    await using db = open(3);
    await knowAsQuick(() => divide(db, 1));
    await pass(db, 0.05);
    await assertQuickBeside(db, url, 2);
  });

  await t.test('do not wait for one that was quick so far, sent together with it or later', async () => {
    await using db = open(8);
    await knowAsQuick(() => divide(db, 1));
    await knowAsQuick(() => pass(db));
    await assertQuickBeside(db, url, 4);
  });

  await t.test('fail in time, all of them, where no connection is to be had, and go on when one is', async () => {
    await using db = open(1, CONNECT_MS);
    const isConnected = () =>
      divide(db, 1).then(
        () => true,
        () => false,
      );
    await until(isConnected, 120_000, 'a connection');
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
