import { firstPrincipal } from './amortization.ts';
import { CouponPath, type ScheduleSums } from './coupon-path.ts';
import type { LoanTable } from './loan-table.ts';
import { FLOATING } from './special-terms.ts';
import type { ProjectionOptions } from './types.ts';

/** A loan between two of its months: `principal` is that of its next level payment. */
type Amortizing = { remaining: number; rate: number; principal: number };

/**
 * Schedules of the floating loans of a table. From one reset to the next a loan is level pay. Where its coupon is from then on
 * one of many loans, it joins their path.
 */
export class FloatingSchedules {
  readonly #table: LoanTable;
  readonly #options: ProjectionOptions;
  readonly #paths = new Map<number, CouponPath>();
  /** Paths that loans have joined. */
  readonly #joined: CouponPath[] = [];
  /** Where loans are added, and how long they last. */
  #sums: ScheduleSums = { balance: new Float64Array(), interest: new Float64Array() };
  #months = 0;

  constructor(table: LoanTable, options: ProjectionOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Fills the months of a special loan's schedule: the same to the bit as `fillSchedule`. */
  fill(number: number, sums: ScheduleSums): void {
    this.#sums = sums;
    this.#months = this.#table.months[this.#table.terms.rows[number]];
    sums.balance.fill(0, 0, this.#months);
    sums.interest.fill(0, 0, this.#months);
    this.#add(number, false);
  }

  /** Adds the schedules of those of the special loans from number `first` to row `to` (excluded) that float. All last `months`. */
  addTo(sums: ScheduleSums, first: number, to: number, months: number): void {
    const { rows, kind, count } = this.#table.terms;
    this.#sums = sums;
    this.#months = months;
    for (let number = first; number < count && rows[number] < to; number++)
      if (kind[number] === FLOATING) this.#add(number, true);
    for (const path of this.#joined) if (path.isJoined) path.addJoined(sums, months);
    this.#joined.length = 0;
  }

  /** Adds the months of a loan, up to where it joins its path if it may. */
  #add(number: number, mayJoin: boolean): void {
    const { terms, balance } = this.#table;
    const months = this.#months;
    const first = terms.firstPrincipalMonth[number] - 1;
    const end = terms.amortizationMonths[number];
    let resetMonth = terms.firstResetMonth[number] - 1;
    const path = resetMonth < months ? this.#pathOf(number) : null;
    let percent = terms.ratePercent[number];
    // A payment of the tape holds until the coupon changes.
    let payment = terms.payment[number];
    const loan = { remaining: balance[terms.rows[number]], rate: percent / 1200, principal: 0 };
    for (let month = 0; month < months; ) {
      let isRenewed = month === first;
      let isOnPath = false;
      if (path && month === resetMonth) {
        const reset = path.resetIn(month);
        const coupon = path.couponAfter(reset, percent);
        if (coupon !== percent) {
          percent = coupon;
          payment = NaN;
          loan.rate = percent / 1200;
        }
        isRenewed = month >= first;
        isOnPath = isRenewed && Number.isNaN(payment) && path.isCoupon(reset, percent);
        if (isOnPath && mayJoin && path.isCalm(reset)) return this.#join(path, reset, loan.remaining);
        if (isOnPath) loan.principal = path.firstPrincipal(loan.remaining, reset);
        resetMonth += path.terms.resetMonths;
      }
      if (isRenewed && !isOnPath) loan.principal = firstPrincipal(loan.remaining, loan.rate, end - month);
      const until = Math.min(months, resetMonth, month < first ? first : months);
      if (Number.isNaN(payment)) addLevel(loan, month, until, this.#sums);
      else addPaid(loan, payment, month, until, this.#sums);
      month = until;
    }
  }

  #join(path: CouponPath, reset: number, balance: number): void {
    if (!path.isJoined) this.#joined.push(path);
    path.join(reset, balance);
  }

  /** The path of a loan's coupon terms, for its end of amortization. */
  #pathOf(number: number): CouponPath {
    const { terms, periods } = this.#table;
    const coupon = terms.coupons[terms.coupon[number]];
    const end = terms.amortizationMonths[number];
    const slot = terms.coupon[number] % MOST_PATHS;
    let path = this.#paths.get(slot);
    if (path?.terms === coupon && path.amortizationMonths === end) return path;
    // Those that follow the path amortize to another end, or have other terms.
    if (path?.isJoined) path.addJoined(this.#sums, this.#months);
    if (path?.terms !== coupon) {
      path = new CouponPath(coupon, this.#options, periods);
      this.#paths.set(slot, path);
    }
    path.amortizeTo(end);
    return path;
  }
}

/** Coupon terms whose paths are remembered. */
const MOST_PATHS = 512;

function addLevel(loan: Amortizing, from: number, until: number, { balance, interest }: ScheduleSums): void {
  const { rate } = loan;
  let { remaining, principal } = loan;
  for (let month = from; month < until; month++) {
    balance[month] = balance[month] + remaining;
    interest[month] = interest[month] + remaining * rate;
    remaining -= principal;
    principal *= 1 + rate;
  }
  loan.remaining = remaining;
  loan.principal = principal;
}

/** As `addLevel`, with a payment of the tape, which pays interest first and never more than the balance. */
function addPaid(loan: Amortizing, payment: number, from: number, until: number, { balance, interest }: ScheduleSums): void {
  for (let month = from; month < until; month++) {
    const due = loan.remaining * loan.rate;
    balance[month] = balance[month] + loan.remaining;
    interest[month] = interest[month] + due;
    loan.remaining -= Math.min(loan.remaining, Math.max(0, payment - due));
  }
}
