import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBench } from '../testing/evaluate.ts';
import { rawTableSource } from '../reading/raw-table.ts';
import type { LoanType } from '../types.ts';
import type { InlineValue } from './ingest-types.ts';
import { inlineTable, namesOfFields } from './inline-table.ts';

async function tableOf(loans: readonly Readonly<Record<string, InlineValue>>[], loanType: LoanType = 'Auto') {
  await using bench = await openBench();
  const { raw, requests } = await inlineTable(loans, loanType, bench.dir);
  const rows = await bench.engine.rows<Record<string, string | null>>(`SELECT * FROM ${rawTableSource(raw)} ORDER BY row_number`);
  return {
    names: raw.columns.map((column) => column.name),
    normalized: raw.columns.map((column) => column.normalized),
    rows: rows.map((row) => raw.columns.map(({ index }) => row[`c${index}`])),
    positions: rows.map((row) => [row.row_number, row.line]),
    rowCount: raw.rowCount,
    requests,
  };
}

test('the columns are all the keys of all the loans, in the order in which they are first met', async () => {
  const seen = await tableOf([{ loan_id: 'A', x: 1 }, { y: 2, loan_id: 'B' }, {}]);
  assert.deepEqual(seen.names, ['loan_id', 'x', 'y']);
  assert.deepEqual(seen.rows, [
    ['A', '1', null],
    ['B', null, '2'],
    [null, null, null],
  ]);
  assert.deepEqual(
    [seen.positions, seen.rowCount],
    [
      [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
      3,
    ],
  );
});

test('values become the text that says the same', async () => {
  const values: [InlineValue, string | null][] = [
    ['text', 'text'],
    ['', null],
    [null, null],
    [undefined, null],
    [true, 'true'],
    [false, 'false'],
    [0, '0'],
    [-1.5, '-1.5'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    ['00123', '00123'],
    ['two\nlines, "quoted"', 'two\nlines, "quoted"'],
    [' kept ', ' kept '],
    ['\r\n', '\r\n'],
    ['漢🏦', '漢🏦'],
  ];
  const { rows } = await tableOf(values.map(([value]) => ({ x: value })));
  assert.deepEqual(
    rows.map(([text]) => text),
    values.map(([, text]) => text),
  );
});

test('keys of the same normalized name, and hostile ones, are columns of their own', async () => {
  const loan: Record<string, InlineValue> = { Rate: 1, rate: 2, '': 3, constructor: 4, 'a"b': 5 };
  Object.defineProperty(loan, '__proto__', { value: 6, enumerable: true });
  const { names, normalized, rows } = await tableOf([loan]);
  assert.deepEqual(names, ['Rate', 'rate', '', 'constructor', 'a"b', '__proto__']);
  assert.deepEqual(normalized, ['rate', 'rate_2', 'column_3', 'constructor', 'a_b', 'proto']);
  assert.deepEqual(rows, [['1', '2', '3', '4', '5', '6']]);
});

test('only keys that are names of fields of the loan type are mapped, every other key to nothing', async () => {
  const { requests } = await tableOf([{ loan_id: 'A', original_balance: 1, Balance: 2, credit_limit: 3 }]);
  assert.deepEqual(requests, [
    { source: 'loan_id', target: 'loan_id' },
    { source: 'original_balance', target: 'original_balance' },
    { source: 'Balance', target: null },
    { source: 'credit_limit', target: null },
  ]);
  const columns = [{ index: 0, name: 'credit_limit', normalized: 'credit_limit' }];
  assert.deepEqual(namesOfFields(columns, 'Credit Card'), [{ source: 'credit_limit', target: 'credit_limit' }]);
});

test('loans without any key are rows of the id, all of them missing', async () => {
  assert.deepEqual((await tableOf([{}, {}])).names, ['loan_id']);
  const card = await tableOf([{}], 'Credit Card');
  assert.deepEqual([card.names, card.rows], [['account_id'], [[null]]]);
});

test('a loan that is longer than a row can be is a malformed row whose values are cut, and the others are read', async () => {
  await using bench = await openBench();
  const loans = [
    { loan_id: 'A', note: '"'.repeat(2_200_000) },
    { loan_id: 'B', note: 'short' },
  ];
  const { raw } = await inlineTable(loans, 'Auto', bench.dir);
  const rows = await bench.engine.rows<{ c0: string; c1: string }>(`SELECT * FROM ${rawTableSource(raw)} ORDER BY row_number`);
  assert.deepEqual(
    rows.map(({ c0, c1 }) => [c0, c1.length]),
    [
      ['A', 32_768],
      ['B', 5],
    ],
  );
  assert.deepEqual(
    raw.malformedRows.map(({ row_number, line, expected }) => [row_number, line, expected]),
    [[1, 1, 'at most 524288 bytes']],
  );
});
