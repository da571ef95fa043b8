import type { Behaviour } from './behaviour.ts';
import { FLOW, FLOWS, flowLength, type SharedSchedule } from './collateral-flows.ts';
import { type Shares, SHARES, WINDOW } from './lane-kernels.ts';
import type { Lanes } from './lanes.ts';
import { groupEnd, type LoanTable } from './loan-table.ts';

/*
 * Flows with servicer advances. The shares of a schedule that pay, default, are advanced and are liquidated depend on length, age and speeds
 * alone, so loans that have these in common share them, and many such loans are projected as the sum of their schedules. Of a loan's flows
 * only its loss is not linear in its balances, as it is at most what is left of the loan: that minimum is summed loan by loan.
 */

/** Shares of a schedule by month, compiled for one length and age at a time. */
class AdvanceShares {
  readonly #behaviour: Behaviour;
  readonly #shares: Shares;
  /** Share that would default in the last months, from month `omittedFrom` on. */
  readonly omitted: Float64Array;
  omittedFrom = 0;
  #months = -1;
  #ageMonths = -1;

  /** `shares`: arrays to fill, of two months more than the behaviour has. */
  constructor(behaviour: Behaviour, shares?: Shares) {
    const make = () => new Float64Array(behaviour.periods + 2);
    this.#behaviour = behaviour;
    this.#shares = shares ?? (Object.fromEntries(SHARES.map((name) => [name, make()])) as Shares);
    this.omitted = make();
  }

  /** The shares of schedules of a length and age; those of the call before are then void. */
  of(months: number, ageMonths: number): Shares {
    const same = months === this.#months && (ageMonths === this.#ageMonths || !this.#behaviour.byAge);
    if (!same) {
      this.#months = months;
      this.#ageMonths = ageMonths;
      this.#compile(months, ageMonths);
    }
    return this.#shares;
  }

  #compile(months: number, ageMonths: number): void {
    const { smm, mdr } = this.#behaviour.rates(ageMonths);
    const { paying, prepaying, defaulting, surviving } = this.#shares;
    const lastDefault = Math.max(0, months - this.#behaviour.quietMonths);
    let share = 1;
    for (let month = 0; month < months; month++) {
      defaulting[month] = month < lastDefault ? share * mdr[month] : 0;
      paying[month] = share - defaulting[month];
      prepaying[month] = Math.min(share * smm[month], paying[month]);
      share = paying[month] - prepaying[month];
      surviving[month] = share;
    }
    this.omittedFrom = lastDefault;
    let performing = lastDefault > 0 ? surviving[lastDefault - 1] : 1;
    for (let month = lastDefault; month < months; month++) {
      const omitted = performing * mdr[month];
      const left = performing - omitted;
      this.omitted[month] = omitted;
      performing = left - Math.min(performing * smm[month], left);
    }
    this.#compileAdvances(months, this.#behaviour.severityOf?.(ageMonths) ?? this.#behaviour.severity);
    // A kernel reads the month after the last one with it.
    for (const name of SHARES) this.#shares[name].fill(0, months, months + 2);
  }

  #compileAdvances(months: number, severityOfDefault: Float64Array): void {
    const { defaulting, advanced, liquidated, due, severity } = this.#shares;
    const { lagMonths: lag } = this.#behaviour;
    for (let month = 0; month < months; month++) {
      // Share that defaulted and is not yet liquidated at the end of the month.
      let open = 0;
      for (let since = Math.max(0, month - lag + 1); since <= month; since++) open += defaulting[since];
      advanced[month] = open;
      liquidated[month] = month >= lag ? defaulting[month - lag] : 0;
      due[month] = open + liquidated[month];
      severity[month] = severityOfDefault[Math.max(0, month - lag)];
    }
  }
}

/** Arrays of flows, by number of the flow. */
type FlowArrays = readonly Float64Array[];

/**
 * Adds to `flows` the cash flow of a schedule under prepayments, defaults and advances: of one loan, or of the sum of some of one length and
 * age whose capped losses are summed in `capped`, by month of liquidation.
 */
function addAdvanced(
  schedule: SharedSchedule,
  lag: number,
  flows: FlowArrays,
  compiled: AdvanceShares,
  capped?: Float64Array,
): void {
  const { months, ageMonths, balance, interest } = schedule;
  const { paying, prepaying, defaulting, surviving, advanced, liquidated, due, severity } = compiled.of(months, ageMonths);
  const add = (flow: number, month: number, amount: number) => {
    const array = flows[flow];
    array[month] = array[month] + amount;
  };
  for (let month = 0; month < months; month++) {
    const opening = balance[month];
    const closing = balance[month + 1];
    const principal = opening - closing;
    const amortized = liquidated[month] * opening;
    const loss = capped
      ? liquidated[month] * capped[month]
      : Math.min(liquidated[month] * balance[Math.max(0, month - lag)] * severity[month], amortized);
    add(FLOW.SCHEDULED, month, paying[month] * principal);
    add(FLOW.PREPAYMENT, month, prepaying[month] * closing);
    add(FLOW.DEFAULTED, month, defaulting[month] * opening);
    add(FLOW.INTEREST, month, paying[month] * interest[month]);
    add(FLOW.CLOSING, month, surviving[month] * closing);
    add(FLOW.ADVANCED_PRINCIPAL, month, advanced[month] * principal);
    add(FLOW.PENDING, month, advanced[month] * closing);
    add(FLOW.ADVANCED_INTEREST, month, due[month] * interest[month]);
    add(FLOW.LOSS, month, loss);
    add(FLOW.RECOVERY, month, amortized - loss);
  }
  addOmitted(compiled, months, balance, flows[FLOW.OMITTED]);
}

