import type { RawColumn } from './raw-table.ts';

/** Columns that a file of issues adds behind the originator's own; a corrected file comes back with them. */
export const CORRECTION_COLUMNS = ['_row', '_rule', '_reason', '_actual', '_expected'] as const;

/**
 * The columns of the originator in a tape that may be a corrected file of issues. The added columns are left out, so that they
 * are neither mapped nor compared when duplicate rows are looked for.
 */
export function splitCorrection(columns: readonly RawColumn[]): { own: RawColumn[]; row: RawColumn | null } {
  const names = new Set(columns.map((column) => column.name));
  if (!CORRECTION_COLUMNS.every((name) => names.has(name))) return { own: [...columns], row: null };
  const added: ReadonlySet<string> = new Set(CORRECTION_COLUMNS);
  return {
    own: columns.filter((column) => !added.has(column.name)),
    row: columns.find((column) => column.name === '_row') ?? null,
  };
}

/** SQL of a source text as it was before a leading apostrophe kept a spreadsheet from running it. */
export function withoutApostrophe(column: string): string {
  return `CASE WHEN starts_with(${column}, '''') THEN regexp_replace(${column}, '^''([=+@\\t\\r-])', '\\1') ELSE ${column} END`;
}
