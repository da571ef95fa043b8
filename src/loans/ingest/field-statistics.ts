import { type Field, isNumeric } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import type { FieldStatistics } from '../types.ts';

/** Exact figures of every numeric field that is there, over all rows read. `weight` is the balance that weighs them. */
export async function fieldStatistics(
  engine: Engine,
  typedPath: string,
  fields: readonly Field[],
  weight: string,
): Promise<Record<string, FieldStatistics>> {
  const numeric = fields.filter(isNumeric).map((field) => field.field);
  if (numeric.length === 0) return {};
  const query = `SELECT ${numeric.flatMap((field) => aggregates(field, weight)).join(', ')} FROM ${parquet(typedPath)}`;
  const row = (await engine.first<Record<string, string | number | null>>(query)) ?? {};
  return Object.fromEntries(numeric.map((field) => [field, statisticsOf(row, field)]));
}

function aggregates(field: string, weight: string): string[] {
  return [
    `count(${field}) AS count_${field}`,
    `count(*) - count(${field}) AS missing_${field}`,
    `CAST(sum(${field}) AS VARCHAR) AS sum_${field}`,
    `CAST(min(${field}) AS VARCHAR) AS min_${field}`,
    `CAST(max(${field}) AS VARCHAR) AS max_${field}`,
    `CAST(sum(CAST(${field} AS DECIMAL(38,6)) * ${weight}) AS VARCHAR) AS weighted_${field}`,
    `CAST(sum(CASE WHEN ${field} IS NOT NULL THEN ${weight} END) AS VARCHAR) AS weight_${field}`,
    `CAST(sum(CASE WHEN ${field} IS NULL THEN ${weight} END) AS VARCHAR) AS lost_${field}`,
  ];
}

function statisticsOf(row: Record<string, string | number | null>, field: string): FieldStatistics {
  const text = (name: string) => (row[`${name}_${field}`] as string | null) ?? null;
  return {
    count: Number(row[`count_${field}`] ?? 0),
    missing: Number(row[`missing_${field}`] ?? 0),
    sum: text('sum') ?? '0.000000',
    min: text('min'),
    max: text('max'),
    weighted_average: divideDecimals(text('weighted'), text('weight'), 8),
    missing_weight: text('lost') ?? '0.000000',
  };
}

/** Exact quotient of two decimal texts, rounded half-even to `places`; null without a divisor. */
export function divideDecimals(dividend: string | null, divisor: string | null, places: number): string | null {
  if (dividend === null || divisor === null) return null;
  const [a, b] = [parseDecimal(dividend), parseDecimal(divisor)];
  if (b.digits === 0n) return null;
  const numerator = a.digits * 10n ** BigInt(places + b.scale);
  const denominator = b.digits * 10n ** BigInt(a.scale);
  const sign = numerator < 0n !== denominator < 0n ? -1n : 1n;
  const [n, d] = [abs(numerator), abs(denominator)];
  const twice = 2n * (n % d);
  const whole = n / d;
  const rounded = twice > d || (twice === d && whole % 2n === 1n) ? whole + 1n : whole;
  return formatDecimal(sign * rounded, places);
}

function parseDecimal(text: string): { digits: bigint; scale: number } {
  const [whole = '0', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function formatDecimal(digits: bigint, places: number): string {
  const text = abs(digits)
    .toString()
    .padStart(places + 1, '0');
  return `${digits < 0n ? '-' : ''}${text.slice(0, -places)}.${text.slice(-places)}`;
}
