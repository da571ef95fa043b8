/** A record of a CSV file, as the files of the API have it. */
export const csvRecord = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A cell that begins as a formula does would be run by a spreadsheet; one that has an apostrophe before it already gets another. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^-\d+(\.\d+)?(e[-+]\d+)?$/;

/** Text that a spreadsheet shows and never runs. */
export const safeText = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const safe = safeText(String(value));
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
