import type { CompiledStep } from './compiled-structure.ts';
import { accountsNow, notesNow, CENTS_TOLERANCE, type StepPayment, type WaterfallRun, sizeNow } from './waterfall-run.ts';
import type { StepKind } from './structure.ts';

/**
 * Performs a step: it pays the least of the amount due, its limit and the available cash, and draws on accounts for the shortfall. The
 * result is in `run.payment`.
 */
export function performStep(run: WaterfallRun, step: CompiledStep): void {
  const payment = resetPayment(run);
  if (step.pay === 'FEE') payDues(run, step, run.feeUnpaid, payment);
  else if (step.pay === 'INTEREST') payDues(run, step, run.interestUnpaid, payment);
  else if (step.pay === 'PRINCIPAL') payPrincipal(run, step, payment);
  else if (step.pay === 'RESERVE') fillAccounts(run, step, payment);
  else payResidual(run, step, payment);
}

/** Overwrites the payment of the previous step with zeros. */
function resetPayment({ payment }: WaterfallRun): StepPayment {
  payment.due = 0;
  payment.paid = 0;
  payment.drawn = 0;
  return payment;
}

/** Pays fees or interest, including unpaid amounts of earlier periods. */
function payDues(run: WaterfallRun, step: CompiledStep, dues: Float64Array, payment: StepPayment): void {
  payment.due = atMostLimit(run, step, total(dues, step.to));
  takeCash(run, step.pay, payment);
  const paidTo = step.pay === 'FEE' ? null : run.interestPaid;
  if (payment.paid > 0) distribute(dues, step, payment.paid, paidTo);
  if (step.pay === 'FEE') run.feesPaid += payment.paid;
}

function payPrincipal(run: WaterfallRun, step: CompiledStep, payment: StepPayment): void {
  const balances = total(run.balance, step.to);
  const matured = run.calling ? balances : maturedBalance(run, step);
  const due = atMostLimit(run, step, Math.min(balances, principalDue(run, step)));
  payment.due = Math.max(due, matured);
  takeCash(run, 'PRINCIPAL', payment);
  if (matured > payment.paid) draw(run, null, matured - payment.paid, payment);
  const unpaidNotes = notesNow(run) - payment.paid;
  // Accounts that cover every note retire them, as an indenture lets the trustee do.
  if (unpaidNotes > CENTS_TOLERANCE && balances > payment.paid && unpaidNotes <= accountsNow(run)) {
    payment.due = balances;
    draw(run, null, balances - payment.paid, payment);
  }
  if (payment.paid > 0) distribute(run.balance, step, payment.paid, run.principalPaid);
  run.principalSpent += payment.paid;
}

/** Principal that the rule of the step makes due, before the balances of its payees and its limit cap it. */
function principalDue(run: WaterfallRun, step: CompiledStep): number {
  switch (step.amount) {
    case 'PRINCIPAL_COLLECTIONS':
      return Math.max(0, run.principalAvailable - run.principalSpent);
    case 'ALL':
      return Math.max(0, run.availableCash);
    case 'OC': {
      const target = Math.max(sizeNow(run, step.share), sizeNow(run, step.floor));
      return Math.max(0, notesNow(run) - Math.max(0, run.poolCurrent - target));
    }
    case 'NOTES':
      return Math.max(0, notesNow(run) - Math.max(sizeNow(run, step.share), sizeNow(run, step.floor)));
    case 'SCHEDULE':
      return Math.max(0, total(run.balance, step.to) - (step.planned as Float64Array)[run.periodIndex]);
  }
}

/** Balance of the payees that have reached final maturity; in the last period, of all of them. */
function maturedBalance(run: WaterfallRun, step: CompiledStep): number {
  let sum = 0;
  for (let n = 0; n < step.to.length; n++) {
    const index = step.to[n];
    const { finalIndex, residual } = run.structure.tranches[index];
    if (run.periodIndex >= finalIndex || (run.last && !residual)) sum += run.balance[index];
  }
  return sum;
}

/** Tops accounts up to their targets and releases the excess. */
function fillAccounts(run: WaterfallRun, step: CompiledStep, payment: StepPayment): void {
  const notes = notesNow(run);
  for (let n = 0; n < step.to.length; n++) {
    const index = step.to[n];
    const account = run.structure.accounts[index];
    const target = Math.min(Math.max(sizeNow(run, account.target), sizeNow(run, account.floor)), notes);
    const missing = target - run.account[index];
    if (missing < 0) release(run, index, -missing);
    else if (missing > 0) deposit(run, step, index, missing, payment);
  }
}

