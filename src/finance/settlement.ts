import { adjustDate } from './calendar.ts';
import { addDays } from './dates.ts';
import { type PaymentEnds, yearFraction } from './daycount.ts';
import { type Decimal, multiplyDecimals, parseDecimal, rescale } from './decimal.ts';
import { formatCents, parseCents } from './money.ts';
import type { DayCount, IsoDate } from './types.ts';

/**
 * Terms of an interest accrual: coupon in percent a year as decimal text (null: none known), accruing from `from`, of a note that pays on
 * `paymentDay` of the month, where that is known.
 */
export type Accrual = { coupon: string | null; dayCount: DayCount; from: IsoDate; paymentDay?: number | null };

/** Amounts of a trade as decimal text: face and factor give the principal amount at a clean price; net adds accrued interest. */
export type TradeAmounts = {
  current_face: string;
  principal_amount: string;
  accrued_interest: string;
  net_amount: string;
};

/**
 * Amounts of a trade. Current face = face × factor, principal amount = current face × price / 100, net = principal amount +
 * accrued, each rounded to the cent half even (SIFMA Uniform Practices, settlement of mortgage-related securities).
 *
 * @param face original face in currency units, decimal text
 * @param factor current balance over original balance of the tranche, decimal text
 * @param price clean, per 100 of current face, decimal text
 * @param ex the trade is without the payment on which interest begins: settled before its date, it has the interest up to it with a minus
 * @param forgone the accruals of that interest in their order, where there are several or their coupon is another
 */
export function tradeAmounts(
  face: string,
  factor: string,
  price: string,
  accrual: Accrual,
  settlement: IsoDate,
  { ex = false, forgone = [{ ...accrual, from: settlement }] }: { ex?: boolean; forgone?: readonly Accrual[] } = {},
): TradeAmounts {
  const current_face = currentFace(face, factor);
  const principal_amount = marketValue(current_face, price);
  const accrued_interest =
    ex && settlement < accrual.from
      ? formatCents(-forgoneInterest(current_face, forgone, settlement, accrual.from))
      : accruedInterest(current_face, accrual, settlement);
  const net_amount = formatCents(parseCents(principal_amount) + parseCents(accrued_interest));
  return { current_face, principal_amount, accrued_interest, net_amount };
}

/** Interest of accruals from a date to another, in cents: each ends where the next begins. */
function forgoneInterest(current: string, accruals: readonly Accrual[], from: IsoDate, to: IsoDate): bigint {
  return accruals.reduce((sum, accrual, place) => {
    const begins = accrual.from > from ? accrual.from : from;
    const ends = accruals[place + 1]?.from ?? to;
    return sum + parseCents(interestBetween(current, accrual, begins, ends, true));
  }, 0n);
}

/** The terms of a tranche that a trade in it needs beside face and price. Numbers as decimal text. */
export type IssueTerms = {
  coupon: string | null;
  day_count: DayCount;
  dated_date: IsoDate;
  /** Interest is paid up to this date. */
  accrued_from: IsoDate;
  /** Day of the month on which it pays; null where its deal has no schedule of its own. */
  payment_day: number | null;
  factor: string;
  closing_date: IsoDate;
};

export type PricedTrade = Omit<TradeAmounts, 'current_face'> & {
  price: string;
  factor: string;
  trade_date: IsoDate;
  settlement_date: IsoDate;
  /** Where its interest begins. */
  accrued_from: IsoDate;
};

/**
 * The amounts of an accepted allocation at its price (clean, per 100 of current face, decimal text). It settles on the later of the closing
 * date and T+1, with interest from the dated date (or from the last payment, once there was one) up to settlement.
 */
export function priceTrade(face: string, price: string, terms: IssueTerms, today: IsoDate): PricedTrade {
  const settlement_date = settlementDate(today, terms.closing_date);
  const from = terms.accrued_from > terms.dated_date ? terms.accrued_from : terms.dated_date;
  const accrual = { coupon: terms.coupon, dayCount: terms.day_count, from, paymentDay: terms.payment_day };
  const { principal_amount, accrued_interest, net_amount } = tradeAmounts(face, terms.factor, price, accrual, settlement_date);
  return {
    price,
    factor: terms.factor,
    principal_amount,
    accrued_interest,
    net_amount,
    trade_date: today,
    settlement_date,
    accrued_from: from,
  };
}

/** Face × factor, rounded to the cent. */
function currentFace(face: string, factor: string): string {
  return cents(multiplyDecimals(parseDecimal(face), parseDecimal(factor)));
}

/** Current face × clean price / 100, rounded to the cent. */
function marketValue(current: string, price: string): string {
  return cents(multiplyDecimals(parseDecimal(current), perHundred(price)));
}

/**
 * Interest since the last payment date: current face × coupon × part of a year by the tranche's day count; 0 without a coupon
 * or before accrual begins.
 */
export function accruedInterest(current: string, accrual: Accrual, date: IsoDate): string {
  return interestBetween(current, accrual, accrual.from, date, false);
}

/** Interest of a part of an accrual; `isPaid`: it ends on the payment date. */
function interestBetween(
  current: string,
  { coupon, dayCount, from, paymentDay }: Accrual,
  begins: IsoDate,
  ends: IsoDate,
  isPaid: boolean,
): string {
  if (coupon === null || ends <= begins) return '0.00';
  const payments = {
    ...(paymentDay && begins === from ? { startDay: paymentDay } : {}),
    ...(paymentDay && isPaid ? { endDay: paymentDay } : {}),
  };
  const [days, basis] = exactFraction(dayCount, begins, ends, payments);
  const owed = multiplyDecimals(multiplyDecimals(parseDecimal(current), perHundred(coupon)), days);
  return cents({ units: (owed.units * 10n ** PRECISION) / basis, scale: owed.scale + Number(PRECISION) });
}

/** The later of the closing date and the business day after the trade (T+1, Federal Reserve calendar). */
export function settlementDate(tradeDate: IsoDate, closingDate: IsoDate): IsoDate {
  const next = adjustDate(addDays(tradeDate, 1), 'FOLLOWING', 'US_FED');
  return closingDate > next ? closingDate : next;
}

/** Digits kept of a quotient before it is rounded to the cent. */
const PRECISION = 12n;
const YEAR_DAYS: Partial<Record<DayCount, bigint>> = { '30/360': 360n, '30E/360': 360n, 'ACT/360': 360n, 'ACT/365': 365n };

/** The part of a year as whole days over a basis, where the day count has one; ACT/ACT as its own decimal over 1. */
function exactFraction(dayCount: DayCount, from: IsoDate, to: IsoDate, payments: PaymentEnds): [Decimal, bigint] {
  const years = yearFraction(dayCount, from, to, payments);
  const basis = YEAR_DAYS[dayCount];
  if (basis === undefined) return [parseDecimal(years.toFixed(12)), 1n];
  return [{ units: BigInt(Math.round(years * Number(basis))), scale: 0 }, basis];
}

function perHundred(text: string): Decimal {
  const value = parseDecimal(text);
  return { units: value.units, scale: value.scale + 2 };
}

function cents(value: Decimal): string {
  return formatCents(rescale(value, 2).units);
}
