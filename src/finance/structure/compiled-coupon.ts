import { addDays, dateParts } from '../dates.ts';
import { valueAt } from '../rates.ts';
import { type AmountContext, compileAmount, type CompiledAmount } from './compiled-amount.ts';
import { accrualYears, type PaymentPeriods } from './periods.ts';
import type { Coupon, Structure, Tranche } from './structure.ts';
import type { Amount } from './amount.ts';

/** A coupon that something of the period decides: the net rate of the loans, a trigger, or the coupons of others. */
export type CouponRule = {
  /** Fixed rate, or margin over the index in basis points; percent a year. */
  rate: CompiledAmount | null;
  marginBp: CompiledAmount | null;
  multiplier: number;
  floor: CompiledAmount | null;
  cap: CompiledAmount | null;
  carryOver: boolean;
  excess: boolean;
  /** By payment period, what a rate of 30-day months is multiplied with to be one of this day count. */
  ofDays: Float64Array | null;
};

export type CompiledCoupon = {
  /** Coupon by payment period, percent a year; 0 where a rule decides it. */
  couponPercent: Float64Array;
  /** Index of a floating coupon by payment period, percent a year, without margin, cap and floor; null where the coupon has none. */
  indexPercent: Float64Array | null;
  rule: CouponRule | null;
};

export type CouponContext = AmountContext & { indexCurves?: Record<string, readonly number[]> };

/** The request has no index curve for a floating tranche. */
export class MissingCurveError extends Error {
  override name = 'MissingCurveError';
  readonly path: string;
  constructor(index: string, path: string) {
    super(`no index curve for "${index}"`);
    this.path = path;
  }
}

/** Throws MissingCurveError for a floater with a period that neither a fixing nor a curve has. */
export function compileCoupon(tranche: Tranche, path: string, context: CouponContext): CompiledCoupon {
  const { coupon } = tranche;
  const { periods } = context;
  const nothing = new Float64Array(periods.count);
  if (!coupon) return { couponPercent: nothing, indexPercent: null, rule: null };
  const indexPercent = coupon.type === 'FLOATING' ? indexByPeriod(coupon, path, context) : null;
  const rule = compileRule(tranche, coupon, context);
  const couponPercent = isStatic(rule) ? couponsByPeriod(rule, indexPercent, periods.count) : null;
  if (couponPercent) return { couponPercent, indexPercent, rule: null };
  return { couponPercent: nothing, indexPercent, rule };
}

function compileRule(tranche: Tranche, coupon: Coupon, context: CouponContext): CouponRule {
  const rule: CouponRule = {
    rate: null,
    marginBp: null,
    multiplier: 1,
    floor: null,
    cap: null,
    carryOver: false,
    excess: coupon.type === 'EXCESS',
    ofDays: tranche.day_count === 'ACT/360' ? monthsToDays(context.periods) : null,
  };
  if (coupon.type === 'EXCESS') return rule;
  const limit = (amount: Amount | undefined, before: number) =>
    amount === undefined ? null : compileAmount(amount, 'RATE', context, before);
  rule.floor = limit(coupon.floor, Number.NEGATIVE_INFINITY);
  rule.cap = limit(coupon.cap, Number.POSITIVE_INFINITY);
  rule.carryOver = coupon.carry_over ?? false;
  if (coupon.type === 'FIXED') return { ...rule, rate: compileAmount(coupon.rate, 'RATE', context) };
  return { ...rule, marginBp: compileAmount(coupon.margin_bp, 'RATE', context), multiplier: coupon.multiplier ?? 1 };
}

/** The net rate of the loans is one of 30-day months: 30 over the days of an accrual by actual days. */
function monthsToDays(periods: PaymentPeriods): Float64Array {
  return accrualYears(periods, 'ACT/360').map((years) => periods.monthsPerPeriod / 12 / years);
}

const isStatic = ({ rate, marginBp, floor, cap, excess, carryOver }: CouponRule): boolean =>
  !excess &&
  !carryOver &&
  [rate, marginBp, floor, cap].every((part) => part === null || part.kind === 'FIXED' || part.kind === 'BY_PERIOD');

