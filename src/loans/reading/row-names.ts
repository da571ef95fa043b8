import { normalizeHeader } from './header.ts';
import { PLAIN, type Row } from './row.ts';

const MOST_ROWS = 0.95;
/** Names of columns whose values differ from row to row. */
const ID_NAME = /(^|_)(id|number|no|nr|num|key|ref|reference)$/;

/**
 * Whether the rows begin with a row name that the header has no name for, as R's `write.table` and a pandas index write them: nearly all
 * rows have one field more than the header, and their first fields number the rows from 0 or 1 or are quoted names that never repeat. A
 * last column without a name, or a delimiter inside a value of every row, gives as many fields; such rows stay malformed.
 */
export function haveRowNames(header: readonly string[], rows: readonly Row[]): boolean {
  const wide = rows.filter((row) => row.count === header.length + 1 && row.count <= row.capacity);
  if (header.length < 2 || wide.length < 2 || wide.length < MOST_ROWS * rows.length || header.at(-1) === '') return false;
  const column = (index: number) => wide.map((row) => row.text(index));
  // Rows that end in an empty field end in a delimiter.
  if (!column(header.length).some((text) => text.trim() !== '')) return false;
  if (splitsAfterBlank(wide, header.length)) return false;
  if (ID_NAME.test(normalizeHeader(header[0])) && !areDistinct(column(1))) return false;
  return numberTheRows(column(0)) || (areDistinct(column(0)) && areQuotedNames(wide));
}

function numberTheRows(texts: readonly string[]): boolean {
  const start = Number(texts[0]);
  return (start === 0 || start === 1) && texts.every((text, at) => text.trim() === String(start + at));
}

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length && texts.every((text) => text.trim() !== '');
}

/** R quotes names and text, and leaves numbers bare. */
function areQuotedNames(rows: readonly Row[]): boolean {
  return rows.every((row) => row.kinds[0] !== PLAIN && row.kinds.subarray(1, row.count).includes(PLAIN));
}

/** Whether one field of nearly every row begins with a blank and others do not, as in `1,Smith, John,100`. */
function splitsAfterBlank(rows: readonly Row[], last: number): boolean {
  const after = Array.from({ length: last }, (_, at) => rows.filter((row) => row.text(at + 1).startsWith(' ')).length);
  const blank = after.filter((count) => count >= MOST_ROWS * rows.length).length;
  return blank > 0 && blank < last;
}
