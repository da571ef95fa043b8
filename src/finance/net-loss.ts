import { type Behaviour, compileBehaviour } from './behaviour.ts';
import type { SharedSchedule } from './collateral-flows.ts';
import type { Assumptions, DefaultSpeed } from './types.ts';

/** Lifetime net loss in percent of a deal's original balance, and the share of it (a fraction, 1 in sum) by month of age of the deal. */
export type NetLossCurve = { percent: number; shares: readonly number[] };

/** A deal when its projection begins: balance at its cut-off, months since then, and what it has lost in them. Currency units. */
export type DealToDate = { originalBalance: number; ageMonths: number; bookedLoss: number };

/** Losses to be booked from the first projected month on. `deferred`: of months in which no default could be liquidated yet. */
type Targets = { losses: number[]; deferred: number };

export type SolvedNetLoss =
  | { ok: true; default: DefaultSpeed; deferred: number; remaining: number }
  /** In `month` the loss is `due` and at most `possible`; with these shares the deal can lose `mostPercent`. */
  | { ok: false; reason: 'NOT_ENOUGH'; month: number; due: number; possible: number; mostPercent: number }
  | { ok: false; reason: 'TIMING_ENDED'; remaining: number };

/** Less than a cent is not an amount. */
const LEAST = 0.005;

/**
 * The monthly default rate, the same for all loans, with which a pool books the loss of the curve in every month. What the deal has lost
 * already is deducted, and the rest follows the later shares. The loss of a month is that of the defaults `recoveryLagMonths` before, and
 * it is linear in their rate once the rates before are known: so each month is solved by one division. Losses of the first
 * `recoveryLagMonths`, in which nothing can be liquidated, are booked in the month after them.
 */
export function solveNetLoss(
  schedules: readonly SharedSchedule[],
  assumptions: Assumptions,
  curve: NetLossCurve,
  deal: DealToDate,
): SolvedNetLoss {
  const { lagMonths } = compileBehaviour(assumptions, 0);
  const remaining = remainingLoss(curve, deal);
  const rest = sum(curve.shares.slice(deal.ageMonths));
  if (remaining <= 0 || (rest <= 0 && remaining < LEAST)) {
    return { ok: true, default: { measure: 'mdr', values: [0] }, deferred: 0, remaining };
  }
  if (rest <= 0) return { ok: false, reason: 'TIMING_ENDED', remaining };
  const solve = (percent: number) => solveRates(schedules, assumptions, targetsOf({ ...curve, percent }, deal, lagMonths));
  const solved = solve(curve.percent);
  if (Array.isArray(solved)) {
    const { deferred } = targetsOf(curve, deal, lagMonths);
    // The last value of a vector persists: after the last loss nothing defaults.
    return { ok: true, default: { measure: 'mdr', values: [...solved, 0] }, deferred, remaining };
  }
  return { ok: false, reason: 'NOT_ENOUGH', ...solved, mostPercent: highestPercent(curve.percent, solve) };
}

function remainingLoss({ percent }: NetLossCurve, { originalBalance, bookedLoss }: DealToDate): number {
  return Math.max(0, (originalBalance * percent) / 100 - bookedLoss);
}

function targetsOf(curve: NetLossCurve, deal: DealToDate, lagMonths: number): Targets {
  const shares = curve.shares.slice(deal.ageMonths);
  const unit = remainingLoss(curve, deal) / sum(shares);
  const losses = shares.map((share) => share * unit);
  while (losses.length <= lagMonths) losses.push(0);
  const deferred = sum(losses.splice(0, lagMonths, ...new Array<number>(lagMonths).fill(0)));
  losses[lagMonths] = losses[lagMonths] + deferred;
  return { losses, deferred };
}

type Shortage = { month: number; due: number; possible: number };

/** Default rates by month in percent, or the first month whose loss is out of reach. */
function solveRates(schedules: readonly SharedSchedule[], assumptions: Assumptions, { losses }: Targets): number[] | Shortage {
  const periods = schedules.reduce((longest, { months }) => Math.max(longest, months), 0);
  const behaviour = compileBehaviour(assumptions, periods);
  const parts = schedules.map((schedule) => survivorsOf(schedule, behaviour));
  const lastLoss = losses.findLastIndex((loss) => loss > 0);
  const rates: number[] = [];
  for (let month = 0; month + behaviour.lagMonths <= lastLoss; month++) {
    const due = losses[month + behaviour.lagMonths];
    const possible = parts.reduce((total, part) => total + part.lossOfAll(month), 0);
    if (due > possible * (1 + ROUNDING)) return { month: month + behaviour.lagMonths + 1, due, possible };
    const rate = due > 0 ? Math.min(1, due / possible) : 0;
    for (const part of parts) part.advance(month, rate);
    rates.push(100 * rate);
  }
  return rates;
}

const ROUNDING = 1e-12;

/** Loans of one schedule from month to month, surviving as `addBehaviour` has them. */
function survivorsOf({ months, ageMonths, balance }: SharedSchedule, behaviour: Behaviour) {
  const { smm } = behaviour.rates(ageMonths);
  const severity = behaviour.severityOf?.(ageMonths) ?? behaviour.severity;
  const { lagMonths, advances } = behaviour;
  const lastDefault = months - behaviour.quietMonths;
  let surviving = 1;
  return {
    /** Loss that is booked if all of it defaults in the month. */
    lossOfAll(month: number): number {
      if (month >= lastDefault) return 0;
      const lost = balance[month] * severity[month];
      const left = month + lagMonths < months ? balance[month + lagMonths] : 0;
      return surviving * (advances ? Math.min(lost, left) : lost);
    },
    advance(month: number, rate: number): void {
      if (month >= months) return;
      const paying = surviving - (month < lastDefault ? surviving * rate : 0);
      surviving = paying - Math.min(surviving * smm[month], paying);
    },
  };
}

/** The highest percent, to 0.01 below, that the pool can lose, given one that it cannot: a smaller loss leaves more to lose later. */
function highestPercent(tooMuch: number, solve: (percent: number) => number[] | Shortage): number {
  let possible = 0;
  let impossible = Math.ceil(100 * tooMuch);
  while (impossible - possible > 1) {
    const middle = (possible + impossible) >> 1;
    if (Array.isArray(solve(middle / 100))) possible = middle;
    else impossible = middle;
  }
  return possible / 100;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
