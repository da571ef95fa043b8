import type { IsoDate } from './types.ts';

const MS_PER_DAY = 86_400_000;
const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** The last date from which the payments of any deal fit into years of four digits. */
export const LATEST_START: IsoDate = '8999-12-31';

/** Year, month 1–12 and day of month of a date. */
export type DateParts = { year: number; month: number; day: number };

/** Reads `YYYY-MM-DD`. Throws RangeError on another shape or a day that the calendar does not have (2026-02-30). */
export function dateParts(date: IsoDate): DateParts {
  const match = ISO_DATE.exec(date);
  if (!match) throw new RangeError(`not a date: ${JSON.stringify(date)} (expected YYYY-MM-DD)`);
  const parts = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) };
  if (parts.month < 1 || parts.month > 12 || parts.day < 1 || parts.day > daysInMonth(parts.year, parts.month)) {
    throw new RangeError(`no such day: ${date}`);
  }
  return parts;
}

/** `YYYY-MM-DD` of year, month 1–12 and day. */
export function isoDate(year: number, month: number, day: number): IsoDate {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar. */
export function dayNumber(date: IsoDate): number {
  const { year, month, day } = dateParts(date);
  return utcDayNumber(year, month, day);
}

export function dateFromDayNumber(day: number): IsoDate {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

/** Calendar days from `start` to `end`; negative when `end` is earlier. */
export function daysBetween(start: IsoDate, end: IsoDate): number {
  return dayNumber(end) - dayNumber(start);
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return dateFromDayNumber(dayNumber(date) + days);
}

/**
 * The date `months` later (or earlier) on the same day of the month, or on the last day of a shorter month.
 * `dayOfMonth` replaces the day first, so that a schedule on the 31st does not drift to the 28th.
 */
export function addMonths(date: IsoDate, months: number, dayOfMonth?: number): IsoDate {
  const { year, month, day } = dateParts(date);
  const index = year * 12 + (month - 1) + months;
  const newYear = Math.floor(index / 12);
  const newMonth = index - newYear * 12 + 1;
  return isoDate(newYear, newMonth, Math.min(dayOfMonth ?? day, daysInMonth(newYear, newMonth)));
}

/** Whole months from `start` to `end`, counting a month as complete on the same day or on the last day of a shorter month. */
export function monthsBetween(start: IsoDate, end: IsoDate): number {
  const from = dateParts(start);
  const to = dateParts(end);
  const months = (to.year - from.year) * 12 + to.month - from.month;
  if (months === 0) return 0;
  if (months > 0) return addMonths(start, months) <= end ? months : months - 1;
  return addMonths(start, months) >= end ? months : months + 1;
}

/** 0 = Sunday … 6 = Saturday. */
export function weekday(date: IsoDate): number {
  return (((dayNumber(date) + 4) % 7) + 7) % 7;
}

function utcDayNumber(year: number, month: number, day: number): number {
  const instant = new Date(0);
  // setUTCFullYear, since Date.UTC reads the years 0 to 99 as 1900 to 1999.
  instant.setUTCFullYear(year, month - 1, day);
  return Math.round(instant.getTime() / MS_PER_DAY);
}
