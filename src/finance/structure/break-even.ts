import type { Assumptions } from '../types.ts';
import type { CalculationJob } from './job.ts';
import type { CompiledTranche } from './compiled-structure.ts';
import type { NormalScenario } from './normalize.ts';
import { createPathRunner, isNote, lostBalance, unpaidInterest } from './paths.ts';

/** Hundredths of a percentage point: the search runs over whole steps. */
const STEPS_PER_PERCENT = 100;
const HIGHEST_CDR_PERCENT = 100;
const HALF_CENT = 0.005;

/**
 * Break-even CDR of each tranche, percent: the highest constant CDR (for cards: charge-off) in hundredths at which the tranche gets all its
 * principal and all its interest by the end, everything else as in the scenario. Null for the residual, and where a tranche is not whole
 * even without defaults.
 */
export async function breakEvenCdrs(job: CalculationJob, scenario: NormalScenario): Promise<(number | null)[]> {
  const wholeAt = createProbe(job, scenario);
  const { whole, tranches } = await wholeAt(0);
  const found: (number | null)[] = [];
  for (const [trancheIndex, tranche] of tranches.entries()) {
    found.push(
      isNote(tranche) && whole[trancheIndex]
        ? await search(async (step) => (await wholeAt(step)).whole[trancheIndex] === true)
        : null,
    );
  }
  return found;
}

type Probe = { whole: boolean[]; tranches: CompiledTranche[] };

/** Runs each CDR once and shares the result between tranches. */
function createProbe(job: CalculationJob, scenario: NormalScenario): (step: number) => Promise<Probe> {
  const runPath = createPathRunner(job, scenario);
  const probes = new Map<number, Probe>();
  return async (step) => {
    const known = probes.get(step);
    if (known) return known;
    const { flows, run } = await runPath(withConstantDefault(scenario.assumptions, step / STEPS_PER_PERCENT));
    const { tranches } = run.structure;
    const whole = tranches.map(
      (_, trancheIndex) => lostBalance(flows, trancheIndex) < HALF_CENT && unpaidInterest(flows, trancheIndex) < HALF_CENT,
    );
    const probe = { whole, tranches };
    probes.set(step, probe);
    await job.pause();
    return probe;
  };
}

/** Highest step for which the predicate holds, given that it holds for step 0: bisection. */
async function search(holds: (step: number) => Promise<boolean>): Promise<number> {
  let good = 0;
  let bad = HIGHEST_CDR_PERCENT * STEPS_PER_PERCENT;
  if (await holds(bad)) return HIGHEST_CDR_PERCENT;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (await holds(middle)) good = middle;
    else bad = middle;
  }
  return good / STEPS_PER_PERCENT;
}

function withConstantDefault(assumptions: Assumptions, percent: number): Assumptions {
  if (assumptions.card) return { ...assumptions, card: { ...assumptions.card, chargeOffPercent: [percent] } };
  return { ...assumptions, default: { measure: 'cdr', values: [percent] } };
}