function deposit(run: WaterfallRun, step: CompiledStep, index: number, missing: number, payment: StepPayment): void {
  const due = step.limit ? Math.min(missing, Math.max(0, sizeNow(run, step.limit) - payment.paid)) : missing;
  const amount = Math.max(0, Math.min(due, run.availableCash));
  run.account[index] += amount;
  run.availableCash -= amount;
  run.deposited += amount;
  payment.due += due;
  payment.paid += amount;
}

/** Moves cash from an account to the available cash. */
export function release(run: WaterfallRun, index: number, amount: number): void {
  run.account[index] = run.account[index] - amount;
  run.availableCash += amount;
  run.released += amount;
}

/** Pays all remaining cash to the first payee; PRO_RATA shares it by balance, or evenly when all balances are zero. */
function payResidual(run: WaterfallRun, step: CompiledStep, payment: StepPayment): void {
  const amount = Math.max(0, atMostLimit(run, step, run.availableCash));
  const weight = step.proRata ? total(run.balance, step.to) : 0;
  for (let n = 0; n < step.to.length; n++) {
    const index = step.to[n];
    const even = n === 0 ? 1 : 0;
    const share = !step.proRata ? even : weight > 0 ? run.balance[index] / weight : 1 / step.to.length;
    run.interestDue[index] += amount * share;
    run.interestPaid[index] += amount * share;
  }
  run.availableCash -= amount;
  payment.due = amount;
  payment.paid = amount;
}

/** Pays the amount due from the available cash, then from the accounts that cover shortfalls of this kind of step. */
function takeCash(run: WaterfallRun, kind: StepKind, payment: StepPayment): void {
  payment.paid = Math.max(0, Math.min(payment.due, run.availableCash));
  run.availableCash -= payment.paid;
  if (payment.due > payment.paid) draw(run, kind, payment.due - payment.paid, payment);
}

/** Draws on accounts in order: those that cover this kind of step, or all of them when `kind` is null. */
function draw(run: WaterfallRun, kind: StepKind | null, amount: number, payment: StepPayment): void {
  let missing = amount;
  for (let index = 0; index < run.account.length && missing > 0; index++) {
    if (kind !== null && !run.structure.accounts[index].draws.includes(kind)) continue;
    const taken = Math.min(missing, run.account[index]);
    run.account[index] = run.account[index] - taken;
    run.drawn += taken;
    payment.drawn += taken;
    payment.paid += taken;
    missing -= taken;
  }
}

/** Deducts `amount` from the amounts owed to the payees, in sequence or pro rata. */
function distribute(owed: Float64Array, step: CompiledStep, amount: number, paidTo: Float64Array | null): void {
  const totalOwed = step.proRata ? total(owed, step.to) : 0;
  const share = totalOwed > amount ? amount / totalOwed : 1;
  let remaining = amount;
  for (let n = 0; n < step.to.length && remaining > 0; n++) {
    const index = step.to[n];
    const due = owed[index];
    const paid = step.proRata ? due * share : Math.min(due, remaining);
    owed[index] = due - paid;
    if (paidTo) paidTo[index] += paid;
    if (!step.proRata) remaining -= paid;
  }
}

/** On a call, pays the interest and balance that the steps left unpaid, the most senior notes first. The result is in `run.payment`. */
export function redeemNotes(run: WaterfallRun): void {
  const payment = resetPayment(run);
  for (const rank of run.structure.ranks) {
    redeem(run, rank, run.interestUnpaid, run.interestPaid, payment);
    redeem(run, rank, run.balance, run.principalPaid, payment);
  }
}

function redeem(
  run: WaterfallRun,
  rank: readonly number[],
  owed: Float64Array,
  paidTo: Float64Array,
  payment: StepPayment,
): void {
  for (const index of rank) {
    const due = owed[index];
    if (due === 0) continue;
    const one: StepPayment = { due, paid: 0, drawn: 0 };
    takeCash(run, 'PRINCIPAL', one);
    if (one.paid < due) draw(run, null, due - one.paid, one);
    owed[index] = due - one.paid;
    paidTo[index] += one.paid;
    payment.due += due;
    payment.paid += one.paid;
    payment.drawn += one.drawn;
  }
}

function atMostLimit(run: WaterfallRun, step: CompiledStep, amount: number): number {
  return step.limit && !run.calling ? Math.min(amount, sizeNow(run, step.limit)) : amount;
}

function total(values: Float64Array, indices: readonly number[]): number {
  let sum = 0;
  for (let n = 0; n < indices.length; n++) sum += values[indices[n]];
  return sum;
}
