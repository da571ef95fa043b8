import {
  addDecimals,
  type Decimal,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
} from '../../finance/decimal.ts';
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
    const whole = ['count(*) AS rows', `sum(${weight}) AS weight`];
    const columns = [...whole, ...numeric.flatMap((field) => aggregates(field, weight, inParts))];
    return (await engine.first<Row>(`SELECT ${columns.join(', ')} FROM ${parquet(typedPath)}`)) ?? {};
  });
  return Object.fromEntries(numeric.map((field) => [field, statisticsOf(row, field)]));
}

type Row = Record<string, string | number | null>;

function aggregates(field: string, weight: string, inParts: boolean): string[] {
  return [
    `count(${field}) AS count_${field}`,
    `sum(${field}) AS sum_${field}`,
    `min(${field}) AS min_${field}`,
    `max(${field}) AS max_${field}`,
    `sum(CASE WHEN ${field} IS NULL THEN ${weight} END) AS lost_${field}`,
    ...products(field, weight, inParts),
  ];
}

/** The exact sum of the products of a field and its weight. */
function products(field: string, weight: string, inParts: boolean): string[] {
  const wide = `CAST(${field} AS DECIMAL(38,6))`;
  const sum = (of: string, name: string) => `sum(${wide} * ${of}) AS ${name}_${field}`;
  if (!inParts) return [sum(weight, 'weighted')];
  const { millions, rest } = inMillions(weight);
  return [sum(rest, 'weighted'), sum(millions, 'millions')];
}

function statisticsOf(row: Row, field: string): FieldStatistics {
  const text = (name: string) => (row[`${name}_${field}`] as string | null) ?? null;
  const count = Number(row[`count_${field}`] ?? 0);
  const all = parseDecimal((row.weight as string | null) ?? '0');
  const weight = addDecimals(all, negateDecimal(parseDecimal(text('lost') ?? '0')));
  return {
    count,
    missing: Number(row.rows ?? 0) - count,
    sum: text('sum') ?? '0.000000',
    min: text('min'),
    max: text('max'),
    weighted_average: averageOf(text('weighted'), text('millions'), weight),
    missing_weight: text('lost') ?? '0.000000',
  };
}

/** To eight places; null without a weight. */
function averageOf(weighted: string | null, millions: string | null, divisor: Decimal): string | null {
  if (weighted === null || divisor.units === 0n) return null;
  const whole = multiplyDecimals(parseDecimal(millions ?? '0'), { units: MILLION, scale: 0 });
  return formatDecimal(divideDecimals(addDecimals(whole, parseDecimal(weighted)), divisor, 8));
}
