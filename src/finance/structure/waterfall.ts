import type { Collateral } from '../types.ts';
import { accruePeriod, addAccretion, collectPeriod } from './collect.ts';
import type { CompiledStep } from './compiled-structure.ts';
import { type WaterfallFlows, endFlows } from './flows.ts';
import { checkPeriod } from './identities.ts';
import { allocateLosses } from './losses.ts';
import { measureTriggers } from './metrics.ts';
import { accountsNow, notesNow, CENTS_TOLERANCE, type WaterfallRun, resetWaterfallRun } from './waterfall-run.ts';
import { performStep, redeemNotes, release } from './steps.ts';
import type { TraceSink } from './trace.ts';
import { testTriggers } from './triggers.ts';

/** Inputs of a run besides the collateral. */
export type WaterfallInput = {
  /** 60+ days delinquent, percent by month, last value persists; empty when no trigger tests it. */
  delinquencyPercent?: readonly number[];
  /** Receives every step; omit it in loops. */
  trace?: TraceSink;
};

/**
 * Pays the collateral's cash through the waterfall, period by period, in the order of the steps. The flows belong to `run` and its next
 * use overwrites them. Every period is checked against the cash and balance identities; a breach throws `BrokenIdentityError`. Throws
 * RangeError when the collateral lasts longer than the structure was compiled for.
 */
export function runWaterfall(run: WaterfallRun, collateral: Collateral, input: WaterfallInput = {}): WaterfallFlows {
  const { periods } = run.structure;
  if (collateral.periods + periods.delayMonths > periods.count * periods.monthsPerPeriod) {
    throw new RangeError(`the collateral lasts ${collateral.periods} months, longer than the structure was compiled for`);
  }
  resetWaterfallRun(run);
  for (let periodIndex = 0; periodIndex < periods.count; periodIndex++) {
    runPeriod(run, collateral, periodIndex, input);
    if (!run.calling) continue;
    run.flows.calledAt = periodIndex;
    endFlows(run.flows, periodIndex + 1);
    break;
  }
  return run.flows;
}

function runPeriod(
  run: WaterfallRun,
  collateral: Collateral,
  periodIndex: number,
  { delinquencyPercent, trace }: WaterfallInput,
): void {
  const accountsBefore = startPeriod(run, periodIndex);
  collectPeriod(run, collateral);
  accruePeriod(run);
  if (run.structure.triggers.length > 0) {
    measureTriggers(run, delinquencyPercent);
    testTriggers(run.structure.triggers, run.triggers, run.metrics, periodIndex);
  }
  addAccretion(run);
  callPool(run);
  trace?.startPeriod(run);
  performSteps(run, trace);
  if (run.structure.writeOff && !run.calling) allocateLosses(run);
  closePeriod(run);
  checkPeriod(run, accountsBefore);
  trace?.endPeriod(run);
}

function startPeriod(run: WaterfallRun, periodIndex: number): number {
  run.periodIndex = periodIndex;
  run.last = periodIndex === run.structure.periods.count - 1;
  run.calling = false;
  run.principalSpent = 0;
  run.feesPaid = 0;
  run.drawn = 0;
  run.released = 0;
  run.deposited = 0;
  run.callProceeds = 0;
  run.interestPaid.fill(0);
  run.principalPaid.fill(0);
  return accountsNow(run);
}

/**
 * The call is exercised on the first payment date at or below its percentage on which performing balance, available cash and accounts
 * pay fees, interest and notes in full; indentures do not permit a call that leaves notes unpaid. The price is the performing balance;
 * defaulted balance that is not yet liquidated is sold with the pool.
 */
function callPool(run: WaterfallRun): void {
  const { callBalance } = run.structure;
  if (callBalance < 0 || run.poolCurrent <= 0 || run.poolCurrent > callBalance + CENTS_TOLERANCE) return;
  let needed = notesNow(run);
  for (let index = 0; index < run.interestUnpaid.length; index++) needed += run.interestUnpaid[index];
  for (let index = 0; index < run.feeUnpaid.length; index++) needed += run.feeUnpaid[index];
  const missing = needed - run.availableCash - run.poolCurrent - accountsNow(run);
  if (missing > CENTS_TOLERANCE) {
    run.flows.callShort ??= { index: run.periodIndex, missing };
    return;
  }
  run.calling = true;
  run.callProceeds = run.poolCurrent;
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
    if (active) performStep(run, step);
    trace?.step(run, number, active, available, run.payment);
  }
}

/** Empties the accounts at the end of a deal: on a call the notes are redeemed first, then the remaining account balances are released. */
function settleBeforeResidual(run: WaterfallRun, trace: TraceSink | undefined): void {
  if (!run.calling && !run.last) return;
  if (run.calling) {
    const available = run.availableCash;
    redeemNotes(run);
    if (run.payment.due > 0) trace?.redemption(available, run.payment);
  }
  for (let index = 0; index < run.account.length; index++) release(run, index, run.account[index]);
}

function isActive(run: WaterfallRun, step: CompiledStep): boolean {
  if (step.when >= 0 && run.triggers.on[step.when] !== 1) return false;
  return step.unless < 0 || run.triggers.on[step.unless] !== 1;
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
  flows.poolBeginning[periodIndex] = run.poolBeginning;
  flows.poolCurrent[periodIndex] = run.poolCurrent;
  flows.pending[periodIndex] = run.pending;
  flows.loss[periodIndex] = run.loss;
  let unpaidFees = 0;
  for (let index = 0; index < run.feeUnpaid.length; index++) unpaidFees += run.feeUnpaid[index];
  flows.feesUnpaid[periodIndex] = unpaidFees;
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
  flows.closing[periodIndex] = run.balance[index];
}
