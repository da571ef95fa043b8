import { indexCurve, resetCoupon } from './amortization.ts';
import { valueAt } from './rates.ts';
import type { CouponTerms } from './special-terms.ts';
import type { ProjectionOptions } from './types.ts';

/** Where schedules are added: balance before month 1…n, interest due in month 1…n. */
export type ScheduleSums = { balance: Float64Array; interest: Float64Array };

/** Numbers of a reset, side by side: index plus margin, the coupon, log(1 + coupon a month), growth and balance. */
const [INDEXED, COUPON, LOG, GROWTH, JOINED, FIELDS] = [0, 1, 2, 3, 4, 5];

/**
 * What loans of equal coupon terms share at each of their resets, which are numbered from 0 on: index plus margin, and the coupon where the
 * largest move does not bind. For loans of one end of amortization also the growth of a level payment's principal until then. Loans whose
 * coupon is that of the path to the end follow it: the sum of their balances amortizes as one.
 */
export class CouponPath {
  readonly terms: CouponTerms;
  readonly #resets: Float64Array;
  #amortizationMonths = 0;
  /** From this reset on the largest move binds none, where the coupon at it is that of the path. */
  #calmFrom = 0;
  #joinedFrom = Infinity;

  /** Throws when there is no curve of the index. */
  constructor(terms: CouponTerms, options: ProjectionOptions, months: number) {
    const { index, margin, floor, cap, move, resetMonths, firstMonth } = terms;
    const curve = indexCurve(index, options);
    const count = Math.ceil((months - firstMonth) / resetMonths);
    const resets = new Float64Array(FIELDS * count);
    let before = NaN;
    for (let reset = 0; reset < count; reset++) {
      const indexed = valueAt(curve, firstMonth + resetMonths * reset + 1) + margin;
      const coupon = resetCoupon(indexed, indexed, 0, floor, cap);
      resets[FIELDS * reset + INDEXED] = indexed;
      resets[FIELDS * reset + COUPON] = coupon;
      resets[FIELDS * reset + LOG] = Math.log1p(coupon / 1200);
      if (indexed < before - move || indexed > before + move) this.#calmFrom = reset;
      before = coupon;
    }
    this.terms = terms;
    this.#resets = resets;
  }

  get amortizationMonths(): number {
    return this.#amortizationMonths;
  }

  /** Makes the path one of loans with this end of amortization. */
  amortizeTo(months: number): void {
    this.#amortizationMonths = months;
    for (let at = GROWTH; at < this.#resets.length; at += FIELDS) this.#resets[at] = 0;
  }

  /** Number of the reset in a month (index 0 is month 1). */
  resetIn(month: number): number {
    return (month - this.terms.firstMonth) / this.terms.resetMonths;
  }

  /** The coupon after a reset. */
  couponAfter(reset: number, currentPercent: number): number {
    const { move, floor, cap } = this.terms;
    return resetCoupon(this.#resets[FIELDS * reset + INDEXED], currentPercent, move, floor, cap);
  }

  /** Whether a loan with this coupon after a reset has the one of the path. */
  isCoupon(reset: number, percent: number): boolean {
    return percent === this.#resets[FIELDS * reset + COUPON];
  }

  /** Whether a loan that has the path's coupon after a reset also has it after all later ones. */
  isCalm(reset: number): boolean {
    return reset >= this.#calmFrom;
  }

  /** `firstPrincipal` of the path's coupon after a reset, to the bit. */
  firstPrincipal(remaining: number, reset: number): number {
    const rate = this.#resets[FIELDS * reset + COUPON] / 1200;
    return rate === 0 ? remaining / this.#monthsLeft(reset) : (remaining * rate) / this.#growth(reset);
  }

  #monthsLeft(reset: number): number {
    return this.#amortizationMonths - this.terms.firstMonth - this.terms.resetMonths * reset;
  }

  /** As `growthLessOne`; 0 is one that is not computed yet. */
  #growth(reset: number): number {
    const at = FIELDS * reset;
    if (this.#resets[at + GROWTH] === 0) this.#resets[at + GROWTH] = Math.expm1(this.#monthsLeft(reset) * this.#resets[at + LOG]);
    return this.#resets[at + GROWTH];
  }

  /** Lets a balance follow the path from a reset on. */
  join(reset: number, balance: number): void {
    this.#resets[FIELDS * reset + JOINED] = this.#resets[FIELDS * reset + JOINED] + balance;
    this.#joinedFrom = Math.min(reset, this.#joinedFrom);
  }

  get isJoined(): boolean {
    return this.#joinedFrom !== Infinity;
  }

  /** Adds the schedule of the balances that follow the path up to month `months`, and parts with them. */
  addJoined({ balance, interest }: ScheduleSums, months: number): void {
    const { firstMonth, resetMonths } = this.terms;
    const resets = this.#resets;
    let remaining = 0;
    let month = firstMonth + resetMonths * this.#joinedFrom;
    for (let reset = this.#joinedFrom; month < months; reset++) {
      const at = FIELDS * reset;
      remaining += resets[at + JOINED];
      resets[at + JOINED] = 0;
      const rate = resets[at + COUPON] / 1200;
      let principal = this.firstPrincipal(remaining, reset);
      for (const until = Math.min(months, month + resetMonths); month < until; month++) {
        balance[month] = balance[month] + remaining;
        interest[month] = interest[month] + remaining * rate;
        remaining -= principal;
        principal *= 1 + rate;
      }
    }
    this.#joinedFrom = Infinity;
  }
}
