import { apportion } from '../../finance/money.ts';

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
  const book = byPriority(bids);
  const unit = unitOf(book, offer.increment);
  const places = placesOf(book, offer.increment, unit);
  const levels = levelsOf(places, offer);
  const dropped = new Set<Place>();
  for (;;) {
    const sale = run(levels, offer, unit);
    const short = smallestBelowMinimum(sale);
    if (short) {
      dropped.add(short);
      drop(short, levels);
      continue;
    }
    const { clearing } = sale;
    const amounts = amountsOf(sale, offer);
    const fills = places.map((place) => {
      const amount = amounts.get(place) ?? 0n;
      return { bid: place.bid, amount, reason: explain(place.bid, amount, dropped.has(place), { clearing, offer }) };
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

/**
 * A bid as it is computed with: in units, the largest that all amounts and the increment are whole numbers of, so that the products of a usual
 * book are exact as numbers. A rule that drops half of a book one by one computes each share thousands of times.
 */
type Place = {
  bid: Bid;
  /** Place in the order that breaks ties. */
  index: number;
  amount: number;
  minimum: number;
  /** Whole increments in the amount. */
  steps: number;
};

function placesOf(book: readonly Bid[], increment: bigint, unit: bigint): Place[] {
  return book.map((bid, index) => ({
    bid,
    index,
    amount: Number(bid.amount / unit),
    minimum: Number((bid.minimum + unit - 1n) / unit),
    steps: Number(bid.amount / increment),
  }));
}

const unitOf = (book: readonly Bid[], increment: bigint): bigint =>
  book.reduce((unit, bid) => greatestCommonDivisor(unit, bid.amount), increment);

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** The live bids of one limit; `largest` is an amount that none of them is above. */
type Level = { limit_yield: number | null; places: Place[]; demand: bigint; largest: number };

/** Those at market first, then limits ascending. A pro rata sale has one level, of the bids whose limit it meets. */
function levelsOf(places: readonly Place[], offer: Offer): Level[] {
  const willing = offer.method === 'PRO_RATA' ? places.filter(({ bid }) => accepts(bid, offer)) : places;
  const byLimit = Map.groupBy(willing, ({ bid }) => (offer.method === 'PRO_RATA' ? null : bid.limit_yield));
  return [...byLimit]
    .sort(([a], [b]) => (a ?? Number.NEGATIVE_INFINITY) - (b ?? Number.NEGATIVE_INFINITY))
    .map(([limit_yield, own]) => ({
      limit_yield,
      places: own,
      demand: sum(own.map(({ bid }) => bid.amount)),
      largest: own.reduce((most, { amount }) => Math.max(most, amount), 0),
    }));
}

/** Whether a pro rata sale meets the bid's limit. A limit cannot be met by a yield that nobody knows. */
const accepts = ({ limit_yield }: Bid, { market_yield, rule_version }: Offer): boolean =>
  rule_version === 1 || limit_yield === null || (market_yield !== null && limit_yield <= market_yield);

function drop(place: Place, levels: Level[]): void {
  const at = levels.findIndex((level) => level.places.includes(place));
  const level = levels[at] as Level;
  level.places.splice(level.places.indexOf(place), 1);
  level.demand -= place.bid.amount;
  if (level.places.length === 0) levels.splice(at, 1);
}

/** What is sold to whom: the levels that are filled, and the one that shares the rest, with the increments of each of its places. */
type Sale = { full: Level[]; shared: { level: Level; steps: Float64Array; step: number } | null; clearing: number | null };

function run(levels: readonly Level[], offer: Offer, unit: bigint): Sale {
  const full: Level[] = [];
  let remaining = offer.size;
  for (const level of levels) {
    const isFull = level.demand <= remaining;
    if (isFull) full.push(level);
    const shared = isFull ? null : { level, ...share(level, remaining, offer.increment, unit) };
    remaining -= level.demand;
    if (remaining <= 0n) return { full, shared, clearing: clearingYield(levels, level, offer) };
  }
  return { full, shared: null, clearing: clearingYield(levels, levels.at(-1), offer) };
}

/** `marginal` is the last level that is sold to. If bids at market alone cover the size, the lowest limit still sets the clearing yield. */
function clearingYield(levels: readonly Level[], marginal: Level | undefined, { method, market_yield }: Offer): number | null {
  if (method === 'PRO_RATA') return market_yield;
  return marginal?.limit_yield ?? levels.find(({ limit_yield }) => limit_yield !== null)?.limit_yield ?? market_yield;
}

/** Shares a size that does not cover a level, in whole increments; `step` is an increment in units. */
function share(
  { places, demand, largest }: Level,
  size: bigint,
  increment: bigint,
  unit: bigint,
): { steps: Float64Array; step: number } {
  const offered = Number(size / increment);
  const total = Number(demand / unit);
  const isExact = total <= Number.MAX_SAFE_INTEGER && offered * largest <= Number.MAX_SAFE_INTEGER;
  const steps = isExact
    ? apportionExactly(offered, places, total)
    : Float64Array.from(
        apportion(
          size / increment,
          places.map(({ bid }) => bid.amount),
        ),
        Number,
      );
  for (let index = 0; index < places.length; index++) {
    const most = (places[index] as Place).steps;
    if ((steps[index] as number) > most) steps[index] = most;
  }
  return { steps, step: Number(increment / unit) };
}

/** As `apportion`, where no product is above the largest whole number that is exact. */
function apportionExactly(offered: number, places: readonly Place[], total: number): Float64Array {
  const parts = new Float64Array(places.length);
  const remainders = new Float64Array(places.length);
  let left = offered;
  for (let index = 0; index < places.length; index++) {
    const product = offered * (places[index] as Place).amount;
    const part = Math.floor(product / total);
    parts[index] = part;
    remainders[index] = product - part * total;
    left -= part;
  }
  if (left === 0) return parts;
  const least = nthSmallest(remainders.slice(), places.length - left);
  let ties = left;
  for (const remainder of remainders) if (remainder > least) ties -= 1;
  for (let index = 0; index < places.length; index++) {
    const remainder = remainders[index] as number;
    if (remainder > least || (remainder === least && ties-- > 0)) (parts[index] as number) += 1;
  }
  return parts;
}

/** The value at a place of the numbers in ascending order; the numbers are reordered. A sort of all of them took most of the time of a large book. */
function nthSmallest(numbers: Float64Array, place: number): number {
  let [from, to] = [0, numbers.length - 1];
  while (from < to) {
    const pivot = numbers[(from + to) >> 1] as number;
    let [low, high] = [from, to];
    while (low <= high) {
      while ((numbers[low] as number) < pivot) low += 1;
      while ((numbers[high] as number) > pivot) high -= 1;
      if (low > high) break;
      const swapped = numbers[low] as number;
      numbers[low++] = numbers[high] as number;
      numbers[high--] = swapped;
    }
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else return pivot;
  }
  return numbers[place] as number;
}

/** Of equal ratios the later bid. */
function smallestBelowMinimum({ full, shared }: Sale): Place | null {
  let worst: Place | null = null;
  let least = 0;
  const consider = (place: Place, amount: number): void => {
    if (amount === 0 || amount >= place.minimum) return;
    const order = worst === null ? -1 : compareRatios(amount, place.amount, least, worst.amount);
    if (order > 0 || (order === 0 && worst !== null && place.index < worst.index)) return;
    worst = place;
    least = amount;
  };
  for (const { places } of full) for (const place of places) consider(place, place.amount);
  if (shared) {
    const { level, steps, step } = shared;
    for (let index = 0; index < steps.length; index++) consider(level.places[index] as Place, (steps[index] as number) * step);
  }
  return worst;
}

/** Compares a / b with c / d: cross-multiplied, so exactly. */
function compareRatios(a: number, b: number, c: number, d: number): number {
  const [left, right] = [a * d, c * b];
  const isExact = left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER;
  return isExact ? left - right : Number(BigInt(a) * BigInt(d) - BigInt(c) * BigInt(b));
}

function amountsOf({ full, shared }: Sale, { increment }: Offer): Map<Place, bigint> {
  const amounts = new Map<Place, bigint>();
  for (const { places } of full) for (const place of places) amounts.set(place, place.bid.amount);
  if (shared)
    for (const [index, place] of shared.level.places.entries())
      amounts.set(place, BigInt(shared.steps[index] as number) * increment);
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
