/** The way from a name back to itself over what each name leads to, starting and ending with it; null when there is none. */
export function wayBack(start: string, next: (name: string) => readonly string[]): string[] | null {
  const seen = new Set<string>();
  const walk = (name: string, path: string[]): string[] | null => {
    for (const each of next(name)) {
      if (each === start) return [...path, each];
      if (seen.has(each)) continue;
      seen.add(each);
      const found = walk(each, [...path, each]);
      if (found) return found;
    }
    return null;
  };
  return walk(start, [start]);
}
