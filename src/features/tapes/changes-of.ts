/** Where a loan stands in a file, which is no part of it. */
const PLACE = new Set(['row_number', 'line']);

/** The fields of a loan that differ between two versions; none where one of them does not have it. */
export function changesOf(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): { field: string; before: unknown; after: unknown }[] {
  if (!before || !after) return [];
  return Object.keys({ ...before, ...after })
    .filter((field) => !PLACE.has(field) && (before[field] ?? null) !== (after[field] ?? null))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }));
}
