import { isBusinessDay } from '../../finance/calendar.ts';

/** The zone of business dates. */
const ZONE = 'America/New_York';
const CALENDAR = 'US_FED';
/** The hour of the zone at which the digests of a business day are made. */
const HOUR = 7;
const HOUR_MS = 3_600_000;

/** The digests that are due: those of a business date, about what was raised before a moment. */
export type DigestDay = { date: string; before: Date };

/** Null before the hour of the digests and on a day on which banks are closed. */
export function digestDay(now: Date): DigestDay | null {
  const { date, ms } = inZone(now);
  if (ms < HOUR * HOUR_MS || !isBusinessDay(CALENDAR, date)) return null;
  // Clocks are set earlier in the day than the hour of the digests.
  return { date, before: new Date(now.getTime() - (ms - HOUR * HOUR_MS)) };
}

/** The date of the zone, and the milliseconds since its midnight by the clock on the wall. */
function inZone(now: Date): { date: string; ms: number } {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' });
  const [date = '', time = ''] = format.format(now).split(', ');
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return { date, ms: ((hours * 60 + minutes) * 60 + seconds) * 1_000 + now.getUTCMilliseconds() };
}
