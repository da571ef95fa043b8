import type { IsoDate } from '../types.ts';
import { countCollections, creditAccount, rememberPeriodLoss } from './collect.ts';
import { type CompileContext, type CompiledStructure, compileStructure } from './compiled-structure.ts';
import { type DealState, openRun, stateOf } from './deal-state.ts';
import { accrualStartOf, type Fixing } from './compiled-coupon.ts';
import { buildPeriods, type PaymentPeriods, type PoolDates, withPaidDates } from './periods.ts';
import type { Structure } from './structure.ts';
import { recordTrace, type TracePeriod } from './trace.ts';
import { toUnit } from './unit.ts';
import { createWaterfallRun, resetWaterfallRun, roundDue, type WaterfallRun } from './waterfall-run.ts';
import { payPeriod, startPeriod } from './waterfall.ts';

/** The cash and the figures of a payment date as a report gives them; money in currency units, rates in percent. */
export type ReportedPeriod = {
  period: number;
  paymentDate: IsoDate;
  poolEnding: number;
  /** Available to the waterfall; principal has recoveries and repurchases in it. */
  interest: number;
  principal: number;
  scheduled: number;
  prepaid: number;
  recovered: number;
  loss: number;
  /** What accounts earned, by name. */
  earned: Readonly<Record<string, number>>;
  /** What fees billed, by name. */
  billed: Readonly<Record<string, number>>;
  /** The rate of each index: of the period, or by first accrual day; and the net rate of the loans where it is reported. */
  fixings: Readonly<Record<string, number | readonly Fixing[]>>;
  netWac: number | null;
  adjustment: number | null;
  adjustmentOriginal: number | null;
  /** Balances 30, 60 and 90 or more days delinquent, each with the worse ones. */
  delinquent: readonly [number | null, number | null, number | null];
  /** Declared triggers that the report turns on or off. */
  events: readonly { trigger: string; on: boolean }[];
  call: { proceeds: number } | null;
};

/** A payment date as the structure says it: the run after it, what it recorded, and the state of the next one. */
export type RecomputedPeriod = { run: WaterfallRun; trace: TracePeriod; state: DealState };

/**
 * Runs the waterfall of one payment date on the cash that was reported, from the state after the date before. Throws MissingCurveError for
 * a floater without a fixing. Nothing matures because the run ends: only a final maturity makes a balance due.
 */
export function recomputePeriod(
  structure: Structure,
  dates: PoolDates,
  state: DealState,
  reported: ReportedPeriod,
): RecomputedPeriod {
  const compiled = compilePeriod(structure, dates, state, reported);
  const run = createWaterfallRun(compiled);
  const sink = recordTrace();
  resetWaterfallRun(run);
  openRun(run, state);
  startPeriod(run, reported.period - 1, false);
  collectReported(run, reported);
  payPeriod(
    run,
    sink,
    (current) => creditReported(current, reported),
    (current) => declare(current, reported),
  );
  const [trace] = sink.periods;
  return { run, trace, state: stateOf(run, reported.paymentDate) };
}

function compilePeriod(structure: Structure, dates: PoolDates, state: DealState, reported: ReportedPeriod): CompiledStructure {
  const { period, paymentDate, fixings } = reported;
  const periods = periodsUpTo(structure, dates, state, reported);
  // The rate of a period stands for each of its resets, however long ago that was.
  const resets = Array.from({ length: period }, (_, place) => accrualStartOf(periods, place));
  const known = Object.entries(fixings).map(
    ([index, rate]) => [index, typeof rate === 'number' ? resets.map((date) => ({ date, rate })) : [...rate]] as const,
  );
  const withFixings: Structure = { ...structure, fixings: { ...structure.fixings, ...Object.fromEntries(known) } };
  return compileStructure(withFixings, periodContext(structure, dates, state, period, paymentDate));
}

/** The periods up to a reported one; where its own date and the one before it were paid, not where they were scheduled. */
export function periodsUpTo(
  structure: Structure,
  dates: PoolDates,
  state: Pick<DealState, 'payment_date' | 'pool_original'>,
  { period, paymentDate }: Pick<ReportedPeriod, 'period' | 'paymentDate'>,
): PaymentPeriods {
  const { collateralMonths, paidDates } = periodContext(structure, dates, state, period, paymentDate);
  return withPaidDates(buildPeriods(structure, dates, collateralMonths, period - 1), paidDates);
}

