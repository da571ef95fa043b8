/** Rows as a CSV file of the browser: UTF-8 with the mark that spreadsheets look for. */
export function saveCsv(name: string, header: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const lines = [header, ...rows].map((row) => row.map(cell).join(','));
  save(`${name}.csv`, new Blob(['\uFEFF', lines.join('\r\n'), '\r\n'], { type: 'text/csv' }));
}

/** A cell that begins as a formula does would be run by a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Text that a spreadsheet shows and never runs. */
export const safeText = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const safe = safeText(String(value));
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
