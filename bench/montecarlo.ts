import { foldSchedules, type KeptPool, projectKept } from '../src/finance/kept-pool.ts';
import { drawNormals, identityMatrix, type RiskFactor, shockAssumptions, summarizeLosses } from '../src/finance/risk.ts';
import { compileStructure } from '../src/finance/structure/compiled-structure.ts';
import { keepSchedules, lostBalance } from '../src/finance/structure/paths.ts';
import { createWaterfallRun } from '../src/finance/structure/waterfall-run.ts';
import type { Structure } from '../src/finance/structure/structure.ts';
import { runWaterfall } from '../src/finance/structure/waterfall.ts';
import type { Assumptions, CollateralLoan } from '../src/finance/types.ts';

const PATHS = 1000;
const REPLINES = 1000;
const MONTHS = 360;
const POOL = 500_000_000;
const SEED = 7;

const ASSUMPTIONS: Assumptions = {
  prepayment: { measure: 'cpr', values: [8] },
  default: { measure: 'cdr', values: [4] },
  severityPercent: 40,
  recoveryLagMonths: 12,
  servicerAdvances: false,
};

const FACTORS: RiskFactor[] = [
  { factor: 'prepayment', sigma: 0.3 },
  { factor: 'default', sigma: 0.6 },
  { factor: 'severity', sigma: 0.4 },
];

const STRUCTURE: Structure = {
  payment: { first_payment_date: '2027-01-25' },
  tranches: [
    { tranche: 'A-1', class: 'A', balance: 300_000_000, coupon: { type: 'FIXED', rate: 5 }, seniority: 1 },
    { tranche: 'A-2', class: 'A', balance: 100_000_000, coupon: { type: 'FIXED', rate: 5.4 }, seniority: 2 },
    { tranche: 'M', class: 'M', balance: 50_000_000, coupon: { type: 'FIXED', rate: 6 }, seniority: 3 },
    { tranche: 'B', class: 'B', balance: 30_000_000, coupon: { type: 'FIXED', rate: 7 }, seniority: 4 },
    { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 9 },
  ],
  accounts: [{ account: 'reserve', initial: 2_500_000, target: { percent: 0.5, of: 'POOL_ORIGINAL' } }],
  fees: [{ fee: 'servicing', percent: 0.5, of: 'POOL_BEGINNING' }],
  waterfall: [
    { pay: 'FEE', to: ['servicing'] },
    { pay: 'INTEREST', to: ['A-1', 'A-2'], order: 'PRO_RATA' },
    { pay: 'INTEREST', to: ['M', 'B'], unless: 'cnl' },
    { pay: 'PRINCIPAL', to: ['A-1', 'A-2', 'M', 'B'], amount: { target: 'OC', percent: 6, of: 'POOL_CURRENT' } },
    { pay: 'RESERVE', to: ['reserve'] },
    { pay: 'INTEREST', to: ['M', 'B'], when: 'cnl' },
    { pay: 'PRINCIPAL', to: ['A-1', 'A-2', 'M', 'B'], amount: 'ALL', when: 'cnl' },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
  triggers: [
    {
      trigger: 'cnl',
      metric: 'CUMULATIVE_NET_LOSS',
      op: 'gt',
      schedule: [
        { from_period: 1, value: 2 },
        { from_period: 61, value: 5 },
      ],
      interpolate: 'LINEAR',
    },
  ],
  losses: { mode: 'REVERSE_SEQUENTIAL' },
};

/** Speeds under which the paths run. PSA depends on the age of a loan, so its replines share less. */
const CASES = [
  { name: 'CPR', assumptions: ASSUMPTIONS },
  { name: 'PSA', assumptions: { ...ASSUMPTIONS, prepayment: { measure: 'psa' as const, values: [150] } } },
];

/**
 * Monte Carlo of 1,000 paths over 1,000 replines of up to 360 months, each path through collateral and waterfall with every identity
 * checked, on one thread. Prints a table and, last, a line of JSON with paths per second of CPU time.
 */
export async function run(_args: string[] = []): Promise<void> {
  const loans = makeReplines();
  const rows = CASES.map(({ name, assumptions }) => ({ name, ...measure(loans, assumptions) }));
  console.table(rows);
  const [cpr, psa] = rows;
  const figures = {
    pathsPerSecond: cpr?.pathsPerSecond,
    pathsPerSecondByAge: psa?.pathsPerSecond,
    microsPerWaterfall: cpr?.microsPerWaterfall,
  };
  console.log(JSON.stringify({ bench: 'montecarlo', paths: PATHS, replines: REPLINES, months: MONTHS, ...figures }));
}

function measure(loans: readonly CollateralLoan[], assumptions: Assumptions) {
  const started = cpuMs();
  const schedules = keepSchedules(loans, assumptions);
  const kept = foldSchedules(schedules, assumptions);
  const scheduleMs = cpuMs() - started;
  const whole = timePaths(kept, assumptions, true);
  const collateralMs = timePaths(kept, assumptions, false).ms;
  const { tail } = summarizeLosses(whole.losses, [0.95]);
  return {
    schedules: schedules.length,
    collateralMs: Math.round(collateralMs),
    waterfallMs: Math.round(whole.ms - collateralMs),
    allMs: Math.round(scheduleMs + whole.ms),
    pathsPerSecond: Math.round((1000 * PATHS) / (scheduleMs + whole.ms)),
    microsPerWaterfall: Math.round((1000 * (whole.ms - collateralMs)) / PATHS),
    lossOfBAt95Percent: Number(tail[0]?.valueAtRisk.toFixed(2)),
  };
}

/** Replines of many ages and terms up to 360 months, so that few of them share a schedule. */
function makeReplines(): CollateralLoan[] {
  return Array.from({ length: REPLINES }, (_, index) => {
    const remainingMonths = index === 0 ? MONTHS : MONTHS - (index % 120);
    const ageMonths = index % 23;
    return {
      balance: POOL / REPLINES,
      ratePercent: 6 + (index % 40) / 20,
      remainingMonths,
      ageMonths,
      originalMonths: remainingMonths + ageMonths,
    };
  });
}

function timePaths(kept: KeptPool, assumptions: Assumptions, withWaterfall: boolean): { ms: number; losses: Float64Array } {
  const deal = compileStructure(STRUCTURE, {
    cutOff: '2026-11-30',
    closing: '2026-12-10',
    poolOriginal: POOL,
    collateralMonths: MONTHS,
  });
  const notes = createWaterfallRun(deal);
  const losses = new Float64Array(PATHS);
  const lower = identityMatrix(FACTORS.length);
  const started = cpuMs();
  for (let path = 0; path < PATHS; path++) {
    const collateral = projectKept(kept, shockAssumptions(assumptions, FACTORS, drawNormals(SEED, path, lower)));
    if (withWaterfall) losses[path] = (100 * lostBalance(runWaterfall(notes, collateral), 3)) / 30_000_000;
  }
  return { ms: cpuMs() - started, losses };
}

/** CPU time of the process, which other work on the machine does not affect as it does wall time. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

if (import.meta.main) await run(process.argv.slice(2));
