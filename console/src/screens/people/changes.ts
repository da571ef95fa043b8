type Entry = { before?: unknown; after?: unknown };

/** The fields that an entry of the audit log changed, with both values. */
export function changesOf({ before, after }: Entry): { field: string; before: unknown; after: unknown }[] {
  const [old, now] = [asRecord(before), asRecord(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]))
    .map((field) => ({ field, before: old[field], after: now[field] }));
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};

export const plain = (value: unknown): string =>
  value === undefined ? '(nothing)' : typeof value === 'string' ? value : JSON.stringify(value);
