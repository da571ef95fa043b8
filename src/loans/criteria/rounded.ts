import { sqlText } from '../engine/sql.ts';
import { microText, toMicro } from './decimal.ts';
import { fieldColumn } from './operand.ts';
import type { KnownField } from './fields.ts';

/*
 * A quotient or product is rounded half-even to six places before it is compared. The division of wide integers row by row is expensive and can be
 * avoided: a figure rounds to at most L exactly when it lies below L + 0.0000005, or on it while the last digit of L is even.
 * Products of wide integers are expensive too: binary floating point decides wherever its error cannot matter, the exact comparison near the limit.
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
  if (op === 'eq') return `(${atMost(num, den, scale, literal, true)} AND NOT ${atMost(num, den, scale, literal - 1n, false)})`;
  if (op === 'neq') return `(NOT ${quotientBound(num, den, scale, 'eq', value)})`;
  if (op === 'lte') return atMost(num, den, scale, literal, true);
  if (op === 'lt') return atMost(num, den, scale, literal - 1n, true);
  return `(NOT ${atMost(num, den, scale, op === 'gte' ? literal - 1n : literal, false)})`;
}

function atMost(num: KnownField, den: KnownField, scale: number, literal: bigint, expected: boolean): string {
  const factor = microText(toMicro(scale));
  const limit = tenthMicroText(literal * 10n + 5n);
  const bottom = fieldColumn(den);
  const top = `${wide(fieldColumn(num))} * CAST(${sqlText(factor)} AS DECIMAL(18,6))`;
  const product = `${wide(bottom)} * CAST(${sqlText(limit)} AS DECIMAL(38,7))`;
  const [below, above] = literal % 2n === 0n ? ['<=', '>='] : ['<', '>'];
  const gap = `${binary(fieldColumn(num))} * ${binary(factor)} - ${binary(bottom)} * ${binary(limit)}`;
  const quick = farFromZero(gap, Math.abs(Number(factor)) + Math.abs(Number(limit)), `${top} ${below} ${product}`, expected);
  return `CASE WHEN ${bottom} > 0 THEN ${quick} WHEN ${bottom} < 0 THEN ${top} ${above} ${product} END`;
}

/**
 * SQL: whether a difference of two products of a loan value and a constant lies below zero, by `exact` where that is not plain. Loan values
 * lie below 10^12 and the operations err by less than 10^-15 of it, times the constants. The comparison that most loans are `expected` to meet comes first.
 */
function farFromZero(gap: string, constants: number, exact: string, expected: boolean): string {
  const margin = `CAST(${constants / 1000} AS DOUBLE)`;
  const sides = [`WHEN ${gap} < -${margin} THEN true`, `WHEN ${gap} > ${margin} THEN false`];
  return `CASE ${(expected ? sides : sides.reverse()).join(' ')} ELSE ${exact} END`;
}

/** Text of a number of ten-millionths. */
function tenthMicroText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(8, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`;
}

function wide(column: string): string {
  return `CAST(${column} AS DECIMAL(38,6))`;
}

function binary(number: string): string {
  return `CAST(${number} AS DOUBLE)`;
}

/** SQL: a field against another field times a factor, the product rounded half-even to six places. */
export function productBound(left: KnownField, right: KnownField, factor: number, op: Bound): string {
  const own = fieldColumn(left);
  const times = microText(toMicro(factor));
  const product = `${wide(fieldColumn(right))} * CAST(${sqlText(times)} AS DECIMAL(18,6))`;
  const gap = `${binary(fieldColumn(right))} * ${binary(times)} - ${binary(own)}`;
  // the product rounds to at most `own` when it lies below own + half, on it when own is even; to less when below own - half, on it when own is odd
  const isEven = `CAST(${wide(own)} * 1000000 AS HUGEINT) % 2 = 0`;
  const roundsTo = (edge: string, onEdge: string, expected: boolean) =>
    farFromZero(
      gap,
      1 + Math.abs(Number(times)),
      `CASE WHEN ${product} = ${edge} THEN ${onEdge} ELSE ${product} < ${edge} END`,
      expected,
    );
  const half = 'CAST(0.0000005 AS DECIMAL(38,7))';
  const atMostOwn = (expected: boolean) => roundsTo(`(${wide(own)} + ${half})`, isEven, expected);
  const belowOwn = (expected: boolean) => roundsTo(`(${wide(own)} - ${half})`, `NOT (${isEven})`, expected);
  if (op === 'gte') return atMostOwn(true);
  if (op === 'gt') return belowOwn(true);
  if (op === 'lt') return `(NOT ${atMostOwn(false)})`;
  if (op === 'lte') return `(NOT ${belowOwn(false)})`;
  const equal = `(${atMostOwn(true)} AND NOT ${belowOwn(false)})`;
  return op === 'eq' ? equal : `(NOT ${equal})`;
}
