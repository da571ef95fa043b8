import { isCalendarDate, isRelativeDate, resolveDate } from './as-of.ts';
import { unknownField } from '../../platform/http/unknown-fields.ts';
import { toMicro } from './decimal.ts';
import type { FieldKind } from './fields.ts';
import { LIMITS, OPERATORS, type Operator } from './language.ts';
import { type Checking, checkNumericField, type CriteriaIssueCode, usableField } from './checking.ts';
import type { Ratio } from '../types.ts';

const GROUP_KEYS = ['all', 'any', 'not', 'when'] as const;
const LEAF_KEYS = ['field', 'expr', 'op', 'value', 'value_field', 'value_set', 'factor', 'on_missing'];
/** Every word of a condition: one in the wrong place is an invalid rule, any other word is unknown. */
const WORDS = new Set<string>([...GROUP_KEYS, 'then', ...LEAF_KEYS]);

const OPERATORS_OF: Record<FieldKind, readonly Operator[]> = {
  number: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'not_in', 'is_null', 'not_null'],
  text: ['eq', 'neq', 'in', 'not_in', 'is_null', 'not_null'],
  boolean: ['eq', 'neq', 'in', 'not_in', 'is_null', 'not_null'],
  date: ['eq', 'neq', 'between', 'in', 'not_in', 'before', 'after', 'on_or_before', 'on_or_after', 'is_null', 'not_null'],
};

type Shape = Record<string, unknown>;

/** Adds every fault inside a condition, each with its path. */
export function checkCondition(condition: unknown, path: string, checking: Checking): void {
  const budget = { leaves: LIMITS.leaves };
  walk(condition, path, 1, budget, checking);
  if (budget.leaves < 0) checking.add('INVALID_RULE', path, `a rule has at most ${LIMITS.leaves} comparisons`);
}

function walk(condition: unknown, path: string, depth: number, budget: { leaves: number }, checking: Checking): void {
  if (budget.leaves < 0 || checking.isFull()) return;
  if (depth > LIMITS.depth) return checking.add('INVALID_RULE', path, `rules nest at most ${LIMITS.depth} deep`);
  if (!isShape(condition)) return checking.add('INVALID_RULE', path, 'expected a comparison or one of all, any, not, when/then');
  const group = GROUP_KEYS.find((key) => Object.hasOwn(condition, key));
  if (group === undefined) {
    budget.leaves -= 1;
    return checkLeaf(condition, path, checking);
  }
  const allowed = group === 'when' ? ['when', 'then'] : [group];
  rejectUnknownKeys(condition, allowed, path, checking);
  if (group === 'not' || group === 'when') {
    for (const key of allowed) walk(condition[key], `${path}.${key}`, depth + 1, budget, checking);
    return;
  }
  const children = condition[group];
  if (!Array.isArray(children) || children.length === 0)
    return checking.add('INVALID_RULE', `${path}.${group}`, 'expected a list with at least one condition');
  children.forEach((child, index) => {
    walk(child, `${path}.${group}[${index}]`, depth + 1, budget, checking);
  });
}

function checkLeaf(leaf: Shape, path: string, checking: Checking): void {
  rejectUnknownKeys(leaf, LEAF_KEYS, path, checking);
  if (leaf.on_missing !== undefined && leaf.on_missing !== 'fail' && leaf.on_missing !== 'pass') {
    checking.add('INVALID_RULE', `${path}.on_missing`, 'expected "fail" or "pass"');
  }
  const kind = checkLeft(leaf, path, checking);
  const op = OPERATORS.find((known) => known === leaf.op);
  if (op === undefined)
    return checking.add('INVALID_RULE', `${path}.op`, `unknown operator ${show(leaf.op)}; one of ${OPERATORS.join(', ')}`);
  if (kind === undefined) return;
  if (!OPERATORS_OF[kind].includes(op)) {
    return checking.add(
      'INVALID_RULE',
      `${path}.op`,
      `${op} cannot be used on a ${kind} value; use ${OPERATORS_OF[kind].join(', ')}`,
    );
  }
  checkRight(leaf, kind, op, path, checking);
}

