import { firstPrincipal } from './amortization.ts';
import type { CollateralLoan } from './types.ts';

/*
 * How the schedule of a loan is computed: a fixed rate with level payments, which may begin after an interest-only period, or with the payment
 * of the tape; a floating rate; and what is none of these, `fillSchedule` does.
 */
export const LEVEL = 0;
export const FIXED = 1;
export const FLOATING = 2;
export const OTHER = 3;

/** Coupon terms that loans have in common. Absent caps are infinite; `firstMonth` is the first month (index 0 is month 1) in which a reset may be. */
export type CouponTerms = {
  index: string;
  margin: number;
  cap: number;
  floor: number;
  move: number;
  resetMonths: number;
  firstMonth: number;
};

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
  /** Of a level loan the principal of its first level payment; of others the payment of the tape, NaN without one. */
  payment: Float64Array;
  firstResetMonth: Int32Array;
  /** Number of the coupon terms. */
  coupon: Int32Array;
  coupons: CouponTerms[];
};

/** Bytes of a loan in the columns. */
const BYTES = 2 * 8 + 5 * 4 + 1;

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
    firstResetMonth: wholes(3),
    coupon: wholes(4),
    kind: new Uint8Array(shared, 36 * count, count),
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
  terms.payment[number] =
    kind === LEVEL
      ? firstPrincipal(loan.balance, ratePercent / 1200, Math.max(1, amortizationMonths - firstMonth + 1))
      : (scheduledPayment ?? NaN);
  if (kind !== FLOATING || !floating) return;
  const {
    index,
    marginPercent: margin,
    capPercent: cap = Infinity,
    floorPercent: floor = 0,
    periodicCapPercent: move = Infinity,
    resetMonths = 1,
    firstResetMonth = 1,
  } = floating;
  const firstMonthOfPath = (firstResetMonth - 1) % resetMonths;
  const key = `${margin} ${cap} ${floor} ${move} ${resetMonths} ${firstMonthOfPath} ${index}`;
  let coupon = coupons.get(key);
  if (coupon === undefined) {
    coupon = terms.coupons.push({ index, margin, cap, floor, move, resetMonths, firstMonth: firstMonthOfPath }) - 1;
    coupons.set(key, coupon);
  }
  terms.coupon[number] = coupon;
  terms.firstResetMonth[number] = firstResetMonth;
}

function kindOf(loan: CollateralLoan): number {
  const { deferMonths, deferredInterest, steps, floating, interestOnlyMonths = 0, scheduledPayment } = loan;
  if (deferMonths || deferredInterest || steps?.length) return OTHER;
  if (!floating) return scheduledPayment === undefined ? LEVEL : FIXED;
  const { firstResetMonth = 1, resetMonths = 1, floorPercent = 0 } = floating;
  const regular = [firstResetMonth, resetMonths].every((months) => Number.isInteger(months) && months >= 1 && months < 2 ** 31);
  // A coupon below zero would pay principal in the interest-only period, and a payment of the tape after it is not a function of the coupon.
  const plainPayment = scheduledPayment === undefined || interestOnlyMonths <= 0;
  return regular && floorPercent >= 0 && plainPayment ? FLOATING : OTHER;
}
