import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitCorrection, withoutApostrophe } from './correction.ts';
import { evaluate, openBench } from '../testing/evaluate.ts';
import type { RawColumn } from './raw-table.ts';
import { findSource, sourceName } from './source-name.ts';

const columns = (...names: [name: string, normalized: string][]): RawColumn[] =>
  names.map(([name, normalized], index) => ({ index, name, normalized }));

const TAPE = columns(['Rate', 'rate'], ['', 'column_2'], ['Rate', 'rate_2'], ['rate', 'rate_3'], ['Loan ID', 'loan_id']);

test('a column goes by its header, and by its own name where the header is empty or repeated', () => {
  assert.deepEqual(
    TAPE.map((column) => sourceName(column, TAPE)),
    ['Rate', 'column_2', 'rate_2', 'rate', 'Loan ID'],
  );
});

test('a mapping finds the column that has exactly its name before any that is like it', () => {
  const index = (source: string) => findSource(source, TAPE)?.index;
  assert.deepEqual(['Rate', 'rate', 'rate_2', 'column_2', 'Loan ID'].map(index), [0, 3, 2, 1, 4]);
  assert.deepEqual(['LOAN-ID', ' loan id ', '__loan__id__', 'RATE'].map(index), [4, 4, 4, 0]);
  assert.deepEqual(['', 'loan', 'rate_4', '***'].map(index), [undefined, undefined, undefined, undefined]);
});

const CORRECTION = ['_row', '_rule', '_reason', '_actual', '_expected'];

test('a file is a corrected issues file by the row, the rule and the reason, in whatever order', () => {
  const names = (list: readonly string[]) => columns(...list.map((name): [string, string] => [name, name]));
  const whole = splitCorrection(names(['_expected', 'id', ...CORRECTION.slice(0, 4), 'note']));
  assert.deepEqual([whole.own.map((column) => column.name), whole.row?.index], [['id', 'note'], 2]);
  for (const missing of CORRECTION) {
    const list = ['id', ...CORRECTION.filter((name) => name !== missing)];
    const isCorrection = missing === '_actual' || missing === '_expected';
    const other = splitCorrection(names(list));
    assert.deepEqual(
      other.own.map((column) => column.name),
      isCorrection ? ['id'] : list,
      missing,
    );
    assert.equal(other.row?.name, isCorrection ? '_row' : undefined, missing);
  }
  const bare = splitCorrection(names(['_row', '_rule', '_reason', 'id']));
  assert.deepEqual([bare.own.map((column) => column.name), bare.row?.index], [['id'], 0]);
});

test('the apostrophe before a formula is taken off, any other is kept', async () => {
  await using bench = await openBench();
  const texts = ["'=1+1", "'+x", "'@x", "'-x", "'\tx", "'\rx", "'tis", "''=x", "it's", "'", "'5", null];
  assert.deepEqual(await evaluate(bench.engine, withoutApostrophe('t'), texts), [
    '=1+1',
    '+x',
    '@x',
    '-x',
    '\tx',
    '\rx',
    "'tis",
    "'=x",
    "it's",
    "'",
    "'5",
    null,
  ]);
});
