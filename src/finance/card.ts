import { compileSeverity } from './behaviour.ts';
import { liquidate } from './collateral-flows.ts';
import { valueAt } from './rates.ts';
import type { Assumptions, CardAssumptions, Collateral, CollateralLoan, CollateralSeries } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** Longest projection of a card pool; a pool that pays more slowly ends with a balance, of which the run warns. */
export const MAX_CARD_MONTHS = 600;

/** A pool below half a cent is paid in full. */
const PAID_OFF = 0.005;

/**
 * Cash flow of a credit card pool in amortization (no new purchases): of the opening balance B, charge-offs = B × charge-off / 12,
 * principal = B × payment rate, at most the remaining balance, finance charges = B × portfolio yield / 12. Charge-offs are liquidated after
 * `recoveryLagMonths` with `severityPercent`, as loan defaults are. Principal is scheduled principal; there are no prepayments. The rate
 * of the pool stays the average of its accounts at the cut-off.
 */
export function projectCards(
  loans: Iterable<CollateralLoan>,
  assumptions: Assumptions,
  card: CardAssumptions,
  series: CollateralSeries = {},
): Collateral {
  if (series.adjustment) {
    throw new UnusableInputError('a pool of credit cards has no scheduled payments whose present value could adjust its balance');
  }
  const lag = assumptions.recoveryLagMonths;
  const rows: CardMonth[] = [];
  let remaining = 0;
  let weighted = 0;
  for (const { balance, ratePercent } of loans) {
    remaining += balance;
    weighted += balance * ratePercent;
  }
  const average = remaining > 0 ? weighted / remaining : 0;
  while (remaining > 0 && rows.length < MAX_CARD_MONTHS) {
    const month = cardMonth(remaining, rows.length + 1, card);
    rows.push(month);
    remaining = month.closing;
  }
  const collateral = cardCollateral(rows, rows.length > 0 ? rows.length + lag : 0, assumptions);
  if (series.weightedRate) collateral.weightedRate = collateral.opening.map((balance) => balance * average);
  return collateral;
}

type CardMonth = { opening: number; principal: number; chargedOff: number; interest: number; closing: number };

function cardMonth(opening: number, month: number, card: CardAssumptions): CardMonth {
  const chargedOff = Math.min(opening, (opening * valueAt(card.chargeOffPercent, month)) / 1200);
  const interest = (opening * valueAt(card.portfolioYieldPercent, month)) / 1200;
  const paid = Math.min(opening - chargedOff, (opening * valueAt(card.paymentRatePercent, month)) / 100);
  const principal = opening - chargedOff - paid < PAID_OFF ? opening - chargedOff : paid;
  return { opening, principal, chargedOff, interest, closing: opening - chargedOff - principal };
}

function cardCollateral(rows: readonly CardMonth[], periods: number, assumptions: Assumptions): Collateral {
  const column = (read: (row: CardMonth) => number) => {
    const values = new Float64Array(periods);
    for (const [index, row] of rows.entries()) values[index] = read(row);
    return values;
  };
  const closing = column((row) => row.closing);
  closing.fill(rows.at(-1)?.closing ?? 0, rows.length);
  const opening = column((row) => row.opening);
  opening.fill(rows.at(-1)?.closing ?? 0, rows.length);
  const defaulted = column((row) => row.chargedOff);
  return {
    periods,
    opening,
    scheduledPrincipal: column((row) => row.principal),
    prepayment: new Float64Array(periods),
    defaulted,
    ...liquidations(defaulted, assumptions),
    interest: column((row) => row.interest),
    advancedPrincipal: new Float64Array(periods),
    advancedInterest: new Float64Array(periods),
    closing,
  };
}

function liquidations(defaulted: Float64Array, { recoveryLagMonths: lagMonths, severityPercent }: Assumptions) {
  const severity = compileSeverity(severityPercent, defaulted.length);
  const recovery = new Float64Array(defaulted.length);
  const loss = new Float64Array(defaulted.length);
  const pendingRecovery = new Float64Array(defaulted.length);
  liquidate(defaulted, { lagMonths, severity, severityOf: null }, recovery, loss, pendingRecovery);
  return { recovery, loss, pendingRecovery };
}
