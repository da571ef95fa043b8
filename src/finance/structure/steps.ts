import type { CompiledStep } from './deal.ts';
import { accountsNow, notesNow, PAID, type Run, sizeNow } from './run.ts';
import type { StepKind } from './structure.ts';

/** What the last step was due and paid, and how much of that came from accounts. One object, overwritten by every step. */
export type Outcome = { due: number; paid: number; drawn: number };

/** Performs a step: it pays the least of what is due, its limit and what is left, and draws on accounts where it is short. */
export function performStep(run: Run, step: CompiledStep, outcome: Outcome): void {
  outcome.due = 0;
  outcome.paid = 0;
  outcome.drawn = 0;
  if (step.pay === 'FEE') payDues(run, step, run.feeLeft, outcome);
  else if (step.pay === 'INTEREST') payDues(run, step, run.interestLeft, outcome);
  else if (step.pay === 'PRINCIPAL') payPrincipal(run, step, outcome);
  else if (step.pay === 'RESERVE') fillAccounts(run, step, outcome);
  else payResidual(run, step, outcome);
}

/** Fees or interest: what is due to each name, unpaid amounts of earlier periods included. */
function payDues(run: Run, step: CompiledStep, dues: Float64Array, outcome: Outcome): void {
  outcome.due = atMostLimit(run, step, total(dues, step.to));
  takeCash(run, step.pay, outcome);
  const paidTo = step.pay === 'FEE' ? null : run.interestPaid;
  if (outcome.paid > 0) distribute(dues, step, outcome.paid, paidTo);
  if (step.pay === 'FEE') run.feesPaid += outcome.paid;
}

function payPrincipal(run: Run, step: CompiledStep, outcome: Outcome): void {
  const balances = total(run.balance, step.to);
  const matured = run.calling ? balances : maturedBalance(run, step);
  const due = atMostLimit(run, step, Math.min(balances, principalDue(run, step)));
  outcome.due = Math.max(due, matured);
  takeCash(run, 'PRINCIPAL', outcome);
  if (matured > outcome.paid) draw(run, null, matured - outcome.paid, outcome);
  const unpaidNotes = notesNow(run) - outcome.paid;
  // Accounts that cover every note retire them, as an indenture lets the trustee do.
  if (unpaidNotes > PAID && balances > outcome.paid && unpaidNotes <= accountsNow(run)) {
    outcome.due = balances;
    draw(run, null, balances - outcome.paid, outcome);
  }
  if (outcome.paid > 0) distribute(run.balance, step, outcome.paid, run.principalPaid);
  run.principalSpent += outcome.paid;
}

/** Principal that the rule of the step asks for, before its balances and limit. */
function principalDue(run: Run, step: CompiledStep): number {
  switch (step.amount) {
    case 'PRINCIPAL_COLLECTIONS':
      return Math.max(0, run.principalItems - run.principalSpent);
    case 'ALL':
      return Math.max(0, run.left);
    case 'OC': {
      const target = Math.max(sizeNow(run, step.share), sizeNow(run, step.floor));
      return Math.max(0, notesNow(run) - Math.max(0, run.poolCurrent - target));
    }
    case 'NOTES':
      return Math.max(0, notesNow(run) - Math.max(sizeNow(run, step.share), sizeNow(run, step.floor)));
    case 'SCHEDULE':
      return Math.max(0, total(run.balance, step.to) - (step.planned as Float64Array)[run.index]);
  }
}

/** Balance of the payees whose final maturity is reached; when no cash comes later, of all of them. */
function maturedBalance(run: Run, step: CompiledStep): number {
  let sum = 0;
  for (let n = 0; n < step.to.length; n++) {
    const place = step.to[n];
    const { finalIndex, residual } = run.deal.tranches[place];
    if (run.index >= finalIndex || (run.last && !residual)) sum += run.balance[place];
  }
  return sum;
}

/** Tops accounts up to their targets, and releases what is above. */
function fillAccounts(run: Run, step: CompiledStep, outcome: Outcome): void {
  const notes = notesNow(run);
  for (let n = 0; n < step.to.length; n++) {
    const place = step.to[n];
    const account = run.deal.accounts[place];
    const target = Math.min(Math.max(sizeNow(run, account.target), sizeNow(run, account.floor)), notes);
    const missing = target - run.account[place];
    if (missing < 0) release(run, place, -missing);
    else if (missing > 0) deposit(run, step, place, missing, outcome);
  }
}

