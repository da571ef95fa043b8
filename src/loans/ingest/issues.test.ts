import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RowCheck, maskColumns } from '../checks/check.ts';
import { copyToParquet, parquet, sqlText } from '../engine/sql.ts';
import { openBench } from '../testing/evaluate.ts';
import { countHits, type IssueSources, type PlainIssue, writeIssues } from './issues.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

const check = (rule_id: string, when: string, more: Partial<RowCheck> = {}): RowCheck => ({
  rule_id,
  severity: 'WARNING',
  field: 'term',
  when,
  message: sqlText(`${rule_id} was found`),
  expected: sqlText('something else'),
  ...more,
});

const plain = (rule_id: string, more: Partial<PlainIssue> = {}): PlainIssue => ({
  row_number: null,
  line: null,
  column_name: null,
  field: null,
  rule_id,
  severity: 'WARNING',
  message: 'seen by the reader',
  actual: null,
  expected: null,
  ...more,
});

let count = 0;

/** Issues of a tape of so many rows, whose term is the number of the row. */
async function issuesOf(rowCount: number, checks: readonly RowCheck[], sources: Partial<IssueSources> = {}) {
  count += 1;
  const [typedPath, rawPath, path] = ['typed', 'raw', 'issues'].map((name) => bench.path(`${name}-${count}.parquet`));
  const rows = `SELECT CAST(i AS INTEGER) AS row_number, CAST(i + 1 AS INTEGER) AS line, i AS term FROM range(1, ${rowCount + 1}) AS t(i)`;
  const masks = checks.length === 0 ? '' : `, ${maskColumns(checks).join(', ')}`;
  await bench.engine.run(copyToParquet(rows, rawPath));
  await bench.engine.run(copyToParquet(`SELECT *${masks} FROM (${rows})`, typedPath));
  const none = { duplicatesPath: null, sharedIds: null, readings: [], plain: [], workDir: bench.dir };
  const hits = await countHits(bench.engine, typedPath, checks);
  const byRule = await writeIssues(bench.engine, { rawPath, rowCount, typedPath, checks, hits, ...none, ...sources }, path);
  const found = await bench.engine.rows<PlainIssue>(`SELECT * FROM ${parquet(path)}`);
  const sum = (severity: string) =>
    byRule.filter((each) => each.severity === severity).reduce((total, each) => total + each.count, 0);
  const counts = { error: sum('ERROR'), warning: sum('WARNING') };
  return { counts, byRule, found, keys: found.map((issue) => `${issue.row_number ?? '-'} ${issue.rule_id}`) };
}

test('findings come by row, and those of a row by rule', async () => {
  const { keys, counts } = await issuesOf(5, [
    check('C', 'term >= 4'),
    check('A', 'term = 4 OR term = 2', { severity: 'ERROR' }),
    check('B', 'term > 9'),
  ]);
  assert.deepEqual(keys, ['2 A', '4 A', '4 C', '5 C']);
  assert.deepEqual(counts, { error: 2, warning: 2 });
});

test('of more checks than a flag column has bits each has its own rows', async () => {
  const divisors = Array.from({ length: 130 }, (_, index) => index + 1);
  const checks = divisors.map((divisor) => check(`D${divisor}`, `term % ${divisor} = 0`));
  const { byRule } = await issuesOf(300, checks);
  const counts = new Map(byRule.map((each) => [each.rule_id, each.count]));
  for (const divisor of divisors) assert.equal(counts.get(`D${divisor}`), Math.floor(300 / divisor), `D${divisor}`);
});

test('a finding has its line, what was seen and what was expected', async () => {
  const { found } = await issuesOf(3, [
    check('A', 'term = 2', { actual: "concat('term ', term)", severity: 'ERROR' }),
    check('B', 'term = 3'),
  ]);
  assert.deepEqual(found[0], {
    row_number: 2,
    line: 3,
    column_name: null,
    field: 'term',
    rule_id: 'A',
    severity: 'ERROR',
    message: 'A was found',
    actual: 'term 2',
    expected: 'something else',
  });
  assert.equal(found[1].actual, '3');
});

test('findings about the tape come first, those of the reader stand among the others of their row', async () => {
  const issues = [
    plain('Z'),
    plain('M', { row_number: 3, line: 4 }),
    plain('A', { row_number: 1, line: 2, severity: 'ERROR' }),
    plain('B'),
  ];
  const { keys, counts } = await issuesOf(3, [check('N', 'term = 3'), check('L', 'term = 3')], { plain: issues });
  assert.deepEqual(keys, ['- B', '- Z', '1 A', '3 L', '3 M', '3 N']);
  assert.deepEqual(counts, { error: 1, warning: 5 });
});

