import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { type Database, openDatabase, violatedConstraint } from './database.ts';
import { selectPage } from './page.ts';

test('a transaction', async (t) => {
  const { url, drop } = await cloneDatabase();
  const [db, other] = [openDatabase({ url, max: 4 }), openDatabase({ url, max: 2 })];
  t.after(async () => {
    await db[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await drop();
  });
  const platform = { platform: true } as const;
  await db.direct('create table things (id int primary key, name text, constraint things_name unique (name))');
  const namesOf = async () => (await db.direct<{ name: string }>('select name from things order by id')).map(({ name }) => name);
  const insert = `insert into things values ($1, $2)`;

  await t.test('commits what it wrote, or nothing of it', async () => {
    await db.tx(platform, (tx) => tx.exec(insert, [1, 'one']));
    await assert.rejects(
      db.tx(platform, async (tx) => {
        await tx.exec(insert, [2, 'two']);
        throw new Error('changed its mind');
      }),
      /changed its mind/,
    );
    assert.deepEqual(await namesOf(), ['one']);
  });

  await t.test('does not pass for committed when a statement failed and its error was swallowed', async () => {
    let committed = false;
    await assert.rejects(
      db.tx(platform, async (tx) => {
        tx.afterCommit(() => (committed = true));
        await tx.exec(insert, [3, 'three']);
        await tx.exec(insert, [4, 'one']).catch(() => {});
      }),
      /rolled back by the database/,
    );
    assert.equal(committed, false);
    assert.deepEqual(await namesOf(), ['one']);
  });

  await t.test('names the constraint that it violated', async () => {
    const refusal = await db.tx(platform, (tx) => tx.exec(insert, [5, 'one'])).catch((error: unknown) => error);
    assert.equal(violatedConstraint(refusal), 'things_name');
    assert.equal(violatedConstraint(new Error('another')), null);
  });

  await t.test('of reads sees one state throughout, whatever is committed meanwhile', async () => {
    const count = 'select count(*) as count from things';
    await other.direct('create table records (status text)');
    await other.direct(`insert into records values ('IN_REVIEW')`);
    const status = 'select status from records';
    const [before, between] = await db.read(platform, async (tx) => {
      const first = await tx.one(count);
      await other.tx(platform, async (writer) => {
        await writer.exec(insert, [100, 'meanwhile']);
        await writer.exec(`update records set status = 'DONE'`);
      });
      return [first, [await tx.one(count), await tx.one(status)]];
    });
    assert.deepEqual(between, [before, { status: 'IN_REVIEW' }]);
    await other.tx(platform, (tx) => tx.exec('delete from things where id = 100'));
  });

  await t.test('sends what waits for the commit after everything else, and shows its rows once it has committed', async () => {
    const seen: string[] = [];
    await db.tx(platform, async (tx) => {
      tx.atCommit<{ count: number }>('select count(*) as count from things', [], ([row]) => seen.push(`rows ${row?.count}`));
      tx.afterCommit(() => seen.push('after'));
      await tx.exec(insert, [6, 'six']);
      seen.push('work');
    });
    assert.deepEqual(seen, ['work', 'rows 2', 'after']);
  });

  await t.test('fails as a whole when what waits for the commit fails', async () => {
    let shown = false;
    await assert.rejects(
      db.tx(platform, async (tx) => {
        await tx.exec(insert, [7, 'seven']);
        tx.atCommit('select 1 / 0', [], () => (shown = true));
      }),
      { code: '22012' },
    );
    assert.equal(shown, false);
    assert.deepEqual(await namesOf(), ['one', 'six']);
  });

  await t.test('is tried again when the database ended it for another’s sake, and takes effect once', async () => {
    let attempts = 0;
    const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const lockBoth = (first: number, second: number, mine: 0 | 1) =>
      db.tx(platform, async (tx) => {
        attempts += 1;
        await tx.rows('select 1 from things where id = $1 for update', [first]);
        met[mine].resolve();
        await met[1 - mine]?.promise;
        await tx.rows('select 1 from things where id = $1 for update', [second]);
        await tx.exec(`update things set name = name || '+' where id = $1`, [first]);
      });
    await Promise.all([lockBoth(1, 6, 0), lockBoth(6, 1, 1)]);
    assert.ok(attempts >= 3, 'neither was ended');
    assert.deepEqual(await namesOf(), ['one+', 'six+']);
  });

  await t.test('has the time of the platform, which a sandbox may have advanced', async () => {
    const before = await db.tx(platform, async (tx) => tx.now);
    await db.direct(`update platform_clock set advanced = advanced + interval '2 days'`);
    const after = await db.tx(platform, async (tx) => tx.now);
    await db.direct(`update platform_clock set advanced = interval '0'`);
    const hours = (after.getTime() - before.getTime()) / 3_600_000;
    assert.ok(hours >= 48 && hours < 49, String(hours));
  });

  await t.test('goes on, after a lock that it waited for, at the time when it got it', async () => {
    const [begun, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lock = 'select 1 from things where id = 1 for update';
    const since = 'select sluice_now() as now, now() < $1::timestamptz as later';
    const waiter = db.tx(platform, async (tx) => {
      const before = { now: tx.now, id: tx.newId('evt') };
      begun.resolve();
      await locked.promise;
      await tx.one(lock);
      return { before, now: tx.now, id: tx.newId('evt'), sql: await tx.one<{ now: Date; later: boolean }>(since, [tx.moment]) };
    });
    await begun.promise;
    const first = await db.tx(platform, async (tx) => {
      await tx.one(lock);
      locked.resolve();
      // It has begun to wait.
      while (
        !(await other.direct(`select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`))
          .length
      );
      return { now: tx.now, id: tx.newId('evt') };
    });
    const second = await waiter;
    assert.ok(second.before.id < first.id && first.id < second.id, 'ids are in the order of the locks');
    assert.ok(second.before.now <= first.now && first.now <= second.now);
    assert.deepEqual(second.sql, { now: second.now, later: true });
  });

  await t.test('has another time through a handle that was backdated, and that handle alone', async () => {
    const clock = { now: new Date('2024-03-01T15:00:00.123Z') };
    const past = db.backdated(clock);
    const times = async (database: Database) => {
      const read = 'select sluice_now() as now';
      const inTx = await database.tx(platform, async (tx) => [tx.now, (await tx.one<{ now: Date }>(read))?.now]);
      return [...inTx, await database.peek(platform, async (reader) => (await reader.one<{ now: Date }>(read))?.now)];
    };
    assert.deepEqual(await times(past), [clock.now, clock.now, clock.now]);
    clock.now = new Date('2025-01-02T03:04:05Z');
    assert.deepEqual(await times(past.patient()), [clock.now, clock.now, clock.now]);
    // The connections are shared: what one transaction set is not there in the next.
    for (const now of await times(db)) assert.ok(Number(now) > Date.parse('2026-01-01'), String(now));
    const id = await past.tx(platform, async (tx) => {
      await tx.rows('select 1 from things for update');
      assert.deepEqual(tx.now, clock.now, 'whatever it waits for');
      return tx.newId('deal');
    });
    assert.ok(id < (await db.tx(platform, async (tx) => tx.newId('deal'))), 'ids sort by that time too');
  });

  await t.test('reads bigint as a number', async () => {
    const value = 2 ** 53 - 1;
    assert.deepEqual(await db.direct('select $1::int8 as value', [value]), [{ value }]);
    assert.deepEqual(await db.tx(platform, (tx) => tx.one('select $1::int8 as value', [value])), { value });
    assert.deepEqual(await db.peek(platform, (reader) => reader.one('select $1::int8 as value', [value])), { value });
  });

  await t.test('wakes listeners of its signals in every process when it commits, and only then', async () => {
    const heard: string[] = [];
    const [own, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stop = other.signals.on('things', () => heard.push('other') && others.resolve());
    db.signals.on('things', () => heard.push('own') && own.resolve());
    // The first call says that the listener is connected: what was sent before may have been missed.
    await Promise.all([own.promise, others.promise]);
    heard.length = 0;
    await db
      .tx(platform, async (tx) => {
        tx.signal('things');
        throw new Error('changed its mind');
      })
      .catch(() => {});
    assert.equal(heard.length, 0);
    const woken = Promise.withResolvers<void>();
    other.signals.on('things', () => woken.resolve());
    await db.tx(platform, async (tx) => tx.signal('things'));
    assert.ok(heard.includes('own'));
    await woken.promise;
    assert.ok(heard.includes('other'));
    stop();
  });

  await t.test('gives a page of rows and the number of all of them, with the filters that have a value', async () => {
    await db.direct(`insert into things select id, 'thing ' || id from generate_series(101, 150) id`);
    const page = (limit: number, number: number, least: number | null) =>
      db.peek(platform, (reader) =>
        selectPage<{ id: number }>(
          reader,
          {
            select: 'id',
            from: 'things',
            filters: [
              ['id > ?', 100],
              ['id >= ?', least],
              ['name <> ?', undefined],
            ],
            order: [{ by: 'id', as: 'integer' }],
          },
          { page: number, limit },
        ),
      );
    const { rows, total } = await page(10, 2, 121);
    assert.deepEqual([rows[0]?.id, rows.length, total], [131, 10, 30]);
    const whole = await page(100, 1, null);
    assert.deepEqual([whole.rows.length, whole.total], [50, 50]);
    assert.deepEqual(await page(10, 9, null), { rows: [], total: 50, next: null });
  });
});
