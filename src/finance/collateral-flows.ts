import type { Behaviour } from './behaviour.ts';
import type { Collateral, CollateralSeries } from './types.ts';

/*
 * Flows of a pool during summation: one block of numbers, with an array of `periods` for each name below, so that threads can
 * share it and blocks can be added. The series of `CollateralSeries` that are asked for follow them: weighted rates by month, then
 * adjustments from the cut-off on.
 */

/** Arrays in a block of flows, in this order. */
export const FLOWS = 11;
const SCHEDULED = 0;
const PREPAYMENT = 1;
const DEFAULTED = 2;
const INTEREST = 3;
const CLOSING = 4;
const ADVANCED_PRINCIPAL = 5;
const ADVANCED_INTEREST = 6;
const RECOVERY = 7;
const LOSS = 8;
const PENDING = 9;
const OMITTED = 10;
export const FLOW = {
  SCHEDULED,
  PREPAYMENT,
  DEFAULTED,
  INTEREST,
  CLOSING,
  ADVANCED_PRINCIPAL,
  ADVANCED_INTEREST,
  RECOVERY,
  LOSS,
  PENDING,
  OMITTED,
};

/** Numbers in the block of a pool that lasts `periods`. */
export function flowLength(periods: number, series: CollateralSeries = {}): number {
  return FLOWS * periods + (series.weightedRate ? periods : 0) + (series.adjustment ? periods + 1 : 0);
}

/** Schedule that several loans share, or one loan has: balances after month 0…months, interest due in month 1…months. */
export type SharedSchedule = {
  months: number;
  ageMonths: number;
  balance: Float64Array;
  interest: Float64Array;
  /** Where they are asked for: balance before each month × rate in percent, and adjustments after month 0…months. */
  weightedRate?: Float64Array;
  adjustment?: Float64Array;
};

/** Adds one block to another. */
export function addInto(total: Float64Array, flows: Float64Array): void {
  for (let index = 0; index < total.length; index++) total[index] = total[index] + flows[index];
}

/** Adds to `flows` the cash flow of a schedule under prepayments and defaults, without advances. */
export function addBehaviour(schedule: SharedSchedule, behaviour: Behaviour, flows: Float64Array): void {
  const { periods } = behaviour;
  const { months, balance, interest } = schedule;
  const { smm, mdr } = behaviour.rates(schedule.ageMonths);
  const lastDefault = months - behaviour.quietMonths;
  const severity = behaviour.severityOf?.(schedule.ageMonths);
  // Share of the scheduled balance that still performs.
  let surviving = 1;
  for (let month = 0; month < months; month++) {
    const opening = balance[month];
    const closing = balance[month + 1];
    const defaulting = month < lastDefault ? surviving * mdr[month] : 0;
    const paying = surviving - defaulting;
    const prepaying = Math.min(surviving * smm[month], paying);
    surviving = paying - prepaying;
    addMonth(flows, periods, month, opening, closing, interest[month], defaulting, paying, prepaying, surviving);
    if (severity) addLoss(flows, periods, month + behaviour.lagMonths, defaulting * opening * severity[month]);
    if (month === lastDefault - 1) addOmitted(schedule, { smm, mdr }, flows, periods, lastDefault, surviving);
  }
  if (lastDefault <= 0) addOmitted(schedule, { smm, mdr }, flows, periods, 0, 1);
}

/** Adds to `flows` the series that a schedule has, in proportion to the balance that performs. */
export function addSeries(
  { months, ageMonths, weightedRate, adjustment }: SharedSchedule,
  behaviour: Behaviour,
  flows: Float64Array,
): void {
  if (!weightedRate && !adjustment) return;
  const { periods } = behaviour;
  const { smm, mdr } = behaviour.rates(ageMonths);
  const lastDefault = months - behaviour.quietMonths;
  let surviving = 1;
  addSeriesStart(flows, periods, adjustment);
  for (let month = 0; month < months; month++) {
    const opening = surviving;
    const paying = opening - (month < lastDefault ? opening * mdr[month] : 0);
    surviving = paying - Math.min(opening * smm[month], paying);
    addSeriesMonth(flows, periods, month, weightedRate, opening, adjustment, surviving);
  }
}

/** Adds an adjustment at the cut-off. */
export function addSeriesStart(flows: Float64Array, periods: number, adjustment: Float64Array | undefined): void {
  if (adjustment) add(flows, flows.length - periods - 1, adjustment[0]);
}

/**
 * Adds one month of the series of schedules, which begin `offset` months into them, of which the shares `opening` and `closing` perform
 * before and after the month.
 */