function deposit(run: Run, step: CompiledStep, place: number, missing: number, outcome: Outcome): void {
  const due = step.limit ? Math.min(missing, Math.max(0, sizeNow(run, step.limit) - outcome.paid)) : missing;
  const amount = Math.max(0, Math.min(due, run.left));
  run.account[place] = run.account[place] + amount;
  run.left -= amount;
  run.deposited += amount;
  outcome.due += due;
  outcome.paid += amount;
}

/** Moves cash of an account to the pot. */
export function release(run: Run, place: number, amount: number): void {
  run.account[place] = run.account[place] - amount;
  run.left += amount;
  run.released += amount;
}

/** The first payee takes what is left; PRO_RATA shares it by balance, or evenly where balances are zero. */
function payResidual(run: Run, step: CompiledStep, outcome: Outcome): void {
  const amount = Math.max(0, atMostLimit(run, step, run.left));
  const weight = step.proRata ? total(run.balance, step.to) : 0;
  for (let n = 0; n < step.to.length; n++) {
    const place = step.to[n];
    const even = n === 0 ? 1 : 0;
    const share = !step.proRata ? even : weight > 0 ? run.balance[place] / weight : 1 / step.to.length;
    run.interestDue[place] = run.interestDue[place] + amount * share;
    run.interestPaid[place] = run.interestPaid[place] + amount * share;
  }
  run.left -= amount;
  outcome.due = amount;
  outcome.paid = amount;
}

/** Takes the due of a step out of the pot, then out of the accounts that pay its shortfall. */
function takeCash(run: Run, kind: StepKind, outcome: Outcome): void {
  outcome.paid = Math.max(0, Math.min(outcome.due, run.left));
  run.left -= outcome.paid;
  if (outcome.due > outcome.paid) draw(run, kind, outcome.due - outcome.paid, outcome);
}

/** Draws on accounts in order, on those that serve the kind of step or, without one, on all. */
function draw(run: Run, kind: StepKind | null, amount: number, outcome: Outcome): void {
  let missing = amount;
  for (let place = 0; place < run.account.length && missing > 0; place++) {
    if (kind !== null && !run.deal.accounts[place].draws.includes(kind)) continue;
    const taken = Math.min(missing, run.account[place]);
    run.account[place] = run.account[place] - taken;
    run.drawn += taken;
    outcome.drawn += taken;
    outcome.paid += taken;
    missing -= taken;
  }
}

/** Takes `amount` off what the payees are owed: one after the other, or in proportion to it. */
function distribute(owed: Float64Array, step: CompiledStep, amount: number, paidTo: Float64Array | null): void {
  const owedInAll = step.proRata ? total(owed, step.to) : 0;
  const share = owedInAll > amount ? amount / owedInAll : 1;
  let left = amount;
  for (let n = 0; n < step.to.length && left > 0; n++) {
    const place = step.to[n];
    const due = owed[place];
    const paid = step.proRata ? due * share : Math.min(due, left);
    owed[place] = due - paid;
    if (paidTo) paidTo[place] = paidTo[place] + paid;
    if (!step.proRata) left -= paid;
  }
}

/** On a call, what steps have left unpaid: interest and balance of the notes, the most senior first. */
export function redeemNotes(run: Run, outcome: Outcome): void {
  outcome.due = 0;
  outcome.paid = 0;
  outcome.drawn = 0;
  for (const rank of run.deal.ranks) {
    redeem(run, rank, run.interestLeft, run.interestPaid, outcome);
    redeem(run, rank, run.balance, run.principalPaid, outcome);
  }
}

function redeem(run: Run, rank: readonly number[], owed: Float64Array, paidTo: Float64Array, outcome: Outcome): void {
  for (const place of rank) {
    const due = owed[place];
    if (due === 0) continue;
    const one: Outcome = { due, paid: 0, drawn: 0 };
    takeCash(run, 'PRINCIPAL', one);
    if (one.paid < due) draw(run, null, due - one.paid, one);
    owed[place] = due - one.paid;
    paidTo[place] = paidTo[place] + one.paid;
    outcome.due += due;
    outcome.paid += one.paid;
    outcome.drawn += one.drawn;
  }
}

function atMostLimit(run: Run, step: CompiledStep, amount: number): number {
  return step.limit && !run.calling ? Math.min(amount, sizeNow(run, step.limit)) : amount;
}

function total(values: Float64Array, places: readonly number[]): number {
  let sum = 0;
  for (let n = 0; n < places.length; n++) sum += values[places[n]];
  return sum;
}
