import { isName } from './header.ts';

/**
 * The names of a header with repeated ones, where the row above it names groups of columns (`Original` over `Balance` and `Term`, `Current`
 * over the same): each repeated name gets that of its group, which reaches to the next one, in front. Null where that tells them not all apart.
 */
export function groupedNames(names: readonly string[], above: readonly string[] | undefined): string[] | null {
  const key = (name: string) => name.trim().toLowerCase();
  const counts = new Map<string, number>();
  for (const name of names) counts.set(key(name), (counts.get(key(name)) ?? 0) + 1);
  const isRepeated = (name: string) => name !== '' && (counts.get(key(name)) ?? 0) > 1;
  const groups = new Set(above?.filter(Boolean));
  if (!above || !names.some(isRepeated) || groups.size < 2 || ![...groups].every(isName)) return null;
  let group = '';
  const grouped = names.map((name, column) => {
    group = above[column] || group;
    return isRepeated(name) && group !== '' ? `${group} ${name}` : name;
  });
  const filled = grouped.filter(Boolean).map(key);
  return new Set(filled).size === filled.length ? grouped : null;
}
