import { collateralRows } from '../collateral-rows.ts';
import type { Collateral } from '../types.ts';
import { amountNow } from './amount-now.ts';
import { accruePeriod, addAccretion, collectPeriod, creditIncome } from './collect.ts';
import type { CompiledAmount } from './compiled-amount.ts';
import { endFlows, toCurrency, type WaterfallFlows } from './flows.ts';
import { isActive } from './gates.ts';
import { checkPeriod } from './identities.ts';
import { allocateLosses } from './losses.ts';
import { type DelinquencyByMonth, measureAfterPayment, measureDelinquency, testReader } from './metrics.ts';
import { settleGroups } from './payees.ts';
import { collectionMonths } from './periods.ts';
import {
  accountsNow,
  CENTS_TOLERANCE,
  incomeOf,
  notesNow,
  type WaterfallRun,
  resetWaterfallRun,
  roundDue,
  sumOf,
} from './waterfall-run.ts';
import { collateralByPeriod } from './rows.ts';
import { payApart, performStep, redeemNotes, release } from './steps.ts';
import type { TraceSink } from './trace.ts';
import { isBreach, testTriggers } from './triggers.ts';
import { toUnit } from './unit.ts';

/** Inputs of a run besides the collateral. */
export type WaterfallInput = {
  /** Percent of the pool that is delinquent, last value persists; empty where no test or amount reads it. */
  delinquency?: DelinquencyByMonth;
  /** Fees that are billed, currency units a period by name. */
  billedFees?: Record<string, readonly number[]>;
  /** Receives every step; omit it in loops. */
  trace?: TraceSink;
  /** Puts the run into the state from which it starts; default: the closing date. */
  open?: (run: WaterfallRun) => void;
};

/**
 * Pays the collateral's cash through the waterfall, period by period, in the order of the steps. The flows belong to `run` and its next
 * use overwrites them. Every period is checked against the cash and balance identities; a breach throws `BrokenIdentityError`. Throws
 * RangeError when the collateral lasts longer than the structure was compiled for.
 */
export function runWaterfall(run: WaterfallRun, collateral: Collateral, input: WaterfallInput = {}): WaterfallFlows {
  const { periods } = run.structure;
  const months = periods.count === 0 ? 0 : collectionMonths(periods, periods.count - 1).end;
  if (collateral.periods > months) {
    throw new RangeError(`the collateral lasts ${collateral.periods} months, longer than the structure was compiled for`);
  }
  const rows = run.structure.unit === 1 ? null : collateralRows(collateralByPeriod(run.structure, collateral), true);
  resetWaterfallRun(run);
  input.open?.(run);
  // The collateral of a run that starts later does not have the adjustment at the cut-off.
  if (Number.isNaN(run.adjustmentOriginal)) {
    run.adjustmentOriginal = run.structure.adjustments?.[0] ?? toUnit(collateral.adjustment?.[0] ?? 0, run.structure.unit);
  }
  for (let periodIndex = periods.start; periodIndex < periods.count; periodIndex++) {
    startPeriod(run, periodIndex, periodIndex === periods.count - 1);
    collectPeriod(run, collateral, rows);
    measureDelinquency(run, input.delinquency);
    billFees(run, input.billedFees);
    payPeriod(run, input.trace);
    if (!run.calling) continue;
    run.flows.calledAt = periodIndex;
    endFlows(run.flows, periodIndex + 1);
    break;
  }
  toCurrency(run.flows, run.structure.unit);
  return run.flows;
}

function billFees({ structure, billed, periodIndex, startIndex }: WaterfallRun, fees: WaterfallInput['billedFees']): void {
  for (const [index, { name, billed: isBilled }] of structure.fees.entries()) {
    const amounts = isBilled && fees && Object.hasOwn(fees, name) ? fees[name] : undefined;
    billed[index] = amounts?.length
      ? toUnit(amounts[periodIndex - startIndex] ?? amounts[amounts.length - 1], structure.unit)
      : 0;
  }
}

