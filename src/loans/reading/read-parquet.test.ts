import assert from 'node:assert/strict';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DuckDBConnection } from '@duckdb/node-api';
import fc from '../../../test/support/property.ts';
import { sqlText } from '../engine/sql.ts';
import { topLevelNames } from './parquet-columns.ts';
import { probeTape } from './probe.ts';
import { parquetOf } from './testing/parquet-for-test.ts';
import { fileOf, leftBehind, problemOf, read, tableOf } from './testing/read-for-test.ts';

const PARQUET = { format: 'parquet' } as const;
const LOANS = `SELECT 'L' || i AS loan_id, i * 1000 AS balance, DATE '2026-01-01' + i::INTEGER AS opened FROM range(1, 4) t(i)`;

/** The text of one value, and the notices. */
async function valueOf(expression: string) {
  const seen = await tableOf(await parquetOf(`SELECT ${expression} AS value, 'x' AS other`), PARQUET);
  return { text: seen.rows[0][0], codes: seen.codes };
}

test('a Parquet file becomes its rows, numbered in the order of the file', async () => {
  const seen = await tableOf(await parquetOf(LOANS), PARQUET);
  assert.deepEqual(seen.names, ['loan_id', 'balance', 'opened']);
  assert.deepEqual(seen.rows, [
    ['L1', '1000', '2026-01-02'],
    ['L2', '2000', '2026-01-03'],
    ['L3', '3000', '2026-01-04'],
  ]);
  assert.deepEqual([seen.lines, seen.codes, seen.table.rowCount, seen.table.format], [[1, 2, 3], [], 3, 'parquet']);
});

test('a value of each type is the text that a CSV file would carry', async () => {
  const cases: [string, string | null][] = [
    ['1234567890123456789::BIGINT', '1234567890123456789'],
    ['-7::TINYINT', '-7'],
    ['18446744073709551615::UBIGINT', '18446744073709551615'],
    ['0.10::DECIMAL(18,2)', '0.10'],
    ['12345678901234567890123456789012.123456::DECIMAL(38,6)', '12345678901234567890123456789012.123456'],
    ['0.1::DOUBLE', '0.1'],
    ['0.1::FLOAT', '0.1'],
    ['1234.56::DOUBLE', '1234.56'],
    ['100000::DOUBLE', '100000'],
    ["'nan'::DOUBLE", null],
    ['NULL::DOUBLE', null],
    ['true', 'true'],
    ["DATE '2024-02-29'", '2024-02-29'],
    ["TIMESTAMP '2024-02-29 00:00:00'", '2024-02-29'],
    ["TIMESTAMP '2024-02-29 10:11:12.5'", '2024-02-29T10:11:12.5'],
    ["TIMESTAMP_NS '2024-02-29 10:11:12.000000001'", '2024-02-29T10:11:12.000000001'],
    ["TIMESTAMPTZ '2024-02-29 10:11:12+02'", '2024-02-29T08:11:12Z'],
    ["TIMESTAMPTZ '2024-02-29 00:00:00+00'", '2024-02-29'],
    ["TIME '10:11:12'", '10:11:12'],
    ["'00123'", '00123'],
    ['\' a,"b"\n;c \'', ' a,"b"\n;c '],
    ["''", null],
    ["'NA'", 'NA'],
    ["repeat('x', 100000)", 'x'.repeat(100_000)],
    ["repeat('x' || chr(10), 500)", 'x\n'.repeat(500)],
    ["'Zürich 漢 🏦'", 'Zürich 漢 🏦'],
    ["'old writers mark no text'::BLOB", 'old writers mark no text'],
    ["UUID 'a9e0e0c5-aa77-485d-91b1-00ec24e971e6'", 'a9e0e0c5-aa77-485d-91b1-00ec24e971e6'],
  ];
  for (const [expression, text] of cases) {
    const { text: seen, codes } = await valueOf(expression);
    assert.deepEqual([seen, codes], [text, []], expression);
  }
});

test('nested and binary columns are kept as text, and a notice says so', async () => {
  for (const [expression, text, type] of [
    ['[1, 2]', '[1, 2]', 'list'],
    ["{'a': 1, 'b': [2]}", "{'a': 1, 'b': [2]}", 'struct'],
    ["MAP {'k': 1}", '{k=1}', 'map'],
    ["'\\xAA\\x01'::BLOB", '\\xAA\\x01', 'binary'],
  ] as const) {
    const seen = await tableOf(await parquetOf(`SELECT ${expression} AS value, 'x' AS other`), PARQUET);
    assert.deepEqual([seen.rows, seen.codes], [[[text, 'x']], ['COLUMN_AS_TEXT']], expression);
    assert.deepEqual([seen.table.notices[0].column, seen.table.notices[0].actual], ['value', type]);
  }
});

