import { fillSchedule, resetCoupon } from './amortization.ts';
import { annuityOf, CouponPath, monthlyRate } from './coupon-path.ts';
import { createLaneMemory, type Lane, type LaneMemory, LANES, placeOf, type ScheduleKernel, WINDOW } from './lane-kernels.ts';
import { firstSpecialFrom, type LoanTable } from './loan-table.ts';
import { FIXED, FLOATING, LEVEL, OTHER } from './special-terms.ts';
import type { ProjectionOptions } from './types.ts';

/**
 * Schedules of a few loans of a table at a time, the window: balance after month 0…n, interest due in month 1…n, the same to the bit as of
 * `fillSchedule`. Each loan has a lane, and loans of a kind have adjacent ones.
 */
export class Lanes {
  readonly memory: LaneMemory = createLaneMemory();
  readonly #table: LoanTable;
  readonly #options: ProjectionOptions;
  readonly #paths = new Map<number, CouponPath>();
  readonly #rows = new Int32Array(WINDOW);
  /** Number of each loan among the special ones, or −1. */
  readonly #specials = new Int32Array(WINDOW);
  readonly #laneOf = new Int32Array(WINDOW);
  #count = 0;
  /** Loans of each kind, and the next lane of each. */
  readonly #counts = new Int32Array(4);
  readonly #nextLane = new Int32Array(4);
  /** Month from which a lane of a fixed rate pays principal, and its payment then; month 0 of other lanes. */
  readonly #firstPrincipalMonth = new Int32Array(LANES);
  readonly #laterPayment = new Float64Array(LANES);

  constructor(table: LoanTable, options: ProjectionOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Computes the schedules of rows `from` to `to` (excluded), at most `WINDOW`. */
  loadRows(from: number, to: number): void {
    const { terms } = this.#table;
    let next = firstSpecialFrom(terms, from);
    for (let row = from; row < to; row++) {
      const isSpecial = next < terms.count && terms.rows[next] === row;
      this.#rows[row - from] = row;
      this.#specials[row - from] = isSpecial ? next++ : -1;
    }
    this.#load(to - from);
  }

  /** As `loadRows`, for the special loans with these numbers. */
  loadSpecials(from: number, to: number): void {
    for (let number = from; number < to; number++) {
      this.#rows[number - from] = this.#table.terms.rows[number];
      this.#specials[number - from] = number;
    }
    this.#load(to - from);
  }

  /** Balances of a loan of the window. */
  balance(index: number): Float64Array {
    return this.memory.lanes[this.#laneOf[index]].balance;
  }

  /** Adds the schedules of loans `first` to `end` (excluded) of the window to `memory.sums`, one after the other. */
  addToSums(first: number, end: number, months: number): void {
    const { sum, sumLevel } = this.memory.kernels;
    const isLevel = this.#counts[LEVEL] === this.#count;
    (isLevel ? sumLevel : sum)(4 * first, end - first, 0, 8 * months);
  }

  /** As `addToSums`, and what each loan would lose at its liquidation of all that it owed `lagMonths` before, under `memory.shares`. */
  addToCappedSums(first: number, end: number, months: number, lagMonths: number): void {
    this.addToSums(first, end, months);
    if (lagMonths < months) this.memory.kernels.sumCapped(4 * first, end - first, 8 * lagMonths, 8 * months, 8 * lagMonths);
  }

  /** Adds the flows of loans `first` to `next` (excluded) of the window to `memory.flows`, under `memory.shares`. */
  addToFlows(first: number, next: number, months: number, lagMonths: number): void {
    const { kernels } = this.memory;
    const count = next - first;
    const lag = Math.min(lagMonths, months);
    // Two months at a time: the first two with a liquidation may begin a month before it.
    const liquidatingFrom = 8 * (lag - (lag & 1));
    const end = 8 * months;
    const isLevel = this.#counts[LEVEL] === this.#count;
    const [paying, open, liquidating] = isLevel
      ? [kernels.payingLevel, kernels.openLevel, kernels.liquidatingLevel]
      : [kernels.paying, kernels.open, kernels.liquidating];
    paying(4 * first, count, 0, end, 0);
    if (liquidatingFrom > 0) open(4 * first, count, 0, liquidatingFrom, 0);
    if (liquidatingFrom < end) liquidating(4 * first, count, liquidatingFrom, end, 8 * lag);
  }

  #load(count: number): void {
    this.#count = count;
    const counts = this.#assignLanes();
    let longest = 0;
    for (let index = 0; index < count; index++) {
      this.#prepare(index);
      longest = Math.max(longest, this.#table.months[this.#rows[index]]);
    }
    this.#run(counts, longest);
    for (let index = 0; index < count; index++) this.#finish(index);
  }

  #kindOf(index: number): number {
    const special = this.#specials[index];
    return special < 0 ? LEVEL : this.#table.terms.kind[special];
  }

  /** Gives every loan a lane; the lanes of a kind begin at an even one. How many loans there are of each kind. */
  #assignLanes(): Int32Array {
    const counts = this.#counts.fill(0);
    for (let index = 0; index < this.#count; index++) counts[this.#kindOf(index)] += 1;
    const next = this.#nextLane.fill(0);
    for (let kind = 1; kind < 4; kind++) next[kind] = next[kind - 1] + even(counts[kind - 1]);
    for (let index = 0; index < this.#count; index++) {
      const kind = this.#kindOf(index);
      const lane = next[kind];
      next[kind] = lane + 1;
      this.#laneOf[index] = lane;
      this.memory.places[index] = placeOf(lane);
    }
    return counts;
  }

  #prepare(index: number): void {
    const kind = this.#kindOf(index);
    const lane = this.#laneOf[index];
    const row = this.#rows[index];
    const { state, lanes } = this.memory;
    const balance = this.#table.balance[row];
    state.remaining[lane] = balance;
    this.#firstPrincipalMonth[lane] = 0;
    if (kind === LEVEL) {
      const rate = this.#table.monthlyRate[row];
      state.payment[lane] = this.#table.firstPrincipal[row];
      state.rate[lane] = rate;
      state.growth[lane] = 1 + rate;
      return;
    }
    const special = this.#specials[index];
    lanes[lane].balance[0] = balance;
    state.rate[lane] = this.#table.terms.ratePercent[special];
    if (kind === FIXED) this.#prepareFixed(special, lane);
    if (kind === FLOATING) this.#prepareFloating(special, this.#table.months[row], lane);
  }

