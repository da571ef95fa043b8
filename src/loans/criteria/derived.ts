import { sqlName } from '../engine/sql.ts';

/** SQL that several comparisons share → the column in which it is computed once per loan. */
export type SqlColumns = Map<string, string>;

/**
 * Columns that compiled conditions read besides those of the loans: ratios, and membership in long lists (which may be lists of ratios).
 * Repeating the expressions in every condition instead would cost the planner quadratic time.
 */
export type DerivedColumns = { ratios: SqlColumns; members: SqlColumns };

/** The column of an expression; adds one if there is none. */
export function columnOf(sql: string, columns: SqlColumns, kind: keyof DerivedColumns): string {
  const column = columns.get(sql) ?? sqlName(`${kind} ${columns.size}`);
  columns.set(sql, column);
  return column;
}

/** A name of the set as part of a column name. The engine takes names that differ in case for one, so other than small letters are spelt out. */
export function columnKey(name: string): string {
  return name.replace(/[^a-z0-9_]/gu, (letter) => `^${(letter.codePointAt(0) ?? 0).toString(16)};`);
}

/** A query over loans, extended by the derived columns. */
export function withDerived(relation: string, { ratios, members }: DerivedColumns): string {
  return [ratios, members].reduce((sql, columns) => {
    if (columns.size === 0) return sql;
    return `SELECT *, ${[...columns].map(([expression, column]) => `${expression} AS ${column}`).join(', ')} FROM (${sql})`;
  }, relation);
}
