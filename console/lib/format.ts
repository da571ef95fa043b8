const money2 = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' });
const money0 = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
});
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const upTo = (digits: number): Intl.NumberFormat => new Intl.NumberFormat(undefined, { maximumFractionDigits: digits });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const monthOfYear = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

/** Shown in place of a missing figure. */
export const NONE = '–';

const or = <Value>(value: Value | null | undefined, format: (value: Value) => string): string =>
  value === null || value === undefined ? NONE : format(value);

export const money = (value: number | null | undefined): string => or(value, (given) => money2.format(given));
export const roundMoney = (value: number | null | undefined): string => or(value, (given) => money0.format(given));
export const shortMoney = (value: number | null | undefined): string => or(value, (given) => compact.format(given));
export const count = (value: number | null | undefined): string => or(value, (given) => whole.format(given));
export const decimal = (value: number | null | undefined, digits = 2): string => or(value, (given) => fixed(given, digits));

/** A figure that the market quotes in percent: 5.43 is 5.43 %. */
export const percent = (value: number | null | undefined, digits = 2): string =>
  or(value, (given) =>
    new Intl.NumberFormat(undefined, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
      given / 100,
    ),
  );

/** A share, a weight, a factor: 0.4 is 40 %. */
export const share = (value: number | null | undefined, digits = 1): string => percent(or100(value), digits);
const or100 = (value: number | null | undefined): number | null => (value === null || value === undefined ? null : value * 100);

export const years = (value: number | null | undefined): string => or(value, (given) => `${fixed(given, 2)} y`);
export const basisPoints = (value: number | null | undefined): string => or(value, (given) => `${fixed(given, 0)} bp`);
export const date = (value: string | null | undefined): string =>
  or(value, (given) => day.format(new Date(`${given.slice(0, 10)}T00:00:00Z`)));
/** `January 2027` of `2027-01`. */
export const monthName = (month: string): string => monthOfYear.format(new Date(`${month}-01T00:00:00Z`));
export const time = (value: string | null | undefined): string => or(value, (given) => moment.format(new Date(given)));

export function ago(value: string, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ];
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return Math.abs(seconds) < 45 ? relative.format(0, 'second') : relative.format(Math.round(seconds / size), unit);
}

/** Turns `pending_confirmation` and `QC_COMPLETED` into text. */
export function words(value: string): string {
  const text = value.replaceAll('_', ' ').toLowerCase();
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\b(qc|ioi|cdr|wal|oc|hhi|kyc|erisa|id)\b/gi, (word) =>
    word.toUpperCase(),
  );
}

export const plural = (amount: number, one: string, many = `${one}s`): string => `${count(amount)} ${amount === 1 ? one : many}`;

/** Any value of a finding or a rule, as short text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return NONE;
  if (typeof value === 'number') return upTo(6).format(value);
  if (Array.isArray(value)) return value.map(plain).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function bytes(value: number): string {
  if (value < 1024) return plural(value, 'byte');
  const [size, unit] = value >= 2 ** 20 ? [value / 2 ** 20, 'MiB'] : [value / 1024, 'KiB'];
  return `${upTo(1).format(size)} ${unit}`;
}

const fixed = (value: number, digits: number): string =>
  new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
