import { sqlName } from '../engine/sql.ts';

/** SQL that several comparisons share → the column that it is computed in, once per loan. */
export type Columns = Map<string, string>;

/**
 * What compiled conditions read beside the columns of the loans: ratios, and what was found in long lists (which may be lists of ratios).
 * Written out in every place instead, the statement would cost the planner the square of their number.
 */
export type Derived = { ratios: Columns; members: Columns };

/** The column of an expression, new where it has none. */
export function columnOf(sql: string, columns: Columns, kind: keyof Derived): string {
  const column = columns.get(sql) ?? sqlName(`${kind} ${columns.size}`);
  columns.set(sql, column);
  return column;
}

/** A query over loans with the derived columns beside its own. */
export function withDerived(relation: string, { ratios, members }: Derived): string {
  return [ratios, members].reduce((sql, columns) => {
    if (columns.size === 0) return sql;
    return `SELECT *, ${[...columns].map(([expression, column]) => `${expression} AS ${column}`).join(', ')} FROM (${sql})`;
  }, relation);
}
