const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const RELATIVE = /^as_of(?:([+-]\d{1,5})d)?$/;
const DAY_MS = 86_400_000;

/** Whether the text is a calendar date, YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  const match = ISO_DATE.exec(text);
  if (!match) return false;
  const time = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  return new Date(time).toISOString().slice(0, 10) === text;
}

/** Whether the text is a date relative to the set's cut-off date: `as_of`, `as_of-120d`, `as_of+30d`. */
export function isRelativeDate(text: string): boolean {
  return RELATIVE.test(text);
}

/** The date of a date value of a rule, YYYY-MM-DD. `asOf` is the set's `as_of`, needed for relative dates only. */
export function resolveDate(text: string, asOf: string | undefined): string {
  const match = RELATIVE.exec(text);
  if (!match) return text;
  if (asOf === undefined) throw new Error(`the date "${text}" needs the set's as_of`);
  const time = Date.parse(`${asOf}T00:00:00Z`) + Number(match[1] ?? 0) * DAY_MS;
  return new Date(time).toISOString().slice(0, 10);
}
