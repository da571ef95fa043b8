import { amortizedShare, deferredMonths, fillFirstMonths, isLevelPay, scheduleMonths } from './amortization.ts';
import type { LoanColumns } from './loan-columns.ts';
import type { CollateralLoan, DefermentInterest, FloatingTerms, RateStep } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** A tape at a later month: its loans, what their balances were multiplied with, and how many have had resets whose index nobody gave. */
export type RolledLoans = { loans: LoanColumns; balance: number; factor: number; resets: number };

/** What becomes of the deferred interest of each loan, by its place in the tape. */
export type DefermentOf = (index: number) => DefermentInterest;

/**
 * The loans of a tape `months` months later, after their schedules without prepayment and default, their balances scaled so that they sum
 * to `balance` (currency units). A loan that has matured keeps its place with a balance of 0. Floating coupons stay as they were at the
 * cut-off until their next reset. Rolled loans go on as theirs would have only under the treatment of deferred interest that they were
 * rolled with. Throws UnusableInputError where no scheduled balance is left to be scaled.
 */
export function rollLoans(
  loans: LoanColumns,
  months: number,
  balance: number,
  defermentOf: DefermentOf = capitalised,
): RolledLoans {
  const left = levelBalances(loans, months);
  const deferred = new Map<number, number>();
  const schedule = { balance: new Float64Array(months + 1), interest: new Float64Array(months) };
  let resets = 0;
  for (const [index, loan] of loans.special) {
    if (isLevelPay(loan)) continue;
    left[index] = specialBalance(loan, months, defermentOf(index), schedule);
    if (loan.deferMonths || loan.deferredInterest)
      deferred.set(index, deferredInterest(loan, months, defermentOf(index), schedule));
    if (left[index] > 0 && loan.floating && (loan.floating.firstResetMonth ?? 1) <= months) resets++;
  }
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += left[index];
  if (sum <= 0 && balance > 0) {
    throw new UnusableInputError(
      `by their schedules all loans of the closing tape are paid after month ${months}, and the report has a pool of ${balance.toFixed(2)}`,
    );
  }
  const factor = sum > 0 ? balance / sum : 0;
  for (let index = 0; index < left.length; index++) left[index] *= factor;
  const rolled = loans.later(months, left, (loan, index) =>
    laterLoan(loan, months, factor, left[index], (deferred.get(index) ?? 0) * factor),
  );
  return { loans: rolled, balance: sum, factor, resets };
}

const capitalised: DefermentOf = () => 'CAPITALISE';

/** Balances of the loans of a tape `months` months later, after their schedules without prepayment and default, in their order. */
export function scheduledBalances(loans: LoanColumns, months: number): Float64Array {
  const left = levelBalances(loans, months);
  const schedule = { balance: new Float64Array(months + 1), interest: new Float64Array(months) };
  for (const [index, loan] of loans.special) {
    if (!isLevelPay(loan)) left[index] = specialBalance(loan, months, capitalised(index), schedule);
  }
  return left;
}

/** Balances of all loans as if each were level pay. */
function levelBalances(loans: LoanColumns, months: number): Float64Array {
  const balance = loans.column('balance');
  const ratePercent = loans.column('ratePercent');
  const remainingMonths = loans.column('remainingMonths');
  const left = new Float64Array(loans.length);
  for (let index = 0; index < left.length; index++) {
    const term = Math.max(1, remainingMonths[index]);
    left[index] = months >= term ? 0 : balance[index] * amortizedShare(ratePercent[index] / 1200, term, months);
  }
  return left;
}

type Schedule = { balance: Float64Array; interest: Float64Array };

/** Balance of a special loan after `months`. Fills the schedule until then, but of a loan that has matured. */
function specialBalance(loan: CollateralLoan, months: number, treatment: DefermentInterest, schedule: Schedule): number {
  if (months >= scheduleMonths(loan)) return 0;
  // Interest that is spread leaves the balance as interest that is paid does, and is wanted in its months.
  const defermentInterest = treatment === 'SPREAD' ? 'PAY' : treatment;
  fillFirstMonths(loan, months, { defermentInterest }, schedule.balance, schedule.interest);
  return schedule.balance[months];
}

/** Interest of the deferred months until `months` that a rolled loan still has to tell from its balance, or to pay. */
function deferredInterest(loan: CollateralLoan, months: number, treatment: DefermentInterest, schedule: Schedule): number {
  const { balance, deferredInterest: before = 0 } = loan;
  const term = scheduleMonths(loan);
  if (months >= term || treatment === 'PAY') return 0;
  const deferMonths = deferredMonths(loan, term);
  if (treatment === 'CAPITALISE') return months < deferMonths ? schedule.balance[months] - (balance - before) : 0;
  let accrued = before;
  for (let month = 1; month <= Math.min(months, deferMonths); month++) accrued += schedule.interest[month - 1];
  return months <= deferMonths ? accrued : (accrued * (term - months)) / (term - deferMonths);
}

/**
 * A special loan with its terms counted from a later month, scaled. Each field is set where it is needed, in one order: a copy of an object
 * without some of its fields costs more than its schedule.
 */
function laterLoan(loan: CollateralLoan, months: number, factor: number, balance: number, deferred: number): CollateralLoan {
  const { count, type, interestOnlyMonths = 0, balloonMonth, floating, scheduledPayment, deferMonths = 0 } = loan;
  const steps = floating ? undefined : loan.steps;
  const later: CollateralLoan = {
    balance,
    ratePercent: loan.ratePercent,
    remainingMonths: Math.max(0, loan.remainingMonths - months),
    ageMonths: loan.ageMonths + months,
    originalMonths: loan.originalMonths,
  };
  if (count !== undefined) later.count = count;
  if (type !== undefined) later.type = type;
  if (interestOnlyMonths > months) later.interestOnlyMonths = interestOnlyMonths - months;
  if (balloonMonth !== undefined) later.balloonMonth = Math.max(1, balloonMonth - months);
  if (floating) later.floating = laterResets(floating, months);
  // A payment holds until the coupon changes.
  const hasNewPayment = steps?.some(({ fromMonth, ratePercent }) => fromMonth <= months && ratePercent !== loan.ratePercent);
  if (scheduledPayment !== undefined && !hasNewPayment) later.scheduledPayment = scheduledPayment * factor;
  if (deferMonths > months) later.deferMonths = deferMonths - months;
  if (deferred > 0) later.deferredInterest = deferred;
  if (steps) addLaterSteps(later, steps, months);
  return later;
}

function addLaterSteps(later: CollateralLoan, steps: readonly RateStep[], months: number): void {
  const passed = steps.findLast(({ fromMonth }) => fromMonth <= months);
  if (passed) later.ratePercent = passed.ratePercent;
  const ahead = steps.filter(({ fromMonth }) => fromMonth > months);
  if (ahead.length > 0) later.steps = ahead.map((step) => ({ ...step, fromMonth: step.fromMonth - months }));
}

function laterResets(floating: FloatingTerms, months: number): FloatingTerms {
  const { firstResetMonth = 1, resetMonths = 1 } = floating;
  const first = firstResetMonth - months;
  return { ...floating, firstResetMonth: first >= 1 ? first : first + Math.ceil((1 - first) / resetMonths) * resetMonths };
}
