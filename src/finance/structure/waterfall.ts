import type { Collateral } from '../types.ts';
import { accruePeriod, addAccretion, collectPeriod } from './collect.ts';
import type { CompiledStep } from './deal.ts';
import { type DealFlows, endFlows } from './flows.ts';
import { checkPeriod } from './identities.ts';
import { allocateLosses } from './losses.ts';
import { measureTriggers } from './metrics.ts';
import { accountsNow, notesNow, PAID, type Run, resetRun } from './run.ts';
import { type Outcome, performStep, redeemNotes, release } from './steps.ts';
import type { TraceSink } from './trace.ts';
import { testTriggers } from './triggers.ts';

/** What a run reads beside the collateral. */
export type WaterfallInput = {
  /** 60+ days delinquent, percent by month, last value persists; empty when no trigger tests it. */
  delinquencyPercent?: readonly number[];
  /** Receives every step; leave it out in loops. */
  trace?: TraceSink;
};

/**
 * Runs a deal over the collateral's cash: one pot a period, steps in order. The flows are those of `run` and are overwritten by its
 * next run. The identities of every period are checked: a breach throws `BrokenIdentityError`. Throws RangeError when the collateral
 * lasts longer than the deal was compiled for.
 */
export function runWaterfall(run: Run, collateral: Collateral, input: WaterfallInput = {}): DealFlows {
  const { periods } = run.deal;
  if (collateral.periods + periods.delayMonths > periods.count * periods.monthsPerPeriod) {
    throw new RangeError(`the collateral lasts ${collateral.periods} months, the deal was compiled for fewer`);
  }
  resetRun(run);
  for (let index = 0; index < periods.count; index++) {
    runPeriod(run, collateral, index, input);
    if (!run.calling) continue;
    run.flows.calledAt = index;
    endFlows(run.flows, index + 1);
    break;
  }
  return run.flows;
}

/** Scratch of the step at hand; runs never interleave, since nothing here waits. */
const outcome: Outcome = { due: 0, paid: 0, drawn: 0 };

function runPeriod(run: Run, collateral: Collateral, index: number, { delinquencyPercent, trace }: WaterfallInput): void {
  const accountsBefore = startPeriod(run, index);
  collectPeriod(run, collateral);
  accruePeriod(run);
  if (run.deal.triggers.length > 0) {
    measureTriggers(run, delinquencyPercent);
    testTriggers(run.deal.triggers, run.triggers, run.metrics, index);
  }
  addAccretion(run);
  callPool(run);
  trace?.startPeriod(run);
  performSteps(run, trace);
  if (run.deal.writeOff && !run.calling) allocateLosses(run);
  closePeriod(run);
  checkPeriod(run, accountsBefore);
  trace?.endPeriod(run);
}

function startPeriod(run: Run, index: number): number {
  run.index = index;
  run.last = index === run.deal.periods.count - 1;
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
 * The call is exercised on the first payment date at or below its percentage on which the performing balance, the pot and the accounts
 * pay fees, interest and notes in full; a call that left notes unpaid is not one that an indenture lets anyone exercise. The price is
 * the performing balance; defaulted balance that is not liquidated goes with the pool.
 */
function callPool(run: Run): void {
  const { callBalance } = run.deal;
  if (callBalance < 0 || run.poolCurrent <= 0 || run.poolCurrent > callBalance + PAID) return;
  let needed = notesNow(run);
  for (let place = 0; place < run.interestLeft.length; place++) needed += run.interestLeft[place];
  for (let place = 0; place < run.feeLeft.length; place++) needed += run.feeLeft[place];
  if (run.left + run.poolCurrent + accountsNow(run) < needed - PAID) return;
  run.calling = true;
  run.callProceeds = run.poolCurrent;
  run.left += run.callProceeds;
  run.principalItems += run.callProceeds;
}

function performSteps(run: Run, trace: TraceSink | undefined): void {
  const { steps } = run.deal;
  for (let number = 0; number < steps.length; number++) {
    const step = steps[number];
    if (number === steps.length - 1) settleBeforeResidual(run, trace);
    const available = run.left;
    const active = isActive(run, step);
    if (active) performStep(run, step, outcome);
    trace?.step(run, number, active, available, outcome);
  }
}

/** At the end of a deal nothing may stay in an account: notes are redeemed on a call, and what accounts still hold is released. */
function settleBeforeResidual(run: Run, trace: TraceSink | undefined): void {
  if (!run.calling && !run.last) return;
  if (run.calling) {
    const available = run.left;
    redeemNotes(run, outcome);
    if (outcome.due > 0) trace?.redemption(available, outcome);
  }
  for (let place = 0; place < run.account.length; place++) release(run, place, run.account[place]);
}

function isActive(run: Run, step: CompiledStep): boolean {
  if (step.when >= 0 && run.triggers.on[step.when] !== 1) return false;
  return step.unless < 0 || run.triggers.on[step.unless] !== 1;
}

/** Writes what the period did into the flows. */
function closePeriod(run: Run): void {
  const { flows, index } = run;
  flows.interestCollected[index] = run.interestCollected;
  flows.principalCollected[index] = run.principalCollected;
  flows.callProceeds[index] = run.callProceeds;
  flows.feesPaid[index] = run.feesPaid;
  flows.drawn[index] = run.drawn;
  flows.released[index] = run.released;
  flows.deposited[index] = run.deposited;
  flows.accounts[index] = accountsNow(run);
  flows.poolBeginning[index] = run.poolBeginning;
  flows.poolCurrent[index] = run.poolCurrent;
  flows.pending[index] = run.pending;
  flows.loss[index] = run.loss;
  let unpaidFees = 0;
  for (let place = 0; place < run.feeLeft.length; place++) unpaidFees += run.feeLeft[place];
  flows.feesUnpaid[index] = unpaidFees;
  for (let place = 0; place < run.triggers.on.length; place++) {
    flows.triggersOn[place][index] = run.triggers.on[place];
  }
  for (let place = 0; place < flows.tranches.length; place++) closeTranche(run, place);
}

function closeTranche(run: Run, place: number): void {
  const flows = run.flows.tranches[place];
  const { index } = run;
  flows.interestDue[index] = run.interestDue[place];
  flows.interestPaid[index] = run.interestPaid[place];
  flows.shortfall[index] = run.interestLeft[place];
  flows.principal[index] = run.principalPaid[place];
  flows.closing[index] = run.balance[place];
}
