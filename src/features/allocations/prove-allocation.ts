import { formatCents } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { AllocationMethod } from './allocate.ts';
import { findAllocation, findRound } from './queries.ts';
import { type BookEntry, hashBook, publicBook, replayBook } from './round.ts';
import type { Id } from '../../platform/ids.ts';

export type AllocationProof = {
  allocation_id: Id<'all'>;
  rule: string;
  kind: 'OFFERING' | 'REOFFER';
  method: AllocationMethod;
  size: number;
  increment: number;
  market_yield: number | null;
  yield: number | null;
  price: number | null;
  demand: number;
  book: BookEntry[];
  book_hash: string;
  own_entry: number;
  recomputed_amount: number;
  allocated_amount: number;
  agrees: boolean;
};

const RULES: Record<AllocationMethod, string> = {
  PRO_RATA:
    'Where the size covers the bids, each is filled in full. Else each gets size × amount / demand cut to whole increments; increments left over go to the largest remainder, then to the lowest entry.',
  CLEARING_YIELD:
    'Bids at market (no limit) come first, then limits ascending. The clearing yield is the lowest limit at which demand covers the size, else the highest limit, else market_yield. Bids before the marginal level are filled, the marginal level shares the rest pro rata to its bids in whole increments: largest remainder, then lowest entry.',
};
/** What rounds do since their limits and prices are fixed together. */
const SALE: Record<AllocationMethod, string> = {
  PRO_RATA:
    'Sold at the published mark, else at par: market_yield is the yield of that sale, and a bid whose limit_yield is above it gets nothing. ',
  CLEARING_YIELD:
    'Sold at the present value, at the clearing yield, of the cash flows behind the published mark, less accrued interest, per 100 of balance, rounded down to 6 decimals. ',
};
const MINIMUM =
  ' While a fill is above zero and below its minimum_amount, the bid with the smallest fill ratio (of equal ones the highest entry) drops out and the rule is run again.';

/**
 * The rule, the book without names and the figures with which an investor can recompute its own fill. 404 for an allocation of another
 * investor.
 */
export async function proveAllocation(tx: Tx, organizationId: Id<'org'>, allocationId: Id<'all'>): Promise<AllocationProof> {
  const allocation = await findAllocation(tx, organizationId, allocationId);
  const round = allocation && (await findRound(tx, allocation.round_id));
  if (!round) throw notFound('allocation');
  const book = publicBook(round.bids);
  const replayed = await replayBook(book, round);
  const recomputed = Number(formatCents(replayed.fills[allocation.entry - 1]?.amount ?? 0n));
  return {
    allocation_id: allocationId,
    rule: (round.rule_version === 1 ? '' : SALE[round.method]) + RULES[round.method] + MINIMUM,
    kind: round.kind,
    method: round.method,
    size: Number(round.size),
    increment: Number(round.increment),
    market_yield: round.market_yield,
    yield: round.yield,
    price: allocation.price,
    demand: Number(formatCents(replayed.demand)),
    book,
    book_hash: round.book_hash,
    own_entry: allocation.entry,
    recomputed_amount: recomputed,
    allocated_amount: allocation.allocated_amount,
    agrees: recomputed === allocation.allocated_amount && hashBook(book, round) === round.book_hash,
  };
}
