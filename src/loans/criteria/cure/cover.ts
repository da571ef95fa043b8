/** Loans that may be removed, by their positions in the caller's list: the gain and the balance cost of the removal of one, in whole units. */
export interface CoverItems {
  indices: Uint32Array;
  gain: (index: number) => bigint;
  cost: (index: number) => number;
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
export function cheapestCover(items: CoverItems, needed: bigint): Cover {
  return coverFrom(orderItems(items), needed);
}

/** Items in the order in which they are considered, for several needs over the same items. */
export interface OrderedItems extends CoverItems {
  /** Gain of the first n × STRIDE items; the last is that of all. */
  gains: readonly bigint[];
  /** Cost of the first n items. */
  costs: Float64Array;
}

/** Sums of gains are kept of every so many items: they may need more than 64 bits. */
const STRIDE = 256;
/** Which of the two words of a number has its last bits. */
const LOW_WORD = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1;

export function orderItems({ indices, gain, cost }: CoverItems): OrderedItems {
  const sorted = byEfficiency({ indices: indices.filter((index) => gain(index) > 0n), gain, cost });
  const gains: bigint[] = [];
  const costs = new Float64Array(sorted.length + 1);
  let sum = 0n;
  for (let place = 0; place < sorted.length; place += 1) {
    if (place % STRIDE === 0) gains.push(sum);
    sum += gain(sorted[place]);
    costs[place + 1] = costs[place] + cost(sorted[place]);
  }
  return { indices: sorted, gain, cost, gains: [...gains, sum], costs };
}

/** As `cheapestCover`, over items already in order. */
export function coverFrom(items: OrderedItems, needed: bigint): Cover {
  if (needed <= 0n) return { chosen: [], cost: 0, bound: 0, optimal: true };
  const { indices } = items;
  const broken = relaxation(items, needed);
  if (broken === null) return { chosen: null, cost: 0, bound: 0, optimal: true };
  let best: Choice | null = null;
  for (const core of cores(indices.length, broken.at)) {
    const choice = bestWithin(items, needed, core, broken);
    if (choice !== null && (best === null || choice.cost < best.cost)) best = choice;
    if (best !== null && best.cost <= broken.bound) break;
  }
  const last = { core: new Set<number>(), picked: [broken.at], cost: items.costs[broken.at + 1] };
  const choice = best ?? last;
  const before = indices.subarray(0, broken.at).filter((_, place) => !choice.core.has(place));
  const chosen = [...before, ...choice.picked.map((place) => indices[place])];
  const exact = indices.length <= CORE_ITEMS || choice.cost <= broken.bound;
  return { chosen, cost: choice.cost, bound: exact ? choice.cost : broken.bound, optimal: exact };
}

/** The picked places of the core, and all items before the break outside it. */
interface Choice {
  core: ReadonlySet<number>;
  picked: number[];
  cost: number;
}

/**
 * Highest gain per cost first; among equals the most expensive, so that few loans are removed. The engine sorts plain numbers far sooner than by
 * a function: the place of an item is put into the last bits of its ratio, and only items whose other bits are alike are compared.
 */
function byEfficiency({ indices, gain, cost }: CoverItems): Uint32Array {
  const [gains, costs] = [new Float64Array(indices.length), new Float64Array(indices.length)];
  const keys = new Float64Array(indices.length);
  for (let place = 0; place < indices.length; place += 1) {
    gains[place] = Number(gain(indices[place]));
    costs[place] = cost(indices[place]);
    keys[place] = Math.max(costs[place], 0) / gains[place];
  }
  const compare = (a: number, b: number): number => {
    const [left, right] = [gains[a] * Math.max(costs[b], 0), gains[b] * Math.max(costs[a], 0)];
    if (Math.abs(left - right) > 1e-12 * Math.max(left, right)) return right - left;
    return costs[b] - costs[a] || indices[a] - indices[b];
  };
  const words = new Uint32Array(keys.buffer);
  for (let place = 0; place < keys.length; place += 1) words[2 * place + LOW_WORD] = place;
  keys.sort();
  const order = Uint32Array.from(keys, (_, place) => words[2 * place + LOW_WORD]);
  const coarse = (place: number): number => words[2 * place + 1 - LOW_WORD];
  for (let from = 0, to = 1; to <= order.length; to += 1) {
    if (to < order.length && coarse(to) === coarse(from)) continue;
    if (to - from > 1) order.subarray(from, to).sort(compare);
    from = to;
  }
  return order.map((place) => indices[place]);
}

/**
 * The item at which the need is met, what those before it gain, and the cost of the relaxed choice, rounded up to a whole unit with a
 * tolerance for float errors.
 */
function relaxation({ indices, gain, cost, gains, costs }: OrderedItems, needed: bigint): Break | null {
  if (gains[gains.length - 1] < needed) return null;
  let [low, high] = [0, gains.length - 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gains[middle + 1] >= needed) high = middle;
    else low = middle + 1;
  }
  let at = low * STRIDE;
  let gained = gains[low];
  for (let next = gain(indices[at]); gained + next < needed; next = gain(indices[at])) {
    gained += next;
    at += 1;
  }
  const part = Number(needed - gained) / Number(gain(indices[at]));
  const relaxed = costs[at] + Math.max(cost(indices[at]), 0) * part;
  return { at, gained, bound: Math.ceil(relaxed - 1e-9 * Math.max(relaxed, 1)) };
}

type Break = { at: number; gained: bigint; bound: number };

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
  { indices, gain, cost: costOf, costs }: OrderedItems,
  needed: bigint,
  core: ReadonlySet<number>,
  { at, gained }: Break,
): Choice | null {
  const places = [...core];
  const members = places.map((place): Member => ({ gain: gain(indices[place]), cost: costOf(indices[place]) }));
  let rest = needed - gained;
  let cost = costs[at];
  places.forEach((place, index) => {
    if (place >= at) return;
    rest += members[index].gain;
    cost -= members[index].cost;
  });
  const found = meetInTheMiddle(members, rest);
  return found && { core, picked: found.picked.map((index) => places[index]), cost: cost + found.cost };
}

type Member = { gain: bigint; cost: number };

interface Subset extends Member {
  mask: number;
}

/** Indices of the cheapest subset that gains enough. */
function meetInTheMiddle(core: readonly Member[], needed: bigint): { picked: number[]; cost: number } | null {
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

function subsets(items: readonly Member[]): Subset[] {
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
