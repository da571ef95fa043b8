import { valueAt } from './rates.ts';
import type { CollateralLoan, FloatingTerms, ProjectionOptions, RateStep } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** Longest term of a loan that is projected. */
export const MAX_TERM_MONTHS = 1200;

/**
 * Level payment that repays `balance` in `periods` payments at `rate` a period (a fraction): B·r / (1 − (1 + r)^−n), B/n at rate 0.
 * Currency units. Source: BMA Standard Formulas SF-4.
 */
export function levelPayment(balance: number, rate: number, periods: number): number {
  return rate === 0 ? balance / periods : (balance * rate) / -Math.expm1(-periods * Math.log1p(rate));
}

/**
 * Principal of the first of `periods` level payments: B·r / ((1 + r)^n − 1), B/n at rate 0; every later one is (1 + r) times the one
 * before. Adding up principal stays exact over any term, where carrying the balance forward would multiply its rounding by (1 + r)^n.
 */
export function firstPrincipal(balance: number, rate: number, periods: number): number {
  return rate === 0 ? balance / periods : (balance * rate) / growthLessOne(rate, periods);
}

/** (1 + r)^n − 1. */
export function growthLessOne(rate: number, periods: number): number {
  return Math.expm1(periods * Math.log1p(rate));
}

/** Balance outstanding after `paid` of `periods` level payments, as a share of the original: SF-4. */
export function amortizedShare(rate: number, periods: number, paid: number): number {
  if (rate === 0) return 1 - paid / periods;
  return Math.expm1(-(periods - paid) * Math.log1p(rate)) / Math.expm1(-periods * Math.log1p(rate));
}

/** Months until the last scheduled payment: the remaining term, or the balloon before it; a matured loan is due in month 1. */
export function scheduleMonths(loan: CollateralLoan): number {
  const toMaturity = Math.max(1, loan.remainingMonths);
  return loan.balloonMonth === undefined ? toMaturity : Math.min(toMaturity, Math.max(1, loan.balloonMonth));
}

/** Whether the loan pays one level payment to the end, so that balance, rate and term determine it. */
export function isLevelPay(loan: CollateralLoan): boolean {
  return (
    loan.scheduledPayment === undefined &&
    loan.floating === undefined &&
    !loan.interestOnlyMonths &&
    !loan.deferMonths &&
    !loan.deferredInterest &&
    !loan.steps?.length &&
    (loan.balloonMonth === undefined || loan.balloonMonth >= Math.max(1, loan.remainingMonths))
  );
}

/**
 * Schedule of one loan without prepayment and default.
 *
 * Fills `balance[0..n]` (balance after month i, index 0 = cut-off) and `interest[0..n-1]` (due in month i + 1), currency units, with
 * n = `scheduleMonths(loan)`, and returns n. Payments are level, computed at the begin, whenever the coupon changes or is reset and at the end
 * of an interest-only period; one of the tape holds until the coupon changes. The last month pays the remaining balance. Interest of deferred months is simple. Capitalised, it joins the balance month by
 * month, so that whoever prepays or defaults owes it: the balance is then the "principal balance plus accrued interest expected to be
 * capitalized" of student loan indentures. Throws RangeError when an index curve is missing.
 */
export function fillSchedule(
  loan: CollateralLoan,
  options: ProjectionOptions,
  balance: Float64Array,
  interest: Float64Array,
): number {
  const months = scheduleMonths(loan);
  fillMonths(loan, loan.floating, months, options, balance, interest);
  return months;
}

/** As `fillSchedule`, of the first `until` months of the schedule alone, with the coupon of the cut-off in place of one that is reset. */
export function fillFirstMonths(
  loan: CollateralLoan,
  until: number,
  options: Pick<ProjectionOptions, 'defermentInterest'>,
  balance: Float64Array,
  interest: Float64Array,
): void {
  fillMonths(loan, undefined, until, options, balance, interest);
}

/** Deferred months that a schedule has: its last month pays. */
export function deferredMonths(loan: CollateralLoan, months: number): number {
  return Math.min(loan.deferMonths ?? 0, months - 1);
}