/**
 * Pays a period whose collections are in the run. `income` credits what the accounts earned, `declare` turns declared triggers on or off.
 * Triggers count the accounts after the payment before, so that income comes after them; a rate that a trigger changes is that of the next
 * accrual, so that they come after what accrued.
 */
export function payPeriod(
  run: WaterfallRun,
  trace?: TraceSink,
  income: (run: WaterfallRun) => void = creditIncome,
  declare?: (run: WaterfallRun) => void,
): void {
  const accountsBefore = accountsNow(run);
  accruePeriod(run);
  declare?.(run);
  if (run.structure.triggers.length > 0) testTriggers(run.structure.triggers, run.triggers, testReader(run));
  income(run);
  addAccretion(run);
  callPool(run);
  trace?.startPeriod(run);
  performSteps(run, trace);
  payApart(run);
  if (run.structure.writeOff && !run.calling) allocateLosses(run);
  lapseCarryOver(run);
  measureAfterPayment(run);
  closePeriod(run);
  checkPeriod(run, accountsBefore);
  trace?.endPeriod(run);
}

/** Sets the amounts of a period to 0. `last` says that no cash follows it. */
export function startPeriod(run: WaterfallRun, periodIndex: number, last: boolean): void {
  run.periodIndex = periodIndex;
  run.last = last;
  run.calling = false;
  run.principalSpent = 0;
  run.feesPaid = 0;
  run.drawn = 0;
  run.released = 0;
  run.deposited = 0;
  run.releasedApart = 0;
  run.callProceeds = 0;
  run.shortBefore.set(run.interestUnpaid);
  run.principalShortBefore = run.principalShort;
  run.principalShort = 0;
  run.interestDue.set(run.interestUnpaid);
  run.interestPaid.fill(0);
  run.principalPaid.fill(0);
  run.carryOverPaid.fill(0);
  run.feePaid.fill(0);
  run.accountDrawn.fill(0);
  run.accountDeposited.fill(0);
  run.accountReleased.fill(0);
  const year = Number(run.structure.periods.dates[periodIndex].paid.slice(0, 4));
  if (year !== run.limitYear) run.paidInYear.fill(0);
  run.limitYear = year;
}

/** What a cap cut is owed no longer once the balance is paid. */
function lapseCarryOver(run: WaterfallRun): void {
  for (let index = 0; index < run.carryOver.length; index++) {
    const { notional } = run.structure.tranches[index];
    if (!notional && run.balance[index] <= CENTS_TOLERANCE) run.carryOver[index] = 0;
  }
}

/**
 * A call is exercised on the first payment date on which it is due and its price, the available cash and the accounts pay fees, interest
 * and notes in full; indentures do not permit a call that leaves notes unpaid. The price of the clean-up call is the performing balance;
 * defaulted balance that is not yet liquidated is sold with the pool.
 */
function callPool(run: WaterfallRun): void {
  if (run.poolCurrent <= CENTS_TOLERANCE) return;
  const { callBalance, calls } = run.structure;
  if (callBalance >= 0 && run.poolCurrent <= callBalance + CENTS_TOLERANCE) exercise(run, run.poolCurrent, -1);
  if (calls.length === 0) return;
  const reader = testReader(run);
  for (let number = 0; number < calls.length && !run.calling; number++) {
    const due = calls[number].tests.some((test) => isBreach(test.op, reader.valueOf(test), reader.thresholdOf(test)));
    if (due) exercise(run, roundDue(run, amountNow(run, calls[number].price)), number);
  }
}

