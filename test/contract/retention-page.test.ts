import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startGateway } from '../support/gateway.ts';

const PAGE = new URL('../../docs/guide/operator.md', import.meta.url);

test('the operator’s guide says of every table how long its rows are kept', async () => {
  await using gateway = await startGateway();
  const tables = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ name: string }>(
      `select case when n.nspname = 'public' then '' else n.nspname || '.' end || c.relname as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`,
    ),
  );
  const section = readFileSync(PAGE, 'utf8').split('## What is kept, and for how long')[1] ?? '';
  const rows = [...section.matchAll(/^\| `([\w.]+)` \| ([^|]+) \|/gm)].map(([, name = '', kept = '']) => ({
    name,
    kept: kept.trim(),
  }));
  const known = new Set(tables.map(({ name }) => name));
  const listed = new Set(rows.map(({ name }) => name));
  assert.deepEqual(
    [...known].filter((name) => !listed.has(name)),
    [],
    'tables without a line in docs/guide/operator.md, "What is kept, and for how long": decide and say it there',
  );
  assert.deepEqual(
    [...listed].filter((name) => !known.has(name)),
    [],
    'tables that are gone',
  );
  assert.equal(rows.length, listed.size);
  for (const { name, kept } of rows) assert.ok(kept.length > 5, name);
});
