import { accountsNow, CENTS_TOLERANCE, incomeOf, type WaterfallRun } from './waterfall-run.ts';

/** The cash flows of a period do not add up: a defect of the engine. The message has the amounts. */
export class BrokenIdentityError extends Error {
  override name = 'BrokenIdentityError';
  readonly period: number;
  constructor(period: number, message: string) {
    super(`period ${period}: ${message}`);
    this.period = period;
  }
}

/** The cents tolerance plus the rounding of doubles on a large pool. */
const tolerance = (run: WaterfallRun) => CENTS_TOLERANCE + 1e-11 * run.structure.poolOriginal;

/**
 * Checks the identities of the period just closed: collections + opening accounts = paid + closing accounts; opening + accreted − paid −
 * written down = closing for every tranche; no balance and no payment is negative.
 */
export function checkPeriod(run: WaterfallRun, accountsBefore: number): void {
  checkCash(run, accountsBefore);
  const allowed = tolerance(run);
  for (let index = 0; index < run.flows.tranches.length; index++) checkTranche(run, index, allowed);
  for (let index = 0; index < run.account.length; index++) {
    if (run.account[index] < -allowed) fail(run, `account ${run.structure.accounts[index].name} holds ${run.account[index]}`);
  }
}

function checkCash(run: WaterfallRun, accountsBefore: number): void {
  const collected = run.interestCollected + run.principalCollected + run.callProceeds + incomeOf(run);
  let paid = run.feesPaid;
  for (let index = 0; index < run.interestPaid.length; index++) {
    paid += run.interestPaid[index] + run.principalPaid[index] + run.carryOverPaid[index];
  }
  paid += run.releasedApart;
  const accountsAfter = accountsNow(run);
  const gap = collected + accountsBefore - paid - accountsAfter;
  if (Math.abs(gap) <= tolerance(run)) return;
  const terms = `collected ${collected} + accounts ${accountsBefore} differ from paid ${paid} + accounts ${accountsAfter}`;
  fail(run, `${terms} by ${gap}; ${run.availableCash} was not paid out`);
}

function checkTranche(run: WaterfallRun, index: number, allowed: number): void {
  const flows = run.flows.tranches[index];
  const { periodIndex } = run;
  const opening = flows.opening[periodIndex];
  const accreted = flows.accreted[periodIndex];
  const principal = flows.principal[periodIndex];
  const writeDown = flows.writeDown[periodIndex];
  const closing = flows.closing[periodIndex];
  const gap = opening + accreted - principal - writeDown - closing;
  if (Math.abs(gap) > allowed && !run.structure.tranches[index].notional) {
    fail(run, `${name(run, index)}: ${opening} + ${accreted} - ${principal} - ${writeDown} differs from ${closing} by ${gap}`);
  }
  const smallest = Math.min(closing, principal, flows.interestPaid[periodIndex], flows.shortfall[periodIndex]);
  if (smallest < -allowed) {
    fail(
      run,
      `${name(run, index)}: closing ${closing}, principal ${principal}, interest ${flows.interestPaid[periodIndex]} is negative`,
    );
  }
}

function name(run: WaterfallRun, index: number): string {
  return run.structure.tranches[index].name;
}

function fail(run: WaterfallRun, message: string): never {
  throw new BrokenIdentityError(run.periodIndex + 1, message);
}
