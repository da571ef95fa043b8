import type { RawColumn } from './raw-table.ts';

/** Columns that an issues file adds after those of the originator; a corrected file still has them. */
export const CORRECTION_COLUMNS = ['_row', '_rule', '_reason', '_actual', '_expected'] as const;

/** What makes a file a corrected issues file: the other two say what was wrong, and may have been deleted. */
const NEEDED = CORRECTION_COLUMNS.slice(0, 3);

/**
 * The columns of the originator in a tape that may be a corrected issues file. The added columns are excluded, so that they are
 * neither mapped nor compared in the search for duplicate rows.
 */
export function splitCorrection(columns: readonly RawColumn[]): { own: RawColumn[]; row: RawColumn | null } {
  const names = new Set(columns.map((column) => column.name));
  if (!NEEDED.every((name) => names.has(name))) return { own: [...columns], row: null };
  const added: ReadonlySet<string> = new Set(CORRECTION_COLUMNS);
  return {
    own: columns.filter((column) => !added.has(column.name)),
    row: columns.find((column) => column.name === '_row') ?? null,
  };
}

/** SQL of a source text without the leading apostrophe that kept a spreadsheet from running it as a formula. */
export function withoutApostrophe(column: string): string {
  return `CASE WHEN starts_with(${column}, '''') THEN regexp_replace(${column}, '^''(''*[=+@\\t\\r-])', '\\1') ELSE ${column} END`;
}
