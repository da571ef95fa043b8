import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../../test/support/postgres.ts';

/** Tables to which everybody's work adds rows in the order of time. */
const LOGS = [
  'alerts',
  'audit_log',
  'document_accesses',
  'events',
  'record_accesses',
  'request_log',
  'webhook_attempts',
  'webhook_deliveries',
];

test('an index of a log takes new rows at its end, where pages are filled', async (t) => {
  const database = await cloneDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  t.after(async () => {
    await owner.end();
    await database.drop();
  });
  // The first bit of a column's option says that it descends (https://www.postgresql.org/docs/current/catalog-pg-index.html).
  const { rows } = await owner.query<{ name: string; descends: boolean }>(
    `select i.indexrelid::regclass::text as name, exists (select from unnest(i.indoption::int2[]) as option where option & 1 = 1) as descends
       from pg_index i where i.indrelid = any ($1::text[]::regclass[])`,
    [LOGS],
  );
  assert.ok(rows.length > LOGS.length);
  assert.deepEqual(
    rows.filter(({ descends }) => descends),
    [],
  );
});