test('numbers of 32 bits whose cents or units are lost are told', async () => {
  const noticesOf = async (expression: string) => {
    const { table } = await tableOf(await parquetOf(`SELECT 'L1' AS loan_id, ${expression} AS balance`), PARQUET);
    return table.notices.map(({ code, column, actual }) => [code, column, actual]);
  };
  const told = [['ROUNDED_NUMBERS', 'balance', '1 values']];
  for (const rounded of ['333333.33', '-333333.33', '123456789'])
    assert.deepEqual(await noticesOf(`${rounded}::FLOAT`), told, rounded);
  for (const sure of ['98765.43', '250000', '16777216', "'inf'", "'nan'", 'NULL'])
    assert.deepEqual(await noticesOf(`${sure}::FLOAT`), [], sure);
  assert.deepEqual(await noticesOf('333333.33::DOUBLE'), []);
});

test('a file of many columns of 32 bits or of bytes is read by as many statements as one with one of them', async (context) => {
  const statements = context.mock.method(DuckDBConnection.prototype, 'runAndReadAll');
  const countOf = async (columns: readonly string[]) => {
    const bytes = await parquetOf(`SELECT 'L1' AS loan_id, ${columns.join(', ')}`);
    statements.mock.resetCalls();
    const outcome = await read(bytes, PARQUET);
    assert.ok(outcome.ok);
    return { statements: statements.mock.callCount(), told: outcome.table.notices.length };
  };
  const many = Array.from({ length: 30 }, (_, at) => [`333333.33::FLOAT AS f${at}`, `'\\xAA'::BLOB AS b${at}`]);
  const [one, all] = [await countOf(many[0]), await countOf(many.flat())];
  assert.deepEqual([one.told, all.told, all.statements], [2, 60, one.statements]);
});

test('the names of columns are those of the file, empty and repeated ones told apart', async () => {
  const query = `SELECT 1 AS "Balance", 2 AS "balance ", 3 AS "it's, a ""name""", {'x': 1, 'y': {'z': 2}} AS s, 5 AS last`;
  const seen = await tableOf(await parquetOf(query), PARQUET);
  assert.deepEqual(seen.names.slice(0, 3), ['Balance', 'balance', `it's, a "name"`]);
  assert.deepEqual(
    seen.table.columns.map(({ normalized }) => normalized),
    ['balance', 'balance_2', 'it_s_a_name', 's', 'last'],
  );
  assert.deepEqual(
    topLevelNames([
      { name: 'root', num_children: 2 },
      { name: 'a', num_children: 1 },
      { name: 'list', num_children: 1 },
      { name: 'element', num_children: null },
      { name: 'b', num_children: null },
    ]),
    ['a', 'b'],
  );
});

test('rows of many groups keep their order, and lines of totals and blank rows are no loans', async () => {
  const rows = 70_000;
  const query = `SELECT 'L' || ((i * 7919) % ${rows}) AS loan_id, i AS position, 'NY' AS state FROM range(${rows}) t(i)`;
  const many = await tableOf(await parquetOf(query, ', ROW_GROUP_SIZE 4096'), PARQUET);
  assert.equal(many.rows.length, rows);
  assert.ok(many.rows.every((row, at) => row[1] === String(at) && many.lines[at] === at + 1));
  const stray = `SELECT * FROM (VALUES ('L1', 100, 'NY'), (NULL, NULL, NULL), ('L2', 200, 'TX'), ('Total', 300, NULL)) t(loan_id, balance, state)`;
  const seen = await tableOf(await parquetOf(stray), PARQUET);
  assert.deepEqual(
    [seen.lines, seen.codes],
    [
      [1, 3],
      ['BLANK_ROWS', 'TOTALS_ROW'],
    ],
  );
});

