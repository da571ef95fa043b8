/** A linear condition on a removal: the loans removed gain at least `need` together. */
export interface Limit {
  gain: Float64Array;
  need: number;
}

export interface Relaxation {
  /** Lower bound of the cost of a removal that meets every limit, whole loans or not. */
  bound: number;
  /** Cost of a loan less what its removal gains at the prices found: below zero it is removed, at -Infinity whatever the prices are. */
  reduced: Float64Array;
  /** Number of limits that have a price: those that the removal just meets. */
  active: number;
}

const [ROUNDS, SWEEPS, STEPS] = [12, 40, 60];
/** Loans looked at, some seconds; then the prices found so far serve. */
const LOANS_LOOKED_AT = 800_000_000;
/** Of a price, and of the gain of a sweep or a round over the bound before. */
const PRECISION = 1e-7;

/**
 * The linear relaxation of the cheapest removal under several limits at once, by its dual: a price per unit of each limit. Every choice of prices gives
 * a lower bound, Σ price × need + Σ min(0, reduced cost) (weak duality), so the bound holds however near the prices come to the best ones. One price
 * after the other is set where the gain of the loans that it removes meets the need. `costs` are in whole units, `forced` loans are removed
 * in any case; `cuts` gives further limits that a removal breaks. Null when a limit is not met even without every loan that counts against it.
 */
export function relax(
  costs: Float64Array,
  forced: Uint8Array,
  limits: readonly Limit[],
  cuts: (isRemoved: (index: number) => boolean) => Limit[],
): Relaxation | null {
  const all = limits.map((limit) => priced(limit, costs));
  const budget = { left: LOANS_LOOKED_AT };
  let found: Relaxation | null = null;
  // Each round adds the limits that the last removal broke; without these the bound is lower, but holds.
  for (let round = 0; round < ROUNDS; round += 1) {
    const bound = raise(costs, forced, all, budget);
    if (bound === null) return null;
    const reduced = reducedCosts(costs, forced, all);
    const hardly = found !== null && bound - found.bound <= PRECISION * found.bound;
    found = { bound, reduced, active: all.filter(({ price }) => price > 0).length };
    const more = hardly ? [] : cuts((index) => reduced[index] < 0);
    if (more.length === 0) break;
    all.push(...more.map((limit) => priced(limit, costs)));
  }
  return found;
}

type Budget = { left: number };

interface Priced extends Limit {
  price: number;
  /** At this price the average loan is just removed. */
  usual: number;
  /** The largest gain of one loan: nearer to the need whole loans do not come. */
  grain: number;
}

function priced(limit: Limit, costs: Float64Array): Priced {
  let [grain, gains, worth] = [0, 0, 0];
  limit.gain.forEach((each, index) => {
    grain = Math.max(grain, Math.abs(each));
    gains += Math.abs(each);
    worth += Math.abs(costs[index]);
  });
  return { ...limit, price: 0, usual: gains > 0 && worth > 0 ? worth / gains : 1, grain };
}

/** Raises the dual one price at a time, until it hardly rises, and returns it; null when a limit cannot be met. */
function raise(costs: Float64Array, forced: Uint8Array, limits: readonly Priced[], budget: Budget): number | null {
  const reduced = reducedCosts(costs, forced, limits);
  let dual = -Infinity;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const limit of limits) {
      const step = bestStep(limit, reduced, budget);
      if (step === null) return null;
      if (step === 0) continue;
      limit.price = step === -limit.price ? 0 : limit.price + step;
      for (let index = 0; index < reduced.length; index += 1) reduced[index] -= step * limit.gain[index];
    }
    const before = dual;
    dual = dualOf(costs, forced, limits);
    if (dual - before <= PRECISION * Math.abs(dual) || budget.left <= 0) break;
  }
  return dual;
}

/** Reduced costs at the prices; a forced loan is removed at any. */
function reducedCosts(costs: Float64Array, forced: Uint8Array, limits: readonly Priced[]): Float64Array {
  const reduced = costs.map((cost, index) => (forced[index] === 1 ? -Infinity : cost));
  for (const { gain, price } of limits)
    if (price > 0) for (let index = 0; index < reduced.length; index += 1) reduced[index] -= price * gain[index];
  return reduced;
}

