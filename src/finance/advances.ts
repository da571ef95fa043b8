import type { Behaviour } from './behaviour.ts';
import { FLOW, FLOWS, flowLength, type SharedSchedule } from './collateral-flows.ts';
import { type Shares, SHARES, WINDOW } from './lane-kernels.ts';
import type { Lanes } from './lanes.ts';
import type { LoanTable } from './loan-table.ts';

/*
 * Flows with servicer advances. The cap of a loss is one of each loan, so flows are added loan by loan; but the shares of a schedule that
 * pay, default, are advanced and are liquidated depend on length, age and speeds alone, so loans that have these in common share them.
 */

/** Shares of a schedule by month, compiled for one length and age at a time. */
export class AdvanceShares {
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

/** Adds to `flows` the cash flow of one loan's schedule under prepayments, defaults and advances. */
export function addAdvanced(schedule: SharedSchedule, behaviour: Behaviour, flows: Float64Array, compiled: AdvanceShares): void {
  const { months, balance, interest } = schedule;
  const { periods, lagMonths: lag } = behaviour;
  const { paying, prepaying, defaulting, surviving, advanced, liquidated, due, severity } = compiled.of(
    months,
    schedule.ageMonths,
  );
  const add = (flow: number, month: number, amount: number) => {
    const index = flow * periods + month;
    flows[index] = flows[index] + amount;
  };
  for (let month = 0; month < months; month++) {
    const opening = balance[month];
    const closing = balance[month + 1];
    const principal = opening - closing;
    const amortized = liquidated[month] * opening;
    const loss = Math.min(liquidated[month] * balance[Math.max(0, month - lag)] * severity[month], amortized);
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
  for (let month = compiled.omittedFrom; month < months; month++)
    add(FLOW.OMITTED, month, compiled.omitted[month] * balance[month]);
}

/** Flows of rows `from` to `to` (excluded) of a table: those of `addAdvanced` for one after the other, to the bit. */
export function projectAdvanced(table: LoanTable, from: number, to: number, behaviour: Behaviour, lanes: Lanes): Float64Array {
  const { periods } = behaviour;
  const { flows } = lanes.memory;
  const shares = new AdvanceShares(behaviour, lanes.memory.shares);
  for (const flow of flows) flow.fill(0, 0, periods + 2);
  for (let row = from; row < to; row += WINDOW) {
    const count = Math.min(WINDOW, to - row);
    lanes.loadRows(row, row + count);
    for (let index = 0; index < count; ) index = addAlike(table, row, index, count, behaviour, shares, lanes);
  }
  const block = new Float64Array(flowLength(periods));
  for (let flow = 0; flow < FLOWS; flow++) block.set(flows[flow].subarray(0, periods), flow * periods);
  return block;
}

/** Adds the loans of a window that share their shares with loan `first` of it; the index of the next one. */
function addAlike(
  table: LoanTable,
  row: number,
  first: number,
  count: number,
  { byAge, lagMonths }: Behaviour,
  shares: AdvanceShares,
  lanes: Lanes,
): number {
  const months = table.months[row + first];
  const ageMonths = table.ageMonths[row + first];
  let end = first + 1;
  while (end < count && table.months[row + end] === months && (!byAge || table.ageMonths[row + end] === ageMonths)) end++;
  shares.of(months, ageMonths);
  lanes.addToFlows(first, end, months, lagMonths);
  const omitted = lanes.memory.flows[FLOW.OMITTED];
  for (let index = first; index < end; index++) {
    const balance = lanes.balance(index);
    for (let month = shares.omittedFrom; month < months; month++)
      omitted[month] = omitted[month] + shares.omitted[month] * balance[month];
  }
  return end;
}
