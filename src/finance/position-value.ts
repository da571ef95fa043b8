import { multiplyDecimals, parseDecimal, rescale } from './decimal.ts';

/* The rules by which positions are valued, on exact numbers: decimal text in, cents out. Ties round away from zero, as in the database. */

/** Face × factor. */
export function balanceOf(face: string, factor: string): bigint {
  return rescale(multiplyDecimals(parseDecimal(face), parseDecimal(factor)), 2, 'HALF_UP').units;
}

/** Balance, in cents, at a clean price per 100 of it. */
export function marketValueOf(balance: bigint, price: string): bigint {
  const { units, scale } = parseDecimal(price);
  return rescale({ units: balance * units, scale: scale + 4 }, 2, 'HALF_UP').units;
}