function addOmitted(
  { omittedFrom, omitted: shares }: AdvanceShares,
  months: number,
  balance: Float64Array,
  omitted: Float64Array,
): void {
  for (let month = omittedFrom; month < months; month++) omitted[month] = omitted[month] + shares[month] * balance[month];
}

/**
 * Loans from which on a group is projected as the sum of their schedules: applying shares to a sum costs as much as to a few loans in lanes.
 * Part of the result's definition: fewer loans are summed flow by flow.
 */
const SUMMED_LOANS = 32;

/** Flows of rows `from` to `to` (excluded) of a table: those that `addAdvancedSchedules` adds of their schedules, to the bit. */
export function projectAdvanced(table: LoanTable, from: number, to: number, behaviour: Behaviour, lanes: Lanes): Float64Array {
  const { periods, lagMonths } = behaviour;
  const { flows, sums } = lanes.memory;
  const shares = new AdvanceShares(behaviour, lanes.memory.shares);
  for (const flow of flows) flow.fill(0, 0, periods + 2);
  // Small groups share a window.
  let window = { from, to: from };
  for (let first = from; first < to; ) {
    const end = groupEnd(table, first, to, behaviour.byAge);
    const months = table.months[first];
    const ageMonths = table.ageMonths[first];
    const isSummed = end - first >= SUMMED_LOANS;
    shares.of(months, ageMonths);
    if (isSummed) for (const sum of Object.values(sums)) sum.fill(0, 0, months + 2);
    for (let row = first; row < end; row = Math.min(end, window.to)) {
      if (row === window.to) {
        window = { from: row, to: Math.min(to, row + WINDOW) };
        lanes.loadRows(window.from, window.to);
      }
      const [index, next] = [row - window.from, Math.min(end, window.to) - window.from];
      if (isSummed) lanes.addToCappedSums(index, next, months, lagMonths);
      else addLanes(lanes, index, next, months, lagMonths, shares);
    }
    if (isSummed) addAdvanced({ months, ageMonths, ...sums }, lagMonths, flows, shares, sums.capped);
    first = end;
  }
  const block = new Float64Array(flowLength(periods));
  for (let flow = 0; flow < FLOWS; flow++) block.set(flows[flow].subarray(0, periods), flow * periods);
  return block;
}

function addLanes(lanes: Lanes, first: number, end: number, months: number, lagMonths: number, shares: AdvanceShares): void {
  lanes.addToFlows(first, end, months, lagMonths);
  for (let index = first; index < end; index++)
    addOmitted(shares, months, lanes.balance(index), lanes.memory.flows[FLOW.OMITTED]);
}

/** Adds the flows of kept schedules of one loan each, of which those of a length and age are adjacent. */
export function addAdvancedSchedules(schedules: readonly SharedSchedule[], behaviour: Behaviour, block: Float64Array): void {
  const { periods, lagMonths } = behaviour;
  const flows = Array.from({ length: FLOWS }, (_, flow) => block.subarray(flow * periods, (flow + 1) * periods));
  const shares = new AdvanceShares(behaviour);
  for (let first = 0; first < schedules.length; ) {
    let end = first + 1;
    while (end < schedules.length && isAlike(schedules[first], schedules[end], behaviour.byAge)) end++;
    const group = schedules.slice(first, end);
    if (group.length >= SUMMED_LOANS) addSummed(group, lagMonths, flows, shares);
    else for (const schedule of group) addAdvanced(schedule, lagMonths, flows, shares);
    first = end;
  }
}

function isAlike(one: SharedSchedule, other: SharedSchedule, byAge: boolean): boolean {
  return one.months === other.months && (!byAge || one.ageMonths === other.ageMonths);
}

function addSummed(group: readonly SharedSchedule[], lag: number, flows: FlowArrays, shares: AdvanceShares): void {
  const { months, ageMonths } = group[0];
  const { severity } = shares.of(months, ageMonths);
  const sum = { months, ageMonths, balance: new Float64Array(months + 1), interest: new Float64Array(months) };
  const capped = new Float64Array(months);
  for (const { balance, interest } of group) {
    for (let month = 0; month < months; month++) {
      sum.balance[month] = sum.balance[month] + balance[month];
      sum.interest[month] = sum.interest[month] + interest[month];
    }
    for (let month = lag; month < months; month++)
      capped[month] = capped[month] + Math.min(balance[month - lag] * severity[month], balance[month]);
  }
  addAdvanced(sum, lag, flows, shares, capped);
}
