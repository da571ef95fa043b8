import {
  accruedInterest,
  cleanPrice,
  presentValue,
  sensitivity,
  valueFromPrice,
  weightedAverageLife,
  yearsFromSettlement,
  yieldFromValue,
} from '../bond.ts';
import { spreadAtWal } from '../curve.ts';
import { fromCents, roundHalfEven, roundToCent, toCents } from '../money.ts';
import type { Collateral } from '../types.ts';
import type { BreakEven } from './break-even.ts';
import type { CompiledStructure } from './compiled-structure.ts';
import type { WaterfallFlows } from './flows.ts';
import type { TrancheMeasures } from './tranche-measures.ts';
import type { NormalRequest } from './normal-request.ts';
import { accrualStart } from './periods.ts';
import type { PoolRow, TrancheRow } from './rows.ts';

/** The pool over its life; WAL in years from settlement, money in currency units. */
export type CollateralResult = {
  wal: number | null;
  principal: number;
  interest: number;
  loss: number;
  last_period: number | null;
};

/** A tranche over its life. Price per 100, yield and durations null for the residual and where nothing is paid. */
export type TrancheResult = {
  tranche: string;
  class: string;
  wal: number | null;
  first_period: number | null;
  last_period: number | null;
  principal: number;
  interest: number;
  /** Paid of what caps cut, beside `interest`; absent where nothing is carried over. */
  carry_over_paid?: number;
  /** Balance written off and balance that is unpaid at the end. */
  write_down: number;
  price: number | null;
  yield: number | null;
  modified_duration: number | null;
  convexity: number | null;
  spread_bp: number | null;
} & Partial<TrancheMeasures> &
  Partial<BreakEven>;

/** Terms under which tranches are priced. */
export type PricingTerms = Pick<NormalRequest, 'settlementDate' | 'prices' | 'yields' | 'yieldBasis' | 'benchmark'>;

const DECIMALS = 8;

/** Result of the pool. Principal is scheduled, prepaid and advanced principal and recoveries, so principal + loss = opening balance. */
export function collateralResult(
  structure: CompiledStructure,
  grouped: Collateral,
  rows: readonly PoolRow[],
  settlement: string,
): CollateralResult {
  const principal = grouped.scheduledPrincipal.map(
    (scheduled, index) => scheduled + grouped.prepayment[index] + grouped.recovery[index] + grouped.advancedPrincipal[index],
  );
  const paidIn = (row: PoolRow) => row.scheduled_principal + row.prepayment + row.recovery + row.advanced_principal;
  return {
    wal: rounded(weightedAverageLife(paymentYears(structure, settlement), principal)),
    principal: sumCents(rows, paidIn),
    interest: sumCents(rows, (row) => row.interest),
    loss: sumCents(rows, (row) => row.loss),
    last_period: rows.findLast((row) => paidIn(row) >= LEAST_PRINCIPAL)?.period ?? null,
  };
}

/** A balance below it is not priced. A period pays principal when it pays at least a cent; the limit is slightly lower because sums of cents are doubles. */
export const LEAST_PRINCIPAL = 0.0099;

/** Result of one tranche: totals of its rows, and price, yield, durations and spread at settlement. */
export function trancheResult(
  structure: CompiledStructure,
  flows: WaterfallFlows,
  trancheIndex: number,
  rows: readonly TrancheRow[],
  terms: PricingTerms,
): TrancheResult {
  const tranche = structure.tranches[trancheIndex];
  const years = paymentYears(structure, terms.settlementDate);
  const wal = weightedAverageLife(years, flows.tranches[trancheIndex].principal);
  const paying = rows.filter((row) => row.principal >= LEAST_PRINCIPAL);
  return {
    tranche: tranche.name,
    class: tranche.className,
    wal: rounded(wal),
    first_period: paying[0]?.period ?? null,
    last_period: paying.at(-1)?.period ?? null,
    principal: sumCents(rows, (row) => row.principal),
    interest: sumCents(rows, (row) => row.interest_paid),
    ...(tranche.couponRule?.carryOver ? { carry_over_paid: sumCents(rows, (row) => row.carry_over_paid ?? 0) } : {}),
    write_down: tranche.residual ? 0 : roundToCent(sumCents(rows, (row) => row.write_down) + (rows.at(-1)?.closing ?? 0)),
    ...priceTranche(structure, flows, trancheIndex, years, wal, terms),
  };
}

