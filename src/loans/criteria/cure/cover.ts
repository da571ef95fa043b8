/** A loan that may be removed: the gain and the balance cost of its removal, in whole units. */
export interface CoverItem {
  /** Position in the caller's list. */
  index: number;
  gain: bigint;
  cost: number;
}

export interface Cover {
  /** Positions of the chosen items; null when all of them together do not gain enough. */
  chosen: number[] | null;
  cost: number;
  /** No choice costs less than this. */
  bound: number;
  /** The choice is proved to be the cheapest. */
  optimal: boolean;
}

/** Items of which every subset is tried: 2^24 of them, as two halves that meet. */
const CORE_ITEMS = 24;
/** Number of samples tried per range of items, each shifted by one item. */
const PHASES = 8;

/**
 * The cheapest set of items that gains at least `needed`: the min-knapsack problem.
 * Method: items in the order of gain per cost; the linear relaxation (the last item in part) gives the bound; then every subset of 24 items
 * around the point where the need is met is tried, and of 24 sampled from wider and wider ranges around it; all other items stay as in the
 * relaxation. Up to 24 items the result is exact; beyond, it is exact where it meets the bound, and `cost - bound` is the gap.
 */
export function cheapestCover(items: readonly CoverItem[], needed: bigint): Cover {
  return coverFrom(orderItems(items), needed);
}

/** Items in the order in which they are considered, for several needs over the same items. */
export interface OrderedItems {
  sorted: readonly CoverItem[];
  /** Gain and cost of the first n items. */
  gains: readonly bigint[];
  costs: Float64Array;
}

export function orderItems(items: readonly CoverItem[]): OrderedItems {
  const sorted = byEfficiency(items.filter(({ gain }) => gain > 0n));
  const gains = [0n];
  const costs = new Float64Array(sorted.length + 1);
  sorted.forEach(({ gain, cost }, index) => {
    gains.push(gains[index] + gain);
    costs[index + 1] = costs[index] + cost;
  });
  return { sorted, gains, costs };
}

/** As `cheapestCover`, over items already in order. */
export function coverFrom(items: OrderedItems, needed: bigint): Cover {
  if (needed <= 0n) return { chosen: [], cost: 0, bound: 0, optimal: true };
  const { sorted } = items;
  const broken = relaxation(items, needed);
  if (broken === null) return { chosen: null, cost: 0, bound: 0, optimal: true };
  let best: Choice | null = null;
  for (const core of cores(sorted.length, broken.at)) {
    const choice = bestWithin(items, needed, core, broken.at);
    if (choice !== null && (best === null || choice.cost < best.cost)) best = choice;
    if (best !== null && best.cost <= broken.bound) break;
  }
  const last = { core: new Set<number>(), picked: [broken.at], cost: items.costs[broken.at + 1] };
  const choice = best ?? last;
  const before = sorted.slice(0, broken.at).filter((_, position) => !choice.core.has(position));
  const chosen = [...before.map(({ index }) => index), ...choice.picked.map((position) => sorted[position].index)];
  const exact = sorted.length <= CORE_ITEMS || choice.cost <= broken.bound;
  return { chosen, cost: choice.cost, bound: exact ? choice.cost : broken.bound, optimal: exact };
}

/** The picked positions of the core, and all items before the break outside it. */
interface Choice {
  core: ReadonlySet<number>;
  picked: number[];
  cost: number;
}

/** Highest gain per cost first; among equals the most expensive, so that few loans are removed. */
function byEfficiency(items: readonly CoverItem[]): CoverItem[] {
  const gains = Float64Array.from(items, ({ gain }) => Number(gain));
  const costs = Float64Array.from(items, ({ cost }) => Math.max(cost, 0));
  const order = Uint32Array.from(items.keys()).sort((a, b) => {
    const [left, right] = [gains[a] * costs[b], gains[b] * costs[a]];
    if (Math.abs(left - right) > 1e-12 * Math.max(left, right)) return right - left;
    return items[b].cost - items[a].cost || items[a].index - items[b].index;
  });
  return Array.from(order, (place) => items[place]);
}

