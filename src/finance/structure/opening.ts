import { formatDollars, toCents } from '../money.ts';
import type { LoanColumns } from '../loan-columns.ts';
import { type DefermentOf, rollLoans } from '../roll-loans.ts';
import type { IsoDate } from '../types.ts';
import { CARD_LOAN_TYPE } from './assumptions.ts';
import { fixingsOf, knownFixing, resetPlace } from './compiled-coupon.ts';
import type { CalculationOpening, CalculationPool } from './normal-request.ts';
import { buildPeriods, collectionMonths, type PoolDates, withPaidDates } from './periods.ts';
import type { Structure } from './structure.ts';

/** Months of collateral that the payments up to a period have distributed. */
export function monthsPaid(structure: Structure, { cutOff, closing }: PoolDates, period: number): number {
  return Math.max(0, collectionMonths(buildPeriods(structure, { cutOff, closing }, 0), period - 1).end);
}

/** Dates on which periods were paid, by index of the period. */
export const paidDatesOf = ({ state, payment_dates = [] }: CalculationOpening): Readonly<Record<number, IsoDate>> =>
  Object.fromEntries([...payment_dates.entries(), [state.period - 1, state.payment_date]]);

/** Floaters whose coupon was reset before the opening by a fixing that is not known. */
function unknownResets(structure: Structure, dates: PoolDates, opening: CalculationOpening): string[] {
  const { state } = opening;
  const periods = withPaidDates(buildPeriods(structure, dates, 1, state.period), paidDatesOf(opening));
  return structure.tranches.flatMap(({ tranche, coupon }) => {
    if (coupon?.type !== 'FLOATING') return [];
    const place = resetPlace(coupon.reset, periods, state.period);
    if (place === state.period || knownFixing(fixingsOf(structure, coupon.index), periods, place)) return [];
    return [
      `tranche "${tranche}" was reset by ${coupon.index} in period ${place + 1}, whose fixing is not known: the first rate of the curve stands for it`,
    ];
  });
}

/** The loans of the newest tape as they are supposed to be at the opening under a treatment of deferred interest, and what was supposed. */
export function rollToOpening(
  loans: LoanColumns,
  structure: Structure,
  pool: CalculationPool,
  defermentOf?: DefermentOf,
): { loans: LoanColumns; warnings: string[] } {
  const { opening } = pool;
  if (!opening) return { loans, warnings: [] };
  const { tape, state } = opening;
  const { period, pool_balance } = state;
  // A card account has no schedule.
  const months = pool.loanType === CARD_LOAN_TYPE ? 0 : monthsPaid(structure, pool, period) - (tape?.months ?? 0);
  const rolled = rollLoans(loans, months, pool_balance, defermentOf);
  const source = tape ? `the tape of period ${tape.period}` : 'the closing tape';
  const isAsReported = tape !== undefined && months === 0 && toCents(rolled.balance) === toCents(pool_balance);
  const dollars = (amount: number) => formatDollars(toCents(amount));
  const scheduled = months > 0 ? ` after ${months} ${months === 1 ? 'month' : 'months'} of their schedules` : '';
  return {
    loans: rolled.loans,
    warnings: [
      ...(opening.warnings ?? []),
      ...(isAsReported
        ? []
        : [
            `the loans are those of ${source}${scheduled}: their balance of ${dollars(rolled.balance)} is multiplied by ` +
              `${rolled.factor.toFixed(8)} to the ${dollars(pool_balance)} that the report of period ${period} has`,
          ]),
      `recoveries on loans that defaulted before the report of period ${period} are not known and taken as 0`,
      ...(rolled.resets > 0
        ? [
            `${rolled.resets} ${rolled.resets === 1 ? 'loan had resets before: it keeps' : 'loans had resets before: they keep'} the coupon of ${source} until ` +
              `${rolled.resets === 1 ? 'its' : 'their'} next reset`,
          ]
        : []),
      ...unknownResets(structure, pool, opening),
    ],
  };
}
