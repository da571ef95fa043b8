import type { RawColumn } from '../reading/raw-table.ts';

export type FindSource = (source: string) => RawColumn | undefined;

/**
 * `findSource` for many names of one tape: a request may name thousands of columns, and a look-up goes through all columns for each of them.
 * Exact headers first, then normalized ones; of equal names the first column.
 */
export function sourceFinder(columns: readonly RawColumn[]): FindSource {
  const [byName, byNormalized] = [new Map<string, RawColumn>(), new Map<string, RawColumn>()];
  const headers = new Set<string>();
  for (const column of columns) {
    const isNamed = column.name !== '' && !headers.has(column.name);
    headers.add(column.name);
    setFirst(byName, isNamed ? column.name : column.normalized, column);
    setFirst(byNormalized, column.normalized, column);
  }
  return (source) => byName.get(source) ?? byNormalized.get(normalizedSource(source));
}

/** As `findSource` normalizes a name. */
function normalizedSource(source: string): string {
  return source
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

function setFirst(map: Map<string, RawColumn>, key: string, column: RawColumn): void {
  if (!map.has(key)) map.set(key, column);
}
