import { amountNow } from './amount-now.ts';
import { type CompiledStep, RELEASE_APART, RELEASE_TO_POT } from './compiled-structure.ts';
import { limitOf } from './gates.ts';
import { type Paying, payList, shareOut } from './payees.ts';
import type { StepKind } from './structure.ts';
import { accountsNow, CENTS_TOLERANCE, notesNow, roundDue, sumOf, type StepPayment, type WaterfallRun } from './waterfall-run.ts';

/**
 * Performs a step: it pays the least of the amount due, its limit and the available cash, and draws on accounts for the shortfall. The
 * result is in `run.payment`.
 */
export function performStep(run: WaterfallRun, step: CompiledStep): void {
  const payment = resetPayment(run);
  if (step.pay === 'FEE') payDues(run, step, run.feeUnpaid, run.feePaid, payment);
  else if (step.pay === 'INTEREST') payDues(run, step, run.interestUnpaid, run.interestPaid, payment);
  else if (step.pay === 'CARRY_OVER') payDues(run, step, run.carryOver, run.carryOverPaid, payment);
  else if (step.pay === 'PRINCIPAL') payPrincipal(run, step, payment);
  else if (step.pay === 'WRITTEN_DOWN') payWrittenDown(run, step, payment);
  else if (step.pay === 'RESERVE') fillAccounts(run, step, payment);
  else payResidual(run, step, payment);
  if (step.limitPerYear) run.paidInYear[run.stepIndex] += payment.paid;
}

/** Overwrites the payment of the previous step with zeros. */
function resetPayment({ payment }: WaterfallRun): StepPayment {
  payment.due = 0;
  payment.paid = 0;
  payment.drawn = 0;
  return payment;
}

/** Pays fees, interest or carry-over, including unpaid amounts of earlier periods. */
function payDues(run: WaterfallRun, step: CompiledStep, dues: Float64Array, paidTo: Float64Array, payment: StepPayment): void {
  payment.due = atMostLimit(run, step, sumOf(dues, step.to));
  takeCash(run, step.pay, payment);
  if (payment.paid > 0) distribute(run, step, payment.paid, { owed: dues, paidTo, shares: 'DUE' });
  if (step.pay === 'FEE') run.feesPaid += payment.paid;
}

function payPrincipal(run: WaterfallRun, step: CompiledStep, payment: StepPayment): void {
  const balances = sumOf(run.balance, step.to);
  const matured = atMostLimit(run, step, run.calling ? balances : maturedBalance(run, step));
  const due = atMostLimit(run, step, Math.min(balances, roundDue(run, amountNow(run, step.amount, step.to))));
  payment.due = Math.max(due, matured);
  takeCash(run, 'PRINCIPAL', payment);
  if (matured > payment.paid) draw(run, null, matured - payment.paid, payment);
  if (payment.paid < payment.due) drawApart(run, payment);
  const unpaidNotes = notesNow(run) - payment.paid;
  // Accounts that cover every note retire them, as an indenture lets the trustee do.
  const most = atMostLimit(run, step, balances);
  if (unpaidNotes > CENTS_TOLERANCE && most > payment.paid && unpaidNotes <= accountsNow(run)) {
    payment.due = most;
    draw(run, null, most - payment.paid, payment);
  }
  if (payment.paid > 0)
    distribute(run, step, payment.paid, { owed: run.balance, paidTo: run.principalPaid, shares: 'PRINCIPAL' });
  run.principalSpent += payment.paid;
  run.principalShort += payment.due - payment.paid;
}

/** Pays principal that was written off, as if it were reinstated and paid at once. */
function payWrittenDown(run: WaterfallRun, step: CompiledStep, payment: StepPayment): void {
  payment.due = atMostLimit(run, step, sumOf(run.writtenOff, step.to));
  takeCash(run, step.pay, payment);
  if (payment.paid <= 0) return;
  const before = step.to.map((index) => run.writtenOff[index]);
  distribute(run, step, payment.paid, { owed: run.writtenOff, paidTo: run.principalPaid, shares: 'DUE' });
  for (const [place, index] of step.to.entries()) {
    const { writeDown } = run.flows.tranches[index];
    writeDown[run.periodIndex] = writeDown[run.periodIndex] - (before[place] - run.writtenOff[index]);
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
    const missing = Math.min(targetNow(run, index), notes) - run.account[index];
    if (missing < 0) release(run, index, -missing);
    else if (missing > 0) deposit(run, step, index, missing, payment);
  }
}

function targetNow(run: WaterfallRun, index: number): number {
  const { target, nonDeclining } = run.structure.accounts[index];
  const size = roundDue(run, amountNow(run, target));
  if (!nonDeclining) return size;
  run.highestTarget[index] = Math.max(run.highestTarget[index], size);
  return run.highestTarget[index];
}

