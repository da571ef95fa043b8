import type { Assumptions, Collateral, CollateralLoan, ProjectionOptions } from '../types.ts';
import { compileDeal, type Deal } from './deal.ts';
import type { CalculationPool, NormalRequest, NormalScenario } from './normalize.ts';
import type { Structure } from './structure.ts';

/** Projects collateral: `projectCollateral`, or the same on several threads. */
export type Project = (
  loans: readonly CollateralLoan[],
  assumptions: Assumptions,
  options: ProjectionOptions,
) => Collateral | Promise<Collateral>;

/** A request with its loans, grouped where asked. */
export type Job = {
  request: NormalRequest;
  pool: CalculationPool;
  structure: Structure;
  loans: readonly CollateralLoan[];
  project: Project;
  pause: () => void | Promise<void>;
  warnings: string[];
};

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
