import type { PoolLoans, PoolModel } from './model.ts';
import type { Limit } from './relax.ts';

const MICRO = 1e6;
/** Planes of one test: each is as long as the pool. */
const PLANES_MAX = 24;

/**
 * Limits on groups are convex, and every plane that touches one is a linear limit that holds wherever it does: which groups are the largest, and where a
 * Herfindahl index is met, changes with the removal. For a removal, the planes that it breaks, each once. None for limits that are not convex:
 * those by rank, and lower limits.
 */
export function planesOf({
  model,
  loans,
}: {
  model: PoolModel;
  loans: PoolLoans;
}): (isRemoved: (index: number) => boolean) => Limit[] {
  const isConvex = model.kind === 'groups' ? model.ranks === null : model.kind === 'hhi' && !model.floor;
  if (!isConvex || (model.kind !== 'groups' && model.kind !== 'hhi')) return () => [];
  const weight = Float64Array.from(loans.weight, Number);
  const known = new Set<string>();
  return (isRemoved) => {
    const groups = new Float64Array(loans.groupKeys.length);
    let total = 0;
    weight.forEach((each, index) => {
      if (isRemoved(index)) return;
      total += each;
      const group = loans.group[index];
      if (group >= 0) groups[group] += each;
    });
    if (model.kind === 'hhi') {
      const level = Math.sqrt(Number(model.limit) / MICRO);
      const norm = Math.sqrt(groups.reduce((sum, each) => sum + each * each, 0));
      return norm > level * total * (1 + 1e-9) ? [plane(loans, weight, (group) => groups[group] / norm, level)] : [];
    }
    const falling = [...groups.keys()].filter((group) => groups[group] > 0);
    falling.sort((x, y) => groups[y] - groups[x]);
    const sets = model.top === 1 ? falling.map((group) => [group]) : [falling.slice(0, model.top)];
    const limitOf = (set: readonly number[]): number => Number(model.top === 1 ? model.limits[set[0]] : model.limits[0]) / MICRO;
    const broken = sets.filter((set) => {
      const together = set.reduce((sum, group) => sum + groups[group], 0);
      return together > limitOf(set) * total * (1 + 1e-12) && !known.has(keyOf(set));
    });
    return broken.slice(0, PLANES_MAX - known.size).map((set) => {
      known.add(keyOf(set));
      const members = new Set(set);
      return plane(loans, weight, (group) => (members.has(group) ? 1 : 0), limitOf(set));
    });
  };
}

/** The groups of a set, in whatever order they come. */
function keyOf(set: readonly number[]): string {
  return set.toSorted((x, y) => x - y).join();
}

/** Σ slope(group) × weight over the remaining loans is at most `level` × their weight. */
function plane(loans: PoolLoans, weight: Float64Array, slope: (group: number) => number, level: number): Limit {
  const gain = weight.map((each, index) => ((loans.group[index] >= 0 ? slope(loans.group[index]) : 0) - level) * each);
  return { gain, need: gain.reduce((sum, each) => sum + each, 0) };
}