function couponsByPeriod(rule: CouponRule, indexPercent: Float64Array | null, count: number): Float64Array {
  return new Float64Array(count).map((_, index) => {
    const at = (amount: CompiledAmount | null, absent: number) => {
      if (amount === null) return absent;
      if (amount.kind === 'BY_PERIOD') return amount.values[index];
      return amount.kind === 'FIXED' ? amount.value : absent;
    };
    const given = indexPercent ? floatingRate(indexPercent[index], rule.multiplier, at(rule.marginBp, 0)) : at(rule.rate, 0);
    return Math.min(at(rule.cap, Number.POSITIVE_INFINITY), Math.max(at(rule.floor, Number.NEGATIVE_INFINITY), given));
  });
}

/** A holder never owes interest, such as that of an inverse floater whose index is high. */
export const atLeastZero = (coupon: number): number => Math.max(0, coupon);

export const floatingRate = (index: number, multiplier: number, marginBp: number): number => index * multiplier + marginBp / 100;

export type FloatingCoupon = Extract<Coupon, { type: 'FLOATING' }>;

/** A rate of an index, percent a year, and the first accrual day to which it applies. */
export type Fixing = { date: string; rate: number };

/** The index of each period: a fixing that is known for its accrual, else the curve. A coupon that is reset less often keeps its index. */
function indexByPeriod(coupon: FloatingCoupon, path: string, context: CouponContext): Float64Array {
  const { index, reset } = coupon;
  const { periods, structure, indexCurves = {} } = context;
  const curve = Object.hasOwn(indexCurves, index) ? indexCurves[index] : undefined;
  const fixings = fixingsOf(structure, index);
  // What was paid before the run starts has had its index.
  const values = new Float64Array(periods.count).fill(Number.NaN);
  for (let place = periods.start; place < periods.count; place++) {
    const resetAt = resetPlace(reset, periods, place);
    const known = knownFixing(fixings, periods, resetAt)?.rate;
    if (known === undefined && !curve?.length) throw new MissingCurveError(index, `${path}.index`);
    values[place] =
      known ??
      valueAt(
        curve ?? [],
        Math.max(1, fixingMonth(periods, resetAt - periods.start) - monthsBefore(periods, resetAt, reset?.lag_days ?? 0)),
      );
  }
  return values;
}

/** The indices that coupons and accounts follow. */
export function followedIndices({ tranches, accounts = [] }: Structure): string[] {
  const followed = [
    ...tranches.flatMap(({ coupon }) => (coupon?.type === 'FLOATING' ? [coupon.index] : [])),
    ...accounts.flatMap(({ earns }) => earns?.index ?? []),
  ];
  return [...new Set(followed)];
}

/** Fixings of an index that a structure gives, in the order of their dates. */
export function fixingsOf({ fixings = {} }: Pick<Structure, 'fixings'>, index: string): Fixing[] {
  return (Object.hasOwn(fixings, index) ? (fixings[index] ?? []) : []).toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

/** Index of the payment period whose index the coupon has in a period: that of its latest reset. */
export function resetPlace(
  reset: FloatingCoupon['reset'],
  { monthsPerPeriod }: Pick<PaymentPeriods, 'monthsPerPeriod'>,
  place: number,
): number {
  const every = Math.max(1, Math.round((reset?.every_months ?? monthsPerPeriod) / monthsPerPeriod));
  return place - (place % every);
}

/** The newest of some fixings, in the order of their dates, that applies on the first accrual day of a period and not on that of the one before. */
export function knownFixing(fixings: readonly Fixing[], periods: PaymentPeriods, place: number): Fixing | undefined {
  return fixingAt(fixings, accrualStartOf(periods, place), place === 0 ? undefined : accrualStartOf(periods, place - 1));
}

/** The same for an accrual by its first day and that of the one before. */
export const fixingAt = (fixings: readonly Fixing[], start: string, before = ''): Fixing | undefined =>
  fixings.findLast(({ date }) => date <= start && date > before);

export const accrualStartOf = ({ dates, datedDate }: PaymentPeriods, place: number): string =>
  dates[place - 1]?.paid ?? datedDate;

/** Month of the index curve at which the index of a payment period is set: the first of its accrual. */
export function fixingMonth({ monthsPerPeriod }: Pick<PaymentPeriods, 'monthsPerPeriod'>, index: number): number {
  return index * monthsPerPeriod + 1;
}

/** How many calendar months before its accrual an index is observed. */
function monthsBefore(periods: PaymentPeriods, place: number, lagDays: number): number {
  const start = dateParts(accrualStartOf(periods, place));
  const observed = dateParts(addDays(accrualStartOf(periods, place), -lagDays));
  return (start.year - observed.year) * 12 + start.month - observed.month;
}
