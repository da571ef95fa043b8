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

function csvField(cell: string | null): string {
  if (cell === null || cell === '') return '';
  const text = neutraliseFormula(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
