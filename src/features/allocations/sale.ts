import { roundDown } from '../../finance/money.ts';
import { priceAtYield } from '../../finance/structure/tranche-cash.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import type { MarkWithCash } from '../calculations/mark-cash.ts';
import type { AllocationMethod } from './allocate.ts';

/** What a tranche says about the yield at which it is offered. */
type OfferedTerms = { coupon: number | null; offered_yield: number | null };

/** Marks by the id of their tranche. */
export type DealMarks = ReadonlyMap<Id<'trn'>, MarkWithCash>;

const PAR = '100';
const YIELD_DECIMALS = 6;

/**
 * The yield of a sale that no limit sets, percent a year. Pro rata it is that of the mark, else the coupon, since the sale is at par; limits
 * above it stay unfilled. At a clearing yield it is what bids at market alone pay. Null where the tranche has none of them.
 */
export function marketYield(method: AllocationMethod, terms: OfferedTerms, mark: MarkWithCash | undefined): number | null {
  const marked = mark?.yield === undefined || mark.yield === null ? null : Number(roundDown(mark.yield, YIELD_DECIMALS));
  if (method === 'PRO_RATA') return mark ? marked : terms.coupon;
  return terms.offered_yield ?? terms.coupon ?? marked;
}

/**
 * The clean price per 100 of current balance at which a round sells, decimal text. Pro rata: the mark, else par. At a clearing yield: the
 * present value at that yield of the cash behind the mark, rounded down, so that no order earns less than its limit. Null without a mark
 * or a yield to price at.
 */
export function salePrice(method: AllocationMethod, yieldPercent: number | null, mark: MarkWithCash | undefined): string | null {
  if (method === 'PRO_RATA') return mark ? String(mark.price) : PAR;
  if (yieldPercent === null || !mark?.cash) return null;
  const price = priceAtYield(mark.cash, yieldPercent);
  return Number(price) > 0 ? price : null;
}

export type UnmarkedTranche = { tranche_id: Id<'trn'>; tranche: string };

/** 422 with the tranches that have bids and no price for a clearing yield. */
export const markRequired = (tranches: readonly UnmarkedTranche[]): ApiError =>
  new ApiError(
    'MARK_REQUIRED',
    `A clearing yield is priced from the cash flows of the published mark, and ${tranches.map((each) => each.tranche).join(', ')} has none: publish a PRICING calculation with purpose MARK that prices it.`,
    { extra: { tranches } },
  );
