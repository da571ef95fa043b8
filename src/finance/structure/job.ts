import { projectCards } from '../card.ts';
import type { LoanColumns } from '../loan-columns.ts';
import type { LoanTable } from '../loan-table.ts';
import type { Assumptions, Collateral, CollateralSeries, ProjectionOptions } from '../types.ts';
import { compileStructure, type CompiledStructure } from './compiled-structure.ts';
import type { CalculationPool, NormalRequest, NormalScenario } from './normalize.ts';
import type { Structure } from './structure.ts';

/** Projects collateral: `projectTable`, or the same on several threads. */
export type Project = (
  table: LoanTable,
  assumptions: Assumptions,
  options: ProjectionOptions,
) => Collateral | Promise<Collateral>;

/** A normalized request with its loans (grouped into replines if requested) and their table, sorted once for all scenarios and paths. Cards have an empty table. */
export type CalculationJob = {
  request: NormalRequest;
  pool: CalculationPool;
  structure: Structure;
  loans: LoanColumns;
  table: LoanTable;
  project: Project;
  pause: () => void | Promise<void>;
  warnings: string[];
  /** Series of the collateral that the structure reads; none when absent. */
  series?: CollateralSeries;
};

/** Cash flow of the job's collateral under the assumptions of a scenario or a path. */
export function projectJob(job: CalculationJob, assumptions: Assumptions): Collateral | Promise<Collateral> {
  if (assumptions.card) return projectCards(job.loans, assumptions, assumptions.card, job.series);
  return job.project(job.table, assumptions, projectionOptions(job, assumptions));
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
  return compileStructure(structure, {
    cutOff: pool.cutOff,
    closing: pool.closing,
    poolOriginal: pool.originalBalance,
    collateralMonths,
    indexCurves: request.indexCurves,
    ...(scenario.call === undefined ? {} : { call: scenario.call }),
  });
}
