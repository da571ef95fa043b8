import { fillSchedule } from './amortization.ts';
import { FloatingSchedules } from './floating-schedules.ts';
import { createLaneMemory, type LaneMemory, LANES, placeOf, type ScheduleKernel, WINDOW } from './lane-kernels.ts';
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
  readonly #floating: FloatingSchedules;
  readonly #rows = new Int32Array(WINDOW);
  /** Number of each loan among the special ones, or −1. */
  readonly #specials = new Int32Array(WINDOW);
  readonly #laneOf = new Int32Array(WINDOW);
  #count = 0;
  /** Loans of each kind, and the next lane of each. */
  readonly #counts = new Int32Array(4);
  readonly #nextLane = new Int32Array(4);
  /** Month from which a lane pays principal, and its `payment` then; month 0 of a level row, whose state has it from the beginning. */
  readonly #firstPrincipalMonth = new Int32Array(LANES);
  readonly #laterPayment = new Float64Array(LANES);

  constructor(table: LoanTable, options: ProjectionOptions, floating = new FloatingSchedules(table, options)) {
    this.#table = table;
    this.#options = options;
    this.#floating = floating;
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
  loadSpecials(numbers: readonly number[]): void {
    numbers.forEach((number, index) => {
      this.#rows[index] = this.#table.terms.rows[number];
      this.#specials[index] = number;
    });
    this.#load(numbers.length);
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
    const { terms } = this.#table;
    const { state, lanes } = this.memory;
    const balance = this.#table.balance[row];
    const rate = this.#table.monthlyRate[row];
    const special = this.#specials[index];
    state.remaining[lane] = balance;
    state.rate[lane] = rate;
    state.growth[lane] = 1 + rate;
    lanes[lane].balance[0] = balance;
    this.#firstPrincipalMonth[lane] = 0;
    if (special < 0) state.payment[lane] = this.#table.firstPrincipal[row];
    else if (kind === LEVEL || kind === FIXED) {
      state.payment[lane] = 0;
      this.#firstPrincipalMonth[lane] = terms.firstPrincipalMonth[special];
      this.#laterPayment[lane] = terms.payment[special];
    }
  }

  #run(counts: Int32Array, longest: number): void {
    const { kernels } = this.memory;
    const [levels, fixed] = counts;
    const fixedFrom = even(levels);
    if (levels === this.#count) this.#runAlike([kernels.levelBalances, kernels.levelBalancesAll], 0, fixedFrom, longest);
    else this.#runAlike([kernels.level, kernels.levelAll], 0, fixedFrom, longest);
    this.#runAlike([kernels.fixed, kernels.fixedAll], fixedFrom, fixedFrom + even(fixed), longest);
  }

  /** Runs a kernel for lanes `from` to `end` (excluded), from one month in which one begins to pay principal to the next. */
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
    const lane = this.memory.lanes[this.#laneOf[index]];
    const { balance, interest } = lane;
    const months = this.#table.months[this.#rows[index]];
    const kind = this.#kindOf(index);
    if (kind === FLOATING) this.#floating.fill(this.#specials[index], lane);
    const loan = kind === OTHER ? this.#table.special.get(this.#rows[index]) : undefined;
    if (loan) fillSchedule(loan, this.#options, balance, interest);
    balance[months] = 0;
    balance[months + 1] = 0;
    interest[months] = 0;
  }
}

const even = (count: number): number => count + (count & 1);
