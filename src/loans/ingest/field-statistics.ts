import { addDecimals, divideDecimals, formatDecimal, multiplyDecimals, parseDecimal } from '../../finance/decimal.ts';
import { type Field, isNumeric } from '../dictionary/field.ts';
import { type Engine, inPartsIfTooLong } from '../engine/engine.ts';
import { inMillions, MILLION, parquet } from '../engine/sql.ts';
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
  const row = await inPartsIfTooLong(async (inParts) => {
    const columns = numeric.flatMap((field) => aggregates(field, weight, inParts));
    return (await engine.first<Row>(`SELECT ${columns.join(', ')} FROM ${parquet(typedPath)}`)) ?? {};
  });
  return Object.fromEntries(numeric.map((field) => [field, statisticsOf(row, field)]));
}

type Row = Record<string, string | number | null>;

function aggregates(field: string, weight: string, inParts: boolean): string[] {
  const lost = `sum(CASE WHEN ${field} IS NULL THEN ${weight} END)`;
  return [
    `count(${field}) AS count_${field}`,
    `count(*) - count(${field}) AS missing_${field}`,
    `CAST(sum(${field}) AS VARCHAR) AS sum_${field}`,
    `CAST(min(${field}) AS VARCHAR) AS min_${field}`,
    `CAST(max(${field}) AS VARCHAR) AS max_${field}`,
    `CAST(sum(${weight}) - coalesce(${lost}, 0) AS VARCHAR) AS weight_${field}`,
    `CAST(${lost} AS VARCHAR) AS lost_${field}`,
    ...products(field, weight, inParts),
  ];
}

/** The exact sum of the products of a field and its weight. */
function products(field: string, weight: string, inParts: boolean): string[] {
  const wide = `CAST(${field} AS DECIMAL(38,6))`;
  const sum = (of: string, name: string) => `CAST(sum(${wide} * ${of}) AS VARCHAR) AS ${name}_${field}`;
  if (!inParts) return [sum(weight, 'weighted')];
  const { millions, rest } = inMillions(weight);
  return [sum(rest, 'weighted'), sum(millions, 'millions')];
}

function statisticsOf(row: Row, field: string): FieldStatistics {
  const text = (name: string) => (row[`${name}_${field}`] as string | null) ?? null;
  return {
    count: Number(row[`count_${field}`] ?? 0),
    missing: Number(row[`missing_${field}`] ?? 0),
    sum: text('sum') ?? '0.000000',
    min: text('min'),
    max: text('max'),
    weighted_average: averageOf(text('weighted'), text('millions'), text('weight')),
    missing_weight: text('lost') ?? '0.000000',
  };
}

/** To eight places; null without a weight. */
function averageOf(weighted: string | null, millions: string | null, weight: string | null): string | null {
  const divisor = parseDecimal(weight ?? '0');
  if (weighted === null || divisor.units === 0n) return null;
  const whole = multiplyDecimals(parseDecimal(millions ?? '0'), { units: MILLION, scale: 0 });
  return formatDecimal(divideDecimals(addDecimals(whole, parseDecimal(weighted)), divisor, 8));
}
