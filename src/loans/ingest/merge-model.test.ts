import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { parquet } from '../engine/sql.ts';
import { readRawManifest, writeRawFile } from '../reading/raw-file.ts';
import type { MalformedRow, RawTable, ReadNotice } from '../reading/raw-table.ts';
import { openBench } from '../testing/evaluate.ts';
import { writeFile } from 'node:fs/promises';
import { mergeRaw, MergeRefused } from './merge-raw.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

type Cells = readonly (string | null)[];
type Tape = { header: readonly string[]; rows: readonly Cells[]; malformedRows?: MalformedRow[]; notices?: ReadNotice[] };

let count = 0;

/** Writes a tape as the reader leaves it; the path of its raw.parquet. */
async function rawOf({ header, rows, malformedRows = [], notices = [] }: Tape): Promise<string> {
  count += 1;
  const csvPath = bench.path(`canonical-${count}.csv`);
  const line = (cells: Cells, index: number) =>
    [index + 1, 10 * (index + 1), ...cells.map((cell) => (cell === null ? '' : `"${cell}"`))].join(',');
  await writeFile(csvPath, rows.map((cells, index) => `${line(cells, index)}\n`).join(''));
  const table: RawTable = {
    csvPaths: [csvPath],
    columns: header.map((name, index) => ({ index, name, normalized: name.toLowerCase() })),
    rowCount: rows.length,
    format: 'csv',
    encoding: 'utf-8',
    delimiter: ',',
    headerLine: 1,
    multiline: false,
    notices,
    noticeCounts: {},
    malformedRows,
  };
  const path = bench.path(`raw-${count}.parquet`);
  await writeRawFile(bench.engine, table, path);
  return path;
}

async function merged(previous: Tape, next: Tape, id: string | null = 'id') {
  const [previousPath, nextPath] = [await rawOf(previous), await rawOf(next)];
  const path = bench.path(`merged-${count}.parquet`);
  const at = next.header.indexOf(id ?? '');
  const column = { index: at, name: id ?? '', normalized: (id ?? '').toLowerCase() };
  const manifest = await mergeRaw({
    engine: bench.engine,
    previousPath,
    nextPath,
    path,
    id: at < 0 ? null : { column, target: 'loan_id' },
  });
  const found = await bench.engine.rows<Record<string, string | null>>(`SELECT * FROM ${parquet(path)}`);
  assert.deepEqual(await readRawManifest(bench.engine, path), manifest);
  assert.deepEqual(
    found.map((row) => Number(row.row_number)),
    found.map((_, index) => index + 1),
  );
  return {
    manifest,
    header: manifest.columns.map((column) => column.name),
    rows: found.map((row) => manifest.columns.map(({ index }) => row[`c${index}`])),
    lines: found.map((row) => Number(row.line)),
  };
}

/** The same, loan by loan: the n-th row of an id replaces the n-th row of it before; rows without an id are new. */
function expected(previous: readonly Cells[], next: readonly Cells[]): Cells[] {
  const rows = previous.map((row) => row);
  const taken = new Map<string, number>();
  const added: Cells[] = [];
  for (const row of next) {
    const id = row[0];
    const nth = taken.get(id ?? '') ?? 0;
    const places = id === null ? [] : previous.flatMap((other, index) => (other[0] === id ? [index] : []));
    if (id !== null) taken.set(id, nth + 1);
    const place = places[nth];
    if (place === undefined) added.push(row);
    else rows[place] = row;
  }
  return [...rows, ...added];
}

const id = fc.constantFrom(null, 'A', 'B', 'C', 'D');
const text = fc.constantFrom(null, 'x', 'y', 'z');
const grids = fc.array(fc.tuple(id, text), { minLength: 1, maxLength: 12 });

test('any tape is merged by loan id as one loan after the other would be', async () => {
  await fc.assert(
    fc.asyncProperty(grids, grids, async (previous, next) => {
      const header = ['id', 'note'];
      const { rows, manifest } = await merged({ header, rows: previous }, { header, rows: next });
      assert.deepEqual(rows, expected(previous, next));
      assert.equal(manifest.rowCount, rows.length);
    }),
    { numRuns: 40 },
  );
});

test('ids meet without their outer blanks, and keep them', async () => {
  const header = ['id', 'note'];
  const { rows } = await merged(
    {
      header,
      rows: [
        [' A', 'old'],
        ['B', 'old'],
      ],
    },
    { header, rows: [['A ', 'new']] },
  );
  assert.deepEqual(rows, [
    ['A ', 'new'],
    ['B', 'old'],
  ]);
});

