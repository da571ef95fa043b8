import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import type { StatedTotals } from '../reading/raw-table.ts';
import type { TapeFinding } from '../types.ts';
import { tapeFinding } from './tape-checks.ts';

/** A column of amounts and the field that it fills. */
export type SummedColumn = { field: string; source: string; index: number };

/** Subtotals of so many levels may stand beside each other without a total of all. */
const LEVELS_MAX = 4;
/** A number that is further from the sum is no sum: a count, an average, an amount in thousands. */
const FAR = 50;

/**
 * Totals of the file that are not the sums of what was read, where every row has an amount, no line of totals fits and they are not those of
 * groups: the file may have been cut off. Rows without a readable amount have findings of their own, and explain a difference.
 */
export async function differingTotals(
  engine: Engine,
  typedPath: string,
  totals: readonly StatedTotals[],
  columns: readonly SummedColumn[],
): Promise<TapeFinding[]> {
  const stated = columns.flatMap((column) => {
    const values = totals.flatMap(({ line, numbers }) =>
      numbers.flatMap(([index, number]) => (index === column.index ? [{ line, number }] : [])),
    );
    return values.length > 0 ? [{ ...column, values }] : [];
  });
  if (stated.length === 0) return [];
  const sums = stated.map(
    ({ field }) => `CASE WHEN count(${field}) = count(*) THEN CAST(sum(${field}) AS DOUBLE) END AS ${field}`,
  );
  const row = await engine.first<Record<string, number | null>>(
    `SELECT count(*) AS rows, ${sums.join(', ')} FROM ${parquet(typedPath)}`,
  );
  return stated.flatMap(({ field, source, values }) => {
    const [rows, sum] = [row?.rows ?? 0, row?.[field] ?? 0];
    // Each amount may be rounded in the file, and the sum be that of the whole ones.
    const leave = Math.max(1.011, 0.005 * rows, 1e-6 * Math.abs(sum));
    const isNear = (number: number, other: number) => Math.abs(number - other) <= leave;
    const all = values.reduce((total, { number }) => total + number, 0);
    const areOfGroups = Array.from({ length: LEVELS_MAX }, (_, level) => (level + 1) * sum).some((each) => isNear(all, each));
    const largest = values.reduce((most, each) => (each.number > most.number ? each : most));
    const isSum = largest.number * FAR > sum && largest.number < FAR * sum;
    if (!isSum || areOfGroups || values.some(({ number }) => isNear(number, sum))) return [];
    const actual = sum.toFixed(2);
    const message = `"${source}": a line of totals says ${largest.number}, and the rows that were read add up to ${actual}: the file may have been cut off, or have loans twice. Compare it with the source system`;
    const expected = `rows that add up to ${largest.number}`;
    return [tapeFinding('TOTALS_DIFFER', message, { field, column: source, line: largest.line, actual, expected })];
  });
}
