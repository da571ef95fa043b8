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
  const dropped = new Set<string>();
  for (;;) {
    const live = book.filter((bid) => !dropped.has(bid.id));
    const { amounts, clearing } = run(live, offer);
    const short = smallestBelowMinimum(live, amounts);
    if (short) {
      dropped.add(short.id);
      continue;
    }
    const fills = book.map((bid) => {
      const amount = amounts.get(bid.id) ?? 0n;
      return { bid, amount, reason: explain(bid, amount, dropped.has(bid.id), { clearing, offer }) };
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

type RunResult = { amounts: Map<string, bigint>; clearing: number | null };

function run(bids: readonly Bid[], offer: Offer): RunResult {
  if (offer.method === 'PRO_RATA') {
    const willing = bids.filter((bid) => accepts(bid, offer));
    return { amounts: share(willing, offer.size, offer.increment), clearing: offer.market_yield };
  }
  const amounts = new Map<string, bigint>();
  let remaining = offer.size;
  for (const level of levels(bids)) {
    for (const [id, amount] of share(level, remaining, offer.increment)) amounts.set(id, amount);
    remaining -= sum(level.map((bid) => bid.amount));
    if (remaining <= 0n) return { amounts, clearing: clearingYield(bids, level, offer) };
  }
  return { amounts, clearing: highest(limitsOf(bids)) ?? offer.market_yield };
}

/** Whether a pro rata sale meets the bid's limit. A limit cannot be met by a yield that nobody knows. */
const accepts = ({ limit_yield }: Bid, { market_yield, rule_version }: Offer): boolean =>
  rule_version === 1 || limit_yield === null || (market_yield !== null && limit_yield <= market_yield);

/** Bids of one limit together: those at market first, then limits ascending. */
function levels(bids: readonly Bid[]): Bid[][] {
  const byLimit = Map.groupBy(bids, (bid) => bid.limit_yield);
  return [...byLimit]
    .sort(([a], [b]) => (a ?? Number.NEGATIVE_INFINITY) - (b ?? Number.NEGATIVE_INFINITY))
    .map(([, level]) => level);
}

/** If bids at market alone cover the size, the lowest limit still sets the clearing yield. */
function clearingYield(bids: readonly Bid[], marginal: readonly Bid[], offer: Offer): number | null {
  return marginal[0]?.limit_yield ?? lowest(limitsOf(bids)) ?? offer.market_yield;
}

/** Fills every bid in full if the size covers them; otherwise shares the size in whole increments. */
function share(bids: readonly Bid[], size: bigint, increment: bigint): Map<string, bigint> {
  const demand = sum(bids.map((bid) => bid.amount));
  if (demand <= size) return new Map(bids.map((bid) => [bid.id, bid.amount]));
  const steps = size > 0n ? size / increment : 0n;
  const parts = apportion(
    steps,
    bids.map((bid) => bid.amount),
  );
  return new Map(bids.map((bid, index) => [bid.id, smaller((parts[index] as bigint) * increment, wholeSteps(bid, increment))]));
}

const wholeSteps = (bid: Bid, increment: bigint): bigint => (bid.amount / increment) * increment;
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function smallestBelowMinimum(bids: readonly Bid[], amounts: ReadonlyMap<string, bigint>): Bid | null {
  let worst: Bid | null = null;
  for (const bid of bids) {
    const fill = amounts.get(bid.id) ?? 0n;
    if (fill === 0n || fill >= bid.minimum) continue;
    // Cross-multiplied, so that ratios compare exactly; of equal ratios the later bid drops.
    if (!worst || fill * worst.amount <= (amounts.get(worst.id) as bigint) * bid.amount) worst = bid;
  }
  return worst;
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

const limitsOf = (bids: readonly Bid[]): number[] => bids.flatMap((bid) => (bid.limit_yield === null ? [] : [bid.limit_yield]));
const lowest = (limits: readonly number[]): number | null => (limits.length ? limits.reduce((a, b) => Math.min(a, b)) : null);
const highest = (limits: readonly number[]): number | null => (limits.length ? limits.reduce((a, b) => Math.max(a, b)) : null);
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
