import { addMonths, dateParts, daysInMonth, isoDate } from '../dates.ts';
import { yearFraction } from '../daycount.ts';
import { MONTHS_BETWEEN_PAYMENTS, type PaymentDate, paymentDates, type ScheduleTerms } from '../schedule.ts';
import type { DayCount, IsoDate } from '../types.ts';
import type { Structure } from './structure.ts';

/** Dates of the pool from which payment dates are derived. */
export type PoolDates = { cutOff: IsoDate; closing: IsoDate };

/** The dates of a pool as its records name them. */
export const datesOf = ({ cut_off_date, closing_date }: { cut_off_date: IsoDate; closing_date: IsoDate }): PoolDates => ({
  cutOff: cut_off_date,
  closing: closing_date,
});

/** Which months of collateral payment dates distribute. */
type CollectionTerms = {
  monthsPerPeriod: number;
  delayMonths: number;
  /** Collateral months of the first payment date. */
  firstMonths: number;
  /** Index of the first period that a run pays: what was paid before it is in the state from which it starts. */
  start: number;
};

/** The payment dates of a deal. Index 0 is payment period 1. */
export type PaymentPeriods = CollectionTerms & {
  count: number;
  dates: PaymentDate[];
  /** Day of the month of the dates; in shorter months they are on the last. */
  paymentDay: number;
  /** Interest accrues from here. */
  datedDate: IsoDate;
  firstAccrual: 'FULL' | 'ACTUAL';
  /** Whether the first two dates are a whole period apart on the unadjusted calendar. */
  regular: boolean;
};

/** The collateral months of a payment period: from index `first` up to `end`; below 0 where none has been collected yet. */
export function collectionMonths(
  { monthsPerPeriod, delayMonths, firstMonths, start }: CollectionTerms,
  index: number,
): { first: number; end: number } {
  const place = index - start;
  const before = place === 0 ? 0 : firstMonths + (place - 1) * monthsPerPeriod;
  return { first: before - delayMonths, end: before + (place === 0 ? firstMonths : monthsPerPeriod) - delayMonths };
}

/** Months that the figures of a payment period are of: those that it collects, or those between payments while nothing has been collected. */
export const monthsReported = (payment: Structure['payment'], period: number): number =>
  monthsCollected(collectionTerms(payment), period - 1);

/** The same by the index of a period of a run. */
export function monthsCollected(terms: CollectionTerms, index: number): number {
  const { first, end } = collectionMonths(terms, index);
  return end > 0 ? end - Math.max(0, first) : terms.monthsPerPeriod;
}

/** Those of a deal whose first payment is still to come. */
function collectionTerms(payment: Structure['payment']): CollectionTerms {
  const { frequency = 'MONTHLY', delay_months: delayMonths = 0, first_collection_months } = payment ?? {};
  const monthsPerPeriod = MONTHS_BETWEEN_PAYMENTS[frequency];
  return { monthsPerPeriod, delayMonths, firstMonths: first_collection_months ?? monthsPerPeriod, start: 0 };
}

/** The periods with the dates on which some were paid, by index, in place of the calendar's. */
export const withPaidDates = (periods: PaymentPeriods, paid: Readonly<Record<number, IsoDate>>): PaymentPeriods => ({
  ...periods,
  dates: periods.dates.map((date, index) => ({ ...date, paid: paid[index] ?? date.paid })),
});

/** The first `count` payment periods of a deal: the first of them may distribute more months than there are between payments. */
export function firstPeriods(payment: Structure['payment'], dates: PoolDates, count: number): PaymentPeriods {
  const structure: Structure = { tranches: [], waterfall: [], ...(payment ? { payment } : {}) };
  const { monthsPerPeriod, firstMonths, delayMonths } = buildPeriods(structure, dates, 0);
  const months = Math.max(1, firstMonths + (count - 1) * monthsPerPeriod - delayMonths);
  const periods = buildPeriods(structure, dates, months);
  return { ...periods, count, dates: periods.dates.slice(0, count) };
}

/** The dates on which the first `count` periods of a deal are paid by its calendar. */
export const calendarDates = ({ payment }: Structure, dates: PoolDates, count: number): IsoDate[] =>
  firstPeriods(payment, dates, count).dates.map(({ paid }) => paid);

const DEFAULT_PAYMENT_DAY = 15;