function checkLeft(leaf: Shape, path: string, checking: Checking): FieldKind | undefined {
  const given = ['field', 'expr'].filter((key) => Object.hasOwn(leaf, key));
  if (given.length !== 1) {
    checking.add('INVALID_RULE', path, 'a comparison has either field or expr');
    return undefined;
  }
  if (given[0] === 'field') return usableField(leaf.field, `${path}.field`, checking)?.kind;
  checkRatio(leaf.expr, `${path}.expr`, checking);
  return 'number';
}

/** Adds every fault of a ratio of two numeric fields. */
export function checkRatio(expr: unknown, path: string, checking: Checking): void {
  if (!isShape(expr)) return checking.add('INVALID_RULE', path, 'expected {num, den, scale?}');
  rejectUnknownKeys(expr, ['num', 'den', 'scale'], path, checking);
  checkNumericField(expr.num, `${path}.num`, checking);
  checkNumericField(expr.den, `${path}.den`, checking);
  const { scale } = expr as unknown as Ratio;
  if (scale !== undefined && !isFactor(scale)) checking.add(codeOf(scale, 'number'), `${path}.scale`, FACTOR_EXPECTED);
}

const FACTOR_EXPECTED = 'expected a number above 0 and at most 1,000,000 with at most 6 decimals';

function isFactor(value: unknown): boolean {
  if (typeof value !== 'number' || !(value > 0 && value <= 1e6)) return false;
  return Number(toMicro(value)) / 1e6 === value;
}

function checkRight(leaf: Shape, kind: FieldKind, op: Operator, path: string, checking: Checking): void {
  const given = ['value', 'value_field', 'value_set'].filter((key) => Object.hasOwn(leaf, key));
  const add = (where: string, message: string) => checking.add('INVALID_RULE', where, message);
  if (leaf.factor !== undefined && given[0] !== 'value_field') add(`${path}.factor`, 'factor goes with value_field only');
  if (op === 'is_null' || op === 'not_null') {
    if (given.length > 0) add(`${path}.${given[0]}`, `${op} takes no value`);
    return;
  }
  if (given.length !== 1) return add(path, `${op} needs exactly one of value, value_field, value_set`);
  if (given[0] === 'value_field') return checkValueField(leaf, kind, op, path, checking);
  if (given[0] === 'value_set') return checkValueSet(leaf, kind, op, path, checking);
  checkValue(leaf.value, kind, op, `${path}.value`, checking);
}

function checkValueField(leaf: Shape, kind: FieldKind, op: Operator, path: string, checking: Checking): void {
  if (['between', 'in', 'not_in'].includes(op))
    return checking.add('INVALID_RULE', `${path}.value_field`, `${op} cannot be compared with a field`);
  const other = usableField(leaf.value_field, `${path}.value_field`, checking);
  if (other && other.kind !== kind)
    checking.add(
      'INVALID_RULE',
      `${path}.value_field`,
      `a ${kind} value cannot be compared with ${other.name}, which holds ${other.kind} values`,
    );
  if (leaf.factor === undefined) return;
  if (kind !== 'number') checking.add('INVALID_RULE', `${path}.factor`, 'factor is for numbers only');
  else if (!isFactor(leaf.factor)) checking.add(codeOf(leaf.factor, 'number'), `${path}.factor`, FACTOR_EXPECTED);
}

function checkValueSet(leaf: Shape, kind: FieldKind, op: Operator, path: string, checking: Checking): void {
  const where = `${path}.value_set`;
  if (op !== 'in' && op !== 'not_in')
    return checking.add('INVALID_RULE', where, `a value set goes with in and not_in, not with ${op}`);
  const sets = checking.set.value_sets ?? {};
  const values = typeof leaf.value_set === 'string' && Object.hasOwn(sets, leaf.value_set) ? sets[leaf.value_set] : undefined;
  if (values === undefined)
    return checking.add('INVALID_RULE', where, `the set declares no value set ${show(leaf.value_set)} under value_sets`);
  const wrong = values.find((value) => scalarFault(value, kind, checking) !== null);
  if (wrong !== undefined)
    checking.add('INVALID_RULE', where, `value set "${String(leaf.value_set)}": ${scalarFault(wrong, kind, checking)}`);
}