/** How far to move a price so that the loans then removed just meet the need: what is missing falls with the price, and a price is never below zero. */
function bestStep({ gain, need, price, usual, grain }: Priced, reduced: Float64Array, budget: Budget): number | null {
  if (grain === 0) return need > 0 ? null : 0;
  if (budget.left <= 0) return 0;
  const missing = (step: number): number => {
    let met = 0;
    budget.left -= reduced.length;
    for (let index = 0; index < reduced.length; index += 1) met += reduced[index] < step * gain[index] ? gain[index] : 0;
    return need - met;
  };
  let low = { step: 0, missing: missing(0) };
  let high = low;
  if (low.missing <= 0 && (price === 0 || low.missing > -grain)) return 0;
  const isDearer = low.missing > 0;
  for (let reach = Math.max(price, usual) / 64; low.missing > 0 === high.missing > 0; reach *= 4) {
    if (!(reach < 1e300)) return null;
    const step = isDearer ? reach : Math.max(-price, -reach);
    const next = { step, missing: missing(step) };
    if (isDearer) [low, high] = [high, next];
    else [low, high] = [next, low];
    if (step === -price && next.missing <= 0) return step;
  }
  const between = narrowing(gain, reduced, low.step, high.step, budget);
  // The secant between the ends, and the middle, in turn: many loans may have one ratio of gain to cost, where the secant makes no way.
  for (
    let turn = 0;
    turn < STEPS && high.step - low.step > PRECISION * (price + high.step) && high.missing <= -grain;
    turn += 1
  ) {
    const secant = low.step + ((high.step - low.step) * low.missing) / (low.missing - high.missing);
    const step = turn % 2 === 0 && secant > low.step && secant < high.step ? secant : (low.step + high.step) / 2;
    const next = { step, missing: need - between.met(step) };
    const isLow = next.missing > 0;
    if (isLow) low = next;
    else high = next;
    between.narrow(step, isLow);
  }
  return high.step;
}

/**
 * The gain of the loans that a step within two ends removes. Loans that are removed at both ends, or at neither, are so at every step between: only the
 * others are looked at, and they become fewer as the ends come nearer.
 */
function narrowing(gain: Float64Array, reduced: Float64Array, low: number, high: number, budget: Budget) {
  let [decided, open] = [0, 0];
  const undecided = new Uint32Array(reduced.length);
  budget.left -= reduced.length;
  for (let index = 0; index < reduced.length; index += 1) {
    const [atLow, atHigh] = [reduced[index] < low * gain[index], reduced[index] < high * gain[index]];
    if (atLow !== atHigh) undecided[open++] = index;
    else if (atLow) decided += gain[index];
  }
  return {
    met(step: number): number {
      let met = decided;
      budget.left -= open;
      for (let at = 0; at < open; at += 1) {
        const index = undecided[at];
        met += reduced[index] < step * gain[index] ? gain[index] : 0;
      }
      return met;
    },
    /** The step takes the place of the lower end or of the higher one. */
    narrow(step: number, isLow: boolean): void {
      let left = 0;
      for (let at = 0; at < open; at += 1) {
        const index = undecided[at];
        const isRemoved = reduced[index] < step * gain[index];
        // At the higher end the loans that gain are removed, at the lower one those whose removal costs gain.
        if (isRemoved !== (gain[index] > 0 === isLow)) undecided[left++] = index;
        else if (isRemoved) decided += gain[index];
      }
      open = left;
    },
  };
}

/** The dual at these prices, rounded up to a whole unit after a tolerance for the errors of binary floating point. */
function dualOf(costs: Float64Array, forced: Uint8Array, limits: readonly Priced[]): number {
  let [value, size] = [0, 1];
  const add = (term: number): void => {
    value += term;
    size += Math.abs(term);
  };
  const active = limits.filter(({ price }) => price > 0);
  for (const { need, price } of active) add(price * need);
  for (let index = 0; index < costs.length; index += 1) {
    let reduced = costs[index];
    for (const { gain, price } of active) reduced -= price * gain[index];
    if (reduced < 0 || forced[index] === 1) add(reduced);
  }
  return Math.ceil(value - size * (costs.length + limits.length) * Number.EPSILON);
}
