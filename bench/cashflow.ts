import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectCollateral, projectTable } from '../src/finance/collateral.ts';
import { columnsOf, type LoanColumns } from '../src/finance/loan-columns.ts';
import { packLoans } from '../src/finance/loan-table.ts';
import type { LoanTable } from '../src/finance/loan-table.ts';
import { createProjector } from '../src/finance/parallel.ts';
import { rollLoans } from '../src/finance/roll-loans.ts';
import type { Assumptions, Collateral, CollateralLoan } from '../src/finance/types.ts';

const MONTHS = 360;
const RUNS = 15;

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

/** What other pools and servicer advances may cost, in projections of as many level-pay loans. */
const LIMIT_OF_LEVEL = 3;
/** Loans of the pools that are measured against level pay, unless fewer are asked for. */
const MOST_AGAINST_LEVEL = 30_000;

type Terms = (index: number) => Partial<CollateralLoan>;

const interestOnly: Terms = (index) => ({ interestOnlyMonths: 12 * (1 + ((index * 37) % 10)) });
const balloon: Terms = () => ({ remainingMonths: MONTHS + 120, balloonMonth: MONTHS });
const floating = (index: number) => ({ index: 'SOFR', marginPercent: 1 + ((index * 53) % 17) / 8 });
/** A first fixed period of up to five years, and caps as usual. */
const yearlyArm: Terms = (index) => ({
  floating: {
    ...floating(index),
    capPercent: 11,
    floorPercent: 2,
    periodicCapPercent: 2,
    resetMonths: 12,
    firstResetMonth: 1 + ((index * 29) % 60),
  },
});
const monthlyArm: Terms = (index) => ({ floating: floating(index) });

/** Pools of other terms, and assumptions, that are compared with level pay. */
const AGAINST_LEVEL: { name: string; terms: Terms; advances: boolean }[] = [
  { name: 'interest-only, 1 to 10 years', terms: interestOnly, advances: false },
  { name: 'balloon', terms: balloon, advances: false },
  { name: 'ARM, reset every year', terms: yearlyArm, advances: false },
  { name: 'ARM, reset every month', terms: monthlyArm, advances: false },
  {
    name: 'a third each of interest-only, balloon and yearly ARM',
    terms: (index) => ([interestOnly, balloon, yearlyArm][index % 3] ?? balloon)(index),
    advances: false,
  },
  { name: 'level pay with servicer advances, lag 12', terms: () => ({}), advances: true },
];

const INDEX = { indexCurves: { SOFR: Array.from({ length: MONTHS }, (_, month) => 4 + 1.5 * Math.sin(month / 29)) } };

/**
 * Projects 100,000 loans (or `args[0]`) over 360 months loan by loan, beside the same arithmetic in C (cc -O3) in the same run, on one
 * core and on all. The first scenario starts from columns in the order of the tape, as loans are read, and sorts them; later ones start
 * from the sorted table of the first, and so does C. Then pools of other terms, and servicer advances, beside level pay, and rolling beside the sort. Ratios are of CPU
 * time, which other work on the machine affects little.
 */
export async function run(args: string[]): Promise<void> {
  const columns = columnsOf(makeLoans(Number(args[0] ?? 100_000)));
  const threads = availableParallelism();
  const rows: Row[] = [];
  await using projector = createProjector({ threads });
  const c = compileC();
  try {
    for (const { name, byAge, assumptions } of CASES) {
      const table = packLoans(columns);
      const alone = c?.(table, byAge, 1);
      const together = c?.(table, byAge, threads);
      const first = await measure(() => projectCollateral(columns, assumptions));
      if (alone) assertSame(first.result, alone);
      rows.push(
        line(name, 'one core, first', first, alone),
        line(name, 'one core, further', await measure(() => projectTable(table, assumptions)), alone),
        line(name, `${threads} cores, first`, await measure(() => projector.project(columns, assumptions)), together),
        line(name, `${threads} cores, further`, await measure(() => projector.projectTable(table, assumptions)), together),
      );
    }
  } finally {
    c?.dispose();
  }
  console.table(rows);
  const others = compareWithLevel(Math.min(MOST_AGAINST_LEVEL, columns.length));
  console.table(others);
  const rolled = compareWithPacking(columns);
  console.table([rolled]);
  const [oneCore, further, allCores] = rows;
  console.log(
    JSON.stringify({
      bench: 'cashflow',
      ratio: oneCore?.ratio,
      ratio_further: further?.ratio,
      ratio_all_cores: allCores?.ratio,
      wall_ratio_all_cores: allCores?.wall_ratio,
      loan_months: columns.length * MONTHS,
      one_core_ms: oneCore?.cpu_ms,
      all_cores_ms: allCores?.wall_ms,
      of_level_pay: Object.fromEntries(others.map((each) => [each.pool, each.of_level_pay])),
      limit_of_level_pay: LIMIT_OF_LEVEL,
      rolled_of_packing: rolled.of_packing,
      limit_rolled_of_packing: LIMIT_OF_PACKING,
    }),
  );
}

