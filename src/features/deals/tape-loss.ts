import { addDecimals, compareDecimals, formatDecimal, negateDecimal, parseDecimal } from '../../finance/decimal.ts';

/** The accepted loans of a version of a tape; the balance is an exact decimal text. */
export type TapeFigures = { loan_count: number; total_balance: string };

/** What is lost when one version takes the place of another; negative where it gains. */
export type TapeLoss = {
  loans: number;
  balance: string;
  /** More than half of the loans or more than half of the balance is lost: the new version waits for its owner. */
  most: boolean;
};

export function tapeLoss(inForce: TapeFigures, next: TapeFigures): TapeLoss {
  const [before, after] = [parseDecimal(inForce.total_balance), parseDecimal(next.total_balance)];
  const losesLoans = 2 * next.loan_count < inForce.loan_count;
  const losesBalance = compareDecimals(addDecimals(after, after), before) < 0;
  return {
    loans: inForce.loan_count - next.loan_count,
    balance: formatDecimal(addDecimals(before, negateDecimal(after))),
    most: losesLoans || losesBalance,
  };
}
