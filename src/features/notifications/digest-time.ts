import { afterDay, localDate } from '../../finance/business-date.ts';
import { isBusinessDay } from '../../finance/calendar.ts';
import { addDays } from '../../finance/dates.ts';

const CALENDAR = 'US_FED';
/** The hour of the business zone at which the digests of a business day are made. */
const HOUR = 7;
const HOUR_MS = 3_600_000;

/** The digests that are due: those of a business date, about what was raised before a moment. */
export type DigestDay = { date: string; before: Date };

/** Null before the hour of the digests and on a day on which banks are closed. */
export function digestDay(now: Date, zone: string): DigestDay | null {
  const date = localDate(now, zone);
  // Clocks are set on Sundays, on which no digest is made, so that the hour is this long after midnight.
  const before = new Date(afterDay(addDays(date, -1), zone).getTime() + HOUR * HOUR_MS);
  return now < before || !isBusinessDay(CALENDAR, date) ? null : { date, before };
}