const ROLLED_MONTHS = 12;
/** What taking level-pay loans to a later month may cost, in sorts of as many. */
const LIMIT_OF_PACKING = 2;

/** Level-pay loans taken to a later month, beside the sort that a projection of them begins with. */
function compareWithPacking(columns: LoanColumns) {
  const times: { roll: number[]; pack: number[] } = { roll: [], pack: [] };
  for (let turn = 0; turn < RUNS; turn++) {
    times.roll.push(cpuMs(() => rollLoans(columns, ROLLED_MONTHS, 1e9)));
    times.pack.push(cpuMs(() => packLoans(columns)));
  }
  const [roll, pack] = [Math.min(...times.roll), Math.min(...times.pack)];
  const rounded = { cpu_ms: hundredths(roll), packing_cpu_ms: hundredths(pack), of_packing: hundredths(roll / pack) };
  return { pool: `level pay, rolled ${ROLLED_MONTHS} months`, ...rounded, limit: LIMIT_OF_PACKING };
}

/** Every pool in turns with a level-pay one of as many loans, on one core, from sorted tables. */
function compareWithLevel(count: number) {
  const assumptions: Assumptions = { ...BASE, recoveryLagMonths: 12 };
  const tableOf = (terms: Terms) => packLoans(makeLoans(count).map((loan, index) => ({ ...loan, ...terms(index) })));
  const level = tableOf(() => ({}));
  return AGAINST_LEVEL.map(({ name, terms, advances }) => {
    const table = tableOf(terms);
    const times: { ours: number[]; level: number[] } = { ours: [], level: [] };
    for (let turn = 0; turn < RUNS; turn++) {
      times.level.push(cpuMs(() => projectTable(level, assumptions)));
      times.ours.push(cpuMs(() => projectTable(table, { ...assumptions, servicerAdvances: advances }, INDEX)));
    }
    const [ours, ofLevel] = [Math.min(...times.ours), Math.min(...times.level)];
    return {
      pool: name,
      cpu_ms: hundredths(ours),
      level_pay_cpu_ms: hundredths(ofLevel),
      of_level_pay: hundredths(ours / ofLevel),
      limit: LIMIT_OF_LEVEL,
    };
  });
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;

type Row = {
  case: string;
  how: string;
  cpu_ms: number;
  c_cpu_ms: number | null;
  ratio: number | null;
  wall_ms: number;
  c_wall_ms: number | null;
  wall_ratio: number | null;
};

function line(name: string, how: string, ours: Measured<unknown>, theirs: CResult | undefined): Row {
  return {
    case: name,
    how,
    cpu_ms: hundredths(ours.cpuMs),
    c_cpu_ms: theirs ? hundredths(theirs.cpuMs) : null,
    ratio: theirs ? hundredths(ours.cpuMs / theirs.cpuMs) : null,
    wall_ms: hundredths(ours.ms),
    c_wall_ms: theirs ? hundredths(theirs.ms) : null,
    wall_ratio: theirs ? hundredths(ours.ms / theirs.ms) : null,
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

type Measured<Result> = { ms: number; cpuMs: number; result: Result };

/** The fastest of some runs after a warm-up run, because other work on the machine only adds time, as in C. CPU time is that of all threads. */
async function measure<Result>(work: () => Result | Promise<Result>): Promise<Measured<Result>> {
  let result = await work();
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let turn = 0; turn < RUNS; turn++) {
    const start = performance.now();
    const cpuStart = process.cpuUsage();
    result = await work();
    const { user, system } = process.cpuUsage(cpuStart);
    times.push(performance.now() - start);
    cpuTimes.push((user + system) / 1000);
  }
  return { ms: Math.min(...times), cpuMs: Math.min(...cpuTimes), result };
}

type CResult = { ms: number; cpuMs: number; scheduled: number; defaulted: number; interest: number };
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

/** The two programs must have done the same work; otherwise their times cannot be compared. */
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