type Pricing = Pick<TrancheResult, 'price' | 'yield' | 'modified_duration' | 'convexity' | 'spread_bp'>;

const NOT_PRICED: Pricing = { price: null, yield: null, modified_duration: null, convexity: null, spread_bp: null };

function priceTranche(
  structure: CompiledStructure,
  flows: WaterfallFlows,
  trancheIndex: number,
  years: Float64Array,
  wal: number | null,
  { settlementDate, prices, yields, yieldBasis, benchmark }: PricingTerms,
): Pricing {
  const { name, residual, notional } = structure.tranches[trancheIndex];
  const { balance, accrued } = atSettlement(structure, flows, trancheIndex, years, settlementDate);
  if ((residual && !notional) || balance < LEAST_PRINCIPAL) return NOT_PRICED;
  const cash = { years, amounts: cashOf(flows, trancheIndex) };
  const givenYield = Object.hasOwn(yields, name) ? yields[name] : undefined;
  const price =
    givenYield === undefined
      ? ((Object.hasOwn(prices, name) ? prices[name] : undefined) ?? 100)
      : cleanPrice(presentValue(cash, givenYield, yieldBasis), accrued, balance);
  const yieldPercent = givenYield ?? yieldFromValue(cash, valueFromPrice(price, accrued, balance), yieldBasis);
  if (yieldPercent === null) return { ...NOT_PRICED, price: rounded(price) };
  const moves = sensitivity(cash, yieldPercent, yieldBasis);
  return {
    price: rounded(price),
    yield: rounded(yieldPercent),
    modified_duration: rounded(moves?.modified ?? null),
    convexity: rounded(moves?.convexity ?? null),
    spread_bp: benchmark && wal !== null ? rounded(spreadAtWal(yieldPercent, benchmark.points, wal)) : null,
  };
}

/** Principal, interest and carry-over paid to a tranche, by payment period. */
export function cashOf({ tranches }: WaterfallFlows, trancheIndex: number): Float64Array {
  const { principal, interestPaid, carryOverPaid } = tranches[trancheIndex];
  return principal.map((paid, index) => paid + interestPaid[index] + carryOverPaid[index]);
}

/** Balance delivered at settlement, the interest accrued on it since the last payment date, and the index of the period of the next. */
export function atSettlement(
  structure: CompiledStructure,
  flows: WaterfallFlows,
  trancheIndex: number,
  years: Float64Array,
  settlement: string,
) {
  const tranche = structure.tranches[trancheIndex];
  const next = years.findIndex((time) => time > 0);
  const index = next === -1 ? years.length : next;
  const { opening, closing, coupon: coupons } = flows.tranches[trancheIndex];
  const balance = index === structure.periods.start ? (opening[index] ?? 0) : closing[index - 1];
  const coupon = coupons[Math.min(index, coupons.length - 1)] ?? 0;
  const { dayCount } = tranche;
  const { paymentDay } = structure.periods;
  const from = accrualStart(structure.periods, dayCount, settlement);
  return { index, start: from, balance, accrued: accruedInterest(balance, { coupon, dayCount, from, paymentDay }, settlement) };
}

/** Years from settlement to each payment date, 30/360 on the dates as paid. */
export function paymentYears(structure: CompiledStructure, settlement: string): Float64Array {
  return yearsFromSettlement(
    settlement,
    structure.periods.dates.map(({ paid }) => paid),
  );
}

export function rounded(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : roundHalfEven(value, DECIMALS);
}

function sumCents<Row>(rows: readonly Row[], read: (row: Row) => number): number {
  return fromCents(rows.reduce((cents, row) => cents + toCents(read(row)), 0));
}
