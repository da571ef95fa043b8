import { addBusinessDays } from './calendar.ts';
import { addDays, addMonths } from './dates.ts';
import type { IsoDate } from './types.ts';

/*
 * Dates of the business: the day that it is in the business zone, an IANA time zone such as America/New_York, and the business days of the
 * Federal Reserve's calendar.
 */

const CALENDAR = 'US_FED';
const LAST_SECOND = '23:59:59';
const SECOND_MS = 1_000;

/** The calendar date of an instant in a time zone, whether or not it is a business day. */
export const localDate = (at: Date, zone: string): IsoDate => localDatesIn(zone)(at);

/** The same for many instants: what reads the clocks of a zone takes far longer to make than to use. */
export function localDatesIn(zone: string): (at: Date) => IsoDate {
  const clock = clockOf(zone);
  return (at) => clock(at).slice(0, 10);
}

/** The business date of an instant: its calendar date in the zone, or the next business day. */
export function businessDate(at: Date, zone: string): IsoDate {
  return addBusinessDays(localDate(at, zone), 0, CALENDAR);
}

/** 23:59:59 of a date in a time zone: the later one where a clock that is set back shows it twice. */
export function endOfDay(date: IsoDate, zone: string): Date {
  const wall = Date.parse(`${date}T${LAST_SECOND}Z`);
  // A change of the clock near the end of the day leaves two candidates: by the offset before it and by the one after it.
  const before = offsetAt(new Date(Date.parse(`${addDays(date, -1)}T12:00:00Z`)), zone);
  const after = offsetAt(new Date(Date.parse(`${addDays(date, 1)}T12:00:00Z`)), zone);
  const [late, early] = [wall - Math.min(before, after), wall - Math.max(before, after)];
  const shows = (at: number): boolean => wallClock(new Date(at), zone) === `${date}T${LAST_SECOND}`;
  // A day whose last second the clocks leave out ends where they jump: both candidates are then beside it, and the earlier is in the day.
  return new Date(shows(late) ? late : early);
}

/** The first instant after a date in a time zone. What happened before it happened on that date or earlier. */
export function afterDay(date: IsoDate, zone: string): Date {
  return new Date(endOfDay(date, zone).getTime() + SECOND_MS);
}

/** A month of the calendar, `YYYY-MM`. */
export type Month = string;

export const monthOf = (date: IsoDate): Month => date.slice(0, 7);
export const firstDayOf = (month: Month): IsoDate => `${month}-01`;
export const lastDayOf = (month: Month): IsoDate => addDays(firstDayOf(nextMonth(month)), -1);
export const nextMonth = (month: Month): Month => monthOf(addMonths(firstDayOf(month), 1));

/** The first instant after a month in a time zone. */
export const afterMonth = (month: Month, zone: string): Date => afterDay(lastDayOf(month), zone);

/** The end of the business day that is `days` business days after the business date of an instant. */
export function businessDeadline(at: Date, days: number, zone: string): Date {
  return endOfDay(addBusinessDays(businessDate(at, zone), days, CALENDAR), zone);
}

/** A business deadline as people are told of it: its instant is, in UTC, on the day after the one on which they have to answer. */
export const deadlineInWords = (deadline: Date, zone: string): string => deadlinesInWords(zone)(deadline);

/** The same for many deadlines. */
export function deadlinesInWords(zone: string): (deadline: Date) => string {
  const dateOf = localDatesIn(zone);
  return (deadline) => `the end of ${dateOf(deadline)} (${zone})`;
}

/** The record date of a payment: the business day before its date. */
export function recordDate(paymentDate: IsoDate): IsoDate {
  return addBusinessDays(paymentDate, -1, CALENDAR);
}

/** The time that clocks of a zone show, `YYYY-MM-DDTHH:MM:SS`. */
const wallClock = (at: Date, zone: string): string => clockOf(zone)(at);

function clockOf(zone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const { year = '', month, day, hour, minute, second } = parts;
    return `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`;
  };
}

/** What the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(at: Date, zone: string): number {
  return Date.parse(`${wallClock(at, zone)}Z`) - Math.floor(at.getTime() / SECOND_MS) * SECOND_MS;
}
