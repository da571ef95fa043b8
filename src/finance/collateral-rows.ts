import { type Cents, tieOut, toCents } from './money.ts';
import type { Collateral } from './types.ts';

/** One month of a collateral cash flow in whole cents; the identities of `Collateral` hold without a remainder. */
export type CollateralRow = {
  /** Projection month, 1 = first. */
  period: number;
  opening: Cents;
  scheduledPrincipal: Cents;
  prepayment: Cents;
  defaulted: Cents;
  recovery: Cents;
  loss: Cents;
  interest: Cents;
  advancedPrincipal: Cents;
  advancedInterest: Cents;
  pendingRecovery: Cents;
  closing: Cents;
};

/**
 * Rounds a projection to the cent so that every row ties: opening − scheduled principal − prepayment − defaulted = closing, closing
 * is the next opening, and pending recoveries roll. Balances are rounded on their own; flows take largest remainders and carry what
 * they lost into the next month, so that no column drifts from its exact sum by more than a few cents. With `exactCash` the interest of a
 * month that capitalises some is such that the cash of the month is the rounded cash, which is 0 where none is paid.
 */
export function collateralRows(collateral: Collateral, exactCash = false): CollateralRow[] {
  const principalCarry = [0, 0, 0];
  const liquidationCarry = [0, 0, 0];
  const noise = SUM_NOISE * Math.abs(collateral.opening[0] ?? 0);
  let opening = collateral.periods > 0 ? toCents(collateral.opening[0]) : 0;
  let pending = 0;
  const rows: CollateralRow[] = [];
  for (let month = 0; month < collateral.periods; month++) {
    const at = (flow: Float64Array) => flow[month];
    const closing = toCents(at(collateral.closing));
    const principal = [at(collateral.scheduledPrincipal), at(collateral.prepayment), at(collateral.defaulted)];
    const [scheduledPrincipal, prepayment, defaulted] = tieWithCarry(principal, principalCarry, opening - closing, noise);
    const liquidated = [at(collateral.recovery), at(collateral.loss), at(collateral.advancedPrincipal)];
    const pendingBefore = pending + defaulted;
    const idle = liquidated.every((amount) => amount === 0);
    // Interest that joins a defaulted balance is an advance below zero, and the only thing that raises what is pending.
    const highest = liquidated[2] < 0 ? Number.POSITIVE_INFINITY : pendingBefore;
    const pendingAfter = idle ? pendingBefore : Math.min(highest, toCents(at(collateral.pendingRecovery)));
    const [recovery, loss, advancedPrincipal] = tieWithCarry(liquidated, liquidationCarry, pendingBefore - pendingAfter, noise);
    rows.push({
      period: month + 1,
      opening,
      scheduledPrincipal,
      prepayment,
      defaulted,
      recovery,
      loss,
      interest: interestOf(at(collateral.interest), at(collateral.scheduledPrincipal), scheduledPrincipal, exactCash),
      advancedPrincipal,
      advancedInterest: interestOf(
        at(collateral.advancedInterest),
        at(collateral.advancedPrincipal),
        advancedPrincipal,
        exactCash,
      ),
      pendingRecovery: pendingAfter,
      closing,
    });
    opening = closing;
    pending = pendingAfter;
  }
  return rows;
}

/** Interest in cents; with `exactCash`, where a part of it joins the balance, such that the rest of it is the rounded rest. */
function interestOf(interest: number, principal: number, principalCents: Cents, exactCash: boolean): Cents {
  return exactCash && principal < 0 ? toCents(interest + principal) - principalCents : toCents(interest);
}

/** Amounts below this are rounding of doubles. */
const DUST = 1e-6;

/** Rounding error of sums of doubles over millions of loans, as a share of the opening pool. */
const SUM_NOISE = 1e-10;

/**
 * Ties three parts to a total in cents; `carry` holds the rounding remainders of earlier rows for each part, in currency units. A difference within
 * `noise` is rounding of doubles and goes to the largest part; a larger one is a defect, and throws.
 */
function tieWithCarry(parts: readonly number[], carry: number[], totalCents: Cents, noise: number): [Cents, Cents, Cents] {
  // Interest that joins the balance makes a part negative: the others then take their own cents, and it takes the rest.
  const least = Math.min(...parts);
  if (totalCents < 0 || least < -DUST) return tieAround(parts.indexOf(least), parts, carry, totalCents, noise);
  // A part with a flow stays above zero, so that a cent never goes to a part without one.
  const due = parts.map((part, index) => (part === 0 ? 0 : Math.max(1e-9, part + carry[index])));
  const gap = totalCents / 100 - due.reduce((sum, part) => sum + part, 0);
  const largest = due.indexOf(Math.max(...due));
  if (Math.abs(gap) <= noise) due[largest] = Math.max(0, due[largest] + gap);
  const cents = tieOut(due, totalCents);
  for (const [index, part] of parts.entries()) carry[index] = part + carry[index] - cents[index] / 100;
  return [cents[0], cents[1], cents[2]];
}

function tieAround(
  negative: number,
  parts: readonly number[],
  carry: number[],
  totalCents: Cents,
  noise: number,
): [Cents, Cents, Cents] {
  const due = parts.map((part, index) => part + carry[index]);
  const cents = due.map((part, index) => (parts[index] === 0 ? 0 : toCents(Math.max(0, part))));
  cents[negative] = totalCents - cents.reduce((sum, each, index) => (index === negative ? sum : sum + each), 0);
  const gap = cents[negative] / 100 - due[negative];
  if (Math.abs(gap) > Math.max(noise, 0.05)) throw new RangeError(`flows miss their balances by ${gap} and do not add up`);
  for (const [index, part] of due.entries()) carry[index] = part - cents[index] / 100;
  return [cents[0], cents[1], cents[2]];
}
