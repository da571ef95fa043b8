/** The value below which `part` of the values lie: 0.5 is the upper median, 1 the largest. NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const at = Math.min(values.length - 1, Math.floor(values.length * part));
  return values.toSorted((a, b) => a - b)[at] ?? Number.NaN;
}