function checkValue(value: unknown, kind: FieldKind, op: Operator, path: string, checking: Checking): void {
  const add = (where: string, message: string) => checking.add('INVALID_RULE', where, message);
  const addScalar = (scalar: unknown, where: string): string | null => {
    const fault = scalarFault(scalar, kind, checking);
    if (fault !== null) checking.add(codeOf(scalar, kind), where, fault);
    return fault;
  };
  if (op === 'between') {
    if (!Array.isArray(value) || value.length !== 2) return add(path, 'between needs two bounds: [lowest, highest]');
    const faults = value.map((bound, index) => addScalar(bound, `${path}[${index}]`));
    if (faults.every((fault) => fault === null) && !isOrdered(value[0], value[1], kind, checking.set.as_of))
      add(path, `the bounds ${show(value)} are reversed`);
    return;
  }
  if (op === 'in' || op === 'not_in') {
    if (!Array.isArray(value) || value.length === 0) return add(path, `${op} needs a list with at least one value`);
    if (value.length > LIMITS.values) return add(path, `at most ${LIMITS.values} values, got ${value.length}`);
    value.forEach((entry, index) => addScalar(entry, `${path}[${index}]`));
    return;
  }
  addScalar(value, path);
}

/** A value of a set is judged for its meaning: a set may hold texts. */
const codeOf = (value: unknown, kind: FieldKind): CriteriaIssueCode =>
  kind === 'number' && typeof value !== 'number' ? 'NOT_A_NUMBER' : 'INVALID_RULE';

function isOrdered(low: number | string, high: number | string, kind: FieldKind, asOf: string | undefined): boolean {
  if (kind === 'number') return toMicro(low) <= toMicro(high);
  // A cut-off date that is none is a fault of its own.
  if (asOf !== undefined && !isCalendarDate(asOf)) return true;
  return resolveDate(String(low), asOf) <= resolveDate(String(high), asOf);
}

/** The fault of a value that is compared with a field of this kind; null when it is valid. */
function scalarFault(value: unknown, kind: FieldKind, { set }: Pick<Checking, 'set'>): string | null {
  if (kind === 'boolean') return typeof value === 'boolean' ? null : `expected true or false, got ${show(value)}`;
  if (kind === 'text') {
    if (typeof value === 'number') return `expected text, got the number ${value}; write "${value}"`;
    return typeof value === 'string' && value.trim() !== '' && !value.includes('\u0000')
      ? null
      : `expected text, got ${show(value)}`;
  }
  if (kind === 'number') return isPlainNumber(value) ? null : `expected a number below 10^20, got ${show(value)}`;
  if (typeof value !== 'string') return `expected a date YYYY-MM-DD, got ${show(value)}`;
  if (isRelativeDate(value)) return relativeFault(value, set.as_of);
  return isCalendarDate(value) ? null : `expected a date YYYY-MM-DD, got ${show(value)}`;
}

function relativeFault(value: string, asOf: string | undefined): string | null {
  if (asOf === undefined) return `"${value}" needs the set's as_of`;
  if (!isCalendarDate(asOf) || isCalendarDate(resolveDate(value, asOf))) return null;
  return `"${value}" lies outside the calendar`;
}

function isPlainNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e20;
}

function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rejectUnknownKeys(shape: Shape, known: readonly string[], path: string, checking: Checking): void {
  for (const key of Object.keys(shape)) {
    if (known.includes(key)) continue;
    if (checking.isFull()) return;
    const where = `${path}.${key.slice(0, 64)}`;
    if (WORDS.has(key)) {
      checking.add('INVALID_RULE', where, `${key} does not go here; expected one of ${known.join(', ')}`);
      continue;
    }
    // A misspelt group word leaves a comparison: the words of both are what may have been meant.
    const { message, nearest } = unknownField(where, key, known === LEAF_KEYS ? [...WORDS] : known);
    checking.add('UNKNOWN_FIELD', where, message, nearest);
  }
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
