/** Content types of uploaded and downloaded tables. */
export const CSV = 'text/csv';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const JSON_TYPE = 'application/json';
export const PDF = 'application/pdf';
export const PARQUET = 'application/vnd.apache.parquet';

/** Content type of a downloaded table: text states its encoding. */
export function downloadType(format: 'csv' | 'xlsx' | 'json' | 'pdf' | 'parquet'): string {
  if (format === 'csv') return `${CSV}; charset=utf-8`;
  if (format === 'pdf') return PDF;
  if (format === 'parquet') return PARQUET;
  return format === 'xlsx' ? XLSX : `${JSON_TYPE}; charset=utf-8`;
}