export function addSeriesMonth(
  flows: Float64Array,
  periods: number,
  month: number,
  weightedRate: Float64Array | undefined,
  opening: number,
  adjustment: Float64Array | undefined,
  closing: number,
  offset = 0,
): void {
  if (weightedRate) add(flows, FLOWS * periods + month, opening * weightedRate[month - offset]);
  if (adjustment) add(flows, flows.length - periods + month, closing * adjustment[month - offset + 1]);
}

/** Adds what would default from month `from` on, where `share` of the balance performs. */
function addOmitted(
  { months, balance }: SharedSchedule,
  { smm, mdr }: ReturnType<Behaviour['rates']>,
  flows: Float64Array,
  periods: number,
  from: number,
  share: number,
): void {
  let surviving = share;
  for (let month = from; month < months; month++) {
    const defaulting = surviving * mdr[month];
    add(flows, OMITTED * periods + month, defaulting * balance[month]);
    const paying = surviving - defaulting;
    surviving = paying - Math.min(surviving * smm[month], paying);
  }
}

/** Adds one month, given its scheduled balances, the interest due and the shares that default, pay, prepay and survive. */
export function addMonth(
  flows: Float64Array,
  periods: number,
  month: number,
  opening: number,
  closing: number,
  interest: number,
  defaulting: number,
  paying: number,
  prepaying: number,
  surviving: number,
): void {
  add(flows, SCHEDULED * periods + month, paying * (opening - closing));
  add(flows, PREPAYMENT * periods + month, prepaying * closing);
  add(flows, DEFAULTED * periods + month, defaulting * opening);
  add(flows, INTEREST * periods + month, paying * interest);
  add(flows, CLOSING * periods + month, surviving * closing);
}

/** Adds the loss on what defaulted, in the month of its liquidation: where severity depends on age, and the pool's defaults do not tell it. */
export function addLoss(flows: Float64Array, periods: number, month: number, amount: number): void {
  // Nothing defaults that would be liquidated after the last month, so there is no loss either.
  if (month < periods) add(flows, LOSS * periods + month, amount);
}

function add(flows: Float64Array, index: number, amount: number): void {
  flows[index] += amount;
}

/** The flows under their names; without advances liquidations follow from the pool's defaults alone. */
export function collateralFromFlows(
  flows: Float64Array,
  openingBalance: number,
  behaviour: Behaviour,
  series: CollateralSeries = {},
): Collateral {
  const { periods } = behaviour;
  const flow = (index: number) => flows.subarray(index * periods, (index + 1) * periods);
  if (!behaviour.advances) liquidate(flow(DEFAULTED), behaviour, flow(RECOVERY), flow(LOSS), flow(PENDING));
  const collateral: Collateral = {
    periods,
    opening: new Float64Array(periods),
    scheduledPrincipal: flow(SCHEDULED),
    prepayment: flow(PREPAYMENT),
    defaulted: flow(DEFAULTED),
    recovery: flow(RECOVERY),
    loss: flow(LOSS),
    interest: flow(INTEREST),
    advancedPrincipal: flow(ADVANCED_PRINCIPAL),
    advancedInterest: flow(ADVANCED_INTEREST),
    pendingRecovery: flow(PENDING),
    closing: flow(CLOSING),
    omittedDefaults: flow(OMITTED).reduce((sum, amount) => sum + amount, 0),
  };
  if (series.weightedRate) collateral.weightedRate = flow(FLOWS);
  if (series.adjustment) collateral.adjustment = flows.subarray(flows.length - periods - 1);
  if (periods === 0) return collateral;
  collateral.opening[0] = openingBalance;
  collateral.opening.set(collateral.closing.subarray(0, periods - 1), 1);
  return collateral;
}

/**
 * Fills recoveries, losses and pending recoveries of defaults that are liquidated `lagMonths` later at their balance at default. Losses are
 * there already where severity depends on age. Every sum of open defaults is computed from scratch, so that it is exactly zero after the
 * last liquidation.
 */
export function liquidate(
  defaulted: Float64Array,
  { lagMonths, severity, severityOf }: Pick<Behaviour, 'lagMonths' | 'severity' | 'severityOf'>,
  recovery: Float64Array,
  loss: Float64Array,
  pending: Float64Array,
): void {
  for (let month = 0; month < defaulted.length; month++) {
    const since = month - lagMonths;
    if (since >= 0) {
      if (!severityOf) loss[month] = defaulted[since] * severity[since];
      recovery[month] = Math.max(0, defaulted[since] - loss[month]);
    }
    for (let open = Math.max(0, since + 1); open <= month; open++) add(pending, month, defaulted[open]);
  }
}
