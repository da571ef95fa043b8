import { collateralRows } from '../collateral-rows.ts';
import { fromCents, roundHalfEven, toCents, type Cents } from '../money.ts';
import type { Collateral, IsoDate } from '../types.ts';
import { amountNow } from './amount-now.ts';
import type { CompiledAmount } from './compiled-amount.ts';
import { collectionMonths } from './periods.ts';
import type { CompiledStructure } from './compiled-structure.ts';
import type { WaterfallFlows, TrancheFlows } from './flows.ts';
import { fromUnit } from './unit.ts';
import { createWaterfallRun, resetWaterfallRun } from './waterfall-run.ts';

/*
 * Cash flows as reported: rounded to the cent so that every row ties (opening + accreted − principal − write-down = closing,
 * due − paid = shortfall) and every opening balance is the previous closing balance.
 */

/** A tranche on one payment date. `write_down` is negative where written-off balance is reinstated. */
export type TrancheRow = {
  period: number;
  date: IsoDate;
  opening: number;
  /** Interest of the period and interest unpaid before; for the residual, its payments. */
  interest_due: number;
  interest_paid: number;
  interest_shortfall: number;
  /** Interest added to the balance instead of paid. */
  accreted: number;
  principal: number;
  write_down: number;
  /** Interest that a cap cut: paid now, and still owed; absent where nothing is carried over. */
  carry_over_paid?: number;
  carry_over?: number;
  /** Percent a year; absent where the structure gives it for every period. */
  coupon?: number;
  closing: number;
  /** Closing over original balance, of a notional over that of the closing date, 8 decimals. */
  factor: number;
};

/** The pool in one payment period. `closing` is performing balance. */
export type PoolRow = {
  period: number;
  date: IsoDate;
  opening: number;
  scheduled_principal: number;
  prepayment: number;
  default: number;
  recovery: number;
  loss: number;
  /** Principal that the servicer advances on defaulted balance. */
  advanced_principal: number;
  interest: number;
  fees: number;
  closing: number;
};

/** Rows of one tranche, one per payment date. */
export function trancheRows(structure: CompiledStructure, flows: WaterfallFlows, trancheIndex: number): TrancheRow[] {
  const tranche = flows.tranches[trancheIndex];
  const { original, notional, couponRule } = structure.tranches[trancheIndex];
  const { start, dates } = structure.periods;
  const whole = notional ? originalNotional(structure, tranche, notional) : original / structure.unit;
  let opening = toCents(start === 0 ? original / structure.unit : (tranche.opening[start] ?? 0));
  return dates.slice(start).map(({ paid }, place) => {
    const index = start + place;
    if (notional) opening = toCents(tranche.opening[index]);
    const closing = toCents(Math.max(0, tranche.closing[index]));
    const moves = notional ? NO_MOVES : tieBalance(tranche, index, opening, closing);
    const due = toCents(tranche.interestDue[index]);
    const interest = Math.min(due, toCents(tranche.interestPaid[index]));
    const row: TrancheRow = {
      period: index + 1,
      date: paid,
      opening: fromCents(opening),
      interest_due: fromCents(due),
      interest_paid: fromCents(interest),
      interest_shortfall: fromCents(due - interest),
      accreted: fromCents(moves.accreted),
      principal: fromCents(moves.principal),
      write_down: fromCents(moves.writeDown),
      ...(couponRule ? { coupon: roundHalfEven(tranche.coupon[index], 8) } : {}),
      ...(couponRule?.carryOver
        ? {
            carry_over_paid: fromCents(toCents(tranche.carryOverPaid[index])),
            carry_over: fromCents(toCents(tranche.carryOver[index])),
          }
        : {}),
      closing: fromCents(closing),
      factor: whole > 0 ? roundHalfEven(fromCents(closing) / whole, 8) : 0,
    };
    opening = closing;
    return row;
  });
}

/** What a notional was at the closing date, currency units; a run that starts later has not seen it. */
function originalNotional(structure: CompiledStructure, { opening }: TrancheFlows, notional: CompiledAmount): number {
  if (structure.periods.start === 0) return opening[0] ?? 0;
  const run = createWaterfallRun(structure);
  resetWaterfallRun(run);
  run.poolBeginning = structure.poolOriginal;
  run.poolCurrent = structure.poolOriginal;
  run.openingBalance.set(run.balance);
  return fromUnit(amountNow(run, notional), structure.unit);
}

