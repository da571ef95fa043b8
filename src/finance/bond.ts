import { days30360, yearFraction } from './daycount.ts';
import type { ZeroCurve } from './curve.ts';
import { findBracket, findRoot, NoRootError } from './solve.ts';
import type { DayCount, IsoDate } from './types.ts';

/** Compounding of a quoted yield: semi-annual bond equivalent, or monthly (mortgage yield). */
export type YieldBasis = 'BEY' | 'MONTHLY';

/** Cash flows after settlement: amounts in currency units at `years` from settlement, one entry each. */
export type Flows = { years: ArrayLike<number>; amounts: ArrayLike<number> };

const COMPOUNDING_PER_YEAR: Record<YieldBasis, number> = { BEY: 2, MONTHLY: 12 };

/**
 * Years from settlement to each date, 30/360; the time axis of yields, durations and WAL (BMA Standard Formulas, chapter SF, F). The 31st
 * after a settlement on the 30th, no day later on that count, counts as a later date: it is still to be paid.
 */
export function yearsFromSettlement(settlement: IsoDate, dates: readonly IsoDate[]): Float64Array {
  return Float64Array.from(
    dates,
    (date) => Math.max(days30360(settlement, date), date > settlement ? 1 : Number.NEGATIVE_INFINITY) / 360,
  );
}

/**
 * Value of flows at a yield in percent: Σ amount × (1 + y/k)^(−k·t), currency units. It includes accrued interest. Flows on
 * or before settlement (t ≤ 0) are out. Source: BMA Standard Formulas SF-48; QuantLib `CashFlows::npv`.
 */
export function presentValue(flows: Flows, yieldPercent: number, basis: YieldBasis = 'BEY'): number {
  const k = COMPOUNDING_PER_YEAR[basis];
  return discounted(flows, k * Math.log1p(yieldPercent / 100 / k));
}

/**
 * Yield in percent at which flows are worth `value` (price and accrued, currency units), or null when there is none: no positive
 * flow, or a value not above zero.
 */
export function yieldFromValue(flows: Flows, value: number, basis: YieldBasis = 'BEY'): number | null {
  const force = forceOfInterest(flows, value);
  if (force === null) return null;
  const k = COMPOUNDING_PER_YEAR[basis];
  return 100 * k * Math.expm1(force / k);
}

/** Durations in years and convexity in years², static: the flows do not move with the yield. */
export type Sensitivity = { macaulay: number; modified: number; convexity: number };

/**
 * Macaulay duration Σ t·PV / P, modified duration = Macaulay / (1 + y/k) and convexity (1/P) d²P/dy² = Σ t(t + 1/k)·PV / P / (1 + y/k)²
 * at a yield in percent. Source: BMA Standard Formulas SF-49 to SF-51. Null when the flows are worth nothing.
 */
export function sensitivity(flows: Flows, yieldPercent: number, basis: YieldBasis = 'BEY'): Sensitivity | null {
  const k = COMPOUNDING_PER_YEAR[basis];
  const growth = 1 + yieldPercent / 100 / k;
  const force = k * Math.log(growth);
  let value = 0;
  let first = 0;
  let second = 0;
  for (let index = 0; index < flows.years.length; index++) {
    const t = flows.years[index];
    if (t <= 0) continue;
    const pv = flows.amounts[index] * Math.exp(-force * t);
    value += pv;
    first += t * pv;
    second += t * (t + 1 / k) * pv;
  }
  if (!(value > 0)) return null;
  return { macaulay: first / value, modified: first / value / growth, convexity: second / value / growth ** 2 };
}

/** Parallel shift of the curves for effective measures, percent: 25 basis points. */
export const EFFECTIVE_SHIFT_PERCENT = 0.25;

/** Values at rates as they are, and under parallel shifts down and up, each with the cash flows of those rates. */
export type ShiftedValues = { down: number; base: number; up: number };

/** Effective duration in years: (P− − P+) / (2·P·dy). */
export function effectiveDuration({ down, base, up }: ShiftedValues, shiftPercent = EFFECTIVE_SHIFT_PERCENT): number {
  return (down - up) / (2 * base * (shiftPercent / 100));
}

/** Effective convexity in years²: (P− + P+ − 2P) / (P·dy²). */
export function effectiveConvexity({ down, base, up }: ShiftedValues, shiftPercent = EFFECTIVE_SHIFT_PERCENT): number {
  return (down + up - 2 * base) / (base * (shiftPercent / 100) ** 2);
}

/**
 * Weighted average life in years: Σ t × principal / Σ principal, interest and losses excluded; principal on or before
 * settlement is out. Null when no principal is left.
 */
