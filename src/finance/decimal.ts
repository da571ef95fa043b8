/** An exact decimal: `units` × 10^−`scale`. */
export type Decimal = { units: bigint; scale: number };

/** Ties go to the even neighbour, or away from zero. */
export type Rounding = 'HALF_EVEN' | 'HALF_UP';

const DECIMAL_TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Reads decimal text such as `-1234.50` or `1e3`, exactly. Throws RangeError on anything else. */
export function parseDecimal(text: string): Decimal {
  const match = DECIMAL_TEXT.exec(text);
  const digits = match ? `${match[2] ?? ''}${match[3] ?? ''}` : '';
  if (!match || digits === '') throw new RangeError(`not a decimal number: ${JSON.stringify(text)}`);
  const magnitude = BigInt(digits);
  const units = match[1] === '-' ? -magnitude : magnitude;
  const scale = (match[3]?.length ?? 0) - Number(match[4] ?? 0);
  return scale >= 0 ? { units, scale } : { units: units * pow10(-scale), scale: 0 };
}

/** The decimal that a double prints as (its shortest text), not its binary expansion: 0.1 is one tenth. Finite numbers only. */
export function decimalFromNumber(value: number): Decimal {
  return parseDecimal(String(value));
}

/** Plain text with exactly `scale` decimals: `{units: -5n, scale: 2}` is `-0.05`. */
export function formatDecimal({ units, scale }: Decimal): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The nearest double. */
export function numberFromDecimal(decimal: Decimal): number {
  return Number(formatDecimal(decimal));
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function negateDecimal(a: Decimal): Decimal {
  return { units: -a.units, scale: a.scale };
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** a / b rounded to `scale` decimals. Throws RangeError when b is zero. */
export function divideDecimals(a: Decimal, b: Decimal, scale: number, rounding: Rounding = 'HALF_EVEN'): Decimal {
  if (b.units === 0n) throw new RangeError('division by zero');
  const shift = scale + b.scale - a.scale;
  const numerator = shift >= 0 ? a.units * pow10(shift) : a.units;
  const denominator = shift >= 0 ? b.units : b.units * pow10(-shift);
  return { units: divideRounded(numerator, denominator, rounding), scale };
}

/** Negative, zero or positive as a is below, equal to or above b; `1.0` equals `1.00`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = unitsAt(a, scale) - unitsAt(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The same value with `scale` decimals, rounded when digits fall away. */
export function rescale(value: Decimal, scale: number, rounding: Rounding = 'HALF_EVEN'): Decimal {
  if (scale >= value.scale) return { units: unitsAt(value, scale), scale };
  return { units: divideRounded(value.units, pow10(value.scale - scale), rounding), scale };
}

/** Integer quotient rounded to nearest. */
function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const top = numerator < 0n ? -numerator : numerator;
  const bottom = denominator < 0n ? -denominator : denominator;
  const quotient = top / bottom;
  const twice = 2n * (top % bottom);
  const up = twice > bottom || (twice === bottom && (rounding === 'HALF_UP' || quotient % 2n === 1n));
  const magnitude = up ? quotient + 1n : quotient;
  return negative ? -magnitude : magnitude;
}

function unitsAt(value: Decimal, scale: number): bigint {
  return value.units * pow10(scale - value.scale);
}

function pow10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** A figure that may be absent, from its text. */
export const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));
