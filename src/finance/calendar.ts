import { addDays, dateParts, daysInMonth, isoDate, weekday } from './dates.ts';
import type { BusinessDayRule, CalendarName, IsoDate } from './types.ts';

const SUNDAY = 0;
const MONDAY = 1;
const THURSDAY = 4;
const SATURDAY = 6;

/**
 * True when banks of the calendar are open: no weekend and no holiday.
 *
 * `US_FED`: the Federal Reserve Banks' schedule; a holiday on a Sunday is kept on Monday, one on a Saturday is not kept.
 * `TARGET`: the euro system's closing days since 2000. `WEEKENDS`: no holidays.
 */
export function isBusinessDay(calendar: CalendarName, date: IsoDate): boolean {
  return !isWeekend(date) && !isHoliday(calendar, date);
}

/**
 * Moves a date that is not a business day: `FOLLOWING` to the next one; `MODIFIED_FOLLOWING` too, unless that crosses into another
 * month, then to the one before; `NONE` leaves it (ISDA 2006 definitions 4.12).
 */
export function adjustDate(date: IsoDate, rule: BusinessDayRule, calendar: CalendarName): IsoDate {
  if (rule === 'NONE' || isBusinessDay(calendar, date)) return date;
  const following = step(calendar, date, 1);
  if (rule === 'FOLLOWING' || following.slice(0, 7) === date.slice(0, 7)) return following;
  return step(calendar, date, -1);
}

/** The business day `days` business days after `date` (before it when negative); 0 gives the date itself or the next one. */
export function addBusinessDays(date: IsoDate, days: number, calendar: CalendarName): IsoDate {
  let moved = adjustDate(date, days < 0 ? 'NONE' : 'FOLLOWING', calendar);
  for (let count = Math.abs(days); count > 0; count--) moved = step(calendar, moved, days < 0 ? -1 : 1);
  return moved;
}

function isHoliday(calendar: CalendarName, date: IsoDate): boolean {
  const { year, month } = dateParts(date);
  return HOLIDAYS[calendar].some(
    (holiday) => holiday.months.includes(month) && year >= holiday.since && holiday.date(year) === date,
  );
}

function isWeekend(date: IsoDate): boolean {
  const day = weekday(date);
  return day === SATURDAY || day === SUNDAY;
}

/** A yearly holiday: the months that it can fall in, its date in a year, and the first year in which it is kept. */
type Holiday = { months: readonly number[]; date: (year: number) => IsoDate; since: number };

const fixed = (month: number, day: number): Holiday => ({ months: [month], date: (year) => isoDate(year, month, day), since: 0 });

/** A fixed date that is kept on Monday when it falls on a Sunday. */
const observed = (month: number, day: number, since = 0): Holiday => ({
  months: [month],
  date: (year) => sundayToMonday(isoDate(year, month, day)),
  since,
});

const nthMonday = (month: number, n: number, since = 0): Holiday => ({
  months: [month],
  date: (year) => nthWeekday(year, month, MONDAY, n),
  since,
});

const easterOffset = (days: number): Holiday => ({ months: [3, 4], date: (year) => addDays(easterSunday(year), days), since: 0 });

const HOLIDAYS: Readonly<Record<CalendarName, readonly Holiday[]>> = {
  // Uniform Monday Holiday Act (1971), Martin Luther King day from 1986, Juneteenth from 2021.
  US_FED: [
    observed(1, 1),
    nthMonday(1, 3, 1986),
    nthMonday(2, 3),
    { months: [5], date: (year) => lastWeekday(year, 5, MONDAY), since: 0 },
    observed(6, 19, 2021),
    observed(7, 4),
    nthMonday(9, 1),
    nthMonday(10, 2),
    observed(11, 11),
    { months: [11], date: (year) => nthWeekday(year, 11, THURSDAY, 4), since: 0 },
    observed(12, 25),
  ],
  TARGET: [fixed(1, 1), easterOffset(-2), easterOffset(1), fixed(5, 1), fixed(12, 25), fixed(12, 26)],
  WEEKENDS: [],
};

function step(calendar: CalendarName, date: IsoDate, direction: 1 | -1): IsoDate {
  let moved = addDays(date, direction);
  while (!isBusinessDay(calendar, moved)) moved = addDays(moved, direction);
  return moved;
}

function sundayToMonday(date: IsoDate): IsoDate {
  return weekday(date) === SUNDAY ? addDays(date, 1) : date;
}

function nthWeekday(year: number, month: number, day: number, n: number): IsoDate {
  const offset = (day - weekday(isoDate(year, month, 1)) + 7) % 7;
  return isoDate(year, month, 1 + offset + 7 * (n - 1));
}

function lastWeekday(year: number, month: number, day: number): IsoDate {
  const last = isoDate(year, month, daysInMonth(year, month));
  return addDays(last, -((weekday(last) - day + 7) % 7));
}

/** Gregorian Easter, the anonymous algorithm (Meeus, Astronomical Algorithms, chapter 8). */
function easterSunday(year: number): IsoDate {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = b >> 2;
  const e = b % 4;
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = c >> 2;
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return isoDate(year, month, ((h + l - 7 * m + 114) % 31) + 1);
}
