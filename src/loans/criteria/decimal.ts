/** Values are compared as whole millionths ("micro"), so every comparison is exact: 1 is 1_000_000n. */
export const MICRO = 1_000_000n;

const DECIMAL_TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * Whole millionths of a decimal number, rounded half to even.
 * A JSON number is taken by its shortest text, so 0.1 is one tenth. Throws RangeError on text that is not a decimal number.
 */
export function toMicro(value: number | string): bigint {
  const text = String(value).trim();
  const match = DECIMAL_TEXT.exec(text);
  if (!match || `${match[2]}${match[3] ?? ''}` === '') throw new RangeError(`"${text.slice(0, 40)}" is not a decimal number`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${whole}${fraction}`);
  const power = 6 + Number(exponent) - fraction.length;
  const magnitude = power >= 0 ? digits * 10n ** BigInt(power) : divideHalfEven(digits, 10n ** BigInt(-power));
  return sign === '-' ? -magnitude : magnitude;
}

/** The quotient as a whole number, rounded half to even. Throws RangeError when the divisor is zero. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  if (divisor === 0n) throw new RangeError('division by zero');
  const negative = dividend < 0n !== divisor < 0n;
  const n = dividend < 0n ? -dividend : dividend;
  const d = divisor < 0n ? -divisor : divisor;
  const quotient = n / d;
  const twice = (n % d) * 2n;
  const rounded = twice > d || (twice === d && quotient % 2n === 1n) ? quotient + 1n : quotient;
  return negative ? -rounded : rounded;
}

/** Decimal text of whole millionths without trailing zeros, at least `minPlaces` of them kept: 12_500_000n → "12.5". */
export function microText(micro: bigint, minPlaces = 0): string {
  const text = fixedText(micro, 6);
  const keep = text.length - 6 + minPlaces;
  let end = text.length;
  while (end > keep && text[end - 1] === '0') end -= 1;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

/** Money as exact decimal text with at least two places: 1_500_000n → "1.50". */
export function moneyText(micro: bigint): string {
  return microText(micro, 2);
}

/** Decimal text as a number of currency units with at most two decimals, rounded half to even. */
export const wireMoney = (text: string): number => Number(fixedText(divideHalfEven(toMicro(text), 10_000n), 2));

/** `dividend / divisor` as text with exactly `places` decimals, rounded half to even. */
export function quotientText(dividend: bigint, divisor: bigint, places: number): string {
  return fixedText(divideHalfEven(dividend * 10n ** BigInt(places), divisor), places);
}

function fixedText(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