/** Months of collateral with which a run from the period before ends with a period. */
function monthsOfPeriod(structure: Structure, dates: PoolDates, period: number): number {
  const { firstMonths, delayMonths } = buildPeriods(structure, dates, 0, period - 1);
  return firstMonths - delayMonths;
}

/** What a structure is compiled with for one payment date after a state; the date of the payment is the calendar's unless it is given. */
export function periodContext(
  structure: Structure,
  dates: PoolDates,
  state: Pick<DealState, 'payment_date' | 'pool_original'>,
  period: number,
  paymentDate?: IsoDate,
): CompileContext & { paidDates: Readonly<Record<number, string>> } {
  const months = monthsOfPeriod(structure, dates, period);
  const scheduled = buildPeriods(structure, dates, months, period - 1).dates[period - 2]?.paid;
  const previous = state.payment_date ?? scheduled;
  const paidDates = {
    ...(paymentDate === undefined ? {} : { [period - 1]: paymentDate }),
    ...(previous === undefined ? {} : { [period - 2]: previous }),
  };
  return {
    ...dates,
    poolOriginal: state.pool_original,
    collateralMonths: months,
    paidPeriods: period - 1,
    paidDates,
    call: false,
  };
}

/** Puts the reported cash into the run. */
function collectReported(run: WaterfallRun, reported: ReportedPeriod): void {
  const { unit } = run.structure;
  const money = (amount: number) => toUnit(amount, unit);
  run.interestCollected = money(reported.interest);
  run.principalCollected = money(reported.principal);
  run.scheduled = money(reported.scheduled);
  run.prepaid = money(reported.prepaid);
  run.payments = run.scheduled + run.prepaid;
  run.recovered = money(reported.recovered);
  run.loss = money(reported.loss);
  rememberPeriodLoss(run);
  run.poolBeginning = run.poolAtStart;
  run.poolCurrent = money(reported.poolEnding);
  run.pending = 0;
  run.adjustment =
    reported.adjustment === null ? (run.structure.adjustments?.[reported.period] ?? Number.NaN) : money(reported.adjustment);
  if (reported.adjustmentOriginal !== null) run.adjustmentOriginal = money(reported.adjustmentOriginal);
  else if (Number.isNaN(run.adjustmentOriginal)) run.adjustmentOriginal = run.structure.adjustments?.[0] ?? Number.NaN;
  run.reportedNetWac = reported.netWac;
  for (let bucket = 0; bucket < 3; bucket++) {
    const balance = reported.delinquent[bucket];
    run.delinquent[bucket] = balance === null ? Number.NaN : money(balance);
    run.delinquentPercent[bucket] = run.poolCurrent > 0 ? (100 * run.delinquent[bucket]) / run.poolCurrent : Number.NaN;
  }
  for (const [index, { name, billed }] of run.structure.fees.entries()) {
    run.billed[index] = billed && Object.hasOwn(reported.billed, name) ? money(reported.billed[name]) : 0;
  }
  countCollections(run);
  if (!reported.call) return;
  run.calling = true;
  run.callProceeds = money(reported.call.proceeds);
  run.availableCash += run.callProceeds;
  run.principalAvailable += run.callProceeds;
}

function creditReported(run: WaterfallRun, { earned }: ReportedPeriod): void {
  for (const [index, { name }] of run.structure.accounts.entries()) {
    run.accountOpening[index] = run.account[index];
    creditAccount(run, index, roundDue(run, toUnit(Object.hasOwn(earned, name) ? earned[name] : 0, run.structure.unit)));
  }
}

/** Turns declared triggers on or off; what is not reported stays as it was. */
function declare(run: WaterfallRun, { events }: ReportedPeriod): void {
  for (const { trigger, on } of events) {
    const number = run.structure.triggers.findIndex(({ name, declared }) => declared && name === trigger);
    if (number !== -1) run.triggers.on[number] = on ? 1 : 0;
  }
}
