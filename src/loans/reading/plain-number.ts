import type { Row } from './row.ts';

/** A comma behind points, or one that cuts off no group of three: it is the decimal mark. */
const DECIMAL_COMMA = /^[(-]*(?:\d{1,3}(?:\.\d{3})+,\d*|\d+,(?:\d{1,2}|\d{4,})|(?:0|\d{4,}),\d{3})\)?$/;

/** `$1,234.50`, `1.234,50 €`, `₹12,34,567`, `(12.00)` and `1e3` as numbers, anything else null. */
export function plainNumber(text: string): number | null {
  const unmarked = text.replace(/R\$|[\s$€£¥₹₩₺円元원'’]/g, '');
  const bare = DECIMAL_COMMA.test(unmarked) ? unmarked.replaceAll('.', '').replace(',', '.') : unmarked.replaceAll(',', '');
  const match = /^(\()?(-?\d+(?:\.\d*)?(?:e[+-]?\d+)?)\)?$/i.exec(bare);
  if (!match) return null;
  return match[1] ? -Number(match[2]) : Number(match[2]);
}

/** Bytes that a plain number with its mark may have; what is beyond ASCII may be the sign of a currency. */
const MAY_BE = new Uint8Array(256).fill(1, 128);
for (const byte of Buffer.from("0123456789.,-+()eER$' \t\n\v\f\r")) MAY_BE[byte] = 1;

const [DOLLAR, COMMA, MINUS, POINT, ZERO, NINE] = Buffer.from('$,-.09');
export const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
/** A double holds every whole number of so many digits, and the power of ten behind which its point stands: their quotient is the nearest double. */
const DIGITS_MAX = 15;
const POWERS = Array.from({ length: DIGITS_MAX + 1 }, (_, power) => Number(`1e${power}`));

/** The number that `plainNumber` reads in a field; nearly every field is told by its bytes, and its text need not be made. */
export function numberAt(row: Row, index: number): number | null {
  if (index >= row.count || index >= row.capacity) return null;
  const { bytes } = row;
  const [start, end] = [row.starts[index], row.ends[index]];
  if (start === end) return null;
  const isNegative = bytes[start] === MINUS;
  let [whole, digits, commas, decimals] = [0, 0, 0, -1];
  for (let at = isNegative || bytes[start] === DOLLAR ? start + 1 : start; at < end; at += 1) {
    const byte = bytes[at];
    if (isDigit(byte)) {
      whole = whole * 10 + byte - ZERO;
      digits += 1;
      if (decimals >= 0) decimals += 1;
    } else if (byte === POINT && decimals < 0 && digits > 0) decimals = 0;
    else if (byte === COMMA && decimals < 0) commas += 1;
    else return MAY_BE[byte] === 1 ? otherNumber(row, index) : null;
  }
  // A comma without a point behind it may be the decimal mark.
  if (digits === 0 || digits > DIGITS_MAX || (commas > 0 && decimals < 0)) return otherNumber(row, index);
  const size = decimals > 0 ? whole / POWERS[decimals] : whole;
  return isNegative ? -size : size;
}

/** The number in a field that has more than digits; words and dates have none. */
function otherNumber(row: Row, index: number): number | null {
  const { bytes } = row;
  for (let at = row.starts[index]; at < row.ends[index]; at += 1) {
    const isInDate = bytes[at] === MINUS && at > row.starts[index] && isDigit(bytes[at - 1]);
    if (isInDate || MAY_BE[bytes[at]] === 0) return null;
  }
  return plainNumber(row.text(index));
}

/** Numbers of a row by column, money and percent marks ignored. */
export function numbersOf(row: Row): Map<number, number> {
  const numbers = new Map<number, number>();
  const count = Math.min(row.count, row.capacity);
  for (let index = 0; index < count; index += 1) {
    const value = numberAt(row, index);
    if (value !== null) numbers.set(index, value);
  }
  return numbers;
}