test('the texts of a finding of the reader are kept to the letter', async () => {
  const odd = 'quotes "", commas, \'apostrophes\', two\nlines, NULL and é漢🏦';
  const { found } = await issuesOf(1, [], {
    plain: [plain('A', { message: odd, actual: odd, expected: 'NULL', column_name: odd })],
  });
  assert.deepEqual(
    [found[0].message, found[0].actual, found[0].expected, found[0].column_name, found[0].field],
    [odd, odd, 'NULL', odd, null],
  );
});

test('findings are counted by rule, those about the whole tape included: errors first, then the most frequent', async () => {
  const issues = [plain('TAPE'), plain('TAPE'), plain('BAD', { row_number: 2, line: 3, severity: 'ERROR' })];
  const { byRule } = await issuesOf(3, [check('A', 'term = 3'), check('EACH', 'term >= 1')], { plain: issues });
  assert.deepEqual(byRule, [
    { rule_id: 'BAD', severity: 'ERROR', count: 1 },
    { rule_id: 'EACH', severity: 'WARNING', count: 3 },
    { rule_id: 'TAPE', severity: 'WARNING', count: 2 },
    { rule_id: 'A', severity: 'WARNING', count: 1 },
  ]);
});

test('without a finding the file has its columns and no row', async () => {
  const { found, counts } = await issuesOf(3, [check('A', 'term > 9')]);
  assert.deepEqual([found, counts], [[], { error: 0, warning: 0 }]);
  const described = await bench.engine.rows<{ column_name: string; column_type: string }>(
    `DESCRIBE SELECT * FROM ${parquet(bench.path(`issues-${count}.parquet`))}`,
  );
  assert.deepEqual(
    described.map((column) => `${column.column_name} ${column.column_type}`),
    [
      'row_number INTEGER',
      'line INTEGER',
      ...['column_name', 'field', 'rule_id', 'severity', 'message', 'actual', 'expected'].map((name) => `${name} VARCHAR`),
    ],
  );
});

test('duplicate rows are errors that name the row they repeat, shared ids warnings that name the other row', async () => {
  const duplicatesPath = bench.path('duplicates.parquet');
  const path = bench.path('shared.parquet');
  await bench.engine.run(copyToParquet('SELECT 3 AS row_number, 1 AS first_row', duplicatesPath));
  await bench.engine.run(copyToParquet("SELECT 2 AS row_number, 'L1' AS id, 1 AS other_row", path));
  const { found, counts } = await issuesOf(3, [], { duplicatesPath, sharedIds: { path, field: 'loan_id' } });
  assert.deepEqual(
    found.map(({ row_number, line, rule_id, severity, actual, field }) => [row_number, line, rule_id, severity, actual, field]),
    [
      [2, 3, 'DUPLICATE_LOAN_ID', 'WARNING', 'L1', 'loan_id'],
      [3, 4, 'DUPLICATE_ROW', 'ERROR', 'same as row 1', null],
    ],
  );
  assert.match(found[0].message, /^row 1 has the same loan_id/);
  assert.deepEqual(counts, { error: 1, warning: 1 });
});

test('no finding is lost or doubled where two stretches of two hundred thousand rows meet', async () => {
  const near = 'term IN (1, 199999, 200000, 200001, 400000, 400001)';
  const issues = [200_000, 200_001, 400_001].map((row_number) => plain('P', { row_number, line: row_number + 1 }));
  const { keys } = await issuesOf(400_001, [check('A', near)], { plain: issues });
  assert.deepEqual(keys, ['1 A', '199999 A', '200000 A', '200000 P', '200001 A', '200001 P', '400000 A', '400001 A', '400001 P']);
});

test('a row can have the findings of more checks than a column has bits', async () => {
  const checks = Array.from({ length: 130 }, (_, index) =>
    check(`R${String(index).padStart(3, '0')}`, `term = 2 OR ${index} = 59 + term`),
  );
  const { keys, found } = await issuesOf(2, checks);
  assert.deepEqual(keys, ['1 R060', ...checks.map(({ rule_id }) => `2 ${rule_id}`)]);
  assert.ok(found.every((issue) => issue.message === `${issue.rule_id} was found`));
});

test('a condition that cannot be decided is no finding', async () => {
  assert.deepEqual((await issuesOf(2, [check('A', 'NULL'), check('B', 'term > NULL')])).keys, []);
});
