import {
  addDecimals,
  decimalFromNumber,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
} from '../../finance/decimal.ts';
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
  const most = `CAST(max(abs(${weight})) AS VARCHAR) AS most_weight`;
  const figures = await firstRow(engine, typedPath, [most, ...numeric.flatMap((field) => aggregates(field, weight))]);
  const isWide = (field: string) => mayOverflow(figures, field);
  const weighted = await firstRow(
    engine,
    typedPath,
    numeric.flatMap((field) => products(field, weight, isWide(field))),
  );
  const row = { ...figures, ...weighted };
  return Object.fromEntries(numeric.map((field) => [field, statisticsOf(row, field)]));
}

type Row = Record<string, string | number | null>;

async function firstRow(engine: Engine, typedPath: string, columns: readonly string[]): Promise<Row> {
  return (await engine.first<Row>(`SELECT ${columns.join(', ')} FROM ${parquet(typedPath)}`)) ?? {};
}

function aggregates(field: string, weight: string): string[] {
  const lost = `sum(CASE WHEN ${field} IS NULL THEN ${weight} END)`;
  return [
    `count(${field}) AS count_${field}`,
    `count(*) - count(${field}) AS missing_${field}`,
    `CAST(sum(${field}) AS VARCHAR) AS sum_${field}`,
    `CAST(min(${field}) AS VARCHAR) AS min_${field}`,
    `CAST(max(${field}) AS VARCHAR) AS max_${field}`,
    `CAST(sum(${weight}) - coalesce(${lost}, 0) AS VARCHAR) AS weight_${field}`,
    `CAST(${lost} AS VARCHAR) AS lost_${field}`,
  ];
}

/** Whole digits of a sum of products in the engine, less one for the rounding of this estimate. */
const SUM_MAX = 1e25;

function mayOverflow(row: Row, field: string): boolean {
  const most = (name: string) => Math.max(Math.abs(Number(row[`min_${name}`] ?? 0)), Math.abs(Number(row[`max_${name}`] ?? 0)));
  return most(field) * Number(row.most_weight ?? 0) * Number(row[`count_${field}`] ?? 0) > SUM_MAX;
}

/** The exact sum of the products of a field and its weight; where amounts are out of all measure, in two parts: of the weights' millions and of the rest. */
function products(field: string, weight: string, isWide: boolean): string[] {
  const wide = `CAST(${field} AS DECIMAL(38,6))`;
  const sum = (of: string, name: string) => `CAST(sum(${wide} * ${of}) AS VARCHAR) AS ${name}_${field}`;
  if (!isWide) return [sum(weight, 'weighted')];
  const millions = `(CAST(trunc(${weight}) AS BIGINT) // ${MILLION})`;
  return [sum(`(${weight} - ${millions} * ${MILLION})`, 'weighted'), sum(millions, 'millions')];
}

const MILLION = 1_000_000;

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
  const whole = multiplyDecimals(parseDecimal(millions ?? '0'), decimalFromNumber(MILLION));
  return formatDecimal(divideDecimals(addDecimals(whole, parseDecimal(weighted)), divisor, 8));
}
