import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { isNumeric } from '../dictionary/field.ts';
import { parquet } from '../engine/sql.ts';
import { readRawManifest, repeatingColumns } from '../reading/raw-file.ts';
import { readTape } from '../reading/read-tape.ts';
import { fileOf } from '../reading/testing/read-for-test.ts';
import { openBench } from '../testing/evaluate.ts';
import type { IngestResult } from './ingest-types.ts';
import { decideReadings } from './column-readings.ts';
import { countNumbers } from './evidence.ts';
import { ingestRawTable } from './ingest.ts';
import { matchAgainstTape } from './plan-tape.ts';
import { valuesQuery } from './typed-file.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

/** Texts of each column, of which a tape has some: several notations, what is missing, and what cannot be read. */
const COLUMNS = {
  'Original Balance': ['$1,234.50', '(12.00)', '25000', '12,000', '', 'N/A', '1e3', '-5', 'USD 700', '12.5K', '1.234,56', "'900"],
  'Current Balance': ['1000.00', '17.5', '0', '999999999999', '€ 5', '.5', '1234567.1234567', ' 40 ', '41 '],
  'Interest Rate': ['5.5%', '5.5', '0.055', 'n/a', '—', '12,5', '40', '7.25 %', '0'],
  'Origination Date': ['2020-01-31', '31/01/2020', '01/31/2020', '31-Jan-2020', '2020-02-30', '1/2/2021', '2020-01-31 10:30', ''],
  'Maturity Date': ['12/31/2027', '2027-12-31', 'Dec 31, 2027', '20271231', 'never'],
  'Original Term': ['36', '36 months', '3 yrs', '', '36.0', '120', 'x'],
  'Remaining Term': ['12', '24', '-1', '="6"', '１８'],
  'Credit Score': ['700', '9999', '0', '735-739', '', '850+', '299'],
  State: ['CA', 'California', 'ca', ' tx ', 'ny ', 'XX', '="NY"', 'N.Y.', ''],
  'New/Used': ['N', 'U', 'New', 'used', 'certified', ''],
  Modified: ['Y', 'N', 'yes', '1', 'maybe', ''],
  'Borrower Name': ['Ann Lee', ' ann  lee ', '', 'N/A'],
};

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
type Row = string[];

/** Some rows, each column with at most four of its texts. */
const rowsOf: fc.Arbitrary<Row[]> = fc
  .tuple(...Object.values(COLUMNS).map((texts) => fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 4 })))
  .chain((chosen) => fc.array(fc.tuple(...chosen.map((texts) => fc.constantFrom(...texts))), { minLength: 20, maxLength: 60 }));

async function ingested(rows: readonly Row[], times: number): Promise<{ result: IngestResult; dir: string }> {
  const dir = await mkdtemp(bench.path('tape-'));
  const lines = Array.from({ length: rows.length * times }, (_, index) =>
    [`L${index + 1}`, ...(rows[index % rows.length] ?? [])].map(cell).join(','),
  );
  const csv = [['Loan ID', ...Object.keys(COLUMNS)].map(cell).join(','), ...lines].join('\n');
  const read = await readTape({ path: await fileOf(csv), format: 'csv', workDir: dir });
  if (!read.ok) throw new Error(read.problem.message);
  const input = { engine: bench.engine, raw: read.table, loanType: 'Auto' as const, outDir: dir, asOf: '2026-07-01' };
  return { result: await ingestRawTable({ ...input, tokenKey: '0b'.repeat(32) }), dir };
}

/** What was read of each row of the small tape, in the small or the large one: values, and findings by rule. */
async function readings({ result, dir }: Awaited<ReturnType<typeof ingested>>, rows: number): Promise<string[]> {
  const of = (path: string, columns: string) =>
    bench.engine.rows<{ text: string }>(
      `SELECT DISTINCT CAST(to_json(x) AS VARCHAR) AS text FROM (SELECT (row_number - 1) % ${rows} AS row, ${columns} FROM ${parquet(path)} WHERE row_number IS NOT NULL) x ORDER BY 1`,
    );
  const loans = result.files.loans ? await of(result.files.loans, '* EXCLUDE (row_number, line, loan_id)') : [];
  const issues = await of(`${dir}/issues.parquet`, "field, rule_id, CASE WHEN field <> 'loan_id' THEN actual END AS actual");
  return [...loans, ...issues].map(({ text }) => text);
}

test('what a column of numbers shows is counted by rows, whether its texts are looked at once, in each row, or beside those of others', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOf, async (rows) => {
      const { result, dir } = await ingested(rows, 1);
      const rawPath = result.files.raw;
      const manifest = await readRawManifest(bench.engine, rawPath);
      const tape = { engine: bench.engine, rawPath, manifest, loanType: 'Auto' as const, outDir: dir, asOf: '2026-07-01' };
      const { matches, from } = await matchAgainstTape({ ...tape, requests: [], canonical: false });
      const numeric = matches.filter(({ field }) => isNumeric(field));
      const all = new Set(numeric.map(({ column }) => column.index));
      const counted = (repeating: ReadonlySet<number>, rowCount: number) =>
        countNumbers({ engine: bench.engine, from, repeating, rowCount }, numeric, false);
      const inEachRow = await counted(new Set(), 1_000_000);
      assert.deepEqual(await counted(all, 1_000_000), inEachRow);
      assert.deepEqual(await counted(new Set(), rows.length), inEachRow);
      assert.ok(numeric.length >= 4, 'only a column without any value has no field');
      const valuesOf = async (rowCount: number) => {
        const context = { engine: bench.engine, from, repeating: new Set<number>(), rowCount, canonical: false };
        const readings = await decideReadings(matches, { ...context, idFields: new Set(['loan_id']) });
        const query = valuesQuery({ from, fields: matches.map(({ field }) => field), readings, derived: [] });
        return bench.engine.rows(`SELECT CAST(to_json(x) AS VARCHAR) AS text FROM (${query}) x ORDER BY row_number`);
      };
      assert.deepEqual(await valuesOf(1_000_000), await valuesOf(rows.length), 'texts that are many are read as a few are');
    }),
    { numRuns: 10 },
  );
});

test('a tape of texts that repeat is read as one of a few rows, each value and each finding', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOf, async (rows) => {
      const small = await ingested(rows, 1);
      const large = await ingested(rows, Math.ceil(10_000 / rows.length));
      assert.deepEqual(await repeatingColumns(bench.engine, small.result.files.raw, small.result.rows), new Set());
      const repeating = await repeatingColumns(bench.engine, large.result.files.raw, large.result.rows);
      assert.ok(repeating.size >= Object.keys(COLUMNS).length - 1 && !repeating.has(0), [...repeating].join());
      assert.deepEqual(large.result.mapping.mappings, small.result.mapping.mappings);
      assert.deepEqual(await readings(large, rows.length), await readings(small, rows.length));
    }),
    { numRuns: 5 },
  );
});
