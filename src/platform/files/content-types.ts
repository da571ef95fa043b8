/** Content types of the tables that come in and go out. */
export const CSV = 'text/csv';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Content type of a table that is sent to be saved: text says its encoding. */
export function downloadType(format: 'csv' | 'xlsx' | 'json'): string {
  if (format === 'csv') return `${CSV}; charset=utf-8`;
  return format === 'xlsx' ? XLSX : 'application/json; charset=utf-8';
}
