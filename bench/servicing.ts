// A month of an issued pool of 1,000,000 loans beside the month before, and the performance of a pool over 24 months.
// npm run bench -- servicing [LOANS]
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMonths } from '../src/finance/dates.ts';
import { listPoolMonths, putMonth } from '../src/features/servicing/queries.ts';
import { writePoolTable } from '../src/loans/analytics/pool-table.ts';
import { type Engine, openEngine } from '../src/loans/engine/engine.ts';
import { copyToParquet, parquet } from '../src/loans/engine/sql.ts';
import { LIVE_STATES } from '../src/loans/analytics/loan-state.ts';
import { compareMonthTask } from '../src/loans/tasks/tasks.ts';
import { dataOf, openDesk } from '../test/support/desk.ts';
import { startGateway } from '../test/support/gateway.ts';
import { tapedDeal } from '../test/support/serviced-tapes.ts';
import { writeLoans } from './gen-loans.ts';
import { quantile } from '../test/support/quantile.ts';

const LOANS = 1_000_000;
const MONTHS = 4;
const CUT_OFF = '2026-06-30';
const PERFORMANCE_MONTHS = 24;
const READS = 20;

export async function run(args: string[]): Promise<void> {
  const loans = Number(args[0] ?? LOANS);
  const months = await followMonths(loans);
  const performance_ms = await readPerformance();
  const [before = 0, last = 0] = months.slice(-2);
  const result = { loans, seconds: months, performance_ms, performance_limit_ms: 300, peak_mb: peakMb() };
  print(JSON.stringify({ bench: 'servicing', ratio: Number((last / before).toFixed(2)), limit: 1.2, ...result }));
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const peakMb = (): number => Math.round(process.resourceUsage().maxRSS / 1_024);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Seconds of each of some months of one pool. */
async function followMonths(loans: number): Promise<number[]> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    const { wac, wam, path: closing, issuesPath } = await formed(dir, loans);
    const seconds: number[] = [];
    let previousPath = closing;
    for (let month = 1; month <= MONTHS; month += 1) {
      const tapePath = join(dir, `tape-${month}.parquet`);
      await withEngine(dir, (engine) => engine.run(copyToParquet(servicedTape(previousPath, month), tapePath)));
      const workDir = join(dir, `month-${month}`);
      await mkdir(workDir);
      const monthPath = join(workDir, 'month.parquet');
      const took = await timed(() =>
        compareMonthTask.run({
          loanType: 'Auto',
          workDir,
          cutOff: addMonths(CUT_OFF, month - 1),
          averageRatePercent: wac,
          averageRemainingMonths: wam,
          previousPath,
          dealsWithoutIds: [],
          tapePath,
          hasIds: true,
          issuesPath,
          months: 1,
          hasRecoveries: true,
          monthPath,
          findingsPath: join(workDir, 'findings.parquet'),
        }),
      );
      seconds.push(Number((took / 1_000).toFixed(2)));
      print(`month ${month}: ${(took / 1_000).toFixed(1)} s, peak of the process ${peakMb()} MB`);
      previousPath = monthPath;
    }
    return seconds;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function withEngine<Result>(workDir: string, use: (engine: Engine) => Promise<Result>): Promise<Result> {
  await using engine = await openEngine({ workDir, allowedDirectories: [] });
  return await use(engine);
}

/** The loan table of a pool, and the findings of tapes without any. */
async function formed(dir: string, loans: number) {
  const loansPath = await writeLoans(dir, 'Pool', loans, { shares: false });
  const [path, issuesPath] = [join(dir, 'pool.parquet'), join(dir, 'issues.parquet')];
  const none = ['column_name', 'field', 'rule_id', 'severity', 'message', 'actual', 'expected'].map(
    (name) => `CAST(NULL AS VARCHAR) AS ${name}`,
  );
  return await withEngine(dir, async (engine) => {
    const source = { deal_id: 'deal_1', deal_number: 1, tape_version: 1, loansPath, outcomesPaths: [] };
    const pool = await writePoolTable({ engine, loanType: 'Auto', cutOff: CUT_OFF, sources: [source], condition: null, path });
    await engine.run(
      copyToParquet(`SELECT 0::INTEGER AS row_number, 0::INTEGER AS line, ${none.join(', ')} WHERE false`, issuesPath),
    );
    return { path, issuesPath, wac: Number(pool.wac), wam: Number(pool.wam) };
  });
}

/** The tape of a month: most loans pay, one in a hundred is prepaid, one in 3,000 is charged off, one in fifty is late. */
function servicedTape(previousPath: string, month: number): string {
  const draw = `hash(loan_id || '-${month}') % 3000`;
  const owes = `${draw} >= 31`;
  return `SELECT * EXCLUDE (deal_id, deal_number, tape_version) REPLACE (
      CASE WHEN ${owes} THEN round(current_balance * 0.975, 2) ELSE 0 END AS current_balance,
      CASE WHEN ${owes} THEN CASE WHEN ${draw} < 91 THEN 30 ELSE 0 END END AS days_past_due,
      CASE WHEN NOT ${owes} THEN CASE WHEN ${draw} = 0 THEN '4' ELSE '1' END END AS zero_balance_code,
      CASE WHEN ${draw} = 0 THEN current_balance END AS charged_off_amount,
      remaining_term_months - 1 AS remaining_term_months, DATE '${addMonths(CUT_OFF, month)}' AS reporting_date)
    FROM (SELECT * EXCLUDE (${month > 1 ? 'month_state, charged_total, recovered_total' : 'line'})${month > 1 ? '' : ', line'} FROM ${parquet(previousPath)})
    WHERE current_balance > 0`;
}

/** Milliseconds in which 95 of 100 requests for the performance of a pool over 24 months are answered. */
async function readPerformance(): Promise<number> {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    const [month] = await listPoolMonths(tx, { pool_id: deal.pool_id as never });
    if (!month) throw new Error('no month is in force');
    const states = [...LIVE_STATES, 'DEFAULTED', 'PREPAID', 'PAID'] as const;
    const rolls = LIVE_STATES.flatMap((from) => states.map((to) => ({ from, to, count: 1, balance: '100.00' })));
    const [vintage] = month.vintages;
    if (!vintage) throw new Error('the month has no vintage');
    const vintages = Array.from({ length: 40 }, (_, index) => ({
      ...vintage,
      vintage: `${2016 + Math.floor(index / 4)}Q${1 + (index % 4)}`,
    }));
    const pool = { organization_id: desk.seller.organization_id as never, pool_id: deal.pool_id as never };
    for (let period = 1; period <= PERFORMANCE_MONTHS; period += 1)
      await putMonth(tx, pool, { ...month, period, compared_with: period - 1, rolls, vintages });
  });
  const taken: number[] = [];
  for (let read = 0; read < READS; read += 1) {
    taken.push(
      await timed(async () => {
        const periods = dataOf(await desk.send('GET', `${deal.pools}/performance`, desk.seller));
        if (periods.length !== PERFORMANCE_MONTHS) throw new Error(`${periods.length} periods`);
      }),
    );
  }
  const slow = Math.round(quantile(taken, 0.95));
  print(`performance over ${PERFORMANCE_MONTHS} months: ${slow} ms`);
  return slow;
}
