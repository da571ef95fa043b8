import { CELL_MARK } from '../engine/sql.ts';
import { FORMULA_SIGNS } from '../reading/correction.ts';

const FORMULA_START = new RegExp(`^'*[\\t\\r\\n${FORMULA_SIGNS}]`);
const PLAIN_NUMBER = /^-\d{1,30}(\.\d{1,30})?(e[-+]\d{1,3})?$/;

/**
 * Text that a spreadsheet shows and never runs as a formula: text that starts with `= + - @`, narrow or wide, a tab or an
 * end of a line gets a leading apostrophe, and so does text that has one already, so that taking one off gives every text back. A plain negative number (`-12.50`, `-1.2e-7`) stays as it is.
 */
export function neutraliseFormula(text: string): string {
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** One CSV record of RFC 4180 with its CRLF; null is an empty field. Text is neutralised, and quoted only where necessary. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvField).join(',')}\r\n`;
}

/** The cells of a CSV record, without its end, from marked cells: what is between unusual ones is taken as it is, with commas for its marks. */
export function csvCells(marked: string): string {
  if (marked !== '' && !marked.startsWith(CELL_MARK)) return (JSON.parse(marked) as (string | null)[]).map(csvField).join(',');
  let line = '';
  let run = 1;
  UNUSUAL.lastIndex = 0;
  while (UNUSUAL.test(marked)) {
    const start = marked.lastIndexOf(CELL_MARK, UNUSUAL.lastIndex - 1) + 1;
    const next = marked.indexOf(CELL_MARK, start);
    const end = next < 0 ? marked.length : next;
    line += marked.slice(run, start) + csvField(marked.slice(start, end));
    run = end;
    UNUSUAL.lastIndex = end;
  }
  // `replaceAll` makes a piece of its own of every cell, and takes five times as long.
  return (line + marked.slice(run)).split(CELL_MARK).join(',');
}

/** Ends at a character for which a cell may need quotes or an apostrophe: one anywhere in it, or one that begins or ends it. */
const UNUSUAL = new RegExp(`[",\\r\\n]|${CELL_MARK}[\\s'${FORMULA_SIGNS}]|\\s(?=${CELL_MARK}|$)`, 'g');

/** One field of a CSV record. */
export function csvField(cell: string | null): string {
  if (cell === null || cell === '') return '';
  const text = neutraliseFormula(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
