import { projectCards } from '../card.ts';
import { addCollaterals } from '../collateral-sum.ts';
import { columnsOf, type LoanColumns } from '../loan-columns.ts';
import { type LoanTable, packLoans } from '../loan-table.ts';
import { groupReplines } from '../replines.ts';
import type { Assumptions, Collateral, CollateralSeries, ProjectionOptions } from '../types.ts';
import { compileStructure, type CompiledStructure } from './compiled-structure.ts';
import { CARD_LOAN_TYPE } from './assumptions.ts';
import { readsNetRate } from './amount-faults.ts';
import { openRun } from './deal-state.ts';
import { delinquencyOf } from './metrics.ts';
import { paidDatesOf } from './opening.ts';
import type { CalculationPool, NormalRequest, NormalScenario } from './normal-request.ts';
import type { Structure } from './structure.ts';
import type { WaterfallInput } from './waterfall.ts';

/** Projects collateral: `projectTable`, or the same on several threads. */
export type Project = (
  table: LoanTable,
  assumptions: Assumptions,
  options: ProjectionOptions,
) => Collateral | Promise<Collateral>;

/** Loans as a request projects them, and their table. */
export type ProjectedLoans = { loans: LoanColumns; table: LoanTable };

/** Loans (grouped into replines if requested) and their table, sorted once for many scenarios and paths. Cards have an empty table. */
export type PreparedLoans = ProjectedLoans & {
  /** By segmentation, the loans of each segment, and last those of none. */
  segments: ReadonlyMap<string, readonly ProjectedLoans[]>;
};

/** A normalized request with its loans as they are under the assumptions that are projected. */
export type CalculationJob = PreparedLoans & {
  request: NormalRequest;
  pool: CalculationPool;
  structure: Structure;
  project: Project;
  pause: () => void | Promise<void>;
  warnings: string[];
  /** Series of the collateral that the structure reads; none when absent. */
  series?: CollateralSeries;
};

/** A normalized request with the loans of each of its scenarios. */
export type RequestJob = Omit<CalculationJob, keyof PreparedLoans> & { loansOf: (assumptions: Assumptions) => PreparedLoans };

/** The job of one scenario of a request. */
export const scenarioJob = (job: RequestJob, { assumptions }: NormalScenario): CalculationJob => ({
  ...job,
  ...job.loansOf(assumptions),
});

/** The loans of every segment that a scenario of the request has; replines are grouped within them. */
export function divideLoans(
  loans: LoanColumns,
  { scenarios, granularity }: Pick<NormalRequest, 'scenarios' | 'granularity'>,
  pool: CalculationPool,
): CalculationJob['segments'] {
  const divided = new Map<string, ProjectedLoans[]>();
  for (const { assumptions } of scenarios) {
    if (!assumptions.segments || divided.has(assumptions.segments.segmentation)) continue;
    const { segmentation, each } = assumptions.segments;
    const numbers = pool.segments?.get(segmentation);
    if (!numbers) throw new Error(`the pool was not divided by ${segmentation}`);
    const parts = loans.split(numbers, each.length).map((part): ProjectedLoans => {
      const projected = granularity === 'REPLINE' ? columnsOf(groupReplines(part)) : part;
      return { loans: projected, table: packLoans(pool.loanType === CARD_LOAN_TYPE ? [] : projected) };
    });
    divided.set(segmentation, parts);
  }
  return divided;
}

/** The segments of a job that have loans, as jobs of their own with their assumptions. */
export function segmentJobs(
  job: CalculationJob,
  { segments, ...rest }: Assumptions,
): { job: CalculationJob; assumptions: Assumptions }[] {
  const parts = segments && job.segments.get(segments.segmentation);
  if (!parts) return [{ job, assumptions: rest }];
  const jobs = parts.map((part, index) => ({ job: { ...job, ...part }, assumptions: segments.each[index] ?? rest }));
  return jobs.filter(({ job: { loans } }) => loans.length > 0);
}

/** What the waterfall of a scenario takes beside its collateral. */
export const waterfallInput = (
  { pool: { opening } }: Pick<CalculationJob, 'pool'>,
  { assumptions, billedFees }: NormalScenario,
): WaterfallInput => ({
  delinquency: delinquencyOf(assumptions),
  ...(opening ? { open: (run) => openRun(run, opening.state) } : {}),
  ...(billedFees ? { billedFees } : {}),
});

/** The series of the collateral that a structure reads; undefined where it reads none, so that nothing more is projected. */
export function seriesOf(structure: Structure): CollateralSeries | undefined {
  const adjustment = structure.pool?.adjustment;
  const presentValue =
    adjustment && !Array.isArray(adjustment) ? { ratePercent: adjustment.rate, applies: adjustment.applies } : undefined;
  const netRate = readsNetRate(structure);
  if (!netRate && !presentValue) return undefined;
  return { ...(netRate ? { weightedRate: true } : {}), ...(presentValue ? { adjustment: presentValue } : {}) };
}

/** Cash flow of the job's collateral under the assumptions of a scenario or a path. */
export function projectJob(job: CalculationJob, assumptions: Assumptions): Collateral | Promise<Collateral> {
  if (assumptions.segments) return projectSegments(job, assumptions);
  if (assumptions.card) return projectCards(job.loans, assumptions, assumptions.card, job.series);
  return job.project(job.table, assumptions, projectionOptions(job, assumptions));
}

async function projectSegments(job: CalculationJob, assumptions: Assumptions): Promise<Collateral> {
  const parts: Collateral[] = [];
  for (const segment of segmentJobs(job, assumptions)) parts.push(await projectJob(segment.job, segment.assumptions));
  return addCollaterals(parts, job.series);
}

export function projectionOptions(
  { request, series }: Pick<CalculationJob, 'request' | 'series'>,
  { defermentInterest }: Assumptions,
): ProjectionOptions {
  return { indexCurves: request.indexCurves, ...(defermentInterest ? { defermentInterest } : {}), ...(series ? { series } : {}) };
}

/** The structure compiled for the length of the collateral, with or without the call as the scenario says. */
export function compileFor(
  job: Pick<CalculationJob, 'request' | 'pool' | 'structure'>,
  scenario: NormalScenario,
  collateralMonths: number,
): CompiledStructure {
  const { request, pool, structure } = job;
  const { opening } = pool;
  return compileStructure(structure, {
    cutOff: pool.cutOff,
    closing: pool.closing,
    poolOriginal: pool.originalBalance,
    collateralMonths,
    indexCurves: request.indexCurves,
    ...(scenario.call === undefined ? {} : { call: scenario.call }),
    ...(opening ? { paidPeriods: opening.state.period, paidDates: paidDatesOf(opening) } : {}),
  });
}
