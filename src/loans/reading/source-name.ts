import type { RawColumn } from './raw-table.ts';

/** The name of a column in a mapping: its header, or its normalized name where the header is empty or repeated. */
export function sourceName(column: RawColumn, columns: readonly RawColumn[]): string {
  const first = columns.find((other) => other.name === column.name);
  return column.name !== '' && first === column ? column.name : column.normalized;
}

/** The column that a mapping names: by exact header first, then by normalized header. */
export function findSource(source: string, columns: readonly RawColumn[]): RawColumn | undefined {
  return (
    columns.find((column) => sourceName(column, columns) === source) ??
    columns.find(
      (column) =>
        column.normalized ===
        source
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '_')
          .replace(/^_+|_+$/g, ''),
    )
  );
}
