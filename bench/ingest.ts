// A messy tape from file to checked loans, beside the bare engine that only reads the same file into the same columns.
// npm run bench -- ingest [ROWS] [PATH]
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../src/loans/engine/engine.ts';
import { sqlText } from '../src/loans/engine/sql.ts';
import { ingestRawTable } from '../src/loans/ingest/ingest.ts';
import { readTape } from '../src/loans/reading/read-tape.ts';
import { writeMessyTape } from './gen-messy.ts';

type Cost = { seconds: number; cpu_seconds: number };

export async function run(args: string[]): Promise<void> {
  const rows = Number(args[0] ?? 1_000_000);
  const dir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const path = args[1] ?? join(dir, 'messy.csv');
  try {
    if (!existsSync(path)) await writeMessyTape(path, rows);
    const bare = await best(2, () => bareEngine(path, dir));
    const stages = { reading: [] as Cost[], intake: [] as Cost[] };
    const whole = await best(2, () => wholeIntake(path, dir, stages));
    report(rows, path, bare, whole, stages);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function best(times: number, work: () => Promise<Cost>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let turn = 0; turn < times; turn += 1) costs.push(await work());
  return costs.reduce((least, cost) => (cost.seconds < least.seconds ? cost : least));
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ cost: Cost; result: Result }> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const used = process.cpuUsage(cpu);
  return { cost: { seconds: (performance.now() - start) / 1000, cpu_seconds: (used.user + used.system) / 1e6 }, result };
}

/** Hand-written SQL for this one file: no evidence, no findings, no raw text, no checks. */
async function bareEngine(path: string, dir: string): Promise<Cost> {
  await using engine = await openEngine({ workDir: dir, allowedDirectories: [dir, join(path, '..')] });
  const money = (name: string) =>
    `TRY_CAST(CASE WHEN trim("${name}") LIKE '(%' THEN '-' ELSE '' END || regexp_replace("${name}", '[^0-9.]', '', 'g') AS DECIMAL(18,6)) AS "${name}"`;
  const percent = (name: string) => `TRY_CAST(rtrim(trim("${name}"), '%') AS DECIMAL(18,6)) AS "${name}"`;
  const number = (name: string) => `TRY_CAST("${name}" AS DECIMAL(18,6)) AS "${name}"`;
  const date = (name: string) =>
    `coalesce(TRY_CAST("${name}" AS DATE), CAST(TRY_STRPTIME("${name}", '%m/%d/%Y') AS DATE), CAST(TRY_STRPTIME("${name}", '%d-%b-%Y') AS DATE)) AS "${name}"`;
  const text = (name: string) => `trim("${name}") AS "${name}"`;
  const columns = [
    ...['Loan Number', 'Customer ID', 'Originator', 'State', 'Make', 'Model', 'Rate Type', 'New/Used'].map(text),
    ...['Dealer Reference', 'Branch', 'Remarks', 'Co-Borrower', 'Modified'].map(text),
    ...['As Of Date', 'Contract Date', 'First Payment Date', 'Maturity Date', 'Paid Thru Date'].map(date),
    ...['Amount Financed', 'Current Principal Balance', 'Monthly Payment', 'Collateral Value'].map(money),
    ...['APR', 'LTV', 'PTI'].map(percent),
    ...['Original Term (Months)', 'Remaining Term (Months)', 'FICO Score', 'Model Year', 'Days Past Due'].map(number),
  ];
  const source = `read_csv(${sqlText(path)}, header=true, all_varchar=true, delim=',', quote='"', escape='"', strict_mode=true)`;
  const statement = `COPY (SELECT ${columns.join(', ')} FROM ${source}) TO ${sqlText(join(dir, 'bare.parquet'))} (FORMAT parquet, COMPRESSION zstd)`;
  return (await timed(() => engine.run(statement))).cost;
}

async function wholeIntake(path: string, dir: string, stages: { reading: Cost[]; intake: Cost[] }): Promise<Cost> {
  const outDir = await mkdtemp(join(dir, 'intake-'));
  await mkdir(outDir, { recursive: true });
  const reading = await timed(() => readTape({ path, format: 'csv', workDir: outDir }));
  if (!reading.result.ok) throw new Error(reading.result.problem.message);
  const { table } = reading.result;
  await using engine = await openEngine({ workDir: outDir, allowedDirectories: [outDir] });
  const intake = await timed(() => ingestRawTable({ engine, raw: table, loanType: 'Auto', outDir, asOf: '2026-07-01' }));
  stages.reading.push(reading.cost);
  stages.intake.push(intake.cost);
  const { rows, accepted, issue_counts } = intake.result;
  process.stdout.write(`rows ${rows}, accepted ${accepted}, issues ${issue_counts.error + issue_counts.warning}\n`);
  await rm(outDir, { recursive: true, force: true });
  return {
    seconds: reading.cost.seconds + intake.cost.seconds,
    cpu_seconds: reading.cost.cpu_seconds + intake.cost.cpu_seconds,
  };
}

function report(rows: number, path: string, bare: Cost, whole: Cost, stages: { reading: Cost[]; intake: Cost[] }): void {
  const least = (costs: readonly Cost[]) => costs.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const megabytes = Math.round(statSync(path).size / 1e6);
  console.table({
    'bare engine, same columns': bare,
    'file to raw table': least(stages.reading),
    'raw table to loans and issues': least(stages.intake),
    'the whole': whole,
  });
  const summary = {
    benchmark: 'ingest',
    rows,
    megabytes,
    ratio: Number((whole.seconds / bare.seconds).toFixed(2)),
    ratio_cpu: Number((whole.cpu_seconds / bare.cpu_seconds).toFixed(2)),
    target: 4,
    peak_rss_mib: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
}
