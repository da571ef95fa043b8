export const ALLOCATION_METHODS = ['PRO_RATA', 'CLEARING_YIELD'] as const;
export type AllocationMethod = (typeof ALLOCATION_METHODS)[number];

/** One bid of a tranche's book. Amounts in cents. A confirmed subscription is a bid at market. */
export type Bid = {
  id: string;
  amount: bigint;
  /** Smallest fill that the bidder accepts; a bid with a smaller fill drops out. */
  minimum: bigint;
  /** Percent a year; null: at market. */
  limit_yield: number | null;
  /** When the bid was placed: the earlier one gets the odd increment. */
  placed_at: string;
};

export type Offer = {
  method: AllocationMethod;
  /** Face on offer, in cents. */
  size: bigint;
  increment: bigint;
  /**
   * Percent a year. PRO_RATA: the yield of the sale, which limits above it do not accept. CLEARING_YIELD: what bids at market pay when no bid
   * names a limit. Null when unknown.
   */
  market_yield: number | null;
  rule_version: RuleVersion;
};

/** 1: PRO_RATA fills limits above its yield, as rounds did at first. 2: it leaves them unfilled. */
export type RuleVersion = 1 | 2;
export const RULE_VERSION: RuleVersion = 2;

export type Fill = { bid: Bid; amount: bigint; reason: string };
export type AllocationOutcome = {
  /** In the order that breaks ties: earliest first, then id. */
  fills: Fill[];
  yield: number | null;
  demand: bigint;
  allocated: bigint;
};

/**
 * Fills a book, deterministically: the same bids in any order get the same fills.
 *
 * PRO_RATA: a bid whose limit is above the yield of the sale gets nothing; every other bid gets its share of the size, cut to whole increments; increments left over go to the largest remainder, then
 * to the earliest bid, then by id. CLEARING_YIELD: bids at market come first, then limits ascending; the clearing yield is the
 * lowest limit at which demand covers the size; better bids fill, the marginal level shares pro rata. No bid gets more than its amount
 * and all of them together no more than the size. While a fill is below its bid's minimum, the bid with the smallest fill ratio
 * (of equal ones the latest) drops out and the rest is run again.
 */
export function allocate(bids: readonly Bid[], offer: Offer): AllocationOutcome {
  const turns = allocateByTurns(bids, offer);
  for (;;) {
    const { done, value } = turns.next();
    if (done) return value;
  }
}

/** As `allocate`, with a turn for each bid that drops out, after which whoever runs it may do other things. */
export function* allocateByTurns(bids: readonly Bid[], offer: Offer): Generator<void, AllocationOutcome, void> {
  const book = byPriority(bids);
  const unit = unitOf(book, offer.increment);
  const levels = levelsOf(book, offer, unit);
  const dropped = new Set<number>();
  for (;;) {
    const sale = run(levels, offer, unit);
    const short = smallestBelowMinimum(sale);
    if (short) {
      dropped.add(drop(short, levels));
      yield;
      continue;
    }
    const { clearing } = sale;
    const amounts = amountsOf(sale, offer);
    const fills = book.map((bid, place) => {
      const amount = amounts.get(place) ?? 0n;
      return { bid, amount, reason: explain(bid, amount, dropped.has(place), { clearing, offer }) };
    });
    return {
      fills,
      yield: clearing,
      demand: sum(book.map((bid) => bid.amount)),
      allocated: sum([...amounts.values()]),
    };
  }
}

/** The order that breaks ties: earliest bid first, then id. */
export function byPriority(bids: readonly Bid[]): Bid[] {
  return bids.toSorted((a, b) => compare(a.placed_at, b.placed_at) || compare(a.id, b.id));
}

const unitOf = (book: readonly Bid[], increment: bigint): bigint =>
  book.reduce((unit, bid) => greatestCommonDivisor(unit, bid.amount), increment);

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/**
 * The live bids of one limit, in groups of one amount and one minimum, by amount: bids of a group get the same share, or one increment more where they come
 * first. A rule that drops half of a book one by one computes each share thousands of times, and most books have far fewer amounts than bids.
 * A column has a number for each group, in units: the largest that all amounts and the increment are whole numbers of, so that the products of
 * a usual book are exact as numbers.
 */
