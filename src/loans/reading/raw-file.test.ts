import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { copyToParquet, parquet } from '../engine/sql.ts';
import { openBench } from '../testing/evaluate.ts';
import { readRawManifest, writeRawFile } from './raw-file.ts';
import { readTape } from './read-tape.ts';
import { fileOf } from './testing/read-for-test.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

let count = 0;

async function written(csv: string) {
  count += 1;
  const read = await readTape({ path: await fileOf(csv), format: 'csv', workDir: bench.dir });
  if (!read.ok) throw new Error(read.problem.message);
  const path = bench.path(`raw-${count}.parquet`);
  const manifest = await writeRawFile(bench.engine, read.table, path);
  const rows = await bench.engine.rows<Record<string, string | number | null>>(`SELECT * FROM ${parquet(path)}`);
  return { path, manifest, rows, table: read.table };
}

test('the file has every row with its number, its line and its texts, in the order of the tape', async () => {
  const { rows } = await written('id,note\nA,"two\nlines"\nB,\nC, x \n');
  assert.deepEqual(
    rows.map(({ row_number, line, c0, c1 }) => [row_number, line, c0, c1]),
    [
      [1, 2, 'A', 'two\nlines'],
      [2, 4, 'B', null],
      [3, 5, 'C', ' x '],
    ],
  );
});

test('rows of the same texts have the same hash, any other texts another', async () => {
  const { rows } = await written('id,note\nA,x\nA,x\nA,y\nAx,\n,Ax\nA,X\n');
  const hashes = rows.map((row) => row.row_hash);
  assert.equal(hashes[0], hashes[1]);
  assert.equal(new Set(hashes).size, 5);
});

test('the manifest tells all that is needed to take the tape in again', async () => {
  const { path, manifest, table } = await written('Tape of June\n"it\'s, ""quoted""",rate\nA,5,6\nB,7\n');
  assert.deepEqual(await readRawManifest(bench.engine, path), manifest);
  assert.deepEqual(manifest, {
    columns: table.columns,
    rowCount: 2,
    format: 'csv',
    notices: table.notices,
    noticeCounts: { BANNER_LINES: 1 },
    malformedRows: table.malformedRows,
  });
  assert.equal(manifest.columns[0].name, 'it\'s, "quoted"');
  assert.equal(manifest.malformedRows.length, 1);
});

test('a corrected issues file keeps the columns of the originator, and which row each row corrects', async () => {
  const { rows, manifest } = await written(
    "_row,id,note,_rule,_reason,_actual,_expected\n7,A,'=1+1,r,m,a,e\nx,B,'tis,r,m,a,e\n,C,=1,r,m,a,e\n",
  );
  assert.deepEqual(
    manifest.columns.map(({ index, name }) => [index, name]),
    [
      [1, 'id'],
      [2, 'note'],
    ],
  );
  assert.deepEqual(
    rows.map(({ c1, c2, corrects_row, c3 }) => [c1, c2, corrects_row, c3]),
    [
      ['A', '=1+1', 7, undefined],
      ['B', "'tis", null, undefined],
      ['C', '=1', null, undefined],
    ],
  );
});

test('an apostrophe on a tape of its own is the text of the originator', async () => {
  const { rows } = await written("id,note\nA,'=1+1\n");
  assert.deepEqual([rows[0].c1, 'corrects_row' in rows[0]], ["'=1+1", false]);
});

test('a file that no ingest wrote has no manifest, and is refused', async () => {
  const path = bench.path('foreign.parquet');
  await bench.engine.run(copyToParquet('SELECT 1 AS row_number', path));
  await assert.rejects(readRawManifest(bench.engine, path), /has no manifest/);
});

test('an aborted writing throws', async () => {
  const { table } = await written('id\nA1\n');
  await assert.rejects(writeRawFile(bench.engine, table, bench.path('aborted.parquet'), AbortSignal.abort()), {
    name: 'AbortError',
  });
});
