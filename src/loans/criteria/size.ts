import type { CriteriaSet, Leaf } from './language.ts';

/** Most values that the comparisons of a set may look through together. */
export const RULE_VALUES_MAX = 50_000;

/**
 * How large a set is: each comparison counts the values that it lists or that its value set holds, at least one. Conditions need
 * not have been checked: what is no condition counts as one comparison.
 */
export function sizeOf(set: CriteriaSet): number {
  const conditions: unknown[] = [...set.loan_rules.map(({ rule }) => rule), ...(set.pool_tests ?? []).map(({ where }) => where)];
  let size = 0;
  while (conditions.length > 0) {
    const condition = conditions.pop();
    if (typeof condition !== 'object' || condition === null) continue;
    if ('op' in condition) size += valuesIn(condition as Partial<Leaf>, set);
    else for (const child of Object.values(condition)) conditions.push(...(Array.isArray(child) ? child : [child]));
  }
  return size;
}

export function isTooLarge(set: CriteriaSet): boolean {
  return sizeOf(set) > RULE_VALUES_MAX;
}

/** What to do about a set that is too large, with its size and the limit. */
export function tooLargeMessage(set: CriteriaSet): string {
  const [size, limit] = [sizeOf(set), RULE_VALUES_MAX].map((count) => count.toLocaleString('en-US'));
  return `The comparisons of this set look through ${size} values together; at most ${limit} are allowed. Test a value set once, or divide the set.`;
}

function valuesIn(leaf: Partial<Leaf>, { value_sets = {} }: CriteriaSet): number {
  const named = leaf.value_set !== undefined && Object.hasOwn(value_sets, leaf.value_set) ? value_sets[leaf.value_set] : null;
  const values = named ?? leaf.value;
  return Array.isArray(values) ? Math.max(1, values.length) : 1;
}
