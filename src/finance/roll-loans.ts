import { amortizedShare, fillSchedule, isLevelPay, MAX_TERM_MONTHS, scheduleMonths } from './amortization.ts';
import { LoanColumns } from './loan-columns.ts';
import type { CollateralLoan, FloatingTerms } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** A tape at a later month: its loans, what their balances were multiplied with, and how many have had resets whose index nobody gave. */
export type RolledLoans = { loans: LoanColumns; balance: number; factor: number; resets: number };

/**
 * The loans of a tape `months` months later, after their schedules without prepayment and default, their balances scaled so that they sum
 * to `balance` (currency units). A loan that has matured keeps its place with a balance of 0. Floating coupons stay as they were at the
 * cut-off until their next reset. Throws UnusableInputError where no scheduled balance is left to be scaled.
 */
export function rollLoans(loans: LoanColumns, months: number, balance: number): RolledLoans {
  const rolled: CollateralLoan[] = [];
  const workspace = { balance: new Float64Array(MAX_TERM_MONTHS + 1), interest: new Float64Array(MAX_TERM_MONTHS) };
  let sum = 0;
  let resets = 0;
  for (const loan of loans) {
    const level = isLevelPay(loan);
    const left = level ? levelBalance(loan, months) : specialBalance(loan, months, workspace);
    sum += left;
    if (left > 0 && loan.floating && (loan.floating.firstResetMonth ?? 1) <= months) resets++;
    rolled.push({ ...(level ? loan : laterTerms(loan, months)), ...laterAge(loan, months), balance: left });
  }
  if (sum <= 0 && balance > 0) {
    throw new UnusableInputError(
      `by their schedules all loans of the closing tape are paid after month ${months}, and the report has a pool of ${balance.toFixed(2)}`,
    );
  }
  const factor = sum > 0 ? balance / sum : 0;
  const scaled = new LoanColumns(rolled.length);
  for (const loan of rolled) {
    const { scheduledPayment } = loan;
    scaled.add({
      ...loan,
      balance: loan.balance * factor,
      ...(scheduledPayment === undefined ? {} : { scheduledPayment: scheduledPayment * factor }),
    });
  }
  return { loans: scaled, balance: sum, factor, resets };
}

const laterAge = ({ remainingMonths, ageMonths }: CollateralLoan, months: number) => ({
  remainingMonths: Math.max(0, remainingMonths - months),
  ageMonths: ageMonths + months,
});

function levelBalance({ balance, ratePercent, remainingMonths }: CollateralLoan, months: number): number {
  const term = Math.max(1, remainingMonths);
  return months >= term ? 0 : balance * amortizedShare(ratePercent / 1200, term, months);
}

type Schedule = { balance: Float64Array; interest: Float64Array };

function specialBalance({ floating: _kept, ...loan }: CollateralLoan, months: number, { balance, interest }: Schedule): number {
  if (months >= scheduleMonths(loan)) return 0;
  fillSchedule(loan, {}, balance, interest);
  return balance[months];
}

/** The terms of a loan counted from a later month. */
function laterTerms(loan: CollateralLoan, months: number): CollateralLoan {
  const { interestOnlyMonths, balloonMonth, deferMonths, floating, steps, scheduledPayment, ...rest } = loan;
  const passed = steps?.findLast(({ fromMonth }) => fromMonth <= months);
  const ahead = (steps ?? []).filter(({ fromMonth }) => fromMonth > months);
  const later = (count: number | undefined) => (count !== undefined && count > months ? count - months : undefined);
  const [interestOnly, deferred] = [later(interestOnlyMonths), later(deferMonths)];
  return {
    ...rest,
    ...(passed ? { ratePercent: passed.ratePercent } : {}),
    ...(ahead.length > 0 ? { steps: ahead.map((step) => ({ ...step, fromMonth: step.fromMonth - months })) } : {}),
    ...(interestOnly === undefined ? {} : { interestOnlyMonths: interestOnly }),
    ...(deferred === undefined ? {} : { deferMonths: deferred }),
    ...(balloonMonth === undefined ? {} : { balloonMonth: Math.max(1, balloonMonth - months) }),
    ...(floating ? { floating: laterResets(floating, months) } : {}),
    // A payment holds until the coupon changes.
    ...(scheduledPayment === undefined || (passed && passed.ratePercent !== loan.ratePercent) ? {} : { scheduledPayment }),
  };
}

function laterResets(floating: FloatingTerms, months: number): FloatingTerms {
  const { firstResetMonth = 1, resetMonths = 1 } = floating;
  const first = firstResetMonth - months;
  return { ...floating, firstResetMonth: first >= 1 ? first : first + Math.ceil((1 - first) / resetMonths) * resetMonths };
}
