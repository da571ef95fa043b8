import { wrongParameter } from './wrong-parameter.ts';

const FORM = /^(\d{4})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?$/;

/** A moment in a form of the protocol: `2026-11-22 07:16:54.5`, read in UTC, or ISO 8601. 400 for anything else. */
export function readTime(parameter: string, given: unknown): Date {
  const [whole, year = '', month = '', day = '', hour = '', minute, second, fraction = '', zone = 'Z'] =
    FORM.exec(typeof given === 'string' ? given : '') ?? [];
  const two = (text: string): string => text.padStart(2, '0');
  const date = `${year}-${two(month)}-${two(day)}`;
  const moment = new Date(`${date}T${two(hour)}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
  // A day that a month does not have would be read as one of the next.
  const isDay = !Number.isNaN(moment.getTime()) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
  if (whole !== undefined && isDay) return moment;
  throw wrongParameter(parameter, given, 'a time such as 2026-11-22 07:16:54 (in UTC) or 2026-11-22T07:16:54Z');
}
