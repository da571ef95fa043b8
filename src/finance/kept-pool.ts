import { type Behaviour, compileBehaviour } from './behaviour.ts';
import {
  addLoss,
  addMonth,
  addSeriesMonth,
  addSeriesStart,
  collateralFromFlows,
  flowLength,
  type SharedSchedule,
} from './collateral-flows.ts';
import type { Assumptions, Collateral, CollateralSeries } from './types.ts';

/*
 * A pool prepared for many projections. Loans of one age survive alike, whatever their lengths, until their last months, in which there
 * are no new defaults; so the schedules of an age are summed once, and only those last months are projected schedule by schedule.
 */

/** The series of schedules, from the month on in which they begin; the first adjustment is that before it. */
type Series = Pick<SharedSchedule, 'weightedRate' | 'adjustment'>;

/** Balances before and after a month, and interest due in it, by month. */
type Body = { opening: Float64Array; closing: Float64Array; interest: Float64Array } & Series;

/** The months of a schedule from `from` on, in which nothing defaults: balances at their ends, interest due in them. */
type Tail = { from: number; balance: Float64Array; interest: Float64Array } & Series;

type AgeGroup = { ageMonths: number; months: number; body: Body; tails: Tail[] };

/** `quietMonths`: months at the end of a loan in which nothing defaults. */
export type KeptPool = {
  periods: number;
  openingBalance: number;
  quietMonths: number;
  groups: AgeGroup[];
  series: CollateralSeries | undefined;
};

/** Folds schedules for assumptions with the lag and late defaults of these, which advance nothing; `series` are those that they have. */
export function foldSchedules(
  schedules: readonly SharedSchedule[],
  assumptions: Assumptions,
  series?: CollateralSeries,
): KeptPool {
  const quietMonths = quietMonthsOf(assumptions);
  const byAge = Map.groupBy(schedules, ({ ageMonths }) => ageMonths);
  return {
    periods: longest(schedules),
    openingBalance: schedules.reduce((sum, { balance }) => sum + balance[0], 0),
    quietMonths,
    groups: [...byAge].map(([ageMonths, alike]) => foldGroup(ageMonths, alike, quietMonths, series)),
    series,
  };
}

function foldGroup(
  ageMonths: number,
  schedules: readonly SharedSchedule[],
  quietMonths: number,
  series: CollateralSeries = {},
): AgeGroup {
  const months = longest(schedules);
  const body: Body = {
    opening: new Float64Array(months),
    closing: new Float64Array(months),
    interest: new Float64Array(months),
    ...(series.weightedRate ? { weightedRate: new Float64Array(months) } : {}),
    ...(series.adjustment ? { adjustment: new Float64Array(months + 1) } : {}),
  };
  const tails: Tail[] = [];
  for (const schedule of schedules) {
    const from = Math.max(0, schedule.months - quietMonths);
    addToBody(body, schedule, from);
    if (from === schedule.months) continue;
    tails.push({
      from,
      balance: schedule.balance.slice(from),
      interest: schedule.interest.slice(from),
      ...(schedule.weightedRate ? { weightedRate: schedule.weightedRate.slice(from) } : {}),
      ...(schedule.adjustment ? { adjustment: schedule.adjustment.slice(from) } : {}),
    });
  }
  return { ageMonths, months, body, tails };
}

function addToBody({ opening, closing, interest, weightedRate, adjustment }: Body, schedule: SharedSchedule, end: number): void {
  if (adjustment) adjustment[0] = adjustment[0] + (schedule.adjustment?.[0] ?? 0);
  for (let month = 0; month < end; month++) {
    opening[month] += schedule.balance[month];
    closing[month] = closing[month] + schedule.balance[month + 1];
    interest[month] += schedule.interest[month];
    if (weightedRate) weightedRate[month] = weightedRate[month] + (schedule.weightedRate?.[month] ?? 0);
    if (adjustment) adjustment[month + 1] = adjustment[month + 1] + (schedule.adjustment?.[month + 1] ?? 0);
  }
}

function quietMonthsOf({ keepsLateDefaults, recoveryLagMonths }: Assumptions): number {
  return keepsLateDefaults ? 0 : recoveryLagMonths;
}

function longest(schedules: readonly SharedSchedule[]): number {
  return schedules.reduce((most, { months }) => Math.max(most, months), 0);
}

/**
 * Cash flow of a kept pool under one set of assumptions; equals `projectCollateral` of its loans up to rounding of doubles. Throws
 * RangeError for assumptions other than those that it was folded for.
 */
export function projectKept(pool: KeptPool, assumptions: Assumptions): Collateral {
  if (assumptions.servicerAdvances || quietMonthsOf(assumptions) !== pool.quietMonths) {
    throw new RangeError(`the pool was kept for no defaults in the last ${pool.quietMonths} months of a loan, without advances`);
  }
  const behaviour = compileBehaviour(assumptions, pool.periods);
  const { periods } = behaviour;
  const flows = new Float64Array(flowLength(periods, pool.series));
  const surviving = new Float64Array(pool.periods + 1);
  for (const group of pool.groups) {
    const rates = behaviour.rates(group.ageMonths);
    addBody(group, rates, behaviour, flows, surviving);
    for (const tail of group.tails) addTail(tail, rates.smm, surviving[tail.from], flows, periods);
  }
  return collateralFromFlows(flows, pool.openingBalance, behaviour, pool.series);
}

type Rates = ReturnType<Behaviour['rates']>;

/** Adds the months in which loans may default, and records the performing share at the start of each month. */
function addBody(group: AgeGroup, { smm, mdr }: Rates, behaviour: Behaviour, flows: Float64Array, surviving: Float64Array): void {
  const { opening, closing, interest, weightedRate, adjustment } = group.body;
  const { periods, lagMonths } = behaviour;
  const severity = behaviour.severityOf?.(group.ageMonths);
  let share = 1;
  addSeriesStart(flows, periods, adjustment);
  for (let month = 0; month < group.months; month++) {
    surviving[month] = share;
    const defaulting = share * mdr[month];
    const paying = share - defaulting;
    const prepaying = Math.min(share * smm[month], paying);
    share = paying - prepaying;
    const before = opening[month];
    const after = closing[month];
    addMonth(flows, periods, month, before, after, interest[month], defaulting, paying, prepaying, share);
    if (severity) addLoss(flows, periods, month + lagMonths, defaulting * before * severity[month]);
    addSeriesMonth(flows, periods, month, weightedRate, surviving[month], adjustment, share);
  }
}

function addTail(tail: Tail, smm: Float64Array, performing: number, flows: Float64Array, periods: number): void {
  const { from, balance, interest, weightedRate, adjustment } = tail;
  let share = performing;
  for (let offset = 0; offset < interest.length; offset++) {
    const month = from + offset;
    const paying = share;
    const prepaying = share * smm[month];
    share = paying - prepaying;
    const before = balance[offset];
    const after = balance[offset + 1];
    addMonth(flows, periods, month, before, after, interest[offset], 0, paying, prepaying, share);
    addSeriesMonth(flows, periods, month, weightedRate, paying, adjustment, share, from);
  }
}
