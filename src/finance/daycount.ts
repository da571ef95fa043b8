import { dateParts, dayNumber, daysBetween, daysInMonth, isLeapYear, isoDate } from './dates.ts';
import type { DayCount, IsoDate } from './types.ts';

/**
 * Part of a year between two dates; negative when `end` is earlier.
 *
 * - `30/360`: bond basis, ISDA 2006 definitions 4.16(f): day 31 of the start becomes 30, day 31 of the end becomes 30 when the
 *   start is the 30th or later. The end of February is another day only where `payments` says so.
 * - `30E/360`: Eurobond basis, 4.16(g): day 31 becomes 30 on both sides.
 * - `ACT/360`, `ACT/365` (fixed): calendar days over 360 or 365, 4.16(e) and (d).
 * - `ACT/ACT`: ISDA, 4.16(b): days in leap years over 366 plus the other days over 365.
 */
export function yearFraction(dayCount: DayCount, start: IsoDate, end: IsoDate, payments: PaymentEnds = {}): number {
  switch (dayCount) {
    case '30/360':
      return days30360(start, end, payments) / 360;
    case '30E/360':
      return days30E360(start, end, payments) / 360;
    case 'ACT/360':
      return daysBetween(start, end) / 360;
    case 'ACT/365':
      return daysBetween(start, end) / 365;
    case 'ACT/ACT':
      return actualActualIsda(start, end);
  }
}

/**
 * Which ends of an accrual are payment dates of a note: the day of the month on which it pays, up to 31. Where that is past the end of
 * February, the last day of February counts as that day, so that a month from payment to payment has 30 days: the end-of-month rule of
 * 30/360 (SIFMA, Standard Securities Calculation Methods; ISDA 2006 4.16(h)), for any such payment day.
 */
export type PaymentEnds = { startDay?: number; endDay?: number };

/** Days between two dates on the bond basis, ISDA 2006 4.16(f). */
export function days30360(start: IsoDate, end: IsoDate, { startDay, endDay }: PaymentEnds = {}): number {
  const from = scheduledParts(start, startDay);
  const to = scheduledParts(end, endDay);
  const fromDay = Math.min(from.day, 30);
  return days360(from, fromDay, to, to.day === 31 && fromDay === 30 ? 30 : to.day);
}

/** Days between two dates on the Eurobond basis, ISDA 2006 4.16(g). */
export function days30E360(start: IsoDate, end: IsoDate, { startDay, endDay }: PaymentEnds = {}): number {
  const from = scheduledParts(start, startDay);
  const to = scheduledParts(end, endDay);
  return days360(from, Math.min(from.day, 30), to, Math.min(to.day, 30));
}

type Month = { year: number; month: number };

function days360(from: Month, fromDay: number, to: Month, toDay: number): number {
  return 360 * (to.year - from.year) + 30 * (to.month - from.month) + (toDay - fromDay);
}

function scheduledParts(date: IsoDate, paymentDay = 0): Month & { day: number } {
  const parts = dateParts(date);
  const endsFebruary = parts.month === 2 && parts.day === daysInMonth(parts.year, 2);
  return endsFebruary ? { ...parts, day: Math.max(parts.day, Math.min(paymentDay, 30)) } : parts;
}

function actualActualIsda(start: IsoDate, end: IsoDate): number {
  if (end < start) return -actualActualIsda(end, start);
  const firstYear = dateParts(start).year;
  const lastYear = dateParts(end).year;
  if (firstYear === lastYear) return daysBetween(start, end) / daysInYear(firstYear);
  const startStub = (dayNumber(isoDate(firstYear + 1, 1, 1)) - dayNumber(start)) / daysInYear(firstYear);
  const endStub = (dayNumber(end) - dayNumber(isoDate(lastYear, 1, 1))) / daysInYear(lastYear);
  return startStub + (lastYear - firstYear - 1) + endStub;
}

function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}
