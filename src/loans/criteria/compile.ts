import type { Extent } from '../values/quotient.ts';
import { type DictionaryField, type FieldTable, fieldTable, type KnownField } from './fields.ts';
import { childrenOf, type Condition, type CriteriaSet, isLeaf, type Leaf, type Operator, type Scalar } from './language.ts';
import { type Bound, isNarrow, productBound, quotientBound } from './rounded.ts';
import type { DerivedColumns } from './derived.ts';
import { memberOf } from './members.ts';
import { constant, inMicro, leftOperand, type Operand, rightOperand } from './operand.ts';

/** Context in which conditions are compiled. */
export interface Compiling extends Extent {
  fields: FieldTable;
  asOf: string | undefined;
  valueSets: NonNullable<CriteriaSet['value_sets']>;
  /** Result of a comparison with a missing value, unless the comparison has its own `on_missing`. */
  missing: 'fail' | 'pass';
  /** Every field that the compiled conditions read. */
  used: Set<string>;
  /** Columns that `loanRelation` adds to those of the loans. Null: their expressions are written out in place. */
  derived: DerivedColumns | null;
}

/** Context for a set that passes `validateCriteria`; its conditions and pool tests share the fields used. */
export function compiling(set: CriteriaSet, dictionary: readonly DictionaryField[], extent: Extent = {}): Compiling {
  return {
    ...extent,
    fields: fieldTable(set, dictionary),
    asOf: set.as_of,
    valueSets: set.value_sets ?? {},
    missing: set.missing_policy ?? 'fail',
    used: new Set(),
    derived: { ratios: new Map(), members: new Map() },
  };
}

/**
 * SQL of a loan rule: TRUE passes, FALSE is a breach, NULL cannot be decided because a value is missing. Logic is three-valued
 * as in SQL: NOT of unknown is unknown, so negation never turns a missing value into a pass. With the policy `pass` a missing
 * value counts in favour of the loan wherever it occurs; `on_missing` of a comparison overrides the policy.
 */
export function compileRule(rule: Condition, context: Compiling): string {
  return compileNode(rule, context, context.missing === 'pass' ? 'true' : 'unknown');
}

/** SQL of the `where` of a pool test: a loan that cannot be decided is excluded. */
export function compileWhere(where: Condition, context: Compiling): string {
  return `coalesce(${compileNode(where, context, 'unknown')}, false)`;
}

/** Result of a comparison without `on_missing` when its value is missing: which result favours the loan depends on the negations above it. */
type Missing = 'true' | 'false' | 'unknown';

const OPPOSITE: Record<Missing, Missing> = { true: 'false', false: 'true', unknown: 'unknown' };

/** SQL of each comparison of a condition, left to right: the same truths that decided the rule. */
export function compileTruths(rule: Condition, context: Compiling): string[] {
  const truths: string[] = [];
  compileNode(rule, context, context.missing === 'pass' ? 'true' : 'unknown', truths);
  return truths;
}

function compileNode(condition: Condition, context: Compiling, missing: Missing, truths?: string[]): string {
  if (isLeaf(condition)) {
    const sql = compileLeaf(condition, context, missing);
    truths?.push(sql);
    return sql;
  }
  if ('not' in condition) return `(NOT ${compileNode(condition.not, context, OPPOSITE[missing], truths)})`;
  if ('when' in condition) {
    const when = compileNode(condition.when, context, 'unknown', truths);
    const then = compileNode(condition.then, context, missing, truths);
    return `CASE WHEN ${when} THEN ${then} ELSE true END`;
  }
  const parts = childrenOf(condition).map((child) => compileNode(child, context, missing, truths));
  return `(${parts.join('all' in condition ? ' AND ' : ' OR ')})`;
}

function compileLeaf(leaf: Leaf, context: Compiling, missing: Missing): string {
  const sql = comparison(leaf, context);
  if (leaf.op === 'is_null' || leaf.op === 'not_null' || leaf.on_missing === 'fail') return sql;
  if (leaf.on_missing === 'pass') return `coalesce(${sql}, true)`;
  return missing === 'unknown' ? sql : `coalesce(${sql}, ${missing})`;
}

const SYMBOLS: Partial<Record<Operator, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  before: '<',
  after: '>',
  on_or_before: '<=',
  on_or_after: '>=',
};

function comparison(leaf: Leaf, context: Compiling): string {
  const quick = roundedComparison(leaf, context);
  if (quick !== null) return quick;
  const left = use(leftOperand(leaf, context), context);
  if (leaf.op === 'is_null') return `(${left.sql} IS NULL)`;
  if (leaf.op === 'not_null') return `(${left.sql} IS NOT NULL)`;
  if (leaf.value_field !== undefined) return againstField(leaf, left, use(rightOperand(leaf, context), context));
  const literal = (value: unknown) => constant(value, left.kind, context.asOf);
  if (leaf.op === 'between') {
    const [low, high] = leaf.value as unknown[];
    return `(${left.sql} BETWEEN ${literal(low)} AND ${literal(high)})`;
  }
  if (leaf.op === 'in' || leaf.op === 'not_in') {
    const member = memberOf(left, valuesOf(leaf, context.valueSets), context);
    return leaf.op === 'in' ? member : `(NOT ${member})`;
  }
  return `(${left.sql} ${SYMBOLS[leaf.op]} ${literal(leaf.value)})`;
}

/** Comparisons of quotients and products that need no division; null for the rest. */
function roundedComparison(leaf: Leaf, context: Compiling): string | null {
  const { op, expr } = leaf;
  const field = (name: string) => {
    context.used.add(name);
    return context.fields.get(name) as KnownField;
  };
  if (expr !== undefined) {
    const [num, den] = [field(expr.num), field(expr.den)];
    const bound = (by: Bound, value: unknown) => quotientBound(num, den, expr.scale ?? 1, by, value as number);
    if (op === 'between' && (leaf.value as unknown[]).every(isNarrow)) {
      const [low, high] = leaf.value as unknown[];
      return `(${bound('gte', low)} AND ${bound('lte', high)})`;
    }
    return isBound(op) && leaf.value !== undefined && isNarrow(leaf.value) ? bound(op, leaf.value) : null;
  }
  if (leaf.value_field === undefined || leaf.factor === undefined || leaf.factor === 1 || !isBound(op)) return null;
  return productBound(field(leaf.field ?? ''), field(leaf.value_field), leaf.factor, op);
}

function isBound(op: Operator): op is Bound {
  return ['lte', 'lt', 'gte', 'gt', 'eq', 'neq'].includes(op);
}

function againstField(leaf: Leaf, left: Operand, right: Operand): string {
  const micro = left.kind === 'micro' || right.kind === 'micro';
  const [a, b] = micro ? [inMicro(left), inMicro(right)] : [left, right];
  return `(${a.sql} ${SYMBOLS[leaf.op]} ${b.sql})`;
}

/** The list of an `in` or `not_in`: inline or from a value set. */
export function valuesOf(leaf: Leaf, valueSets: CriteriaSet['value_sets']): Scalar[] {
  if (leaf.value_set === undefined) return leaf.value as Scalar[];
  const values = valueSets?.[leaf.value_set];
  if (!values) throw new Error(`the rule names the value set "${leaf.value_set}", which the set does not declare`);
  return values;
}

function use(operand: Operand, context: Compiling): Operand {
  for (const name of operand.fields) context.used.add(name);
  return operand;
}