test('columns meet by their normalized names, those of the older tape first, new ones behind them', async () => {
  const { header, rows, manifest } = await merged(
    {
      header: ['id', 'State', 'gone'],
      rows: [
        ['A', 'NY', 'g'],
        ['B', 'CA', 'h'],
      ],
    },
    {
      header: ['new', 'STATE', 'id'],
      rows: [
        ['n', 'TX', 'B'],
        ['m', null, 'C'],
      ],
    },
  );
  assert.deepEqual(header, ['id', 'State', 'gone', 'new']);
  assert.deepEqual(rows, [
    ['A', 'NY', 'g', null],
    ['B', 'TX', 'h', 'n'],
    ['C', null, null, 'm'],
  ]);
  assert.deepEqual(
    manifest.columns.map((column) => column.index),
    [0, 1, 2, 3],
  );
});

test('an empty cell of the newer tape empties the older one', async () => {
  const header = ['id', 'note'];
  assert.deepEqual((await merged({ header, rows: [['A', 'old']] }, { header, rows: [['A', null]] })).rows, [['A', null]]);
});

test('a row that was replaced or added has its line in the newer file, any other in the older one', async () => {
  const header = ['id', 'note'];
  const old: Cells[] = [
    ['A', null],
    ['B', null],
    ['C', null],
  ];
  assert.deepEqual(
    (
      await merged(
        { header, rows: old },
        {
          header,
          rows: [
            ['D', null],
            ['A', null],
          ],
        },
      )
    ).lines,
    [20, 20, 30, 10],
  );
});

const CORRECTION = ['_row', '_rule', '_reason', '_actual', '_expected'];

test('a corrected issues file replaces the rows that it names, whatever their ids are now', async () => {
  const previous = {
    header: ['id', 'note'],
    rows: [
      ['A', '1'],
      ['A', '2'],
      ['B', '3'],
    ],
  };
  const next = {
    header: ['id', 'note', ...CORRECTION],
    rows: [
      ['Z', "'=5", '2', 'r', 'm', 'a', 'e'],
      ['B', 'three', '3', null, null, null, null],
    ],
  };
  const { rows, header } = await merged(previous, next, null);
  assert.deepEqual(header, ['id', 'note']);
  assert.deepEqual(rows, [
    ['A', '1'],
    ['Z', '=5'],
    ['B', 'three'],
  ]);
});

const malformed = (row_number: number): MalformedRow => ({
  row_number,
  line: row_number,
  reason: 'r',
  actual: 'a',
  expected: 'e',
});

test('a malformed row that was replaced is mended, one that was not stays, and a new one has its number in the merged tape', async () => {
  const header = ['id', 'note'];
  const { manifest } = await merged(
    {
      header,
      rows: [
        ['A', null],
        ['B', null],
        ['C', null],
      ],
      malformedRows: [malformed(1), malformed(2)],
    },
    {
      header,
      rows: [
        ['B', null],
        ['D', null],
        ['E', null],
      ],
      malformedRows: [malformed(3)],
    },
  );
  assert.deepEqual(
    manifest.malformedRows.map((row) => row.row_number),
    [1, 5],
  );
});

test('notices about rows stay and move with their rows, those about the file are of the newer one', async () => {
  const notice = (row_number?: number): ReadNotice => ({
    code: 'STRAY_QUOTE',
    severity: 'WARNING',
    message: 'm',
    ...(row_number === undefined ? {} : { row_number }),
  });
  const header = ['id'];
  const { manifest } = await merged(
    { header, rows: [['A'], ['B'], ['C']], notices: [notice(1), notice(3), notice()] },
    { header, rows: [['C'], ['D']], notices: [notice(1), notice(2), notice()] },
  );
  assert.deepEqual(
    manifest.notices.map((each) => each.row_number),
    [1, 3, 4, undefined],
  );
});

test('tapes without an id column in common are not merged', async () => {
  const rows = [['A', 'x']];
  const refused = (previous: readonly string[], next: readonly string[], column: string | null) =>
    assert.rejects(merged({ header: previous, rows }, { header: next, rows }, column), MergeRefused);
  await refused(['id', 'note'], ['id', 'note'], null);
  await refused(['key', 'note'], ['id', 'note'], 'id');
});
