import {
  accruedInterest,
  cleanPrice,
  type Flows,
  presentValue,
  valueFromPrice,
  type YieldBasis,
  yearsFromSettlement,
  yieldFromValue,
} from '../bond.ts';
import { roundDown } from '../money.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../schedule.ts';
import type { IsoDate } from '../types.ts';
import { compileStructure } from './compiled-structure.ts';
import type { CalculationOpening } from './normal-request.ts';
import { accrualStart, type PoolDates } from './periods.ts';
import type { TrancheRow } from './rows.ts';
import type { Structure } from './structure.ts';

/** The cash of a tranche after settlement as its cash flow rows report it, with what a clean price needs; currency units. */
export type TrancheCash = { flows: Flows; balance: number; accrued: number; basis: YieldBasis };

/** How the calculation that reported the rows prices. */
export type CashTerms = PoolDates & {
  settlementDate: IsoDate;
  yieldBasis: YieldBasis;
  /** Index rates by projected month, percent a year. */
  indexCurves: Record<string, readonly number[]>;
  /** The payment from which the calculation starts; absent for the closing date. */
  opening?: Pick<CalculationOpening['state'], 'period' | 'payment_date'>;
};

/** The columns of a tranche's rows that its price reads. */
export type PricedRow = Pick<
  TrancheRow,
  'period' | 'date' | 'opening' | 'interest_paid' | 'principal' | 'carry_over_paid' | 'coupon'
>;

const PRICE_DECIMALS = 6;

/**
 * The cash of a tranche from its rows, one for each payment date, by the rules by which the calculation priced it. Null for a tranche that
 * has no price: unknown, residual, or without a balance at settlement.
 */
export function trancheCash(
  structure: Structure,
  name: string,
  rows: readonly PricedRow[],
  { settlementDate, yieldBasis, indexCurves, cutOff, closing, opening }: CashTerms,
): TrancheCash | null {
  const { frequency = 'MONTHLY', first_collection_months = 0 } = structure.payment ?? {};
  const { periods, tranches } = compileStructure(structure, {
    cutOff,
    closing,
    // At least as many periods as there are rows.
    collateralMonths: rows.length * MONTHS_BETWEEN_PAYMENTS[frequency] + first_collection_months,
    indexCurves,
    poolOriginal: 0,
    ...(opening ? { paidPeriods: opening.period, paidDates: { [opening.period - 1]: opening.payment_date } } : {}),
  });
  const tranche = tranches.find((each) => each.name === name);
  const first = rows.find((row) => row.date > settlementDate);
  if (!tranche || tranche.residual || !first || first.opening < 0.01) return null;
  const { dayCount, couponPercent } = tranche;
  const coupon = first.coupon ?? couponPercent[first.period - 1] ?? 0;
  const from = accrualStart(periods, dayCount, settlementDate);
  return {
    flows: {
      years: yearsFromSettlement(
        settlementDate,
        rows.map((row) => row.date),
      ),
      amounts: rows.map((row) => row.principal + row.interest_paid + (row.carry_over_paid ?? 0)),
    },
    balance: first.opening,
    accrued: accruedInterest(first.opening, { coupon, dayCount, from, paymentDay: periods.paymentDay }, settlementDate),
    basis: yieldBasis,
  };
}

/**
 * Clean price per 100 of balance at which the cash yields `yieldPercent`, decimal text with 6 decimals: present value less accrued interest,
 * rounded down, so that whoever pays it never earns less than that yield.
 */
export function priceAtYield({ flows, balance, accrued, basis }: TrancheCash, yieldPercent: number): string {
  return roundDown(cleanPrice(presentValue(flows, yieldPercent, basis), accrued, balance), PRICE_DECIMALS);
}

/** Yield in percent of a clean price per 100; null when there is none. */
export function yieldAtPrice({ flows, balance, accrued, basis }: TrancheCash, price: number): number | null {
  return yieldFromValue(flows, valueFromPrice(price, accrued, balance), basis);
}
