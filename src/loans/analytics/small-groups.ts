/** Loans of the smallest group that is shown where single loans must not be recognisable. */
export const LEAST_SHOWN = 5;

/** Groups that are small, joined with others. */
export const OTHER = '(other)';

/**
 * Puts groups together until each has at least `least` members, or only one is left. Groups in an order: a small one joins the one before it,
 * a small first one the one after. Others: the small ones are together, with the smallest of the rest where they are still too few; such
 * a group comes last. Each result lists its parts in their order.
 */
export function joinSmall<Part>(
  parts: readonly Part[],
  { countOf, ordered, least }: { countOf: (part: Part) => number; ordered: boolean; least: number },
): Part[][] {
  return ordered ? joinNeighbours(parts, countOf, least) : joinOthers(parts, countOf, least);
}

function joinNeighbours<Part>(parts: readonly Part[], countOf: (part: Part) => number, least: number): Part[][] {
  const joined = parts.map((part) => [part]);
  for (let place = joined.length - 1; place > 0; place--) {
    if (total(joined[place], countOf) >= least) continue;
    joined[place - 1].push(...joined[place]);
    joined.splice(place, 1);
  }
  const [first, second] = joined;
  if (first && second && total(first, countOf) < least) joined.splice(0, 2, [...first, ...second]);
  return joined;
}

function joinOthers<Part>(parts: readonly Part[], countOf: (part: Part) => number, least: number): Part[][] {
  const small = parts.filter((part) => countOf(part) < least);
  const shown = parts.filter((part) => countOf(part) >= least);
  while (small.length > 0 && total(small, countOf) < least && shown.length > 0) {
    const smallest = shown.reduce((best, part) => (countOf(part) < countOf(best) ? part : best));
    shown.splice(shown.indexOf(smallest), 1);
    small.push(smallest);
  }
  const groups = shown.map((part) => [part]);
  return small.length === 0 ? groups : [...groups, small];
}

const total = <Part>(parts: readonly Part[], countOf: (part: Part) => number): number =>
  parts.reduce((sum, part) => sum + countOf(part), 0);
