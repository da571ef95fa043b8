import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectCollateral, projectTable } from '../src/finance/collateral.ts';
import { packLoans } from '../src/finance/loan-table.ts';
import type { LoanTable } from '../src/finance/loan-table.ts';
import { createProjector } from '../src/finance/parallel.ts';
import type { Assumptions, Collateral, CollateralLoan } from '../src/finance/types.ts';

const MONTHS = 360;
const RUNS = 7;

/** A pool and the assumptions under which it is projected. `byAge`: speeds that differ between ages. */
type Case = { name: string; byAge: boolean; assumptions: Assumptions };

const BASE: Assumptions = {
  prepayment: { measure: 'cpr', values: [6] },
  default: { measure: 'cdr', values: [1.5] },
  severityPercent: 45,
  recoveryLagMonths: 6,
  servicerAdvances: false,
};

const CASES: Case[] = [
  { name: '6 CPR, 1.5 CDR', byAge: false, assumptions: BASE },
  { name: '150 PSA, 1.5 CDR', byAge: true, assumptions: { ...BASE, prepayment: { measure: 'psa', values: [150] } } },
];

/**
 * Projects 100,000 loans (or `args[0]`) over 360 months loan by loan, beside the same arithmetic in C (cc -O3) in the same run,
 * on one core and on all. `ratio` is our time on one core from loan
 * objects to cash flow over C's time from columns to sums; `ratio_all_cores` starts from columns on both sides.
 */
export async function run(args: string[]): Promise<void> {
  const loans = makeLoans(Number(args[0] ?? 100_000));
  const threads = availableParallelism();
  const rows: Record<string, string | number>[] = [];
  await using projector = createProjector({ threads });
  const c = compileC();
  try {
    for (const { name, byAge, assumptions } of CASES) {
      const single = measure(() => projectCollateral(loans, assumptions));
      const table = packLoans(loans);
      const kernel = measure(() => projectTable(table, assumptions));
      const parallelKernel = await measureAsync(() => projector.projectTable(table, assumptions));
      const parallel = await measureAsync(() => projector.project(loans, assumptions));
      const cSingle = c?.(table, byAge, 1);
      const cParallel = c?.(table, byAge, threads);
      if (cSingle) assertSame(single.result, cSingle);
      rows.push(
        line(name, 'one core, columns in', kernel.ms, cSingle?.ms),
        line(name, 'one core, objects in', single.ms, cSingle?.ms),
        line(name, `${threads} cores, columns in`, parallelKernel.ms, cParallel?.ms),
        line(name, `${threads} cores, objects in`, parallel.ms, cParallel?.ms),
      );
    }
  } finally {
    c?.dispose();
  }
  console.table(rows);
  const [, oneCore, allCores] = rows as { sluice_ms: number; ratio: number }[];
  console.log(
    JSON.stringify({
      bench: 'cashflow',
      ratio: c ? oneCore?.ratio : null,
      ratio_all_cores: c ? allCores?.ratio : null,
      loan_months: loans.length * MONTHS,
      one_core_ms: oneCore?.sluice_ms,
      all_cores_ms: allCores?.sluice_ms,
    }),
  );
}

function line(name: string, how: string, ms: number, cMs: number | undefined): Record<string, string | number> {
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    case: name,
    how,
    sluice_ms: round(ms),
    c_ms: cMs ? round(cMs) : 'no cc',
    ratio: cMs ? Math.round((ms / cMs) * 100) / 100 : 'no cc',
  };
}

/** Balances, coupons and ages spread over a plausible range, the same on every run. */
function makeLoans(count: number): CollateralLoan[] {
  return Array.from({ length: count }, (_, index) => ({
    balance: 50_000 + ((index * 7919) % 400_000),
    ratePercent: 3 + ((index * 104_729) % 600) / 100,
    remainingMonths: MONTHS,
    ageMonths: (index * 31) % 60,
    originalMonths: 420,
  }));
}

type Measured<Result> = { ms: number; result: Result };

function measure<Result>(work: () => Result): Measured<Result> {
  let result = work();
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    result = work();
    return performance.now() - start;
  });
  return { ms: median(times), result };
}

async function measureAsync<Result>(work: () => Promise<Result>): Promise<Measured<Result>> {
  let result = await work();
  const times: number[] = [];
  for (let turn = 0; turn < RUNS; turn++) {
    const start = performance.now();
    result = await work();
    times.push(performance.now() - start);
  }
  return { ms: median(times), result };
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

type CResult = { ms: number; scheduled: number; defaulted: number; interest: number };
type CProgram = ((table: LoanTable, byAge: boolean, threads: number) => CResult) & { dispose(): void };

/** The C program beside this file, compiled into a temporary folder; null without a compiler. */
function compileC(): CProgram | null {
  const folder = mkdtempSync(join(tmpdir(), 'cashflow-'));
  const binary = join(folder, 'cashflow');
  try {
    execFileSync('cc', ['-O3', '-o', binary, fileURLToPath(new URL('./cashflow.c', import.meta.url)), '-lm', '-lpthread']);
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const run = (table: LoanTable, byAge: boolean, threads: number) => {
    const input = Array.from(table.balance, (balance, row) =>
      [balance, table.monthlyRate[row], table.months[row], table.ageMonths[row]].join(' '),
    ).join('\n');
    const args = [table.count, table.periods, byAge ? 1 : 0, threads, RUNS].map(String);
    return JSON.parse(execFileSync(binary, args, { input, encoding: 'utf8' })) as CResult;
  };
  return Object.assign(run, { dispose: () => rmSync(folder, { recursive: true }) });
}

/** The two programs must have done the same work, or their times mean nothing. */
function assertSame(ours: Collateral, theirs: CResult): void {
  for (const [name, flow] of Object.entries({
    scheduled: ours.scheduledPrincipal,
    defaulted: ours.defaulted,
    interest: ours.interest,
  })) {
    const sum = flow.reduce((total, amount) => total + amount, 0);
    const other = theirs[name as keyof CResult];
    if (Math.abs(sum - other) > 1e-9 * sum) throw new Error(`${name}: ${sum} here, ${other} in C`);
  }
}
