type Terms = { amount: bigint; minimum: bigint };

/**
 * The live bids of one limit, in groups of one amount and one minimum, by amount: bids of a group get the same share, or one increment more
 * where they come first. A rule that drops half of a book one by one computes each share thousands of times, and most books have far fewer
 * amounts than bids. A column has a number for each group, in units: the largest that all amounts and the increment are whole numbers of, so
 * that the products of a usual book are exact as numbers.
 */
export type Level = {
  limit_yield: number | null;
  demand: bigint;
  /** An amount that no bid is above. */
  largest: number;
  /** No bid has a minimum above its amount. */
  isSound: boolean;
  /** How many groups there are: columns may be longer. */
  groups: number;
  amount: Float64Array;
  minimum: Float64Array;
  /** Whole increments in the amount. */
  steps: Float64Array;
  /** Amounts in cents. */
  cents: bigint[];
  /** How many bids there are. */
  count: Float64Array;
  /** Places of the bids in the order that breaks ties, ascending. */
  places: number[][];
  /** Where the level was shared: how much of its demand the increments are. */
  ratio: number;
  /** Then, too: the increments of a bid, and what remained of its share, also as one of `SLICES`. */
  parts: Float64Array;
  remainders: Float64Array;
  slices: Uint16Array;
  /** Bids of the slices above it get one increment more, and of its groups so many of the first bids as `odd` says. */
  marginal: number;
  odd: Map<number, number>;
};

/** A bid, by the number of its group and how many of the group come before it. */
export type Member = { level: Level; group: number; at: number };

/** What a bid gets, in units. */
export type Filled = Member & { fill: number };

/** `groups`: bids of one amount and minimum in cents, by one of them, and their places. */
export function levelOf(
  limit_yield: number | null,
  groups: { bid: Terms; places: number[] }[],
  increment: bigint,
  unit: bigint,
): Level {
  groups.sort((a, b) => (a.bid.amount < b.bid.amount ? -1 : a.bid.amount > b.bid.amount ? 1 : 0));
  const amount = Float64Array.from(groups, ({ bid }) => Number(bid.amount / unit));
  return {
    limit_yield,
    demand: groups.reduce((total, { bid, places }) => total + bid.amount * BigInt(places.length), 0n),
    largest: amount.reduce((most, each) => Math.max(most, each), 0),
    isSound: groups.every(({ bid }) => bid.minimum <= bid.amount),
    groups: groups.length,
    amount,
    minimum: Float64Array.from(groups, ({ bid }) => Number((bid.minimum + unit - 1n) / unit)),
    steps: Float64Array.from(groups, ({ bid }) => Number(bid.amount / increment)),
    cents: groups.map(({ bid }) => bid.amount),
    count: Float64Array.from(groups, ({ places }) => places.length),
    places: groups.map(({ places }) => places),
    ratio: 0,
    parts: new Float64Array(groups.length),
    remainders: new Float64Array(groups.length),
    slices: new Uint16Array(groups.length),
    marginal: 0,
    odd: new Map(),
  };
}

/** Takes a bid out of its level; its place. */
export function takeOut({ level, group, at }: Member): number {
  const [place] = (level.places[group] as number[]).splice(at, 1);
  level.demand -= level.cents[group] as bigint;
  (level.count[group] as number) -= 1;
  if (level.count[group] === 0) {
    level.groups -= 1;
    for (const column of [level.amount, level.minimum, level.steps, level.count]) column.copyWithin(group, group + 1);
    level.cents.splice(group, 1);
    level.places.splice(group, 1);
  }
  return place as number;
}

/** Remainders fall into slices, so that only those of the slice in which the increments end are sorted. */
const SLICES = 256;

/** Shares increments that do not cover a level: whole ones by the amounts, those left over by the remainders, then by place. */
export function share(level: Level, offered: bigint, { increment, unit }: { increment: bigint; unit: bigint }): void {
  level.ratio = Number(offered * increment) / Number(level.demand);
  const { groups, count, parts, remainders, slices } = level;
  const slicesPerUnit = SLICES / divide(level, offered, unit);
  const counts = new Float64Array(SLICES + 1);
  let left = Number(offered);
  for (let group = 0; group < groups; group++) {
    const slice = ((remainders[group] as number) * slicesPerUnit) | 0;
    slices[group] = slice;
    counts[slice] = (counts[slice] as number) + (count[group] as number);
    left -= (parts[group] as number) * (count[group] as number);
  }
  level.marginal = SLICES;
  for (; level.marginal > 0 && (counts[level.marginal] as number) < left; level.marginal -= 1)
    left -= counts[level.marginal] as number;
  const { marginal } = level;
  const some: number[] = [];
  for (let group = 0; group < groups; group++) if (slices[group] === marginal) some.push(group);
  level.odd = oddOfSome(level, some, left);
}

/** How many of the first bids of a group get an increment more than the group's `parts`. */
const oddOf = ({ slices, marginal, count, odd }: Level, group: number): number =>
  (slices[group] as number) > marginal ? (count[group] as number) : (odd.get(group) ?? 0);

/**
 * Whole increments in `parts`. Returns a number above all remainders; these are the exact ones where no product is above the largest whole number
 * that is exact, else their ranks.
 */