  #prepareFixed(special: number, lane: number): void {
    const { firstPrincipalMonth, payment } = this.#table.terms;
    this.memory.state.payment[lane] = 0;
    this.#firstPrincipalMonth[lane] = firstPrincipalMonth[special];
    this.#laterPayment[lane] = payment[special];
  }

  /** Sets the months in which the coupon changes; from the first month of principal on, the payment changes with it. */
  #prepareFloating(special: number, months: number, lane: number): void {
    const { terms } = this.#table;
    const { coupon, monthly, annuity } = this.memory.lanes[lane];
    const first = terms.firstPrincipalMonth[special] - 1;
    const start = terms.ratePercent[special];
    this.memory.state.payment[lane] = terms.payment[special];
    this.memory.couponBytes[lane].fill(UNCHANGED_BYTE, 0, 8 * months);
    let atFirst = start;
    const firstReset = terms.firstResetMonth[special] - 1;
    if (firstReset < months) {
      const path = this.#pathOf(terms.coupon[special]);
      path.prepare(months, terms.amortizationMonths[special]);
      atFirst = setResets(path, this.memory.lanes[lane], { start, firstReset, every: terms.resetMonths[special], first, months });
    }
    if (first === 0 || first >= months) return;
    const left = terms.amortizationMonths[special] - first;
    coupon[first] = atFirst;
    monthly[first] = monthlyRate(atFirst);
    annuity[first] = annuityOf(atFirst, left);
  }

  #pathOf(coupon: number): CouponPath {
    const slot = coupon % MOST_PATHS;
    const terms = this.#table.terms.coupons[coupon];
    let path = this.#paths.get(slot);
    if (path?.terms !== terms) {
      path = new CouponPath(terms, this.#options);
      this.#paths.set(slot, path);
    }
    return path;
  }

  #run(counts: Int32Array, longest: number): void {
    const { kernels } = this.memory;
    const [levels, fixed, floating] = counts;
    const fixedFrom = even(levels);
    const floatingFrom = fixedFrom + even(fixed);
    const end = floatingFrom + even(floating);
    if (levels === this.#count) this.#runAlike([kernels.levelBalances, kernels.levelBalancesAll], 0, fixedFrom, longest);
    else this.#runAlike([kernels.level, kernels.levelAll], 0, fixedFrom, longest);
    if (floating === 0) return this.#runAlike([kernels.fixed, kernels.fixedAll], fixedFrom, end, longest);
    // A fixed rate is a floating one that is never reset: together they fill the processor, where a few of each would wait for divisions.
    for (let lane = fixedFrom; lane < floatingFrom; lane++) this.memory.couponBytes[lane].fill(UNCHANGED_BYTE, 0, 8 * longest);
    this.#runAlike([kernels.floating, kernels.floatingAll], fixedFrom, end, longest);
  }

  /** Runs a kernel for lanes `from` to `end` (excluded), from one month in which a fixed rate begins to pay principal to the next. */
  #runAlike([some, all]: [ScheduleKernel, ScheduleKernel], from: number, end: number, longest: number): void {
    if (from === end) return;
    const { payment } = this.memory.state;
    const run = end - from === WINDOW ? all : some;
    for (let month = 1; month <= longest; ) {
      let next = longest + 1;
      for (let lane = from; lane < end; lane++) {
        const first = this.#firstPrincipalMonth[lane];
        if (first === month) payment[lane] = this.#laterPayment[lane];
        else if (first > month && first < next) next = first;
      }
      run(placeOf(from), 8 * from, (end - from) / 2, 8 * (month - 1), 8 * (next - 1));
      month = next;
    }
  }

  /** The last payment leaves nothing; the month after it is read with it. */
  #finish(index: number): void {
    const { balance, interest } = this.memory.lanes[this.#laneOf[index]];
    const months = this.#table.months[this.#rows[index]];
    const loan = this.#kindOf(index) === OTHER ? this.#table.special.get(this.#rows[index]) : undefined;
    if (loan) fillSchedule(loan, this.#options, balance, interest);
    balance[months] = 0;
    balance[months + 1] = 0;
    interest[months] = 0;
  }
}

