import { roundHalfEven, roundToCent } from '../money.ts';
import type { DayCount, IsoDate } from '../types.ts';
import { daysBetween } from '../dates.ts';
import { allWithin } from './amount-faults.ts';
import { amountNow } from './amount-now.ts';
import { accruePeriod } from './collect.ts';
import { periodContext } from './certificate.ts';
import { compileStructure } from './compiled-structure.ts';
import { type DealState, openRun } from './deal-state.ts';
import { firstPeriods, type PoolDates } from './periods.ts';
import type { Coupon, Structure } from './structure.ts';
import { createWaterfallRun, resetWaterfallRun, type WaterfallRun } from './waterfall-run.ts';
import { fromUnit } from './unit.ts';
import { startPeriod } from './waterfall.ts';

/*
 * The coupons of one accrual of a deal, from what is known while it accrues: before its collections, and before its report.
 */

/** What decides the coupons of an accrual; rates in percent a year. */
export type AccrualFacts = {
  /** Payment period that the accrual ends with. */
  period: number;
  /** The deal after the payment before. */
  state: DealState;
  /** Date of the payment at its end, where a report has it. */
  paymentDate?: IsoDate;
  /** Rate of the loans at its beginning, weighted by balance; null where it is not known. */
  loanRate: number | null;
  /** Net rate of the loans as the report of the period gives it; null where it is computed from `loanRate`. */
  netRate: number | null;
  /** By tranche the index that its coupon follows, without multiplier and margin; null where it is not known. */
  indices: readonly (number | null)[];
};

/** Decimals to which coupons are kept. */
const COUPON_DECIMALS = 8;

/**
 * By tranche the coupon of an accrual as a run of the waterfall has it, percent a year; null where something that it depends on is not
 * known. For a structure that passes `validateStructure`.
 */
export function accrualCoupons(structure: Structure, dates: PoolDates, facts: AccrualFacts): (number | null)[] {
  const { loanRate, netRate } = facts;
  const run = openAccrual(structure, dates, facts);
  run.loanRate = loanRate ?? Number.NaN;
  run.reportedNetWac = netRate;
  accruePeriod(run);
  return structure.tranches.map((_, place) => {
    const coupon = run.coupon[place];
    return Number.isFinite(coupon) ? roundHalfEven(coupon, COUPON_DECIMALS) : null;
  });
}

/** A run of the waterfall at the beginning of an accrual: nothing of its period is collected. */
function openAccrual(
  structure: Structure,
  dates: PoolDates,
  { period, state, paymentDate, indices }: Pick<AccrualFacts, 'period' | 'state' | 'paymentDate' | 'indices'>,
): WaterfallRun {
  const compiled = compileStructure(withOwnIndices(structure), {
    ...periodContext(structure, dates, state, period, paymentDate),
    indexCurves: Object.fromEntries(structure.tranches.map((_, place) => [indexOf(place), [indices[place] ?? Number.NaN]])),
  });
  const run = createWaterfallRun(compiled);
  resetWaterfallRun(run);
  openRun(run, state);
  startPeriod(run, period - 1, false);
  forgetCollections(run);
  run.poolBeginning = run.poolAtStart;
  return run;
}

/**
 * What the coupons of the notional tranches are of after a payment, by tranche in currency units; 0 once the pool is called. Of the pool it is
 * the balance after that payment. Null where it depends on what the next period collects.
 */
export function notionalsAfter(structure: Structure, dates: PoolDates, state: DealState): Map<string, number | null> {
  if (!structure.tranches.some(({ notional }) => notional !== undefined)) return new Map();
  const run = openAccrual(structure, dates, { period: state.period + 1, state, indices: [] });
  run.poolCurrent = run.poolAtStart;
  run.openingBalance.set(run.balance);
  return new Map(
    run.structure.tranches.flatMap(({ name, notional }) => {
      if (!notional) return [];
      const amount = state.called_in === undefined ? fromUnit(amountNow(run, notional), run.structure.unit) : 0;
      return [[name, Number.isFinite(amount) ? roundToCent(Math.max(0, amount), 'HALF_UP') : null]];
    }),
  );
}

/** What the period collects is not known while it accrues: whatever is of it is NaN, and so is a coupon that reads it. */
function forgetCollections(run: WaterfallRun): void {
  const unknown = Number.NaN;
  run.poolCurrent = unknown;
  run.interestCollected = unknown;
  run.principalCollected = unknown;
  run.scheduled = unknown;
  run.prepaid = unknown;
  run.recovered = unknown;
  run.loss = unknown;
  run.adjustment = unknown;
}

/** The name of the index of one tranche. */
export const indexOf = (place: number): string => `index of tranche ${place}`;

/** Each floater follows an index of its own: tranches with other day counts and resets read one at other dates. Income of accounts decides no coupon. */
export function withOwnIndices({ fixings: _fixings, accounts = [], ...structure }: Structure): Structure {
  const tranches = structure.tranches.map((tranche, place) => {
    if (tranche.coupon?.type !== 'FLOATING') return tranche;
    const { reset: _reset, ...coupon } = tranche.coupon;
    return { ...tranche, coupon: { ...coupon, index: indexOf(place) } };
  });
  return { ...structure, tranches, accounts: accounts.map(({ earns: _earns, ...account }) => account) };
}

/** Whether a coupon may differ from one accrual to the next: all but one fixed number. */
export function couponVaries(coupon: Coupon | undefined): boolean {
  if (coupon?.type !== 'FIXED') return coupon !== undefined;
  return typeof coupon.rate !== 'number' || coupon.cap !== undefined || coupon.floor !== undefined;
}

/** Whether the net rate of the loans limits a coupon. */
export function isLimitedByLoans(coupon: Coupon | undefined): boolean {
  if (!coupon || coupon.type === 'EXCESS') return false;
  return [coupon.cap, coupon.floor].some((part) => part !== undefined && allWithin(part).some((each) => each === 'NET_WAC'));
}

/** Most days between a payment date and its date of the schedule: weekends and holidays move it. */
const ADJUSTMENT_DAYS = 7;

/** Where the accrual after a payment begins: interest of 30/360 tranches accrues from the date of the schedule, of others from the payment. */
export function accrualStartAfter(
  { payment }: Pick<Structure, 'payment'>,
  dates: PoolDates,
  dayCount: DayCount,
  { period, payment_date }: { period: number; payment_date: IsoDate },
): IsoDate {
  if (!dayCount.startsWith('30')) return payment_date;
  const date = firstPeriods(payment, dates, period).dates.at(-1);
  if (!date) return payment_date;
  return Math.abs(daysBetween(date.unadjusted, payment_date)) <= ADJUSTMENT_DAYS ? date.unadjusted : payment_date;
}