test('a first row of words is a loan: the names of the columns are known', async () => {
  const seen = await tableOf(
    await parquetOf(`SELECT * FROM (VALUES ('loan_id', 'state'), ('A', 'NY')) t(loan_id, state)`),
    PARQUET,
  );
  assert.deepEqual(
    [seen.rows.at(-1), seen.names],
    [
      ['A', 'NY'],
      ['loan_id', 'state'],
    ],
  );
  const numbers = await tableOf(await parquetOf('SELECT 1 AS "2024", 2 AS "2025"'), PARQUET);
  assert.deepEqual([numbers.names, numbers.rows], [['2024', '2025'], [['1', '2']]]);
});

test('the limits of rows, columns and bytes hold', async () => {
  const code = async (bytes: Buffer, limits: object) => {
    const outcome = await read(bytes, { ...PARQUET, limits });
    return outcome.ok ? 'READ' : outcome.problem.code;
  };
  const loans = await parquetOf(LOANS);
  assert.equal(await code(loans, { maxRows: 3 }), 'READ');
  assert.equal(await code(loans, { maxRows: 2 }), 'TOO_MANY_ROWS');
  assert.equal(await code(loans, { maxBytes: 100 }), 'TOO_LARGE');
  assert.equal(await code(loans, { maxExpandedBytes: 20 }), 'UNREADABLE_FILE');
  const wide = (width: number) => parquetOf(`SELECT ${Array.from({ length: width }, (_, i) => `${i} AS name_${i}`).join(', ')}`);
  assert.equal((await tableOf(await wide(2_000), PARQUET)).rows[0].at(-1), '1999');
  assert.match((await problemOf(await wide(2_001), 'parquet')).message, /2001 columns; at most 2000/);
  assert.equal((await problemOf(await parquetOf(`${LOANS} LIMIT 0`), 'parquet')).code, 'NO_LOAN_ROWS');
});

test('a row of values that are too long is malformed and cut, its neighbours are whole', async () => {
  const query = `SELECT 'L' || i AS loan_id, CASE WHEN i = 2 THEN repeat('é"', 200000) ELSE 'short' END AS remark FROM range(1, 4) t(i)`;
  const seen = await tableOf(await parquetOf(query), PARQUET);
  assert.deepEqual(
    seen.table.malformedRows.map(({ row_number, line, reason }) => [row_number, line, /longer than a row can be/.test(reason)]),
    [[2, 2, true]],
  );
  assert.deepEqual(
    [seen.rows[0], seen.rows[2]],
    [
      ['L1', 'short'],
      ['L3', 'short'],
    ],
  );
});

test('a small file of values that expand a thousand times is refused or cut, in little memory', async () => {
  const bytes = await parquetOf(
    `SELECT repeat('x', 10000000) AS a, 'L' || (i % 3) AS loan_id FROM range(60) t(i)`,
    ', COMPRESSION zstd',
  );
  assert.ok(bytes.length < 1_000_000);
  const before = process.memoryUsage.rss();
  const outcome = await read(bytes, PARQUET);
  assert.equal(outcome.ok ? outcome.table.malformedRows.length : 60, 60);
  assert.ok(process.memoryUsage.rss() - before < 400 * 1024 * 1024);
});

test('a Parquet file damaged anywhere is read or refused in a sentence of ours, and leaves nothing behind', async () => {
  const sound = await parquetOf(
    `SELECT i AS n, 'L' || i AS loan_id, i / 3 AS rate, [i] AS list, DATE '2026-01-01' AS day, NULLIF(i, 3)::DECIMAL(9,2) AS m FROM range(60) t(i)`,
    ', ROW_GROUP_SIZE 2048',
  );
  const before = await leftBehind();
  const change = fc.record({ at: fc.nat(sound.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = Buffer.from(sound);
      for (const { at, byte } of changes) bytes[at] = byte;
      const outcome = await read(bytes, PARQUET);
      const message = outcome.ok ? '' : outcome.problem.message;
      assert.doesNotMatch(message, /duckdb|Error:|thrift|snappy|Invalid Input|INTERNAL/i);
      if (outcome.ok) assert.ok(outcome.table.rowCount > 0);
      else assert.match(message, /Send|send|Upload|Add|Split|row/);
      const probe = await probeTape(await fileOf(bytes));
      assert.ok(probe.ok || probe.problem.message.length > 20);
    }),
    { numRuns: 60 },
  );
  assert.deepEqual(
    (await leftBehind()).filter((name) => name !== 'canonical.csv'),
    before.filter((name) => name !== 'canonical.csv'),
  );
});

