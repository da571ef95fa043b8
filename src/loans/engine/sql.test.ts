import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import type { Order, PageRequest } from '../../platform/pages.ts';
import { type Engine, openEngine } from './engine.ts';
import { selectRows } from './select-page.ts';
import { copyToParquet, jsonList, parquet, ROW_GROUP_ROWS, rowGroupRows, sqlName, sqlText, textList, textOrNull } from './sql.ts';

async function opened(): Promise<{ engine: Engine; dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'sql-'));
  const engine = await openEngine({ workDir: dir, allowedDirectories: [] });
  return {
    engine,
    dir,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Text without the one character that no text of the engine holds. */
const anyText = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\u0000', '').toWellFormed());
const trap = fc.constantFrom("'", "''", '"', '\\', "'; DROP TABLE t; --", '$1', '?', '/*', '%', '\n', '');
const texts = fc.array(fc.oneof(anyText, trap), { minLength: 1, maxLength: 12 });

test('any text comes back from the engine as it went in', async () => {
  await using room = await opened();
  await fc.assert(
    fc.asyncProperty(texts, async (values) => {
      const row = await room.engine.first<{ list: string[]; json: string; first: string }>(
        `SELECT ${textList(values)} AS list, ${jsonList(values.map(sqlText))} AS json, ${textOrNull(values[0])} AS first`,
      );
      assert.deepEqual([row?.list, JSON.parse(row?.json ?? ''), row?.first], [values, values, values[0]]);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

test('nothing is a missing text, not the word', async () => {
  await using room = await opened();
  const row = await room.engine.first(
    `SELECT ${textOrNull(null)} AS a, ${textOrNull(undefined)} AS b, ${textOrNull('null')} AS c, ${jsonList([])} AS d, ${jsonList(['NULL::VARCHAR', "'x'"])} AS e`,
  );
  assert.deepEqual({ ...row }, { a: null, b: null, c: 'null', d: '[]', e: '[null,"x"]' });
});

test('any name but the empty one may be a column', async () => {
  await using room = await opened();
  for (const name of ['a"b', 'select', "it's", 'x; --', 'ü 日本', ' ', '1', 'A']) {
    const row = await room.engine.first<Record<string, number>>(`SELECT ${sqlName(name)} FROM (SELECT 5 AS ${sqlName(name)})`);
    assert.deepEqual(row && Object.entries(row), [[name, 5]]);
  }
});

test('a query is written in its order, in groups of the usual size, to a path with any letters', async () => {
  await using room = await opened();
  const path = join(room.dir, 'it\'s a "file".parquet');
  const rows = 2 * ROW_GROUP_ROWS;
  await room.engine.run(copyToParquet(`SELECT ${rows} - i AS n FROM range(${rows}) r(i) ORDER BY i`, path));
  const found = await room.engine.first<{ count: number; disorder: number }>(
    `SELECT count(*) AS count, count(*) FILTER (n <> ${rows} - file_row_number) AS disorder FROM read_parquet(${sqlText(path)}, file_row_number = true)`,
  );
  assert.deepEqual({ ...found }, { count: rows, disorder: 0 });
  const groups = await room.engine.rows<{ rows: number }>(
    `SELECT DISTINCT row_group_id, row_group_num_rows AS rows FROM parquet_metadata(${sqlText(path)}) ORDER BY 1`,
  );
  assert.deepEqual(
    groups.map((group) => group.rows),
    [ROW_GROUP_ROWS, ROW_GROUP_ROWS],
  );
  assert.equal((await room.engine.first<{ least: number }>(`SELECT min(n) AS least FROM ${parquet(path)}`))?.least, 1);
});

test('a group of rows is as long as its file, and shorter where it is wide, in whole batches of the engine', () => {
  assert.deepEqual(
    [1, 2_048, 2_049, 61_439, 61_440, 1e6].map((rows) => rowGroupRows(30, rows)),
    [2_048, 2_048, 4_096, 61_440, 61_440, 61_440],
  );
  assert.deepEqual([rowGroupRows(60), rowGroupRows(120), rowGroupRows(100_000)], [61_440, 30_720, 2_048]);
});

test('a page has its rows and how many there are in all; a page beyond the end is empty', async () => {
  await using room = await opened();
  await room.engine.run('CREATE TABLE t AS SELECT i, i % 2 = 0 AS even FROM range(1, 11) r(i)');
  const page = (number: number, limit: number, ...conditions: string[]) =>
    selectRows<{ i: number }>(
      room.engine,
      { columns: 'i', source: 't', conditions, order: [{ by: 'i', as: 'integer', desc: true }] },
      { page: number, limit },
    );
  const told = async (...request: Parameters<typeof page>) => {
    const { rows, total } = await page(...request);
    return [rows.map(({ i }) => i), total];
  };
  assert.deepEqual(await told(1, 3), [[10, 9, 8], 10]);
  assert.deepEqual(await told(4, 3), [[1], 10]);
  assert.deepEqual(await told(5, 3), [[], 10]);
  assert.deepEqual(await told(1, 3, 'even'), [[10, 8, 6], 5]);
  assert.deepEqual(await told(1, 9, 'even', 'i > 4'), [[10, 8, 6], 3]);
  assert.deepEqual(await told(1, 9, 'i > 99'), [[], 0]);
});

test('a page of a file that is in the order of its list is the same as one that is sorted, however deep, and by a position', async () => {
  await using room = await opened();
  const path = join(room.dir, 'sorted.parquet');
  const rows = 3 * ROW_GROUP_ROWS + 17;
  await room.engine.run(copyToParquet(`SELECT i * 3 AS n, i % 7 = 0 AS rare FROM range(${rows}) r(i) ORDER BY n`, path));
  const order: Order = [{ by: 'n', as: 'bigint' }];
  const list = (isSorted: boolean, conditions: string[], request: PageRequest) =>
    selectRows<{ n: number }>(room.engine, { columns: 'n', source: parquet(path), conditions, order, isSorted }, request);
  for (const conditions of [[], ['rare'], ['rare', 'n % 2 = 0']])
    for (const page of [1, 2, 500, 1_000, 100_000]) {
      const request = { page, limit: 100 };
      const found = await list(true, conditions, request);
      assert.deepEqual(found, await list(false, conditions, request), `${conditions.join(' and ')}, page ${page}`);
      if (found.next === null) continue;
      const cursor = { ...request, cursor: found.next };
      assert.deepEqual(await list(true, conditions, cursor), await list(false, conditions, cursor));
    }
});

const keys = fc.record({ a: fc.option(fc.constantFrom('', "x'y", 'z', 'é')), b: fc.option(fc.integer({ min: -1, max: 1 })) });
const directions = fc.record({ desc: fc.boolean(), nulls: fc.constantFrom('first' as const, 'last' as const) });

test('rows behind a position are those that follow it, whatever the directions of the keys and the sides of nulls', async () => {
  await using room = await opened();
  await fc.assert(
    fc.asyncProperty(
      fc.array(keys, { maxLength: 12 }),
      directions,
      directions,
      fc.integer({ min: 1, max: 5 }),
      async (rows, a, b, limit) => {
        const values = rows.map((row, id) => `(${textOrNull(row.a)}, CAST(${row.b ?? 'NULL'} AS INTEGER), ${id})`);
        const source = `(SELECT * FROM (VALUES ${['(CAST(NULL AS VARCHAR), 0, -1)', ...values].join(', ')}) v(a, b, id) WHERE id >= 0)`;
        const order: Order = [
          { by: 'a', as: 'text', ...a },
          { by: 'b', as: 'integer', ...b },
          { by: 'id', as: 'integer' },
        ];
        const list = (request: PageRequest) => selectRows<{ id: number }>(room.engine, { columns: 'id', source, order }, request);
        const whole = (await list({ page: 1, limit: 100 })).rows.map(({ id }) => id);
        const walked: number[] = [];
        let cursor: PageRequest['cursor'];
        do {
          const page = await list({ page: 1, limit, cursor });
          walked.push(...page.rows.map(({ id }) => id));
          cursor = page.next ?? undefined;
        } while (cursor);
        assert.deepEqual(walked, whole);
      },
    ),
    { numRuns: 60 },
  );
});
