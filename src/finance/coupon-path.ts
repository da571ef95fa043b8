import { indexCurve, MAX_TERM_MONTHS, resetCoupon } from './amortization.ts';
import { valueAt } from './rates.ts';
import type { CouponTerms } from './special-terms.ts';
import type { ProjectionOptions } from './types.ts';

const MONTHS = MAX_TERM_MONTHS + 1;

/**
 * What loans of equal coupon terms and amortization share, by month (index 0 is month 1): index plus margin, the coupon at a reset that the
 * largest move does not bind, that coupon a month, and the annuity 1 − (1 + r)^−n of a payment of it to the end of amortization, n at rate 0.
 */
export class CouponPath {
  readonly terms: CouponTerms;
  readonly #curve: readonly number[];
  readonly indexed = new Float64Array(MONTHS);
  readonly coupon = new Float64Array(MONTHS);
  readonly monthly = new Float64Array(MONTHS);
  /** 0 where it is not computed yet. */
  readonly #annuity = new Float64Array(MONTHS);
  /** As `coupon` and the annuities, for loans that reset every month: annuity 0 where the coupon stays. */
  readonly #renewals = new Float64Array(MONTHS);
  #amortizationMonths = 0;
  #filled = 0;
  #renewed = 0;
  #calmFrom = 0;

  /** Throws when there is no curve of the index. */
  constructor(terms: CouponTerms, options: ProjectionOptions) {
    this.terms = terms;
    this.#curve = indexCurve(terms.index, options);
  }

  /** Makes the path ready for a loan. */
  prepare(months: number, amortizationMonths: number): void {
    if (this.#amortizationMonths !== amortizationMonths) {
      this.#amortizationMonths = amortizationMonths;
      this.#annuity.fill(0);
      this.#renewed = 0;
    }
    for (; this.#filled < months; this.#filled++) this.#fill(this.#filled);
  }

  #fill(index: number): void {
    const { margin, floor, cap, move } = this.terms;
    const indexed = valueAt(this.#curve, index + 1) + margin;
    const coupon = resetCoupon(indexed, indexed, 0, floor, cap);
    this.indexed[index] = indexed;
    this.coupon[index] = coupon;
    this.monthly[index] = monthlyRate(coupon);
    const before = index === 0 ? coupon : this.coupon[index - 1];
    if (indexed < before - move || indexed > before + move) this.#calmFrom = index;
  }

  /** The first month index from which no monthly reset is bound by the largest move, if the one before it was not. */
  get calmFrom(): number {
    return this.#calmFrom + 1;
  }

  /** Annuities of resets in every month, 0 where the coupon does not change, up to `months`. */
  renewals(months: number): Float64Array {
    for (let index = Math.max(1, this.#renewed); index < months; index++)
      this.#renewals[index] = this.coupon[index] === this.coupon[index - 1] ? 0 : this.annuityAt(index);
    this.#renewed = Math.max(months, this.#renewed);
    return this.#renewals;
  }

  /** Annuity of the path's coupon. */
  annuityAt(index: number): number {
    if (this.#annuity[index] === 0) this.#annuity[index] = this.annuityOf(this.coupon[index], index);
    return this.#annuity[index];
  }

  /** Annuity of another coupon. */
  annuityOf(percent: number, index: number): number {
    return annuityOf(percent, this.#amortizationMonths - index);
  }
}

/** 1 − (1 + r)^−n, the annuity of a payment of r for n months; n at rate 0. */
export function annuityOf(percent: number, months: number): number {
  return percent === 0 ? months : -Math.expm1(-months * Math.log1p(percent / 1200));
}

/** A coupon a month, as a fraction; 1 at a coupon of 0, whose annuity is the number of months. */
export function monthlyRate(percent: number): number {
  return percent === 0 ? 1 : percent / 1200;
}