function exercise(run: WaterfallRun, price: number, number: number): void {
  let needed = notesNow(run);
  for (let index = 0; index < run.interestUnpaid.length; index++) needed += run.interestUnpaid[index];
  for (let index = 0; index < run.feeUnpaid.length; index++) needed += run.feeUnpaid[index];
  const missing = needed - run.availableCash - price - accountsNow(run);
  if (missing > CENTS_TOLERANCE) {
    run.flows.callShort ??= { index: run.periodIndex, missing, call: run.structure.calls[number]?.name ?? null };
    return;
  }
  run.calling = true;
  run.callProceeds = price;
  run.availableCash += run.callProceeds;
  run.principalAvailable += run.callProceeds;
}

function performSteps(run: WaterfallRun, trace: TraceSink | undefined): void {
  const { steps } = run.structure;
  for (let number = 0; number < steps.length; number++) {
    const step = steps[number];
    if (number === steps.length - 1) settleBeforeResidual(run, trace);
    const available = run.availableCash;
    const active = isActive(run, step);
    run.stepIndex = number;
    if (active) performStep(run, step);
    if (number === run.structure.lastPrincipalStep && run.structure.groups.length > 0) settleGroups(run);
    trace?.step(run, number, active, available, run.payment);
  }
}

/** Empties the accounts at the end of a deal: on a call the notes are redeemed first, then the remaining account balances are released. */
function settleBeforeResidual(run: WaterfallRun, trace: TraceSink | undefined): void {
  if (!run.calling && !run.last) return;
  if (run.calling) {
    const available = run.availableCash;
    redeemNotes(run);
    if (run.payment.due > 0) trace?.redemption(run, available, run.payment);
  }
  for (let index = 0; index < run.account.length; index++) release(run, index, run.account[index]);
}

/** Copies the results of the period into the flows. */
function closePeriod(run: WaterfallRun): void {
  const { flows, periodIndex } = run;
  flows.interestCollected[periodIndex] = run.interestCollected;
  flows.principalCollected[periodIndex] = run.principalCollected;
  flows.callProceeds[periodIndex] = run.callProceeds;
  flows.feesPaid[periodIndex] = run.feesPaid;
  flows.drawn[periodIndex] = run.drawn;
  flows.released[periodIndex] = run.released;
  flows.deposited[periodIndex] = run.deposited;
  flows.accounts[periodIndex] = accountsNow(run);
  flows.income[periodIndex] = incomeOf(run);
  flows.releasedApart[periodIndex] = run.releasedApart;
  flows.poolBeginning[periodIndex] = run.poolBeginning;
  flows.poolCurrent[periodIndex] = run.poolCurrent;
  flows.pending[periodIndex] = run.pending;
  flows.loss[periodIndex] = run.loss;
  flows.feesUnpaid[periodIndex] = sumOf(run.feeUnpaid);
  for (let index = 0; index < run.triggers.on.length; index++) {
    flows.triggersOn[index][periodIndex] = run.triggers.on[index];
  }
  for (let index = 0; index < flows.tranches.length; index++) closeTranche(run, index);
}

function closeTranche(run: WaterfallRun, index: number): void {
  const flows = run.flows.tranches[index];
  const { periodIndex } = run;
  flows.interestDue[periodIndex] = run.interestDue[index];
  flows.interestPaid[periodIndex] = run.interestPaid[index];
  flows.shortfall[periodIndex] = run.interestUnpaid[index];
  flows.principal[periodIndex] = run.principalPaid[index];
  const { notional } = run.structure.tranches[index];
  flows.closing[periodIndex] = notional ? notionalAfter(run, notional) : run.balance[index];
  flows.carryOverPaid[periodIndex] = run.carryOverPaid[index];
  flows.carryOver[periodIndex] = run.carryOver[index];
}

/** What a notional is after the period, as far as that is known before the next one opens; nothing after a call. */
function notionalAfter(run: WaterfallRun, notional: CompiledAmount): number {
  if (run.calling) return 0;
  const { poolBeginning } = run;
  run.poolBeginning = run.poolCurrent;
  const after = amountNow(run, notional);
  run.poolBeginning = poolBeginning;
  return after;
}
