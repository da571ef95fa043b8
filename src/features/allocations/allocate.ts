import {
  isWorse,
  type Level,
  levelOf,
  type Member,
  nearSmallest,
  share,
  sharedAmounts,
  shortWhenFull,
  takeOut,
  wholeAmounts,
} from './share-level.ts';

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
 * PRO_RATA: a bid whose limit is above the yield of the sale gets nothing; every other bid gets its share of the size, cut to whole increments;
 * increments left over go to the largest remainder, then to the earliest bid, then by id. CLEARING_YIELD: bids at market come first, then limits ascending; the clearing yield is the
 * lowest limit at which demand covers the size; better bids fill, the marginal level shares pro rata. No bid gets more than its amount
 * and all of them together no more than the size. While a fill is below its bid's minimum, the bid with the smallest fill ratio
 * (of equal ones the latest) drops out and the rest is run again. After each that drops out whoever runs it may do other things.
 */
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

/** Whether a pro rata sale meets the bid's limit. A limit cannot be met by a yield that nobody knows. */
const accepts = ({ limit_yield }: Bid, { market_yield, rule_version }: Offer): boolean =>
  rule_version === 1 || limit_yield === null || (market_yield !== null && limit_yield <= market_yield);

/** Takes a bid out of the book; its place. */
function drop(member: Member, levels: Level[]): number {
  const place = takeOut(member);
  if (member.level.groups === 0) levels.splice(levels.indexOf(member.level), 1);
  return place;
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

/** The bid with the smallest ratio of those below their minimum; of equal ratios the later bid. */
function smallestBelowMinimum({ full, shared, step }: Sale): Member | null {
  const [first, ...others] = [...full.flatMap(shortWhenFull), ...(shared ? nearSmallest(shared, step) : [])];
  return first ? others.reduce((worst, each) => (isWorse(each, worst) ? each : worst), first) : null;
}

/** What each bid gets, by its place. */
function amountsOf({ full, shared }: Sale, { increment }: Offer): Map<number, bigint> {
  return new Map([...full.flatMap(wholeAmounts), ...(shared ? sharedAmounts(shared, increment) : [])]);
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
