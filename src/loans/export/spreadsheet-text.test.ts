import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { openEngine } from '../engine/engine.ts';
import { AS_MARKED, CELL_MARK, sqlText } from '../engine/sql.ts';
import { csvCells, csvLine } from './spreadsheet-text.ts';

const piece = fc.constantFrom(
  '',
  'a',
  '12.50',
  '-12.50',
  '=1',
  "'",
  '+',
  '@x',
  '＝1',
  '＠',
  ' ',
  '\t',
  '\r',
  '\n',
  '"',
  ',',
  'é',
  '\u00a0',
  'Á b',
  '\ufeff',
);
const cell = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));

test('marked cells become the CSV record that their list becomes', () => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
      const marked = cells.map((text) => CELL_MARK + text).join('');
      assert.equal(`${csvCells(marked)}\r\n`, csvLine(cells));
      assert.equal(`${csvCells(JSON.stringify(cells))}\r\n`, csvLine(cells), 'as a list');
    }),
  );
});

test('the engine marks the cells of a row, and lists them where one has the mark itself', async () => {
  await using engine = await openEngine({ workDir: tmpdir(), allowedDirectories: [] });
  const rows: (string | null)[][] = [
    ['a', null, ''],
    [`with ${CELL_MARK} in it`, '[', null],
    ['[', '"', ' x'],
  ];
  const values = rows.map((row) => `(${row.map((text) => (text === null ? 'NULL' : sqlText(text))).join(', ')})`).join(', ');
  const names = ['a', 'b', 'c'];
  const found = await engine.rows<{ cells: string }>(
    `SELECT ${AS_MARKED.kept('gathered', names)} AS cells FROM (SELECT *, ${AS_MARKED.text(names)} AS gathered FROM (VALUES ${values}) t(a, b, c))`,
  );
  assert.deepEqual(
    found.map(({ cells }) => `${csvCells(cells)}\r\n`),
    rows.map((row) => csvLine(row)),
  );
  assert.ok(found[0]?.cells.startsWith(CELL_MARK));
});
