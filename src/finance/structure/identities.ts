import { accountsNow, type Run } from './run.ts';

/** A structure that does not add up: a defect of the engine, told with its numbers. */
export class BrokenIdentityError extends Error {
  override name = 'BrokenIdentityError';
  readonly period: number;
  constructor(period: number, message: string) {
    super(`period ${period}: ${message}`);
    this.period = period;
  }
}

/** Half a cent, and what doubles lose on a large pool. */
const tolerance = (run: Run) => 0.005 + 1e-11 * run.deal.poolOriginal;

/**
 * Identities of the period that was just closed: collections + opening accounts = paid + closing accounts; opening + accreted − paid −
 * written down = closing for every tranche; no balance and no payment is negative.
 */
export function checkPeriod(run: Run, accountsBefore: number): void {
  checkCash(run, accountsBefore);
  const room = tolerance(run);
  for (let place = 0; place < run.flows.tranches.length; place++) checkTranche(run, place, room);
  for (let place = 0; place < run.account.length; place++) {
    if (run.account[place] < -room) fail(run, `account ${run.deal.accounts[place].name} holds ${run.account[place]}`);
  }
}

function checkCash(run: Run, accountsBefore: number): void {
  const collected = run.interestCollected + run.principalCollected + run.callProceeds;
  let paid = run.feesPaid;
  for (let place = 0; place < run.interestPaid.length; place++) {
    paid += run.interestPaid[place] + run.principalPaid[place];
  }
  const accountsAfter = accountsNow(run);
  const gap = collected + accountsBefore - paid - accountsAfter;
  if (Math.abs(gap) <= tolerance(run)) return;
  const terms = `collected ${collected} + accounts ${accountsBefore} differ from paid ${paid} + accounts ${accountsAfter}`;
  fail(run, `${terms} by ${gap}; the pot keeps ${run.left}`);
}

function checkTranche(run: Run, place: number, room: number): void {
  const flows = run.flows.tranches[place];
  const { index } = run;
  const opening = flows.opening[index];
  const accreted = flows.accreted[index];
  const principal = flows.principal[index];
  const writeDown = flows.writeDown[index];
  const closing = flows.closing[index];
  const gap = opening + accreted - principal - writeDown - closing;
  if (Math.abs(gap) > room) {
    fail(run, `${name(run, place)}: ${opening} + ${accreted} - ${principal} - ${writeDown} differs from ${closing} by ${gap}`);
  }
  const smallest = Math.min(closing, principal, flows.interestPaid[index], flows.shortfall[index]);
  if (smallest < -room) {
    fail(
      run,
      `${name(run, place)}: closing ${closing}, principal ${principal}, interest ${flows.interestPaid[index]} is negative`,
    );
  }
}

function name(run: Run, place: number): string {
  return run.deal.tranches[place].name;
}

function fail(run: Run, message: string): never {
  throw new BrokenIdentityError(run.index + 1, message);
}
