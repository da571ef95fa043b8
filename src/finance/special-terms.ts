import { levelPayment } from './amortization.ts';
import type { CollateralLoan } from './types.ts';

/** How the schedule of a loan is computed; what is none of these, `fillSchedule` does. */
export const LEVEL = 0;
export const FIXED = 1;
export const FLOATING = 2;
export const OTHER = 3;

/** Coupon terms that loans have in common. Absent caps are infinite. */
export type CouponTerms = { index: string; margin: number; cap: number; floor: number; move: number };

/** Terms of the special loans of a table as columns, by their number: the first special row has number 0. They may lie in shared memory. */
export type SpecialTerms = {
  count: number;
  /** Rows of the table, ascending. */
  rows: Int32Array;
  kind: Uint8Array;
  ratePercent: Float64Array;
  /** Month over which the payment amortizes. */
  amortizationMonths: Int32Array;
  firstPrincipalMonth: Int32Array;
  /** Payment from that month on at the coupon of the cut-off; of a floating rate 0 where that month is not the first one. */
  payment: Float64Array;
  resetMonths: Int32Array;
  firstResetMonth: Int32Array;
  /** Number of the coupon terms. */
  coupon: Int32Array;
  coupons: CouponTerms[];
};

/** Bytes of a loan in the columns. */
const BYTES = 2 * 8 + 6 * 4 + 1;

/** `special`: the loans by row, ascending; `months`: the lengths of the rows' schedules. */
export function columnsOfTerms(special: ReadonlyMap<number, CollateralLoan>, months: Int32Array): SpecialTerms {
  const terms = emptyTerms(special.size);
  const coupons = new Map<string, number>();
  let number = 0;
  for (const [row, loan] of special) {
    terms.rows[number] = row;
    setTerms(terms, number, loan, months[row], coupons);
    number++;
  }
  return terms;
}

function emptyTerms(count: number): SpecialTerms {
  const shared = new SharedArrayBuffer(BYTES * count);
  const doubles = (place: number) => new Float64Array(shared, 8 * place * count, count);
  const wholes = (place: number) => new Int32Array(shared, (16 + 4 * place) * count, count);
  return {
    count,
    ratePercent: doubles(0),
    payment: doubles(1),
    rows: wholes(0),
    amortizationMonths: wholes(1),
    firstPrincipalMonth: wholes(2),
    resetMonths: wholes(3),
    firstResetMonth: wholes(4),
    coupon: wholes(5),
    kind: new Uint8Array(shared, 40 * count, count),
    coupons: [],
  };
}

function setTerms(terms: SpecialTerms, number: number, loan: CollateralLoan, months: number, coupons: Map<string, number>): void {
  const kind = kindOf(loan);
  const { interestOnlyMonths = 0, scheduledPayment, ratePercent, floating } = loan;
  const amortizationMonths = Math.max(months, loan.remainingMonths);
  const firstMonth = Math.min(months + 1, Math.max(1, Math.ceil(interestOnlyMonths) + 1));
  terms.kind[number] = kind;
  terms.ratePercent[number] = ratePercent;
  terms.amortizationMonths[number] = amortizationMonths;
  terms.firstPrincipalMonth[number] = firstMonth;
  const isKnown = kind === FIXED || firstMonth === 1;
  terms.payment[number] = isKnown
    ? (scheduledPayment ?? levelPayment(loan.balance, ratePercent / 1200, amortizationMonths - firstMonth + 1))
    : 0;
  if (kind !== FLOATING || !floating) return;
  const {
    index,
    marginPercent: margin,
    capPercent: cap = Infinity,
    floorPercent: floor = 0,
    periodicCapPercent: move = Infinity,
  } = floating;
  const key = `${margin} ${cap} ${floor} ${move} ${index}`;
  let coupon = coupons.get(key);
  if (coupon === undefined) {
    coupon = terms.coupons.push({ index, margin, cap, floor, move }) - 1;
    coupons.set(key, coupon);
  }
  terms.coupon[number] = coupon;
  terms.resetMonths[number] = floating.resetMonths ?? 1;
  terms.firstResetMonth[number] = floating.firstResetMonth ?? 1;
}

function kindOf(loan: CollateralLoan): number {
  const { deferMonths, deferredInterest, steps, floating, interestOnlyMonths = 0, scheduledPayment } = loan;
  if (deferMonths || deferredInterest || steps?.length) return OTHER;
  if (!floating) return FIXED;
  const { firstResetMonth = 1, resetMonths = 1, floorPercent = 0 } = floating;
  const regular = [firstResetMonth, resetMonths].every((months) => Number.isInteger(months) && months >= 1 && months < 2 ** 31);
  // A coupon below zero would pay principal in the interest-only period, and a payment of the tape after it is not a function of the coupon.
  const plainPayment = scheduledPayment === undefined || interestOnlyMonths <= 0;
  return regular && floorPercent >= 0 && plainPayment ? FLOATING : OTHER;
}
