import { CELL_MARK } from '../engine/sql.ts';

const FORMULA_START = /^'*[=+\-@\t\r]/;
const PLAIN_NUMBER = /^-\d{1,30}(\.\d{1,30})?$/;

/**
 * Text that a spreadsheet shows and never runs as a formula: text that starts with `= + - @`, tab or carriage return gets a leading
 * apostrophe, and so does text that has one already, so that taking one off gives every text back. A plain negative number (`-12.50`) stays as it is.
 */
export function neutraliseFormula(text: string): string {
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** One CSV record of RFC 4180 with its CRLF; null is an empty field. Text is neutralised, and quoted only where necessary. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvField).join(',')}\r\n`;
}

/** The cells of a CSV record, without its end, from marked cells: in one pass, which looks closer only at cells with an unusual character. */
export function csvCells(marked: string): string {
  if (marked !== '' && !marked.startsWith(CELL_MARK)) return (JSON.parse(marked) as (string | null)[]).map(csvField).join(',');
  let line = '';
  let start = 1;
  let isUnusual = false;
  for (let at = 1; at <= marked.length; at += 1) {
    const code = at < marked.length ? marked.charCodeAt(at) : MARK_CODE;
    if (code === MARK_CODE) {
      const cell = marked.slice(start, at);
      line += isUnusual ? csvField(cell) : cell;
      if (at < marked.length) line += ',';
      start = at + 1;
      isUnusual = false;
    } else if (code >= USUAL.length || !USUAL[code] || (at === start && STARTS_FORMULA[code])) isUnusual = true;
  }
  return line;
}

const MARK_CODE = CELL_MARK.charCodeAt(0);
/** Of the first 128 characters: what is never quoted, and what a formula may start with. */
const USUAL = characters((text) => !/[",\s]/.test(text));
const STARTS_FORMULA = characters((text) => FORMULA_START.test(text) || text === "'");

function characters(test: (text: string) => boolean): boolean[] {
  return Array.from({ length: 128 }, (_, code) => test(String.fromCharCode(code)));
}

function csvField(cell: string | null): string {
  if (cell === null || cell === '') return '';
  const text = neutraliseFormula(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
