import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { type Database, openDatabase, type Reader } from './database.ts';

type Seen = { organization: string };

const ALERTS = 'select organization_id as organization from alerts order by 1';

async function withAlerts(database: Database): Promise<void> {
  await database.tx({ platform: true }, async (tx) => {
    for (const owner of ['ours', 'theirs']) {
      await tx.exec('insert into organizations (organization_id, name) values ($1, $1)', [owner]);
      await tx.exec(
        `insert into alerts (alert_id, organization_id, type, category, priority, title, message)
         values ($1, $1, 'loan.mapping_needed', 'loan', 'LOW', 'A title', 'A message')`,
        [owner],
      );
    }
  });
}

test('a read in one trip', async (t) => {
  const { url, drop } = await cloneDatabase();
  // One connection: what one trip leaves behind is what the next one finds.
  const database = openDatabase({ url, max: 1, role: 'sluice_app' });
  t.after(async () => {
    await database[Symbol.asyncDispose]();
    await drop();
  });
  await withAlerts(database);
  const seenBy = (organization: string) => database.peek({ organization }, (reader) => reader.rows<Seen>(ALERTS));

  await t.test('sees its own organization’s rows only, without a predicate', async () => {
    assert.deepEqual(await seenBy('ours'), [{ organization: 'ours' }]);
    assert.deepEqual(await seenBy('theirs'), [{ organization: 'theirs' }]);
  });

  await t.test('leaves no scope behind on the connection', async () => {
    await database.peek({ platform: true }, (reader) => reader.rows(ALERTS));
    assert.deepEqual(await database.direct(ALERTS), []);
  });

  await t.test('gives each of its statements its own answer', async () => {
    const [first, none, second] = await database.peek({ organization: 'ours' }, (reader) =>
      Promise.all([
        reader.one('select $1::int as value, $2::text as name', [1, 'one']),
        reader.one('select 1 as value where false'),
        reader.rows('select generate_series(1, 2) as value'),
      ]),
    );
    assert.deepEqual({ ...(first as object) }, { value: 1, name: 'one' });
    assert.equal(none, null);
    assert.deepEqual(
      (second as { value: number }[]).map((row) => row.value),
      [1, 2],
    );
  });

  await t.test('reads values by their types, the first time and every time after', async () => {
    const values = () =>
      database.peek({ organization: 'ours' }, (reader) =>
        Promise.all([
          reader.one(
            `select 5::bigint as long, 1.50::numeric as money, timestamptz '2026-01-15 09:30:00.5Z' as at, '{"a": [1]}'::jsonb as json,
            array['x', null] as list, true as yes, null::text as none, '\\x00ff'::bytea as bytes, $1::text as given`,
            ['ü'],
          ),
          reader.rows(`select n from generate_series(1, 0) as n`),
          reader.rows('select'),
        ]),
      );
    const expected = {
      long: 5,
      money: '1.50',
      at: new Date('2026-01-15T09:30:00.500Z'),
      json: { a: [1] },
      list: ['x', null],
      yes: true,
      none: null,
      bytes: Buffer.from([0, 255]),
      given: 'ü',
    };
    for (let round = 0; round < 3; round += 1) assert.deepEqual(await values(), [expected, [], [{}]]);
  });

  await t.test('keeps its scope in a statement that is asked for after an answer', async () => {
    const later = await database.peek({ organization: 'theirs' }, async (reader) => {
      await reader.one('select 1');
      return reader.rows<Seen>(ALERTS);
    });
    assert.deepEqual(later, [{ organization: 'theirs' }]);
  });

  await t.test('fails as a whole when a statement fails, and the connection goes on', async () => {
    const failing = (reader: Reader) =>
      Promise.all([
        reader.one('select 2 as before'),
        reader.one('select 1 / $1::int as value', [0]),
        reader.one('select 3 as after'),
      ]);
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(database.peek({ organization: 'ours' }, failing), { code: '22012' });
    }
    await assert.rejects(
      database.peek({ organization: 'ours' }, (reader) => reader.one('select nothing_like_it')),
      { code: '42703' },
    );
    const [before, after] = await database.peek({ organization: 'ours' }, (reader) =>
      Promise.all([reader.one<{ before: number }>('select 2 as before'), reader.one<{ after: number }>('select 3 as after')]),
    );
    assert.deepEqual([before?.before, after?.after], [2, 3]);
  });

  await t.test('refuses a value that cannot be sent without disturbing what leaves with it', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    await assert.rejects(
      database.peek({ organization: 'ours' }, (reader) =>
        Promise.all([reader.one('select $1::jsonb as value', [circular]), reader.rows(ALERTS)]),
      ),
      TypeError,
    );
    assert.deepEqual(await seenBy('ours'), [{ organization: 'ours' }]);
  });

  await t.test('says that the connection broke, and the next one takes another', async () => {
    await assert.rejects(
      database.peek({ platform: true }, (reader) =>
        Promise.all([reader.one('select pg_terminate_backend(pg_backend_pid())'), reader.one('select pg_sleep(1)')]),
      ),
    );
    assert.deepEqual(await seenBy('ours'), [{ organization: 'ours' }]);
  });
});
