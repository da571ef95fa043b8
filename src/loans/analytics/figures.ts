import {
  addDecimals,
  type Decimal,
  divideDecimals,
  formatDecimal,
  numberFromDecimal,
  parseDecimal,
  rescale,
} from '../../finance/decimal.ts';
import { dictionary, findField } from '../dictionary/dictionary.ts';
import type { LoanType } from '../types.ts';
import type { CommonColumns } from './columns.ts';

/**
 * Balance-weighted figures of every group of loans, as SQL values; a loan without a value is excluded from that average. With `fields` only the
 * figures that are made of these fields alone.
 */
export function weightedValues(type: LoanType, columns: CommonColumns, fields?: readonly string[]): Record<string, string> {
  const optional = ['ltv', 'cltv', 'dti', 'pti', 'dscr', 'utilization'].filter((field) => findField(type, field) !== undefined);
  const all: Record<string, string> = {
    wac: columns.rate,
    ...(type === 'Credit Card' ? {} : { wam: columns.remaining }),
    wa_age_months: columns.age,
    wa_credit_score: columns.credit_score,
    ...Object.fromEntries(optional.map((field) => [`wa_${field}`, field])),
  };
  if (!fields) return all;
  const others = dictionary(type).flatMap(({ field }) => (fields.includes(field) ? [] : [field]));
  const readsOther = (sql: string): boolean => others.some((field) => new RegExp(`\\b${field}\\b`).test(sql));
  return Object.fromEntries(Object.entries(all).filter(([, sql]) => !readsOther(sql)));
}

/** Columns of a grouping query: `loan_count`, `balance`, and per figure its weighted sum and the weight behind it. Exact decimals. */
export function figureColumns(balance: string, values: Record<string, string>): string {
  const sums = Object.entries(values).map(
    ([name, value]) =>
      `coalesce(sum(${balance} * (${value})), 0) AS ${name}_sum, coalesce(sum(${balance}) FILTER (WHERE (${value}) IS NOT NULL), 0) AS ${name}_weight`,
  );
  return [`count(*) AS loan_count`, `coalesce(sum(${balance}), 0) AS balance`, ...sums].join(', ');
}

/** Sums of a group; the sums of groups can be added. */
export type Sums = { loan_count: number; balance: Decimal; weighted: Record<string, { sum: Decimal; weight: Decimal }> };

/** A row of the engine: decimals as text, counts as numbers. */
export type FigureRow = Record<string, string | number | null>;
const decimal = (value: string | number | null | undefined): Decimal => parseDecimal(String(value ?? 0));

export function readSums(row: FigureRow, values: Record<string, string>): Sums {
  const weighted = Object.keys(values).map((name) => [
    name,
    { sum: decimal(row[`${name}_sum`]), weight: decimal(row[`${name}_weight`]) },
  ]);
  return { loan_count: Number(row.loan_count), balance: decimal(row.balance), weighted: Object.fromEntries(weighted) };
}

export function addSums(all: readonly Sums[]): Sums {
  const zero = (): Decimal => ({ units: 0n, scale: 0 });
  const names = new Set(all.flatMap((sums) => Object.keys(sums.weighted)));
  const add = (read: (sums: Sums) => Decimal | undefined) =>
    all.reduce((total, sums) => addDecimals(total, read(sums) ?? zero()), zero());
  const weighted = [...names].map((name) => [
    name,
    { sum: add((each) => each.weighted[name]?.sum), weight: add((each) => each.weighted[name]?.weight) },
  ]);
  return {
    loan_count: all.reduce((count, sums) => count + sums.loan_count, 0),
    balance: add((each) => each.balance),
    weighted: Object.fromEntries(weighted),
  };
}

/** Figures of a group on the wire: money with 2 decimals, averages with 6, null where no loan has a value. */
export type Figures = {
  loan_count: number;
  balance: number;
  average_balance: number | null;
  averages: Record<string, number | null>;
};

export function figuresOf(sums: Sums): Figures {
  const average = sums.loan_count === 0 ? null : divideDecimals(sums.balance, { units: BigInt(sums.loan_count), scale: 0 }, 2);
  return {
    loan_count: sums.loan_count,
    balance: numberFromDecimal(rescale(sums.balance, 2)),
    average_balance: average && numberFromDecimal(average),
    averages: Object.fromEntries(
      Object.entries(sums.weighted).map(([name, { sum, weight }]) => [name, quotient(sum, weight, 6)]),
    ),
  };
}

/** a / b with `places` decimals, half-even; null when b is zero. */
export function quotient(a: Decimal, b: Decimal, places: number): number | null {
  return b.units === 0n ? null : numberFromDecimal(divideDecimals(a, b, places));
}

/** Shares of a total, 6 decimals, that sum to 1: the largest absorbs the rounding difference. All 0 without a total. */
export function sharesOf(parts: readonly Decimal[]): number[] {
  const total = parts.reduce(addDecimals, { units: 0n, scale: 0 });
  if (total.units === 0n) return parts.map(() => 0);
  const millionths = parts.map((part) => divideDecimals(part, total, 6).units);
  const rest = 1_000_000n - millionths.reduce((sum, share) => sum + share, 0n);
  const largest = millionths.reduce((best, share, index) => (share > millionths[best] ? index : best), 0);
  millionths[largest] = millionths[largest] + rest;
  return millionths.map((units) => Number(formatDecimal({ units, scale: 6 })));
}
