import { parquet } from '../engine/sql.ts';
import type { RawColumn } from './raw-table.ts';

/** Columns that an issues file adds after those of the originator; a corrected file still has them. */
export const CORRECTION_COLUMNS = ['_row', '_rule', '_reason', '_actual', '_expected'] as const;

/** What makes a file a corrected issues file: the other two say what was wrong, and may have been deleted. */
const NEEDED = CORRECTION_COLUMNS.slice(0, 3);

/** How many of these names are columns that an issues file added; none on any other tape. */
export function addedColumns(names: readonly string[]): number {
  const present: ReadonlySet<string> = new Set(names);
  return NEEDED.every((name) => present.has(name)) ? CORRECTION_COLUMNS.filter((name) => present.has(name)).length : 0;
}

/**
 * The columns of the originator in a tape that may be a corrected issues file. The added columns are excluded, so that they are
 * neither mapped nor compared in the search for duplicate rows.
 */
export function splitCorrection(columns: readonly RawColumn[]): SplitColumns {
  const named = (name: string) => columns.find((column) => column.name === name) ?? null;
  if (!NEEDED.every(named)) return { own: [...columns], row: null, rule: null };
  const added: ReadonlySet<string> = new Set(CORRECTION_COLUMNS);
  return { own: columns.filter((column) => !added.has(column.name)), row: named('_row'), rule: named('_rule') };
}

/** The columns of the originator, and those that say which row a row corrects and which findings that row had; null on any other tape. */
export type SplitColumns = { own: RawColumn[]; row: RawColumn | null; rule: RawColumn | null };

/** Whether a file with these columns is an issues file or an exception file that was sent back. */
export function isCorrection(columns: readonly RawColumn[]): boolean {
  return splitCorrection(columns).row !== null;
}

/** SQL of the row number in a text of `_row`; null where it is blank or no whole number. A spreadsheet may have made 17 into 17.0. */
export function correctedRow(column: string): string {
  return `TRY_CAST(regexp_extract(${column}, '^\\s*([0-9]{1,9})(?:\\.0+)?\\s*$', 1) AS INTEGER)`;
}

/**
 * SQL of the texts `_rule,_reason,_actual,_expected` of each row with findings, as `row_number, j0, j1, j2, j3`; of the rows of a
 * condition only, where it is given.
 */
export function joinedFindings(issuesPath: string, condition = 'row_number IS NOT NULL'): string {
  const joined = ['rule_id', 'message', "coalesce(actual, '')", "coalesce(expected, '')"].map(
    (value, index) => `string_agg(${value}, '; ' ORDER BY severity, rule_id, field) AS j${index}`,
  );
  return `SELECT row_number, ${joined.join(', ')} FROM ${parquet(issuesPath)} WHERE ${condition} GROUP BY row_number`;
}

/** Signs for which a spreadsheet takes a text for a formula, as a part of a class of a regular expression. The wide ones are those of East Asian keyboards. */
export const FORMULA_SIGNS = '=+@＝＋－＠\\-';

/** SQL of a source text without the leading apostrophe that kept a spreadsheet from running it as a formula. */
export function withoutApostrophe(column: string): string {
  return `CASE WHEN starts_with(${column}, '''') THEN regexp_replace(${column}, '^''(''*[\\t\\r\\n${FORMULA_SIGNS}])', '\\1') ELSE ${column} END`;
}