/** The item at which the need is met, and the cost of the relaxed choice, rounded up to a whole unit with a tolerance for float errors. */
function relaxation({ sorted, gains, costs }: OrderedItems, needed: bigint): { at: number; bound: number } | null {
  if ((gains.at(-1) as bigint) < needed) return null;
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gains[middle + 1] >= needed) high = middle;
    else low = middle + 1;
  }
  const item = sorted[low];
  const part = Number(needed - gains[low]) / Number(item.gain);
  const relaxed = costs[low] + Math.max(item.cost, 0) * part;
  return { at: low, bound: Math.ceil(relaxed - 1e-9 * Math.max(relaxed, 1)) };
}

/**
 * Positions of which every subset is tried: first those around the break, then samples of wider ranges, whose loans differ more in size, so
 * that their sums are closer together.
 */
function* cores(count: number, at: number): Generator<Set<number>> {
  if (count <= CORE_ITEMS) return yield new Set(Array.from({ length: count }, (_, position) => position));
  for (let reach = CORE_ITEMS / 2; ; reach *= 4) {
    const from = Math.max(0, Math.min(at - reach, count - 2 * reach));
    const to = Math.min(count, from + 2 * reach);
    const step = (to - from) / CORE_ITEMS;
    for (let phase = 0; phase < Math.min(PHASES, step); phase += 1) {
      const offset = (phase * step) / PHASES;
      yield new Set(Array.from({ length: CORE_ITEMS }, (_, n) => Math.floor(from + n * step + offset)));
    }
    if (to - from === count) return;
  }
}

/** The best subset of the core, given that outside the core exactly the items before the break are taken. */
function bestWithin(
  { sorted, gains, costs }: OrderedItems,
  needed: bigint,
  core: ReadonlySet<number>,
  at: number,
): Choice | null {
  const positions = [...core];
  const members = positions.map((position) => sorted[position]);
  let rest = needed - gains[at];
  let cost = costs[at];
  positions.forEach((position, index) => {
    if (position >= at) return;
    rest += members[index].gain;
    cost -= members[index].cost;
  });
  const found = meetInTheMiddle(members, rest);
  return found && { core, picked: found.picked.map((index) => positions[index]), cost: cost + found.cost };
}

interface Subset {
  gain: bigint;
  cost: number;
  mask: number;
}

/** Indices of the cheapest subset that gains enough. */
function meetInTheMiddle(core: readonly CoverItem[], needed: bigint): { picked: number[]; cost: number } | null {
  const half = Math.ceil(core.length / 2);
  const [left, right] = [core.slice(0, half), core.slice(half)];
  const ladder = cheapestByGain(subsets(right));
  let best: { left: number; right: number; cost: number } | null = null;
  for (const subset of subsets(left)) {
    const partner = firstAtLeast(ladder, needed - subset.gain);
    if (partner !== null && (best === null || subset.cost + partner.cost < best.cost)) {
      best = { left: subset.mask, right: partner.mask, cost: subset.cost + partner.cost };
    }
  }
  if (best === null) return null;
  const { left: first, right: second, cost } = best;
  const picked = core.flatMap((_, index) =>
    (index < half ? first & (1 << index) : second & (1 << (index - half))) ? [index] : [],
  );
  return { picked, cost };
}

function subsets(items: readonly CoverItem[]): Subset[] {
  let all: Subset[] = [{ gain: 0n, cost: 0, mask: 0 }];
  items.forEach((item, bit) => {
    all = all.concat(
      all.map(({ gain, cost, mask }) => ({ gain: gain + item.gain, cost: cost + item.cost, mask: mask | (1 << bit) })),
    );
  });
  return all;
}

/** Subsets by rising gain, each the cheapest of those that gain as much or more. */
function cheapestByGain(all: Subset[]): Subset[] {
  const sorted = all.sort((a, b) => (a.gain < b.gain ? -1 : a.gain > b.gain ? 1 : a.cost - b.cost));
  const ladder: Subset[] = [];
  let cheapest: Subset | null = null;
  for (const subset of sorted.reverse()) {
    if (cheapest !== null && cheapest.cost <= subset.cost) continue;
    cheapest = subset;
    ladder.push(subset);
  }
  return ladder.reverse();
}

function firstAtLeast(ladder: readonly Subset[], needed: bigint): Subset | null {
  let [low, high] = [0, ladder.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ladder[middle].gain >= needed) high = middle;
    else low = middle + 1;
  }
  return ladder[low] ?? null;
}