function fillMonths(
  loan: CollateralLoan,
  floating: FloatingTerms | undefined,
  until: number,
  options: ProjectionOptions,
  balance: Float64Array,
  interest: Float64Array,
): void {
  const months = scheduleMonths(loan);
  const amortizationEnd = Math.max(months, loan.remainingMonths);
  const deferMonths = deferredMonths(loan, months);
  const { defermentInterest = 'CAPITALISE' } = options;
  const before = loan.deferredInterest ?? 0;
  // A coupon that follows an index has no steps, also where its resets are left out.
  const steps = loan.floating ? undefined : loan.steps;
  const simpleBalance = defermentInterest === 'CAPITALISE' ? loan.balance - before : loan.balance;
  const firstPrincipalMonth = Math.max(deferMonths, loan.interestOnlyMonths ?? 0) + 1;
  let remaining = loan.balance;
  let ratePercent = loan.ratePercent;
  let payment = loan.scheduledPayment;
  // Principal of the last level payment, which pays where no payment of the tape does.
  let level: number | undefined;
  let deferredInterest = defermentInterest === 'SPREAD' ? before : 0;
  balance[0] = remaining;
  for (let month = 1; month <= until; month++) {
    const couponPercent = couponAt(floating, steps, month, ratePercent, options);
    if (couponPercent !== ratePercent) payment = level = undefined;
    if (floating && isReset(floating, month)) level = undefined;
    ratePercent = couponPercent;
    const rate = ratePercent / 1200;
    const due = (month <= deferMonths ? simpleBalance : remaining) * rate;
    let principal = 0;
    if (month <= deferMonths) {
      if (defermentInterest === 'SPREAD') deferredInterest += due;
      // Interest that joins the balance is earned and lent again at once: no cash moves.
      if (defermentInterest === 'CAPITALISE') principal = -due;
      interest[month - 1] = defermentInterest === 'SPREAD' ? 0 : due;
    } else {
      interest[month - 1] = due + deferredInterest / (months - deferMonths);
      if (month >= firstPrincipalMonth) {
        if (payment === undefined) {
          level = level === undefined ? firstPrincipal(remaining, rate, amortizationEnd - month + 1) : level * (1 + rate);
          principal = level;
        } else principal = Math.min(remaining, Math.max(0, payment - due));
      }
    }
    remaining = month === months ? 0 : remaining - principal;
    balance[month] = remaining;
  }
}

/** Fills `coupons[0..months-1]` with the coupon of each month, percent a year. Throws RangeError when an index curve is missing. */
export function fillCoupons(loan: CollateralLoan, months: number, options: ProjectionOptions, coupons: Float64Array): void {
  let ratePercent = loan.ratePercent;
  for (let month = 1; month <= months; month++) {
    ratePercent = couponAt(loan.floating, loan.steps, month, ratePercent, options);
    coupons[month - 1] = ratePercent;
  }
}

/** Names of the indices that the loans follow and for which `options` has no curve: unique, ascending. */
export function missingIndexCurves(loans: Iterable<CollateralLoan>, options: ProjectionOptions): string[] {
  const missing = new Set<string>();
  for (const { floating } of loans) {
    if (floating && !options.indexCurves?.[floating.index]?.length) missing.add(floating.index);
  }
  return [...missing].sort();
}

function couponAt(
  floating: FloatingTerms | undefined,
  steps: readonly RateStep[] | undefined,
  month: number,
  currentPercent: number,
  options: ProjectionOptions,
): number {
  if (floating) return floatingCoupon(floating, month, currentPercent, options);
  let coupon = currentPercent;
  if (steps) for (const step of steps) if (step.fromMonth <= month) coupon = step.ratePercent;
  return coupon;
}

function isReset({ firstResetMonth = 1, resetMonths = 1 }: FloatingTerms, month: number): boolean {
  return month >= firstResetMonth && (month - firstResetMonth) % resetMonths === 0;
}

function floatingCoupon(terms: FloatingTerms, month: number, currentPercent: number, options: ProjectionOptions): number {
  if (!isReset(terms, month)) return currentPercent;
  const { marginPercent, periodicCapPercent = Infinity, floorPercent = 0, capPercent = Infinity } = terms;
  const indexed = valueAt(indexCurve(terms.index, options), month) + marginPercent;
  return resetCoupon(indexed, currentPercent, periodicCapPercent, floorPercent, capPercent);
}

/** The curve of an index. */
export function indexCurve(index: string, options: ProjectionOptions): readonly number[] {
  const curve = options.indexCurves?.[index];
  if (!curve?.length) throw new UnusableInputError(`no curve for index ${index}`);
  return curve;
}

/** The coupon after a reset: index plus margin, within its largest move and its cap, at least its floor; all in percent. */
export function resetCoupon(indexed: number, current: number, move: number, floor: number, cap: number): number {
  const moved = Math.min(Math.max(indexed, current - move), current + move);
  return Math.max(floor, Math.min(moved, cap));
}