type Level = {
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

/** Those at market first, then limits ascending. A pro rata sale has one level, of the bids whose limit it meets. */
function levelsOf(book: readonly Bid[], offer: Offer, unit: bigint): Level[] {
  const levels = new Map<number | null, Map<string, { bid: Bid; places: number[] }>>();
  for (const [place, bid] of book.entries()) {
    if (offer.method === 'PRO_RATA' && !accepts(bid, offer)) continue;
    const limit = offer.method === 'PRO_RATA' ? null : bid.limit_yield;
    const groups = levels.get(limit) ?? new Map<string, { bid: Bid; places: number[] }>();
    const terms = `${bid.amount} ${bid.minimum}`;
    const group = groups.get(terms) ?? { bid, places: [] };
    group.places.push(place);
    groups.set(terms, group);
    levels.set(limit, groups);
  }
  return [...levels]
    .sort(([a], [b]) => (a ?? Number.NEGATIVE_INFINITY) - (b ?? Number.NEGATIVE_INFINITY))
    .map(([limit_yield, groups]) => levelOf(limit_yield, [...groups.values()], offer.increment, unit));
}

function levelOf(limit_yield: number | null, groups: { bid: Bid; places: number[] }[], increment: bigint, unit: bigint): Level {
  groups.sort((a, b) => (a.bid.amount < b.bid.amount ? -1 : a.bid.amount > b.bid.amount ? 1 : 0));
  const amount = Float64Array.from(groups, ({ bid }) => Number(bid.amount / unit));
  return {
    limit_yield,
    demand: sum(groups.map(({ bid, places }) => bid.amount * BigInt(places.length))),
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

/** Whether a pro rata sale meets the bid's limit. A limit cannot be met by a yield that nobody knows. */
const accepts = ({ limit_yield }: Bid, { market_yield, rule_version }: Offer): boolean =>
  rule_version === 1 || limit_yield === null || (market_yield !== null && limit_yield <= market_yield);

/** A bid, by the number of its group and how many of the group come before it. */
type Member = { level: Level; group: number; at: number };

/** Takes a bid out of the book; its place. */
function drop({ level, group, at }: Member, levels: Level[]): number {
  const [place] = (level.places[group] as number[]).splice(at, 1);
  level.demand -= level.cents[group] as bigint;
  (level.count[group] as number) -= 1;
  if (level.count[group] === 0) {
    level.groups -= 1;
    for (const column of [level.amount, level.minimum, level.steps, level.count]) column.copyWithin(group, group + 1);
    level.cents.splice(group, 1);
    level.places.splice(group, 1);
  }
  if (level.groups === 0) levels.splice(levels.indexOf(level), 1);
  return place as number;
}

/** What is sold to whom: the levels that are filled, and the one that shares the rest; `step` is an increment in units. */
type Sale = { full: Level[]; shared: Level | null; step: number; clearing: number | null };

function run(levels: readonly Level[], offer: Offer, unit: bigint): Sale {
  const full: Level[] = [];
  const step = Number(offer.increment / unit);
  let remaining = offer.size;
  for (const level of levels) {
    const isFull = level.demand <= remaining;
    if (isFull) full.push(level);
    else share(level, remaining / offer.increment, { increment: offer.increment, unit });
    remaining -= level.demand;
    if (remaining <= 0n) return { full, shared: isFull ? null : level, step, clearing: clearingYield(levels, level, offer) };
  }
  return { full, shared: null, step, clearing: clearingYield(levels, levels.at(-1), offer) };
}

/** `marginal` is the last level that is sold to. If bids at market alone cover the size, the lowest limit still sets the clearing yield. */
function clearingYield(levels: readonly Level[], marginal: Level | undefined, { method, market_yield }: Offer): number | null {
  if (method === 'PRO_RATA') return market_yield;
  return marginal?.limit_yield ?? levels.find(({ limit_yield }) => limit_yield !== null)?.limit_yield ?? market_yield;
}

/** Remainders fall into slices, so that only those of the slice in which the increments end are sorted. */
const SLICES = 256;

/** Shares increments that do not cover a level: whole ones by the amounts, those left over by the remainders, then by place. */
function share(level: Level, offered: bigint, { increment, unit }: { increment: bigint; unit: bigint }): void {
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

/** Quotients of doubles that are further apart are in the order of the exact ones. */
const NEAR = 1e-12;

/** The bid with the smallest ratio of those below their minimum; of equal ratios the later bid. */
function smallestBelowMinimum({ full, shared, step }: Sale): Member | null {
  const few: (Member & { fill: number })[] = [];
  for (const level of full) {
    if (level.isSound) continue;
    for (let group = 0; group < level.groups; group++) {
      const [amount, count] = [level.amount[group] as number, level.count[group] as number];
      if (amount < (level.minimum[group] as number)) few.push({ level, group, at: count - 1, fill: amount });
    }
  }
  if (shared) few.push(...nearSmallest(shared, step));
  const [first, ...others] = few;
  return first ? others.reduce((worst, each) => (isWorse(each, worst) ? each : worst), first) : null;
}

/** Bids of a level below their minimum: those among which the one with the smallest ratio is. */
function nearSmallest(level: Level, step: number): (Member & { fill: number })[] {
  const { groups, amount, minimum, steps, count, parts } = level;
  let few: (Member & { fill: number })[] = [];
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

function isWorse(one: Member & { fill: number }, other: Member & { fill: number }): boolean {
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

/** What each bid gets, by its place. */
function amountsOf({ full, shared }: Sale, { increment }: Offer): Map<number, bigint> {
  const amounts = new Map<number, bigint>();
  for (const { groups, places, cents } of full)
    for (let group = 0; group < groups; group++)
      for (const place of places[group] as number[]) amounts.set(place, cents[group] as bigint);
  for (let group = 0; shared && group < shared.groups; group++) {
    const [part, odd, steps] = [shared.parts[group] as number, oddOf(shared, group), shared.steps[group] as number];
    for (const [at, place] of (shared.places[group] as number[]).entries())
      amounts.set(place, BigInt(Math.min(at < odd ? part + 1 : part, steps)) * increment);
  }
  return amounts;
}

function explain(
  bid: Bid,
  amount: bigint,
  dropped: boolean,
  { clearing, offer }: { clearing: number | null; offer: Offer },
): string {
  if (dropped) return 'The share would have been below the minimum.';
  if (amount === bid.amount) return 'Filled in full.';
  if (amount > 0n)
    return offer.method === 'CLEARING_YIELD' && bid.limit_yield !== null && bid.limit_yield === clearing
      ? 'Shared pro rata at the clearing yield.'
      : 'Shared pro rata.';
  const sale = offer.method === 'PRO_RATA' ? 'yield of the sale' : 'clearing yield';
  if (bid.limit_yield !== null && clearing === null) return `The ${sale} is not known, so a limit cannot be met.`;
  if (bid.limit_yield !== null && clearing !== null && bid.limit_yield > clearing)
    return `The limit of ${bid.limit_yield} % is above the ${sale} of ${clearing} %.`;
  return 'Better bids took the whole size.';
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