export function weightedAverageLife(years: ArrayLike<number>, principal: ArrayLike<number>): number | null {
  let weighted = 0;
  let total = 0;
  for (let index = 0; index < years.length; index++) {
    const t = years[index];
    if (t <= 0) continue;
    weighted += t * principal[index];
    total += principal[index];
  }
  return total > 0 ? weighted / total : null;
}

/** Terms of an interest accrual: coupon in percent a year, accruing from `from`, of a note that pays on `paymentDay` of the month. */
export type CouponAccrual = { coupon: number; dayCount: DayCount; from: IsoDate; paymentDay: number };

/** Interest earned since the last payment date, currency units: balance × coupon × year fraction. Zero before `from`. */
export function accruedInterest(
  balance: number,
  { coupon, dayCount, from, paymentDay }: CouponAccrual,
  settlement: IsoDate,
): number {
  if (settlement <= from) return 0;
  return (balance * coupon * yearFraction(dayCount, from, settlement, { startDay: paymentDay })) / 100;
}

/** Clean price per 100 of balance of a value that includes accrued interest; all in currency units. */
export function cleanPrice(value: number, accrued: number, balance: number): number {
  return (100 * (value - accrued)) / balance;
}

/** Value with accrued interest of a clean price per 100. */
export function valueFromPrice(price: number, accrued: number, balance: number): number {
  return (price * balance) / 100 + accrued;
}

/** Value of flows at a spread in basis points over the semi-annual zero rates of a curve: Σ amount × (1 + (z + s)/2)^(−2t). */
export function valueAtSpread({ years, amounts }: Flows, spreadBp: number, curve: ZeroCurve): number {
  let sum = 0;
  for (let index = 0; index < years.length; index++) {
    const t = years[index];
    if (t > 0) sum += amounts[index] * (1 + curve.zeroPercent(t) / 200 + spreadBp / 20_000) ** (-2 * t);
  }
  return sum;
}

/**
 * Z-spread in basis points: the constant that added to the semi-annual zero rates makes the flows worth `value`. Null when none does.
 */
export function zSpread(flows: Flows, value: number, curve: ZeroCurve): number | null {
  if (!(value > 0) || !hasPositiveFlow(flows)) return null;
  return rootOrNull((spread) => Math.log(valueAtSpread(flows, spread * 1e4, curve) / value), -0.05, 0.2, [-1.5, 50], 1e4);
}

/** Flows of a floater: amount, length of its accrual in years and index rate in percent of that accrual; ascending. */
export type FloaterFlows = { amounts: ArrayLike<number>; accrualYears: ArrayLike<number>; indexPercent: ArrayLike<number> };

/**
 * Discount margin in basis points: the constant over the projected index at which the flows are worth `value`; each period is
 * discounted by 1 / (1 + (index + margin) × its length) (BMA Standard Formulas SF-52). Null when none does.
 */
export function discountMargin(flows: FloaterFlows, value: number): number | null {
  const valueAtMargin = (margin: number) => {
    let sum = 0;
    let factor = 1;
    for (let index = 0; index < flows.amounts.length; index++) {
      factor /= 1 + (flows.indexPercent[index] / 100 + margin) * flows.accrualYears[index];
      sum += factor * flows.amounts[index];
    }
    return sum;
  };
  if (!(value > 0)) return null;
  return rootOrNull((margin) => Math.log(valueAtMargin(margin) / value), -0.02, 0.05, [-0.9, 20], 1e4);
}

function discounted({ years, amounts }: Flows, force: number): number {
  let sum = 0;
  for (let index = 0; index < years.length; index++) {
    const t = years[index];
    if (t > 0) sum += amounts[index] * Math.exp(-force * t);
  }
  return sum;
}

/**
 * Continuous yield at which the flows are worth `value`. The logarithm of the value is convex and falls in the yield, so one root
 * exists for flows that are not negative, and the search in it is nearly linear.
 */
function forceOfInterest(flows: Flows, value: number): number | null {
  if (!(value > 0) || !hasPositiveFlow(flows)) return null;
  return rootOrNull((force) => Math.log(discounted(flows, force) / value), -0.05, 0.25, [-20, 200], 1);
}

function rootOrNull(
  f: (x: number) => number,
  low: number,
  high: number,
  range: readonly [number, number],
  scale: number,
): number | null {
  try {
    const [a, b] = findBracket(f, low, high, range);
    return scale * findRoot(f, a, b);
  } catch (error) {
    if (error instanceof NoRootError) return null;
    throw error;
  }
}

function hasPositiveFlow(flows: Flows): boolean {
  for (let index = 0; index < flows.years.length; index++) {
    if (flows.years[index] > 0 && flows.amounts[index] > 0) return true;
  }
  return false;
}
