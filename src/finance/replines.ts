import type { CollateralLoan } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** Width of a coupon band in percentage points: two loans of a repline differ by less. */
const RATE_BAND_PERCENT = 0.25;

/**
 * Groups loans of equal type, age, remaining term and special terms whose rates lie in the same band of 0.25 points
 * ([0, 0.25), [0.25, 0.5), …) into one loan each: balances, counts, tape payments and deferred interest add up, rate and original term are weighted by balance.
 * Ordered by first appearance. Throws RangeError when a rate is not a finite number.
 */
export function groupReplines(loans: Iterable<CollateralLoan>): CollateralLoan[] {
  const groups = new Map<string, CollateralLoan[]>();
  for (const loan of loans) {
    const key = replineKey(loan);
    const group = groups.get(key);
    if (group) group.push(loan);
    else groups.set(key, [loan]);
  }
  return [...groups.values()].map(mergeLoans);
}

function replineKey(loan: CollateralLoan): string {
  if (!Number.isFinite(loan.ratePercent)) throw new UnusableInputError(`rate of a loan is ${loan.ratePercent}`);
  // The epsilon keeps a 6.25 that is stored one unit too low out of the band that ends there.
  const band = Math.floor(loan.ratePercent / RATE_BAND_PERCENT + 1e-9);
  const { type, ageMonths, remainingMonths, interestOnlyMonths, balloonMonth, deferMonths, floating, steps } = loan;
  const paid = loan.scheduledPayment !== undefined;
  const deferred = loan.deferredInterest !== undefined;
  return JSON.stringify([
    type,
    ageMonths,
    remainingMonths,
    band,
    interestOnlyMonths,
    balloonMonth,
    deferMonths,
    floating,
    steps,
    paid,
    deferred,
  ]);
}

function mergeLoans(loans: readonly CollateralLoan[]): CollateralLoan {
  const first = loans[0];
  if (loans.length === 1) return { ...first, count: first.count ?? 1 };
  const balance = total(loans, (loan) => loan.balance);
  const weighted = (read: (loan: CollateralLoan) => number) =>
    balance > 0 ? total(loans, (loan) => loan.balance * read(loan)) / balance : read(first);
  const merged: CollateralLoan = {
    ...first,
    balance,
    ratePercent: weighted((loan) => loan.ratePercent),
    originalMonths: Math.round(weighted((loan) => loan.originalMonths)),
    count: total(loans, (loan) => loan.count ?? 1),
  };
  if (first.scheduledPayment !== undefined) merged.scheduledPayment = total(loans, (loan) => loan.scheduledPayment as number);
  if (first.deferredInterest !== undefined) merged.deferredInterest = total(loans, (loan) => loan.deferredInterest as number);
  return merged;
}

function total(loans: readonly CollateralLoan[], read: (loan: CollateralLoan) => number): number {
  return loans.reduce((sum, loan) => sum + read(loan), 0);
}
