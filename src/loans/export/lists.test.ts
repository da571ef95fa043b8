import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { copyToParquet, textOrNull } from '../engine/sql.ts';
import { openBench } from '../testing/evaluate.ts';
import { listIssues } from './list-issues.ts';
import { listLoans } from './list-loans.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

type Row = { row: number | null; rule: string; severity?: string; column?: string | null };
let count = 0;

async function issuesFile(rows: readonly Row[]): Promise<string> {
  count += 1;
  const path = bench.path(`issues-${count}.parquet`);
  const select = rows.map(
    ({ row, rule, severity = 'WARNING', column = null }) =>
      `SELECT CAST(${row ?? 'NULL'} AS INTEGER) AS row_number, CAST(${row === null ? 'NULL' : row + 1} AS INTEGER) AS line, ${textOrNull(column)} AS column_name, 'term' AS field, '${rule}' AS rule_id, '${severity}' AS severity, 'm' AS message, 'a' AS actual, 'e' AS expected`,
  );
  await bench.engine.run(copyToParquet(select.join(' UNION ALL '), path));
  return path;
}

const ISSUES: Row[] = [
  { row: 10, rule: 'B' },
  { row: 2, rule: 'B', column: 'y' },
  { row: 2, rule: 'B', column: 'x' },
  { row: 2, rule: 'A', severity: 'ERROR' },
  { row: null, rule: 'Z', severity: 'ERROR' },
];

async function listed(filter: Partial<Parameters<typeof listIssues>[2]> = {}) {
  const { rows, total } = await listIssues(bench.engine, await issuesFile(ISSUES), { page: 1, limit: 100, ...filter });
  return {
    rows,
    total,
    keys: rows.map(({ row_number, rule_id, column }) => [row_number ?? '-', rule_id, column].filter(Boolean).join(' ')),
  };
}

test('issues are listed by row, those of the tape first, then by rule and column', async () => {
  const { keys, total } = await listed();
  assert.deepEqual(keys, ['- Z', '2 A', '2 B x', '2 B y', '10 B']);
  assert.equal(total, 5);
});

test('an issue has all its fields, under the names of the interface', async () => {
  const { rows } = await listed({ rule: 'A' });
  assert.deepEqual(rows, [
    {
      row_number: 2,
      line: 3,
      column: null,
      field: 'term',
      rule_id: 'A',
      severity: 'ERROR',
      message: 'm',
      actual: 'a',
      expected: 'e',
    },
  ]);
});

test('issues are filtered by severity, by rule and by both, and a filter that is SQL finds nothing', async () => {
  assert.deepEqual((await listed({ severity: 'ERROR' })).keys, ['- Z', '2 A']);
  assert.deepEqual((await listed({ rule: 'B' })).keys, ['2 B x', '2 B y', '10 B']);
  assert.deepEqual((await listed({ severity: 'ERROR', rule: 'B' })).total, 0);
  for (const rule of ["' OR 'a' = 'a", "B'; DROP TABLE x; --", 'b']) assert.deepEqual((await listed({ rule })).total, 0, rule);
});

test('pages part the list without a gap, and one beyond its end is empty', async () => {
  const page = async (number: number) => (await listed({ page: number, limit: 2 })).keys;
  assert.deepEqual(
    [await page(1), await page(2), await page(3), await page(4)],
    [['- Z', '2 A'], ['2 B x', '2 B y'], ['10 B'], []],
  );
  assert.equal((await listed({ page: 4, limit: 2 })).total, 5);
});

/** Loans with a number, a date and an id, written in another order than that of the tape. */
async function loansFile(rows: number): Promise<string> {
  count += 1;
  const path = bench.path(`loans-${count}.parquet`);
  await bench.engine.run(
    copyToParquet(
      `SELECT CAST(i AS INTEGER) AS row_number, CAST(i AS VARCHAR) AS loan_id, CAST(i + 0.25 AS DECIMAL(18,6)) AS original_balance, ` +
        `CASE WHEN i = 2 THEN NULL ELSE CAST(5 AS DECIMAL(18,6)) END AS interest_rate, DATE '2020-01-31' AS origination_date, true AS co_obligor ` +
        `FROM range(1, ${rows + 1}) AS t(i) ORDER BY i DESC`,
      path,
    ),
  );
  return path;
}

