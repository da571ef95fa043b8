import { sqlText } from '../engine.ts';
import { microText, toMicro } from './decimal.ts';
import { fieldColumn } from './operand.ts';
import type { KnownField } from './fields.ts';

/*
 * A quotient or product is rounded half-even to six places before it is compared. Dividing wide integers row by row is what makes that dear, and it can be
 * left out: a figure rounds to at most L exactly when it lies below L + 0.0000005, or on it while the last digit of L is even.
 */

/** Beyond this a product of two wide decimals would leave the engine's 38 digits. */
const LITERAL_MAX = 10n ** 18n;

export type Bound = 'lte' | 'lt' | 'gte' | 'gt' | 'eq' | 'neq';

/** Whether `quotientBound` can take a literal. */
export function isNarrow(value: unknown): boolean {
  const micro = toMicro(value as number);
  return micro < LITERAL_MAX && micro > -LITERAL_MAX;
}

/** SQL: `num / den × scale`, rounded half-even to six places, against a number. NULL when a part is missing or den is zero. */
export function quotientBound(num: KnownField, den: KnownField, scale: number, op: Bound, value: number): string {
  const literal = toMicro(value);
  if (op === 'eq') return `(${atMost(num, den, scale, literal)} AND NOT ${atMost(num, den, scale, literal - 1n)})`;
  if (op === 'neq') return `(NOT ${quotientBound(num, den, scale, 'eq', value)})`;
  if (op === 'lte') return atMost(num, den, scale, literal);
  if (op === 'lt') return atMost(num, den, scale, literal - 1n);
  return `(NOT ${atMost(num, den, scale, op === 'gte' ? literal - 1n : literal)})`;
}

function atMost(num: KnownField, den: KnownField, scale: number, literal: bigint): string {
  const top = `${wide(fieldColumn(num))} * CAST(${sqlText(microText(toMicro(scale)))} AS DECIMAL(18,6))`;
  const bottom = fieldColumn(den);
  const edge = `CAST(${sqlText(tenthMicroText(literal * 10n + 5n))} AS DECIMAL(38,7))`;
  const product = `${wide(bottom)} * ${edge}`;
  const [below, above] = literal % 2n === 0n ? ['<=', '>='] : ['<', '>'];
  return `CASE WHEN ${bottom} > 0 THEN ${top} ${below} ${product} WHEN ${bottom} < 0 THEN ${top} ${above} ${product} END`;
}

/** Text of a number of ten-millionths. */
function tenthMicroText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(8, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`;
}

function wide(column: string): string {
  return `CAST(${column} AS DECIMAL(38,6))`;
}

/** SQL: a field against another field times a factor, the product rounded half-even to six places. */
export function productBound(left: KnownField, right: KnownField, factor: number, op: Bound): string {
  const own = fieldColumn(left);
  const product = `${wide(fieldColumn(right))} * CAST(${sqlText(microText(toMicro(factor)))} AS DECIMAL(18,6))`;
  // the product rounds to at most `own` when it lies below own + half, on it when own is even; to less when below own - half, on it when own is odd
  const isEven = `CAST(${wide(own)} * 1000000 AS HUGEINT) % 2 = 0`;
  const roundsTo = (edge: string, onEdge: string) =>
    `CASE WHEN ${product} = ${edge} THEN ${onEdge} ELSE ${product} < ${edge} END`;
  const atMostOwn = roundsTo(`(${wide(own)} + CAST(0.0000005 AS DECIMAL(38,7)))`, isEven);
  const belowOwn = roundsTo(`(${wide(own)} - CAST(0.0000005 AS DECIMAL(38,7)))`, `NOT (${isEven})`);
  if (op === 'gte') return atMostOwn;
  if (op === 'gt') return belowOwn;
  if (op === 'lt') return `(NOT ${atMostOwn})`;
  if (op === 'lte') return `(NOT ${belowOwn})`;
  const equal = `(${atMostOwn} AND NOT ${belowOwn})`;
  return op === 'eq' ? equal : `(NOT ${equal})`;
}
