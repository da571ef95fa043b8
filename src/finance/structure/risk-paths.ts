import { roundHalfEven } from '../money.ts';
import { GENERATOR } from '../random.ts';
import { drawNormals, type RiskSummary, shockAssumptions, summarizeLosses } from '../risk.ts';
import type { Collateral } from '../types.ts';
import type { WaterfallFlows } from './flows.ts';
import type { WaterfallRun } from './waterfall-run.ts';
import type { CalculationJob } from './job.ts';
import type { NormalRisk, NormalScenario } from './normal-request.ts';
import { createPathRunner, isNote, lostBalance } from './paths.ts';

/** Distribution of losses in percent of the balance of the tranche, or of the pool, where the calculation starts. */
export type LossDistribution = {
  mean: number;
  standard_deviation: number;
  minimum: number;
  maximum: number;
  tail: { confidence: number; value_at_risk: number; expected_shortfall: number }[];
};

export type RiskResult = {
  generator: string;
  seed: number;
  paths: number;
  factors: { factor: string; sigma: number }[];
  correlation: number[][];
  collateral: LossDistribution;
  tranches: (LossDistribution & {
    tranche: string;
    /** Share of paths, in percent, in which the tranche loses at least a cent. */
    probability_of_loss: number;
  })[];
};

/** Paths run between two pauses. */
const PATHS_PER_PAUSE = 25;
const HALF_CENT = 0.005;

/**
 * Losses of pool and notes over seeded paths: every path shocks the scenario's speeds and severity by its own draw, then runs collateral and
 * waterfall. Path k of a seed is the same whatever ran before it.
 */
export async function simulateRisk(job: CalculationJob, scenario: NormalScenario): Promise<RiskResult> {
  const risk = job.request.risk as NormalRisk;
  const runPath = createPathRunner(job, scenario);
  const poolLosses = new Float64Array(risk.paths);
  const poolOpening = job.pool.opening?.state.pool_balance ?? job.pool.originalBalance;
  let notes: { name: string; opening: number; trancheIndex: number; losses: Float64Array }[] | null = null;
  for (let path = 0; path < risk.paths; path++) {
    const normals = drawNormals(risk.seed, path, risk.lower);
    const { flows, collateral, run } = await runPath(shockAssumptions(scenario.assumptions, risk.factors, normals));
    notes ??= run.structure.tranches.flatMap((tranche, trancheIndex) =>
      isNote(tranche)
        ? [
            {
              name: tranche.name,
              opening: openingOf(run, flows, trancheIndex),
              trancheIndex,
              losses: new Float64Array(risk.paths),
            },
          ]
        : [],
    );
    poolLosses[path] = percentLost(poolLoss(collateral), poolOpening);
    for (const { losses, trancheIndex, opening } of notes) losses[path] = percentLost(lostBalance(flows, trancheIndex), opening);
    if (path % PATHS_PER_PAUSE === PATHS_PER_PAUSE - 1) await job.pause();
  }
  return {
    generator: GENERATOR,
    seed: risk.seed,
    paths: risk.paths,
    factors: risk.factors,
    correlation: risk.correlation,
    collateral: distribution(summarizeLosses(poolLosses, risk.confidence)),
    tranches: (notes ?? []).map(({ name, losses }) => ({
      tranche: name,
      ...distribution(summarizeLosses(losses, risk.confidence)),
      probability_of_loss: roundHalfEven((100 * losses.filter((loss) => loss > 0).length) / risk.paths, DECIMALS),
    })),
  };
}

/** Balance of a tranche where the run starts, currency units. */
function openingOf({ structure }: WaterfallRun, flows: WaterfallFlows, trancheIndex: number): number {
  const { start } = structure.periods;
  return start === 0 ? structure.tranches[trancheIndex].original / structure.unit : flows.tranches[trancheIndex].opening[start];
}

function poolLoss({ loss }: Collateral): number {
  let sum = 0;
  for (let month = 0; month < loss.length; month++) sum += loss[month];
  return sum;
}

/** Percent of the opening balance; less than half a cent is rounding of doubles, not a loss. */
function percentLost(amount: number, opening: number): number {
  return amount < HALF_CENT || opening <= 0 ? 0 : (100 * amount) / opening;
}

const DECIMALS = 8;

function distribution(summary: RiskSummary): LossDistribution {
  const rounded = (percent: number) => roundHalfEven(percent, DECIMALS);
  return {
    mean: rounded(summary.mean),
    standard_deviation: rounded(summary.standardDeviation),
    minimum: rounded(summary.minimum),
    maximum: rounded(summary.maximum),
    tail: summary.tail.map(({ confidence, valueAtRisk, expectedShortfall }) => ({
      confidence,
      value_at_risk: rounded(valueAtRisk),
      expected_shortfall: rounded(expectedShortfall),
    })),
  };
}
