import { projectCards } from '../card.ts';
import type { LoanColumns } from '../loan-columns.ts';
import type { LoanTable } from '../loan-table.ts';
import type { Assumptions, Collateral, ProjectionOptions } from '../types.ts';
import { compileDeal, type Deal } from './deal.ts';
import type { CalculationPool, NormalRequest, NormalScenario } from './normalize.ts';
import type { Structure } from './structure.ts';

/** Projects collateral: `projectTable`, or the same on several threads. */
export type Project = (
  table: LoanTable,
  assumptions: Assumptions,
  options: ProjectionOptions,
) => Collateral | Promise<Collateral>;

/** A request with its loans, grouped where asked, and their table: sorted once for all scenarios and paths. Cards have an empty table. */
export type Job = {
  request: NormalRequest;
  pool: CalculationPool;
  structure: Structure;
  loans: LoanColumns;
  table: LoanTable;
  project: Project;
  pause: () => void | Promise<void>;
  warnings: string[];
};

/** Cash flow of the job's collateral under the assumptions of a scenario or a path. */
export function projectJob({ loans, table, project, request }: Job, assumptions: Assumptions): Collateral | Promise<Collateral> {
  if (assumptions.card) return projectCards(loans, assumptions, assumptions.card);
  return project(table, assumptions, { indexCurves: request.indexCurves });
}

/** The structure compiled for collateral of a length, under the scenario's call. */
export function compileFor(
  job: Pick<Job, 'request' | 'pool' | 'structure'>,
  scenario: NormalScenario,
  collateralMonths: number,
): Deal {
  const { request, pool, structure } = job;
  return compileDeal(structure, {
    cutOff: pool.cutOff,
    closing: pool.closing,
    poolOriginal: pool.originalBalance,
    collateralMonths,
    indexCurves: request.indexCurves,
    ...(scenario.call === undefined ? {} : { call: scenario.call }),
  });
}