/** Of every byte of a month without a new coupon: these are no number, and no number compares with them. */
const UNCHANGED_BYTE = 0xff;
/** Coupon terms whose paths are remembered. */
const MOST_PATHS = 256;

const even = (count: number): number => count + (count & 1);

/** Month indices: of the first reset, of the first payment of principal, and after the last one. */
type Resets = { start: number; firstReset: number; every: number; first: number; months: number };

/** Writes the months in which the coupon changes into a lane; the coupon in month index `first`. */
function setResets(path: CouponPath, lane: Lane, { start, firstReset, every, first, months }: Resets): number {
  const { coupon, monthly, annuity } = lane;
  const { move, floor, cap } = path.terms;
  let current = start;
  let atFirst = start;
  for (let month = firstReset; month < months; month += every) {
    const indexed = path.indexed[month];
    const isFree = indexed >= current - move && indexed <= current + move;
    const next = isFree ? path.coupon[month] : resetCoupon(indexed, current, move, floor, cap);
    if (next !== current) {
      current = next;
      coupon[month] = next;
      if (month <= first) atFirst = next;
      monthly[month] = isFree ? path.monthly[month] : monthlyRate(next);
      annuity[month] = month < first ? 0 : isFree ? path.annuityAt(month) : path.annuityOf(next, month);
    }
    if (every === 1 && month >= first && month + 1 >= path.calmFrom && current === path.coupon[month]) {
      const from = month + 1;
      coupon.set(path.coupon.subarray(from, months), from);
      monthly.set(path.monthly.subarray(from, months), from);
      annuity.set(path.renewals(months).subarray(from, months), from);
      break;
    }
  }
  return atFirst;
}
