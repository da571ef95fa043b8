import { decimalFromNumber, formatDecimal, numberFromDecimal, parseDecimal, rescale, type Rounding } from './decimal.ts';

/*
 * The one border between the two number worlds: exact money (integer cents) and analytics (doubles).
 * A double stands for the decimal that it prints as, so 1.005 is a tie and not 1.00499999999999989.
 */

/** Integer cents below 2^53 in magnitude. */
export type Cents = number;

/** An amount too large for whole cents in a double. The message is written for the user whose figures lead to it. */
export class AmountTooLargeError extends RangeError {
  override name = 'AmountTooLargeError';
  constructor(amount: number) {
    super(`the figures lead to an amount of ${amount}, above the largest that is exact to the cent, 90071992547409.91`);
  }
}

/** Cents of an amount in currency units. Throws RangeError when not finite, AmountTooLargeError when too large. */
export function toCents(amount: number, rounding: Rounding = 'HALF_EVEN'): Cents {
  const scaled = amount * 100;
  if (!Number.isFinite(amount)) throw new RangeError(`not an amount in whole cents: ${amount}`);
  if (Math.abs(scaled) > Number.MAX_SAFE_INTEGER) throw new AmountTooLargeError(amount);
  if (Number.isInteger(scaled) && Number.isInteger(amount)) return scaled + 0;
  const floor = Math.floor(scaled);
  // The product can be off by a few units in the last place, so only a clear distance from the tie decides here.
  const part = scaled - floor;
  const doubt = 1e-9 + Math.abs(scaled) * 1e-15;
  if (part < 0.5 - doubt) return floor + 0;
  if (part > 0.5 + doubt) return floor + 1 + 0;
  return Number(rescale(decimalFromNumber(amount), 2, rounding).units);
}

/** Currency units of integer cents, the double nearest to them. */
export function fromCents(cents: Cents): number {
  return cents / 100;
}

/** An amount rounded to the cent, still in currency units. */
export function roundToCent(amount: number, rounding: Rounding = 'HALF_EVEN'): number {
  return fromCents(toCents(amount, rounding));
}

/** A number rounded to `places` decimals as decimal text would be, ties to even: 2.675 gives 2.68, 0.125 gives 0.12. */
export function roundHalfEven(value: number, places: number): number {
  if (Number.isInteger(value)) return value;
  const decimal = decimalFromNumber(value);
  return decimal.scale <= places ? value : numberFromDecimal(rescale(decimal, places, 'HALF_EVEN')) + 0;
}

/** A number cut to `places` decimals towards minus infinity, as decimal text: 96.9040129 gives `96.904012`. */
export function roundDown(value: number, places: number): string {
  const { units, scale } = decimalFromNumber(value);
  if (scale <= places) return formatDecimal(rescale({ units, scale }, places));
  const divisor = 10n ** BigInt(scale - places);
  const rest = ((units % divisor) + divisor) % divisor;
  return formatDecimal({ units: (units - rest) / divisor, scale: places });
}

/** Cents of decimal text such as `1234.5`. Throws RangeError when it is not a number or has fractions of a cent. */
export function parseCents(text: string): bigint {
  const decimal = parseDecimal(text);
  const cents = rescale(decimal, 2);
  if (decimal.scale > 2 && rescale(cents, decimal.scale).units !== decimal.units) {
    throw new RangeError(`more than two decimals in an amount: ${text}`);
  }
  return cents.units;
}

/** `1234.50` of 123450 cents. */
export function formatCents(cents: bigint | Cents): string {
  return formatDecimal({ units: BigInt(cents), scale: 2 });
}

// Made once: a format takes a thousand times as long to make as to use, and an allocation tells thousands of amounts.
const WHOLE_DOLLARS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const DOLLARS_AND_CENTS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** An amount as people write it: `$1,324,000` of 132400000 cents, `-$0.05` of -5. */
export function formatDollars(cents: Cents): string {
  const format = Number.isInteger(cents / 100) ? WHOLE_DOLLARS : DOLLARS_AND_CENTS;
  return `${cents < 0 ? '-' : ''}$${format.format(Math.abs(fromCents(cents)))}`;
}

/** `$1,324,000` of an amount in currency units, a number or decimal text. */
export const formatAmount = (amount: number | string): string => formatDollars(toCents(Number(amount)));

/**
 * Splits whole units (cents, increments) in proportion to weights that are not negative, exactly: largest remainder, of equal
 * remainders the earlier one first. The parts add up to `total`, which is not negative; all weights zero gives all zero parts
 * only for total 0, else RangeError.
 */
export function apportion(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((a, b) => a + b, 0n);
  if (total < 0n || weights.some((weight) => weight < 0n))
    throw new RangeError('apportion needs a total and weights that are not negative');
  if (sum === 0n) {
    if (total === 0n) return weights.map(() => 0n);
    throw new RangeError('apportion needs a weight above zero');
  }
  const parts = weights.map((weight) => (total * weight) / sum);
  const undistributed = Number(total - parts.reduce((a, b) => a + b, 0n));
  const order = weights
    .map((weight, index) => ({ index, remainder: (total * weight) % sum }))
    .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1));
  for (const { index } of order.slice(0, undistributed)) parts[index] += 1n;
  return parts;
}

/**
 * Rounds parts of a row to cents so that they add up to `totalCents`: every part is rounded down, then the missing cents go to
 * the largest remainders, the earlier part first. When the total is below the sum of the floors, cents are taken from the smallest
 * remainders of positive parts instead. A part that is zero stays zero while another is not. Parts in currency units, none negative, true sum within a cent per part of the total.
 */
export function tieOut(parts: readonly number[], totalCents: Cents): Cents[] {
  const cents = parts.map((part) => floorOfMillionths(part * 100));
  const remainders = parts.map((part, index) => part * 100 - cents[index]);
  let remaining = totalCents - cents.reduce((a, b) => a + b, 0);
  const anyPositive = parts.some((part) => part > 0);
  const order = parts.map((_, index) => index).filter((index) => !anyPositive || parts[index] > 0);
  order.sort((a, b) => remainders[b] - remainders[a] || a - b);
  if (remaining < 0) order.reverse();
  for (let turn = 0; remaining !== 0; turn++) {
    if (turn > 4 * order.length) {
      throw new RangeError(`parts ${parts.join(', ')} do not add up to ${formatCents(totalCents)}`);
    }
    const index = order[turn % order.length];
    const step = Math.sign(remaining);
    if (step < 0 && cents[index] <= 0) continue;
    cents[index] += step;
    remaining -= step;
  }
  return cents;
}

/** The whole below a number of 6 decimals: only one that is nearly whole needs its decimals. */
function floorOfMillionths(value: number): number {
  const floor = Math.floor(value);
  return value - floor < 0.999999 ? floor : Math.floor(roundHalfEven(value, 6));
}