/** Two balances, 20000.12 and 15000.50, as decimals of 54 digits in 23 bytes, and of 76 in 32. */
const WIDE_54 =
  'UEFSMRUAFSQVJCwVBBUAFQYVBhwAAAACAAAABAECAAAATDECAAAATDIVABVoFWgsFQQVABUGFQYcAAAAAgAAAAQBAAAAAAAAAAAAAAAAAAAAAAAAAAAehIwAAAAAAAAAAAAAAAAAAAAAAAAAABbjkhUEGTw1ABgGc2NoZW1hFQQAFQwlAhgHbG9hbl9pZCUATBwAAAAVDhUuFQIYB2JhbGFuY2UlChUEFWwsXBUEFWwAAAAWBBkcGSwmABwVDBklBgAZGAdsb2FuX2lkFQAWBBZKFkomCEkcFQAVABUCADwWCBkGGSYABAAAACYAHBUOGSUGABkYB2JhbGFuY2UVABYEFo4BFo4BJlJJHBUAFQAVAgA8KQYZJgAEAAAAFtgBFgQmCBbYAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGSwcAAAcAAAA4wAAAFBBUjE=';
const WIDE_76 =
  'UEFSMRUAFSQVJCwVBBUAFQYVBhwAAAACAAAABAECAAAATDECAAAATDIVABWMARWMASwVBBUAFQYVBhwAAAACAAAABAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB6EjAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFuOSFQQZPDUAGAZzY2hlbWEVBAAVDCUCGAdsb2FuX2lkJQBMHAAAABUOFUAVAhgHYmFsYW5jZSUKFQQVmAEsXBUEFZgBAAAAFgQZHBksJgAcFQwZJQYAGRgHbG9hbl9pZBUAFgQWShZKJghJHBUAFQAVAgA8FggZBhkmAAQAAAAmABwVDhklBgAZGAdiYWxhbmNlFQAWBBa2ARa2ASZSSRwVABUAFQIAPCkGGSYABAAAABaAAhYEJggWgAIAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI1LjAuMRksHAAAHAAAAOUAAABQQVIx';

test('decimals of more than 38 digits are read where the engine reads them right, else the file is refused', async () => {
  const { message } = await problemOf(Buffer.from(WIDE_54, 'base64'), 'parquet');
  assert.match(message, /its column "balance" holds decimals of 54 digits in a width that is not read/);
  const seen = await tableOf(Buffer.from(WIDE_76, 'base64'), PARQUET);
  assert.deepEqual(seen.rows, [
    ['L1', '20000.12'],
    ['L2', '15000.5'],
  ]);
});

test('a file with fewer rows than its footer counts is refused', async () => {
  const sound = Buffer.from(WIDE_76, 'base64');
  // The second count of rows in the footer that is followed by the offset of the group of rows is that of the group.
  const group = sound.lastIndexOf(Buffer.from('1604260816', 'hex'));
  assert.ok(group > 0 && sound[group + 1] === 4);
  const fewer = Buffer.from(sound);
  fewer[group + 1] = 2;
  assert.match((await problemOf(fewer, 'parquet')).message, /its footer counts 2 rows, and 1 were found/);
});

test('a path with the signs of a pattern or of a partition is a path', async () => {
  const dir = join(await mkdtemp(join(tmpdir(), 'paths-')), 'year=2026');
  await mkdir(dir);
  await writeFile(join(dir, 'ab.parquet'), await parquetOf(`SELECT 'other' AS loan_id, 2 AS balance`));
  const path = join(dir, "a[b] it's.parquet");
  await writeFile(path, await parquetOf(LOANS));
  const seen = await tableOf({ path }, PARQUET);
  assert.deepEqual([seen.names, seen.rows.length], [['loan_id', 'balance', 'opened'], 3], sqlText(path));
});

test('a probe sees the columns and the first rows of a large file', async () => {
  const query = `SELECT 'L' || i AS loan_id, i AS balance FROM range(300000) t(i)`;
  const probe = await probeTape(await fileOf(await parquetOf(query)));
  assert.ok(probe.ok);
  assert.deepEqual([probe.columns.map(({ name }) => name), probe.firstRows.length], [['loan_id', 'balance'], 20]);
  assert.deepEqual(probe.firstRows[0], ['L0', '0']);
});

test('an aborted reading throws', async () => {
  await assert.rejects(read(await parquetOf(LOANS), { ...PARQUET, signal: AbortSignal.abort() }), { name: 'AbortError' });
});