/** A notional balance moves with those that it is of. */
const NO_MOVES = { accreted: 0, principal: 0, writeDown: 0 };

/** The movements of a balance in cents, such that they reconcile opening and closing; a rounding cent goes to a movement that is not zero. */
export function tieBalance(
  tranche: TrancheFlows,
  index: number,
  opening: Cents,
  closing: Cents,
): { accreted: Cents; principal: Cents; writeDown: Cents } {
  const principal = tranche.principal[index];
  const writeDown = tranche.writeDown[index];
  const rounded = toCents(tranche.accreted[index]);
  const unchanged = principal < DUST && Math.abs(writeDown) < DUST;
  const rise = closing - opening - rounded;
  // Only accretion raises a balance, so a cent that nothing else explains counts as accretion.
  const accreted = unchanged || (rise > 0 && writeDown > -DUST) ? rounded + rise : rounded;
  const fall = opening + accreted - closing;
  if (Math.abs(writeDown) < DUST) return { accreted, principal: fall, writeDown: 0 };
  if (principal < DUST) return { accreted, principal: 0, writeDown: fall };
  const written = Math.min(toCents(writeDown), fall);
  return { accreted, principal: fall - written, writeDown: written };
}

/** Amounts below this are rounding of doubles. */
const DUST = 1e-6;

const COLLATERAL_SUMS = [
  'scheduledPrincipal',
  'prepayment',
  'defaulted',
  'recovery',
  'loss',
  'interest',
  'advancedPrincipal',
  'advancedInterest',
] as const;

const COLLATERAL_ARRAYS = ['opening', ...COLLATERAL_SUMS, 'pendingRecovery', 'closing'] as const;

/** Collateral summed over the months that each payment date distributes: the same shape, a payment period in place of a month. */
export function collateralByPeriod({ periods }: CompiledStructure, collateral: Collateral): Collateral {
  const { count } = periods;
  const arrays = Object.fromEntries(COLLATERAL_ARRAYS.map((name) => [name, new Float64Array(count)]));
  const grouped = { ...(arrays as Omit<Collateral, 'periods' | 'omittedDefaults'>), periods: count };
  for (let index = 0; index < count; index++) {
    const months = collectionMonths(periods, index);
    const { first } = months;
    const end = Math.min(months.end, collateral.periods);
    for (let month = Math.max(0, first); month < end; month++) {
      for (const name of COLLATERAL_SUMS) grouped[name][index] = grouped[name][index] + collateral[name][month];
    }
    grouped.opening[index] = balanceAfter(collateral, Math.max(0, first));
    grouped.closing[index] = balanceAfter(collateral, end);
    grouped.pendingRecovery[index] = end > 0 ? collateral.pendingRecovery[end - 1] : 0;
  }
  return grouped;
}

function balanceAfter(collateral: Collateral, months: number): number {
  if (months <= 0) return collateral.opening[0] ?? 0;
  return collateral.closing[Math.min(months, collateral.periods) - 1] ?? 0;
}

/** Rows of the pool, one per payment date, from collateral summed by `collateralByPeriod`. */
export function poolRows(structure: CompiledStructure, flows: WaterfallFlows, grouped: Collateral): PoolRow[] {
  const { dates, start } = structure.periods;
  const rows = collateralRows(grouped, structure.unit !== 1).slice(start);
  return rows.map((row, place) => ({
    period: row.period,
    date: dates[start + place].paid,
    opening: fromCents(row.opening),
    scheduled_principal: fromCents(row.scheduledPrincipal),
    prepayment: fromCents(row.prepayment),
    default: fromCents(row.defaulted),
    recovery: fromCents(row.recovery),
    loss: fromCents(row.loss),
    advanced_principal: fromCents(row.advancedPrincipal),
    interest: fromCents(row.interest + row.advancedInterest),
    fees: fromCents(toCents(flows.feesPaid[start + place])),
    closing: fromCents(row.closing),
  }));
}
