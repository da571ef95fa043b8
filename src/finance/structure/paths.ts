import { projectSchedules, scheduleTable } from '../collateral.ts';
import { addInto, type SharedSchedule } from '../collateral-flows.ts';
import { addCollaterals } from '../collateral-sum.ts';
import { foldSchedules, projectKept } from '../kept-pool.ts';
import { type LoanTable, packLoans } from '../loan-table.ts';
import { RAMP_MONTHS } from '../rates.ts';
import type { Assumptions, Collateral, CollateralLoan, ProjectionOptions } from '../types.ts';
import { compileFor, type CalculationJob, projectionOptions, projectJob, segmentJobs, waterfallInput } from './job.ts';
import type { CompiledTranche } from './compiled-structure.ts';
import type { WaterfallFlows } from './flows.ts';
import type { NormalScenario } from './normal-request.ts';
import { createWaterfallRun, type WaterfallRun } from './waterfall-run.ts';
import { runWaterfall } from './waterfall.ts';

/** Pools of at most this many loans keep the schedule of each loan; larger ones that need schedules per loan project them again on every path. */
export const KEEP_SCHEDULES_OF = 20_000;

/** Runs a scenario under other collateral assumptions, many times. The next run overwrites the flows. */
export type PathRunner = (
  assumptions: Assumptions,
) => Promise<{ flows: WaterfallFlows; collateral: Collateral; run: WaterfallRun }>;

export function createPathRunner(job: CalculationJob, scenario: NormalScenario): PathRunner {
  const project = createProjection(job, scenario.assumptions);
  let run: WaterfallRun | null = null;
  let months = -1;
  return async (assumptions) => {
    const collateral = await project(assumptions);
    if (run === null || months !== collateral.periods) run = createWaterfallRun(compileFor(job, scenario, collateral.periods));
    months = collateral.periods;
    return { flows: runWaterfall(run, collateral, waterfallInput(job, scenario)), collateral, run };
  };
}

type PathProjection = (moved: Assumptions) => Collateral | Promise<Collateral>;

/** Keeps the schedules of the loans where possible, so that the cost of a path grows with the number of distinct terms, not of loans. */
function createProjection(job: CalculationJob, assumptions: Assumptions): PathProjection {
  if (assumptions.segments) return createSegmentProjection(job, assumptions);
  const perLoan = assumptions.servicerAdvances;
  const tooMany = perLoan && job.table.count > KEEP_SCHEDULES_OF;
  if (assumptions.card || tooMany) return (moved: Assumptions) => projectJob(job, moved);
  const schedules = keepTable(job.table, assumptions, projectionOptions(job, assumptions));
  if (perLoan) return (moved: Assumptions) => projectSchedules(schedules, moved, job.series);
  const kept = foldSchedules(schedules, assumptions, job.series);
  return (moved: Assumptions) => projectKept(kept, moved);
}

function createSegmentProjection(job: CalculationJob, assumptions: Assumptions): PathProjection {
  const projections = segmentJobs(job, assumptions).map((segment) => createProjection(segment.job, segment.assumptions));
  return async (moved) => {
    const parts: Collateral[] = [];
    for (const [index, segment] of segmentJobs(job, moved).entries()) {
      parts.push(await projections[index](segment.assumptions));
    }
    return addCollaterals(parts, job.series);
  };
}

/** As `keepTable`, for loans that are not in a table. */
export function keepSchedules(
  loans: Iterable<CollateralLoan>,
  assumptions: Assumptions,
  options: ProjectionOptions = {},
): SharedSchedule[] {
  return keepTable(packLoans(loans), assumptions, options);
}

/**
 * Schedules from which a pool is projected under speeds of the same measures as `assumptions`: one per length and age, as far as age
 * matters to speeds and severity; one per loan where the servicer advances.
 */
export function keepTable(table: LoanTable, assumptions: Assumptions, options: ProjectionOptions = {}): SharedSchedule[] {
  const schedules = scheduleTable(table, options, assumptions.servicerAdvances);
  if (assumptions.servicerAdvances) return schedules;
  const lastAge = settledAge(assumptions);
  const merged = new Map<string, SharedSchedule>();
  for (const schedule of schedules) {
    const ageMonths = Math.min(schedule.ageMonths, lastAge);
    const key = `${schedule.months} ${ageMonths}`;
    const sum = merged.get(key);
    if (sum) addSchedule(sum, schedule);
    else merged.set(key, { ...schedule, ageMonths });
  }
  return [...merged.values()];
}

/** Age from which loans of any age have the same speeds and severity. */
function settledAge({ prepayment, default: defaults, severityPercent, severityByAge }: Assumptions): number {
  const vectors = [prepayment, defaults].map(({ values, byAge }) => (byAge ? values.length : 0));
  const severities = severityByAge && typeof severityPercent !== 'number' ? severityPercent.length : 0;
  return Math.max(RAMP_MONTHS[prepayment.measure], RAMP_MONTHS[defaults.measure], severities, ...vectors);
}

function addSchedule(sum: SharedSchedule, { balance, interest, weightedRate, adjustment }: SharedSchedule): void {
  addInto(sum.balance, balance);
  addInto(sum.interest, interest);
  if (sum.weightedRate && weightedRate) addInto(sum.weightedRate, weightedRate);
  if (sum.adjustment && adjustment) addInto(sum.adjustment, adjustment);
}

/** Balance that a tranche loses: written off, or unpaid at the end. */
export function lostBalance(flows: WaterfallFlows, trancheIndex: number): number {
  const { writeDown, closing } = flows.tranches[trancheIndex];
  let lost = closing[flows.periods - 1] ?? 0;
  for (let index = 0; index < flows.periods; index++) lost += writeDown[index];
  return lost;
}

/** Interest still owed to a tranche at the end. */
export function unpaidInterest(flows: WaterfallFlows, trancheIndex: number): number {
  const { shortfall } = flows.tranches[trancheIndex];
  const end = flows.calledAt === -1 ? flows.periods - 1 : flows.calledAt;
  return shortfall[end] ?? 0;
}

/** Whether a tranche has a balance that an investor may lose. */
export function isNote({ residual, original }: CompiledTranche): boolean {
  return !residual && original > 0;
}
