import type { Assumptions } from '../types.ts';
import type { CalculationJob } from './job.ts';
import type { CompiledTranche } from './compiled-structure.ts';
import type { NormalScenario } from './normal-request.ts';
import { createPathRunner, isNote, lostBalance, unpaidInterest } from './paths.ts';

/** Hundredths of a percentage point: the scan takes whole percents, and is then refined to whole steps. */
const STEPS_PER_PERCENT = 100;
const HIGHEST_CDR_PERCENT = 100;
const HALF_CENT = 0.005;

/**
 * At which constant CDRs (for cards: charge-offs), percent, a tranche is whole: it gets all its principal and all its interest by the end,
 * everything else as in the scenario. All null for the residual.
 */
export type BreakEven = {
  /** The highest CDR up to which no scanned CDR loses; 100 where none does, null where the tranche loses without defaults. */
  break_even_cdr: number | null;
  /** The CDR a hundredth above, which loses; null where none does. */
  first_loss_cdr: number | null;
  /** The highest CDR at which the tranche is whole, whatever it loses below; null where there is none. */
  highest_safe_cdr: number | null;
  /** Whether no CDR above the first that loses is whole. */
  monotone: boolean | null;
};

const NOT_A_NOTE: BreakEven = { break_even_cdr: null, first_loss_cdr: null, highest_safe_cdr: null, monotone: null };

/**
 * Break-even CDRs of each tranche. Loss is not monotone in defaults: a trigger that turns excess spread to the notes can make a tranche whole
 * at a CDR above one at which it loses. So every whole percent from 0 to 100 is run, and the change from whole to loss is then found to a
 * hundredth between two neighbours.
 */
export async function breakEvenCdrs(job: CalculationJob, scenario: NormalScenario): Promise<BreakEven[]> {
  const wholeAt = createProbe(job, scenario);
  const scan: boolean[][] = [];
  for (let percent = 0; percent <= HIGHEST_CDR_PERCENT; percent++) {
    scan.push((await wholeAt(percent * STEPS_PER_PERCENT)).whole);
  }
  const { tranches } = await wholeAt(0);
  const found: BreakEven[] = [];
  for (const [trancheIndex, tranche] of tranches.entries()) {
    const holds = async (step: number) => (await wholeAt(step)).whole[trancheIndex] === true;
    found.push(
      isNote(tranche)
        ? await describe(
            holds,
            scan.map((whole) => whole[trancheIndex] === true),
          )
        : NOT_A_NOTE,
    );
  }
  return found;
}

type Holds = (step: number) => Promise<boolean>;

/** `scan`: whether the tranche is whole at each whole percent. */
async function describe(holds: Holds, scan: readonly boolean[]): Promise<BreakEven> {
  const firstLoss = scan.indexOf(false);
  const lastWhole = scan.lastIndexOf(true);
  const breakEven = firstLoss === 0 ? null : await refine(holds, firstLoss === -1 ? HIGHEST_CDR_PERCENT : firstLoss - 1);
  const highestSafe = lastWhole === -1 ? null : await refine(holds, lastWhole);
  return {
    break_even_cdr: percentOf(breakEven),
    first_loss_cdr: firstLoss === -1 ? null : percentOf(breakEven === null ? 0 : breakEven + 1),
    highest_safe_cdr: percentOf(highestSafe),
    monotone: breakEven === highestSafe,
  };
}

const percentOf = (step: number | null): number | null => (step === null ? null : step / STEPS_PER_PERCENT);

/** The highest step at which the tranche is whole, given that it is at this percent and is not at the next: bisection. */
async function refine(holds: Holds, percent: number): Promise<number> {
  if (percent === HIGHEST_CDR_PERCENT) return percent * STEPS_PER_PERCENT;
  let good = percent * STEPS_PER_PERCENT;
  let bad = good + STEPS_PER_PERCENT;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (await holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
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

/** Every segment has the constant CDR too. */
function withConstantDefault({ segments, ...assumptions }: Assumptions, percent: number): Assumptions {
  const moved: Assumptions = assumptions.card
    ? { ...assumptions, card: { ...assumptions.card, chargeOffPercent: [percent] } }
    : { ...assumptions, default: { measure: 'cdr', values: [percent] } };
  if (segments) moved.segments = { ...segments, each: segments.each.map((each) => withConstantDefault(each, percent)) };
  return moved;
}
