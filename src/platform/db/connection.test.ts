import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import fc from '../../../test/support/property.ts';
import { connectAlone, OF_WORK, TYPES } from './connection.ts';

const { TIMESTAMPTZ } = pg.types.builtins;

test('a time is read as the driver reads it, however the server writes it', () => {
  const [ours, driver] = [TYPES.getTypeParser(TIMESTAMPTZ), pg.types.getTypeParser(TIMESTAMPTZ)];
  const same = (text: string): void => assert.deepEqual(ours(text), driver(text), text);
  for (const text of [
    '2026-11-28 14:58:05+00',
    '2026-11-28 14:58:05.1+00',
    '2026-11-28 14:58:05.12+00',
    '2026-11-28 14:58:05.123456+00',
    '2026-12-31 23:59:59.9999+00',
    '2024-02-29 00:00:00+00',
    '0099-01-01 00:00:00+00',
    '12026-11-28 14:58:05+00',
    '0044-03-15 12:00:00+00 BC',
    '2026-11-28 20:28:05.123+05:30',
    '2026-11-28 14:58:05.123-08',
    'infinity',
    '-infinity',
  ])
    same(text);
  fc.assert(
    fc.property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      const iso = date.toISOString().replace('T', ' ').replace('Z', '+00');
      same(iso);
      same(iso.replace(/\.?0+\+/, '+'));
    }),
  );
});

test('values are read alike, and transactions see what was committed, whatever the settings of the server are', async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const others = {
    search_path: 'elsewhere',
    datestyle: 'SQL, DMY',
    timezone: 'Asia/Kolkata',
    intervalstyle: 'sql_standard',
    bytea_output: 'escape',
    extra_float_digits: '-15',
    default_transaction_isolation: 'repeatable read',
  };
  const { rows: names } = await owner.query('select current_database() as name');
  for (const [name, value] of Object.entries(others))
    await owner.query(`alter database ${names[0].name} set ${name} = ${pg.escapeLiteral(value)}`);
  await owner.end();
  const client = await connectAlone({ url: database.url, name: 'test', patience: OF_WORK });
  const { rows } = await client.query(
    `select '2026-02-01T10:00:00Z'::timestamptz as at, '2026-02-01T10:00:00Z'::timestamptz::text as text, '2026-02-01'::date::text as day,
       0.1::float8 + 0.2::float8 as number, '\\x00ff'::bytea as bytes, '90 minutes'::interval::text as life, current_setting('transaction_isolation') as isolation,
       to_regclass('organizations')::text as tables`,
  );
  await client.end();
  assert.deepEqual(rows, [
    {
      at: new Date('2026-02-01T10:00:00Z'),
      text: '2026-02-01 10:00:00+00',
      day: '2026-02-01',
      number: 0.30000000000000004,
      bytes: Buffer.from([0, 255]),
      life: '01:30:00',
      isolation: 'read committed',
      tables: 'organizations',
    },
  ]);
});
