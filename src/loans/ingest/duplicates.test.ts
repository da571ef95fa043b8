import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { copyToParquet, parquet, textOrNull } from '../engine/sql.ts';
import { openBench } from '../testing/evaluate.ts';
import { writeDuplicates, writeSharedIds } from './duplicates.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

type Cells = readonly (string | null)[];
const COLUMNS = ['c0', 'c1', 'c2'].map((name, index) => ({ index, name, normalized: name }));

let count = 0;

/** Writes rows of three columns as a tape; `hash` is the SQL of their hash. */
async function rawOf(rows: readonly Cells[], hash = 'hash(c0, c1, c2)'): Promise<string> {
  count += 1;
  const path = bench.path(`raw-${count}.parquet`);
  const all = rows.map(
    (cells, index) => `SELECT ${index + 1} AS row_number, ${cells.map((cell, at) => `${textOrNull(cell)} AS c${at}`).join(', ')}`,
  );
  await bench.engine.run(
    copyToParquet(`SELECT *, ${hash} AS row_hash FROM (${all.join(' UNION ALL ')}) ORDER BY row_number`, path),
  );
  return path;
}

async function duplicatesOf(rows: readonly Cells[], hash?: string) {
  const raw = await rawOf(rows, hash);
  const path = bench.path(`duplicates-${count}.parquet`);
  const found = await writeDuplicates(bench.engine, raw, COLUMNS, path);
  assert.ok(found === null || found === path);
  const list = found ? await bench.engine.rows<{ row_number: number; first_row: number }>(`SELECT * FROM ${parquet(found)}`) : [];
  assert.equal(found === null, list.length === 0);
  return { raw, path: found, list: list.map((row) => [row.row_number, row.first_row]) };
}

/** The rows that equal an earlier one, with the first of these, by comparing all with all. */
function expectedDuplicates(rows: readonly Cells[]): number[][] {
  const same = (a: Cells, b: Cells) => a.every((cell, index) => cell === b[index]);
  return rows.flatMap((row, index) => {
    const first = rows.findIndex((other) => same(other, row));
    return first < index ? [[index + 1, first + 1]] : [];
  });
}

const cell = fc.constantFrom(null, '', 'a', 'b', 'A');
const tapes = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 25 });

test('rows that equal an earlier row in every column are found with the first of them, and no other is', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, async (rows) => {
      const { list } = await duplicatesOf(rows);
      assert.deepEqual(list, expectedDuplicates(rows));
    }),
    { numRuns: 40 },
  );
});

test('rows with the same hash and other texts are no duplicates', async () => {
  const rows: Cells[] = [
    ['a', 'b', 'c'],
    ['a', 'b', 'd'],
    ['a', 'b', 'c'],
  ];
  assert.deepEqual((await duplicatesOf(rows, '1')).list, [[3, 1]]);
});

test('a missing value equals a missing value and no text', async () => {
  assert.deepEqual(
    (
      await duplicatesOf([
        [null, 'a', null],
        ['', 'a', null],
        [null, 'a', null],
      ])
    ).list,
    [[3, 1]],
  );
});

async function sharedOf(rows: readonly Cells[]) {
  const { raw, path: duplicates } = await duplicatesOf(rows);
  const path = bench.path(`shared-${count}.parquet`);
  const counts = await writeSharedIds(bench.engine, raw, 'c0', duplicates, path);
  const read = () => bench.engine.rows<{ row_number: number; id: string; other_row: number }>(`SELECT * FROM ${parquet(path)}`);
  const list = counts.rows > 0 ? await read() : [];
  return { counts, list: list.map((row) => [row.row_number, row.id, row.other_row]) };
}

test('rows of one id with other content name the first other row of it, exact duplicates are left to their own finding', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, async (rows) => {
      const gone = new Set(expectedDuplicates(rows).map(([row]) => row));
      const kept = rows.flatMap((cells, index) =>
        gone.has(index + 1) || cells[0] === null ? [] : [{ row: index + 1, id: cells[0] }],
      );
      const expected = kept.flatMap(({ row, id }) => {
        const other = kept.find((each) => each.id === id && each.row !== row);
        return other ? [[row, id, other.row]] : [];
      });
      const { counts, list } = await sharedOf(rows);
      assert.deepEqual(list, expected);
      assert.deepEqual(counts, { rows: expected.length, ids: new Set(expected.map(([, id]) => id)).size });
    }),
    { numRuns: 40 },
  );
});

test('a row and its exact duplicate share no id', async () => {
  const { counts } = await sharedOf([
    ['a', 'x', null],
    ['a', 'x', null],
    ['b', 'x', null],
  ]);
  assert.deepEqual(counts, { rows: 0, ids: 0 });
});

test('rows without an id share none', async () => {
  assert.deepEqual(
    (
      await sharedOf([
        [null, 'x', null],
        [null, 'y', null],
      ])
    ).counts,
    { rows: 0, ids: 0 },
  );
});