/**
 * Payment dates that distribute `collateralMonths` months of collateral: payment k takes the months (k − 1)m + 1 … km, less the delay,
 * where m is the months between payments.
 */
export function buildPeriods(structure: Structure, dates: PoolDates, collateralMonths: number, start = 0): PaymentPeriods {
  const payment = structure.payment ?? {};
  const whole = collectionTerms(payment);
  const { monthsPerPeriod } = whole;
  // The collateral of a run that starts later follows what was distributed, if anything was.
  const delayMonths =
    start === 0 ? whole.delayMonths : Math.max(0, whole.delayMonths - whole.firstMonths - (start - 1) * monthsPerPeriod);
  const firstMonths = start === 0 ? whole.firstMonths : monthsPerPeriod;
  const firstPaymentDate = payment.first_payment_date ?? defaultFirstDate(dates, monthsPerPeriod, payment.payment_day);
  const terms: ScheduleTerms = { firstPaymentDate, frequency: payment.frequency ?? 'MONTHLY' };
  if (payment.payment_day !== undefined) terms.paymentDay = payment.payment_day;
  if (payment.business_day !== undefined) terms.businessDay = payment.business_day;
  if (payment.calendar !== undefined) terms.calendar = payment.calendar;
  const months = collateralMonths + delayMonths;
  const first = months > 0 ? 1 : 0;
  const count = start + first + Math.max(0, Math.ceil((months - firstMonths) / monthsPerPeriod));
  const { year, month, day } = dateParts(firstPaymentDate);
  return {
    count,
    monthsPerPeriod,
    delayMonths,
    firstMonths,
    start,
    dates: paymentDates(terms, count),
    paymentDay: payment.payment_day ?? day,
    datedDate: payment.dated_date ?? dates.closing,
    firstAccrual: payment.first_accrual ?? 'FULL',
    // Day 31 is the 28th in February.
    regular: payment.payment_day === undefined || Math.min(payment.payment_day, daysInMonth(year, month)) === day,
  };
}

function defaultFirstDate({ cutOff, closing }: PoolDates, monthsPerPeriod: number, paymentDay = DEFAULT_PAYMENT_DAY): IsoDate {
  const { year, month } = dateParts(cutOff);
  const monthStart = isoDate(year, month, 1);
  let months = monthsPerPeriod;
  while (addMonths(monthStart, months, paymentDay) <= closing) months++;
  return addMonths(monthStart, months, paymentDay);
}

/**
 * Accrual of each payment period in years. 30/360 runs between unadjusted dates, so a regular period is an exact part of a year;
 * the other day counts run between paid dates. The first period is a whole one of 30-day months (FULL) or counts from the dated date.
 */
export function accrualYears(periods: PaymentPeriods, dayCount: DayCount): Float64Array {
  const { count, monthsPerPeriod, dates, regular, paymentDay } = periods;
  const thirty = dayCount === '30/360' || dayCount === '30E/360';
  const years = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const date = dates[index];
    const previous = dates[index - 1];
    if (!previous) years[index] = firstAccrualYears(periods, dayCount, thirty ? date.unadjusted : date.paid);
    else if (!thirty) years[index] = yearFraction(dayCount, previous.paid, date.paid);
    else if (index > 1 || regular) years[index] = monthsPerPeriod / 12;
    else
      years[index] = yearFraction(dayCount, previous.unadjusted, date.unadjusted, { startDay: paymentDay, endDay: paymentDay });
  }
  return years;
}

function firstAccrualYears(
  { firstAccrual, datedDate, monthsPerPeriod, paymentDay }: PaymentPeriods,
  dayCount: DayCount,
  end: IsoDate,
): number {
  if (firstAccrual === 'ACTUAL') return yearFraction(dayCount, datedDate, end, { startDay: paymentDay, endDay: paymentDay });
  return (30 * monthsPerPeriod) / (dayCount === 'ACT/365' || dayCount === 'ACT/ACT' ? 365 : 360);
}

/** Date from which interest accrues to a settlement date: the last payment date on or before it, else the dated date. */
export function accrualStart(periods: PaymentPeriods, dayCount: DayCount, settlement: IsoDate): IsoDate {
  const thirty = dayCount === '30/360' || dayCount === '30E/360';
  let start = periods.datedDate;
  for (const date of periods.dates) {
    if (date.paid > settlement) break;
    start = thirty ? date.unadjusted : date.paid;
  }
  return start;
}