function deposit(run: WaterfallRun, step: CompiledStep, index: number, missing: number, payment: StepPayment): void {
  const due = step.limit ? Math.min(missing, Math.max(0, limitOf(run, run.stepIndex) - payment.paid)) : missing;
  const amount = Math.max(0, Math.min(due, run.availableCash));
  run.account[index] += amount;
  run.availableCash -= amount;
  run.deposited += amount;
  run.accountDeposited[index] += amount;
  payment.due += due;
  payment.paid += amount;
}

/** Moves cash from an account to the pot, or keeps it apart for steps of principal and for whoever it is released to. */
export function release(run: WaterfallRun, index: number, amount: number): void {
  run.account[index] = run.account[index] - amount;
  if (run.structure.accounts[index].releaseTo === RELEASE_TO_POT) {
    run.availableCash += amount;
    run.released += amount;
    run.accountReleased[index] += amount;
  } else run.apart[index] += amount;
}

/** Pays what accounts released outside the steps and no step of principal drew. */
export function payApart(run: WaterfallRun): void {
  for (let index = 0; index < run.apart.length; index++) {
    const amount = run.apart[index];
    if (amount === 0) continue;
    run.apart[index] = 0;
    run.accountReleased[index] += amount;
    const { releaseTo } = run.structure.accounts[index];
    if (releaseTo === RELEASE_APART) {
      run.releasedApart += amount;
      continue;
    }
    // A tranche gets it as a residual tranche gets its share.
    run.interestDue[releaseTo] += amount;
    run.interestPaid[releaseTo] += amount;
  }
}

/** Pays all remaining cash to the first payee; PRO_RATA shares it by balance, or evenly when all balances are zero. */
function payResidual(run: WaterfallRun, step: CompiledStep, payment: StepPayment): void {
  const amount = Math.max(0, atMostLimit(run, step, run.availableCash));
  const weight = step.proRata ? sumOf(run.balance, step.to) : 0;
  const shares = step.proRata && run.structure.unit !== 1 ? wholeShares(run, step.to, amount, weight) : null;
  for (let n = 0; n < step.to.length; n++) {
    const index = step.to[n];
    const even = n === 0 ? 1 : 0;
    const share = !step.proRata ? even : weight > 0 ? run.balance[index] / weight : 1 / step.to.length;
    const paid = shares ? shares[n] : amount * share;
    run.interestDue[index] += paid;
    run.interestPaid[index] += paid;
  }
  run.availableCash -= amount;
  payment.due = amount;
  payment.paid = amount;
}

function wholeShares(run: WaterfallRun, to: readonly number[], amount: number, weight: number): number[] {
  const weights = to.map((index) => (weight > 0 ? run.balance[index] : 1));
  return shareOut(
    run,
    amount,
    weights,
    weights.map((each) => (each > 0 ? amount : 0)),
  );
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
    if (kind !== null && !covers(run, index, kind)) continue;
    const taken = Math.min(missing, run.account[index]);
    run.account[index] = run.account[index] - taken;
    run.drawn += taken;
    run.accountDrawn[index] += taken;
    payment.drawn += taken;
    payment.paid += taken;
    missing -= taken;
  }
}

function covers({ structure, stepIndex }: WaterfallRun, index: number, kind: StepKind): boolean {
  const { draws, drawSteps } = structure.accounts[index];
  return draws.includes(kind) || drawSteps.includes(stepIndex);
}

/** Draws what accounts released outside the steps for principal that is short. */
function drawApart(run: WaterfallRun, payment: StepPayment): void {
  for (let index = 0; index < run.apart.length; index++) {
    const taken = Math.min(payment.due - payment.paid, run.apart[index]);
    if (taken <= 0) continue;
    run.apart[index] = run.apart[index] - taken;
    run.drawn += taken;
    run.accountDrawn[index] += taken;
    payment.drawn += taken;
    payment.paid += taken;
  }
}

/** Deducts `amount` from the amounts owed to the payees, in sequence, pro rata or by their groups. */
function distribute(run: WaterfallRun, step: CompiledStep, amount: number, paying: Paying): void {
  const { owed, paidTo } = paying;
  if (step.groups || (step.proRata && run.structure.unit !== 1)) {
    payList(run, step.payees, amount, paying);
    return;
  }
  const totalOwed = step.proRata ? sumOf(owed, step.to) : 0;
  const share = totalOwed > amount ? amount / totalOwed : 1;
  let remaining = amount;
  for (let n = 0; n < step.to.length && remaining > 0; n++) {
    const index = step.to[n];
    const due = owed[index];
    const paid = step.proRata ? due * share : Math.min(due, remaining);
    owed[index] = due - paid;
    paidTo[index] += paid;
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
    if (one.paid < due) drawApart(run, one);
    owed[index] = due - one.paid;
    paidTo[index] += one.paid;
    payment.due += due;
    payment.paid += one.paid;
    payment.drawn += one.drawn;
  }
}

function atMostLimit(run: WaterfallRun, step: CompiledStep, amount: number): number {
  return step.limit && !run.calling ? Math.min(amount, limitOf(run, run.stepIndex)) : amount;
}
