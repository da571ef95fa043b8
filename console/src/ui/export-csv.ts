import { csvRecord } from './csv-record.ts';

/** Rows as a CSV file of the browser: UTF-8 with the mark that spreadsheets look for. */
export function saveCsv(name: string, header: readonly string[], rows: readonly (readonly unknown[])[]): void {
  save(`${name}.csv`, new Blob(['\uFEFF', ...[header, ...rows].map(csvRecord)], { type: 'text/csv' }));
}

export function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
