import type { CriteriaSet, Leaf } from './language.ts';

/** Largest number of values that the comparisons of a set may search, and of comparisons: a statement of 2,000 is planned in seconds. */
const VALUES_MAX = 50_000;
const COMPARISONS_MAX = 2_000;

/** The reason why a set is too large to check or run, with its size and the limit; else null. Its conditions may be unchecked. */
export function sizeProblem(set: CriteriaSet): string | null {
  const { comparisons, values } = sizeOf(set);
  const text = (count: number) => count.toLocaleString('en-US');
  if (comparisons > COMPARISONS_MAX)
    return `The set has ${text(comparisons)} comparisons; at most ${text(COMPARISONS_MAX)} are allowed. Divide the set.`;
  if (values > VALUES_MAX)
    return `The comparisons of this set look through ${text(values)} values together; at most ${text(VALUES_MAX)} are allowed. Test a value set once, or divide the set.`;
  return null;
}

/** Each comparison counts the values in its list or value set, at least one. */
function sizeOf(set: CriteriaSet): { comparisons: number; values: number } {
  const conditions: unknown[] = [...set.loan_rules.map(({ rule }) => rule), ...(set.pool_tests ?? []).map(({ where }) => where)];
  const size = { comparisons: 0, values: 0 };
  while (conditions.length > 0) {
    const condition = conditions.pop();
    if (typeof condition !== 'object' || condition === null) continue;
    if (!('op' in condition)) {
      for (const part of Object.values(condition).flat()) conditions.push(part);
    } else {
      size.comparisons += 1;
      size.values += valuesIn(condition as Partial<Leaf>, set);
    }
  }
  return size;
}

function valuesIn(leaf: Partial<Leaf>, { value_sets = {} }: CriteriaSet): number {
  const named = leaf.value_set !== undefined && Object.hasOwn(value_sets, leaf.value_set) ? value_sets[leaf.value_set] : null;
  const values = named ?? leaf.value;
  return Array.isArray(values) ? Math.max(1, values.length) : 1;
}
