import { divideHalfEven, MICRO, toMicro } from '../decimal.ts';
import { type Condition, type CriteriaSet, isLeaf, type Leaf } from '../language.ts';
import type { LoanValues } from './small-tape.ts';

type Value = bigint | string | boolean | null;

/** A rule on one loan, row by row in plain code: true, false, or null when it cannot be decided. */
export function naiveRule(rule: Condition, loan: LoanValues, set: CriteriaSet): boolean | null {
  return evaluate(rule, loan, set, set.missing_policy === 'pass' ? true : null);
}

/** `missing` is the result of an undecided comparison at its position. */
function evaluate(condition: Condition, loan: LoanValues, set: CriteriaSet, missing: boolean | null): boolean | null {
  if (isLeaf(condition)) {
    const truth = compare(condition, loan, set);
    if (truth !== null) return truth;
    if (condition.on_missing === 'pass') return true;
    return condition.on_missing === 'fail' ? null : missing;
  }
  if ('not' in condition) {
    const inner = evaluate(condition.not, loan, set, missing === null ? null : !missing);
    return inner === null ? null : !inner;
  }
  if ('when' in condition)
    return evaluate(condition.when, loan, set, null) === true ? evaluate(condition.then, loan, set, missing) : true;
  const forcing = 'any' in condition;
  const parts = ('any' in condition ? condition.any : condition.all).map((part) => evaluate(part, loan, set, missing));
  if (parts.includes(forcing)) return forcing;
  return parts.includes(null) ? null : !forcing;
}

function compare(leaf: Leaf, loan: LoanValues, set: CriteriaSet): boolean | null {
  const left = leaf.expr ? ratio(leaf.expr, loan) : read(loan[leaf.field ?? '']);
  if (leaf.op === 'is_null') return left === null;
  if (leaf.op === 'not_null') return left !== null;
  if (left === null) return null;
  if (leaf.op === 'between') {
    const [low, high] = (leaf.value as (string | number)[]).map((bound) => read(bound, set)) as [string, string];
    return left >= low && left <= high;
  }
  if (leaf.op === 'in' || leaf.op === 'not_in') {
    const values = (leaf.value_set ? set.value_sets?.[leaf.value_set] : (leaf.value as string[])) ?? [];
    return values.some((value) => read(value, set) === left) === (leaf.op === 'in');
  }
  const right = leaf.value_field ? times(read(loan[leaf.value_field]), leaf.factor ?? 1) : read(leaf.value as string, set);
  if (right === null) return null;
  if (leaf.op === 'eq') return left === right;
  if (leaf.op === 'neq') return left !== right;
  if (leaf.op === 'gt' || leaf.op === 'after') return left > right;
  if (leaf.op === 'gte' || leaf.op === 'on_or_after') return left >= right;
  if (leaf.op === 'lt' || leaf.op === 'before') return left < right;
  return left <= right;
}

function read(value: string | number | boolean | null | undefined, set?: CriteriaSet): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return toMicro(value);
  if (typeof value === 'boolean') return value;
  const relative = /^as_of([+-]\d+)d$/.exec(value);
  if (relative && set?.as_of)
    return new Date(Date.parse(set.as_of) + Number(relative[1]) * 86_400_000).toISOString().slice(0, 10);
  return value.trim().toLowerCase() || null;
}

function times(value: Value, factor: number): Value {
  return typeof value === 'bigint' ? divideHalfEven(value * toMicro(factor), MICRO) : value;
}

function ratio({ num, den, scale = 1 }: NonNullable<Leaf['expr']>, loan: LoanValues): Value {
  const [n, d] = [read(loan[num]), read(loan[den])];
  if (typeof n !== 'bigint' || typeof d !== 'bigint' || d === 0n) return null;
  return divideHalfEven(n * toMicro(scale), d);
}
