/** Of `Intl.NumberFormatOptions` what screens use. */
export type NumberOptions = {
  style?: 'percent' | 'currency';
  currency?: 'USD';
  notation?: 'compact';
  minimumFractionDigits?: number;
  maximumFractionDigits?: number;
  signDisplay?: 'exceptZero';
};

/** Digits get lost where the last place that is written is moved beyond these. */
const DIGITS = 14;
const UNITS = ['', 'K', 'M', 'B'];
const UNIT_DIGITS = 3;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Writes numbers as `Intl.NumberFormat` does for the United States. Ordinary numbers are written here: the first use of `Intl` stops a page for
 * 25 to 55 ms, and for four times as long on a slow machine, when a person waits for the first figures.
 */
export function numbers(options: NumberOptions = {}): (value: number) => string {
  const { style, notation, signDisplay } = options;
  const least =
    options.minimumFractionDigits ?? (style === 'currency' && options.maximumFractionDigits === undefined && !notation ? 2 : 0);
  const most = options.maximumFractionDigits ?? (style === 'currency' ? 2 : style === 'percent' ? 0 : 3);
  const shift = style === 'percent' ? 2 : 0;
  const large = 10 ** (DIGITS - shift - most);
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    const size = Math.abs(value);
    const ordinary = size < large && !String(size).includes('e') && !Object.is(value, -0);
    if (!ordinary || signDisplay || (notation && options.maximumFractionDigits === undefined)) {
      format ??= new Intl.NumberFormat('en-US', options);
      return format.format(value);
    }
    const text = notation ? compact(size, least, most) : decimal(size, shift, least, most);
    return `${value < 0 ? '-' : ''}${style === 'currency' ? '$' : ''}${text}${style === 'percent' ? '%' : ''}`;
  };
}

/** `size` times ten to the power of `shift`, halves rounded up as they are written, in groups of thousands. */
function decimal(size: number, shift: number, least: number, most: number): string {
  const digits = String(Math.round(Number(`${size}e${shift + most}`))).padStart(most + 1, '0');
  const point = digits.length - most;
  let end = digits.length;
  while (end > point + least && digits[end - 1] === '0') end -= 1;
  const whole = digits.slice(0, point).replace(/\B(?=(\d{3})+$)/g, ',');
  return end > point ? `${whole}.${digits.slice(point, end)}` : whole;
}

function compact(size: number, least: number, most: number): string {
  let unit = 0;
  let text = decimal(size, 0, least, most);
  while (text.includes(',') && unit < UNITS.length - 1) {
    unit += 1;
    text = decimal(size, -UNIT_DIGITS * unit, least, most);
  }
  return `${text}${UNITS[unit]}`;
}

/** A day in UTC, as `Intl.DateTimeFormat` writes it for the United States: `Dec 15, 2026`. */
export const dayOf = (at: Date): string => `${MONTHS[at.getUTCMonth()]} ${at.getUTCDate()}, ${at.getUTCFullYear()}`;

/** Writes times in UTC; made when the first one is written. */
export function times(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => {
    format ??= new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
    return format.format(at);
  };
}

const tenths = numbers({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A fraction as a percentage with one place: what is more than nothing is never shown as nothing, and what is less than all never as all. */
export function percentOf(fraction: number): string {
  if (fraction > 0 && fraction < 0.001) return '< 0.1%';
  return fraction > 0.999 && fraction < 1 ? '> 99.9%' : tenths(fraction);
}
