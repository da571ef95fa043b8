import { dateParts, dayNumber, daysBetween, isLeapYear, isoDate } from './dates.ts';
import type { DayCount, IsoDate } from './types.ts';

/**
 * Part of a year between two dates; negative when `end` is earlier.
 *
 * - `30/360`: bond basis, ISDA 2006 definitions 4.16(f): day 31 of the start becomes 30, day 31 of the end becomes 30 when the
 *   start is the 30th or later. No rule for the end of February.
 * - `30E/360`: Eurobond basis, 4.16(g): day 31 becomes 30 on both sides.
 * - `ACT/360`, `ACT/365` (fixed): calendar days over 360 or 365, 4.16(e) and (d).
 * - `ACT/ACT`: ISDA, 4.16(b): days in leap years over 366 plus the other days over 365.
 */
export function yearFraction(dayCount: DayCount, start: IsoDate, end: IsoDate): number {
  switch (dayCount) {
    case '30/360':
      return days30360(start, end) / 360;
    case '30E/360':
      return days30E360(start, end) / 360;
    case 'ACT/360':
      return daysBetween(start, end) / 360;
    case 'ACT/365':
      return daysBetween(start, end) / 365;
    case 'ACT/ACT':
      return actualActualIsda(start, end);
  }
}

/** Days between two dates on the bond basis, ISDA 2006 4.16(f). */
export function days30360(start: IsoDate, end: IsoDate): number {
  const from = dateParts(start);
  const to = dateParts(end);
  const fromDay = Math.min(from.day, 30);
  const toDay = to.day === 31 && fromDay === 30 ? 30 : to.day;
  return 360 * (to.year - from.year) + 30 * (to.month - from.month) + (toDay - fromDay);
}

/** Days between two dates on the Eurobond basis, ISDA 2006 4.16(g). */
export function days30E360(start: IsoDate, end: IsoDate): number {
  const from = dateParts(start);
  const to = dateParts(end);
  return 360 * (to.year - from.year) + 30 * (to.month - from.month) + (Math.min(to.day, 30) - Math.min(from.day, 30));
}

/**
 * ACT/ACT of a coupon period (ICMA rule 251): days since the period began over days of the period, over coupons a year.
 * `date` lies within the period.
 */
export function icmaFraction(periodStart: IsoDate, date: IsoDate, periodEnd: IsoDate, couponsPerYear: number): number {
  return daysBetween(periodStart, date) / daysBetween(periodStart, periodEnd) / couponsPerYear;
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