function divide({ groups, amount, cents, parts, remainders, demand, largest }: Level, offered: bigint, unit: bigint): number {
  const [count, total] = [Number(offered), Number(demand / unit)];
  if (total <= Number.MAX_SAFE_INTEGER && count * largest <= Number.MAX_SAFE_INTEGER) {
    for (let group = 0; group < groups; group++) {
      const product = count * (amount[group] as number);
      const part = Math.floor(product / total);
      parts[group] = part;
      remainders[group] = product - part * total;
    }
    return total;
  }
  const live = cents.slice(0, groups);
  const exact = live.map((each) => (offered * each) % demand);
  const ranks = new Map([...new Set(exact)].sort((a, b) => (a < b ? -1 : 1)).map((remainder, rank) => [remainder, rank]));
  parts.set(live.map((each) => Number((offered * each) / demand)));
  remainders.set(exact.map((remainder) => ranks.get(remainder) as number));
  return ranks.size;
}

/** Gives increments to the bids of some groups: the largest remainder first, of equal ones the earliest bid. */
function oddOfSome({ remainders, places }: Level, some: readonly number[], left: number): Map<number, number> {
  const odd = new Map<number, number>();
  const byRemainder = Map.groupBy(some, (group) => remainders[group] as number);
  for (const remainder of [...byRemainder.keys()].sort((a, b) => b - a)) {
    if (left === 0) break;
    const equal = byRemainder.get(remainder) as number[];
    const firsts = earliest(
      equal.map((group) => places[group] as number[]),
      left,
    );
    for (const [nth, first] of firsts.entries()) {
      odd.set(equal[nth] as number, first);
      left -= first;
    }
  }
  return odd;
}

/** How many of each list are among the smallest `count` numbers of all of them; the lists are ascending and no number is in two. */
function earliest(lists: readonly number[][], count: number): number[] {
  if (lists.length === 1) return lists.map((list) => Math.min(list.length, count));
  let [from, to] = [0, lists.reduce((most, list) => Math.max(most, list.at(-1) ?? 0), 0) + 1];
  // The smallest bound below which there are as many.
  while (from < to) {
    const bound = (from + to) >> 1;
    if (lists.reduce((total, list) => total + countBelow(list, bound), 0) < count) from = bound + 1;
    else to = bound;
  }
  return lists.map((list) => countBelow(list, from));
}

function countBelow(ascending: readonly number[], bound: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] as number) < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Groups of a level whose amount is below their minimum: of each its last bid. */
export function shortWhenFull(level: Level): Filled[] {
  if (level.isSound) return [];
  const { amount, minimum, count } = level;
  const groups = Array.from({ length: level.groups }, (_, group) => group);
  return groups
    .filter((group) => (amount[group] as number) < (minimum[group] as number))
    .map((group) => ({ level, group, at: (count[group] as number) - 1, fill: amount[group] as number }));
}

/** Quotients of doubles that are further apart are in the order of the exact ones. */
const NEAR = 1e-12;

/** Bids of a level below their minimum: those among which the one with the smallest ratio is. */
export function nearSmallest(level: Level, step: number): Filled[] {
  const { groups, amount, minimum, steps, count, parts } = level;
  let few: Filled[] = [];
  let least = Number.POSITIVE_INFINITY;
  /** The last of the first bids of a group, all of which get these increments. */
  const consider = (group: number, first: number, part: number): void => {
    const fill = Math.min(part, steps[group] as number) * step;
    const ratio = fill / (amount[group] as number);
    if (fill === 0 || fill >= (minimum[group] as number) || ratio > least * (1 + NEAR)) return;
    if (ratio < least * (1 - NEAR)) few = [];
    least = Math.min(least, ratio);
    few.push({ level, group, at: first - 1, fill });
  };
  for (let group = 0; group < groups; group++) {
    // The ratio of a bid is that of all, less at most an increment: from an amount on it is not the smallest.
    if (level.ratio - step / (amount[group] as number) > least * (1 + 1e-9)) break;
    const odd = oddOf(level, group);
    if (odd < (count[group] as number)) consider(group, count[group] as number, parts[group] as number);
    if (odd > 0) consider(group, odd, (parts[group] as number) + 1);
  }
  return few;
}

/** Whether the first has the smaller ratio; of equal ones it is the later bid. */
export function isWorse(one: Filled, other: Filled): boolean {
  const amountOf = ({ level, group }: Member): number => level.amount[group] as number;
  const order = compareRatios(one.fill, amountOf(one), other.fill, amountOf(other));
  return order < 0 || (order === 0 && placeOf(one) > placeOf(other));
}

const placeOf = ({ level, group, at }: Member): number => level.places[group]?.[at] as number;

/** Compares a / b with c / d: cross-multiplied, so exactly. */
function compareRatios(a: number, b: number, c: number, d: number): number {
  const [left, right] = [a * d, c * b];
  const isExact = left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER;
  return isExact ? left - right : Number(BigInt(a) * BigInt(d) - BigInt(c) * BigInt(b));
}

/** Places and amounts of the bids of a level that is filled. */
export function wholeAmounts({ groups, places, cents }: Level): [place: number, amount: bigint][] {
  return places.slice(0, groups).flatMap((own, group) => own.map((place): [number, bigint] => [place, cents[group] as bigint]));
}

/** Places and amounts of the bids of a level that was shared. */
export function sharedAmounts(level: Level, increment: bigint): [place: number, amount: bigint][] {
  return level.places.slice(0, level.groups).flatMap((own, group) => {
    const [part, odd, most] = [level.parts[group] as number, oddOf(level, group), level.steps[group] as number];
    return own.map((place, at): [number, bigint] => [place, BigInt(Math.min(at < odd ? part + 1 : part, most)) * increment]);
  });
}