async function loans(query: Partial<Parameters<typeof listLoans>[1]> = {}) {
  return await listLoans(bench.engine, {
    loansPath: await loansFile(5),
    loanType: 'Auto',
    page: 1,
    limit: 100,
    outcome: null,
    ...query,
  });
}

test('loans are listed in the order of the tape, numbers as numbers, dates and ids as text', async () => {
  const { rows, total } = await loans({ limit: 2 });
  assert.deepEqual(rows, [
    { row_number: 1, loan_id: '1', original_balance: 1.25, interest_rate: 5, origination_date: '2020-01-31', co_obligor: true },
    {
      row_number: 2,
      loan_id: '2',
      original_balance: 2.25,
      interest_rate: null,
      origination_date: '2020-01-31',
      co_obligor: true,
    },
  ]);
  assert.equal(total, 5);
});

test('pages of loans part the tape without a gap', async () => {
  const page = async (number: number) => (await loans({ page: number, limit: 2 })).rows.map((row) => row.row_number);
  assert.deepEqual([await page(1), await page(2), await page(3), await page(4)], [[1, 2], [3, 4], [5], []]);
});

test('pages part a sorted tape without a gap where those before them are passed over in another way', async () => {
  const loansPath = bench.path('deep.parquet');
  const rows = 7_000;
  const balance = 'CAST((i * 7919) % 1000 AS DECIMAL(18,6))';
  const relation = `SELECT CAST(i AS INTEGER) AS row_number, ${balance} AS current_balance FROM range(1, ${rows + 1}) AS t(i)`;
  await bench.engine.run(copyToParquet(relation, loansPath));
  const inOrder = Array.from({ length: rows }, (_, index) => index + 1);
  const balanceOf = (row: number) => (row * 7919) % 1000;
  const sorted = inOrder.toSorted((a, b) => balanceOf(b) - balanceOf(a) || a - b);
  for (const [sort, expected] of [
    [null, inOrder],
    [{ field: 'current_balance', desc: true }, sorted],
  ] as const) {
    const walked: unknown[] = [];
    for (let page = 1; page <= 70; page += 1) {
      const found = await loans({ loansPath, page, limit: 100, ...(sort && { sort }) });
      walked.push(...found.rows.map((row) => row.row_number));
    }
    assert.deepEqual(walked, expected);
  }
});

test('loans are sorted by amounts of any size, page by page', async () => {
  count += 1;
  const loansPath = bench.path(`loans-${count}.parquet`);
  const amounts = ['999999999999.999999', '1000000', '0.000001', '-999999999999.999999', '999999.999999', '9007199254.740993'];
  const values = amounts.map((amount, index) => `(CAST(${index + 1} AS INTEGER), CAST('${amount}' AS DECIMAL(18,6)))`);
  const relation = `SELECT * FROM (VALUES ${values.join(', ')}) AS t(row_number, current_balance)`;
  await bench.engine.run(copyToParquet(relation, loansPath));
  for (const [desc, expected] of [
    [false, [4, 3, 5, 2, 6, 1]],
    [true, [1, 6, 2, 5, 3, 4]],
  ] as const) {
    const walked: unknown[] = [];
    let cursor: Awaited<ReturnType<typeof listLoans>>['next'] = null;
    do {
      const of = { loansPath, limit: 2, sort: { field: 'current_balance', desc }, ...(cursor ? { cursor } : {}) };
      const page = await loans(of);
      walked.push(...page.rows.map((row) => row.row_number));
      cursor = page.next;
    } while (cursor);
    assert.deepEqual(walked, expected);
  }
});

test('loans of one outcome are those that a run gave it, however often it names them', async () => {
  const outcomesPath = bench.path('outcomes.parquet');
  const outcomes = [
    [4, 'FAIL'],
    [2, 'FAIL'],
    [2, 'FAIL'],
    [3, 'PASS'],
    [99, 'FAIL'],
  ];
  await bench.engine.run(
    copyToParquet(
      outcomes.map(([row, outcome]) => `SELECT ${row} AS row_number, '${outcome}' AS outcome`).join(' UNION ALL '),
      outcomesPath,
    ),
  );
  const of = async (value: string) => {
    const { rows, total } = await loans({ outcome: { value, outcomesPath } });
    return [rows.map((row) => row.row_number), total];
  };
  assert.deepEqual(await of('FAIL'), [[2, 4], 2]);
  assert.deepEqual(await of('PASS'), [[3], 1]);
  assert.deepEqual(await of("x' OR 'a' = 'a"), [[], 0]);
});
