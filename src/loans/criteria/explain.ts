import { compileTruths, type Compiling, valuesOf } from './compile.ts';
import {
  childrenOf,
  type Condition,
  type CriteriaSet,
  isLeaf,
  type Leaf,
  leavesOf,
  type LoanRule,
  type Scalar,
} from './language.ts';
import { leftOperand, type Operand, rightOperand } from './operand.ts';

/** One comparison that decided a rule, with its values. */
export interface DecidingLeaf {
  field: string;
  operator: string;
  expected: Scalar | Scalar[] | null;
  actual: Scalar | null;
}

/** Why a loan does not pass a rule. A rule of several comparisons names those that decided, joined by `; `, and lists them. */
export interface RuleFailure {
  rule_id: string;
  name: string;
  field: string;
  operator: string;
  expected: Scalar | Scalar[] | null;
  actual: Scalar | null;
  reason: 'BREACH' | 'MISSING';
  severity: 'fail' | 'warn';
  waived?: true;
  leaves?: DecidingLeaf[];
}

/** The value of a column in the row. */
type ExplainedRow = (column: string) => unknown;
type Truth = boolean | null;

/** SQL of a column, and the rule (its index in the set) that it explains. */
interface ExplainedColumn {
  sql: string;
  rule: number;
}

/** The columns to read, and the explanation of failures from their values. */
export interface Explainer {
  /** Columns over a loan relation by name: values (text) and truths of the comparisons in the requested rules. */
  columns: Map<string, ExplainedColumn>;
  /** `row` gives these columns by name; a truth may also be text. */
  explain(row: ExplainedRow, rule: number, missing: boolean): RuleFailure;
  /** What `explain` says of one rule, as cells show it. */
  shown(rule: number, missing: boolean): (row: ExplainedRow) => ShownFailure;
}

/** The value of a failure, and what was expected of it, in running text. */
export interface ShownFailure {
  actual: string;
  expected: string;
}

/**
 * Prepares the explanation of some rules (by index in `loan_rules`). The engine computes the truth of each comparison with the same SQL
 * that decided the rule, so an explanation cannot disagree with its outcome.
 */
export function explainer(set: CriteriaSet, rules: Iterable<number>, context: Compiling): Explainer {
  const columns = new Map<string, ExplainedColumn>();
  const known = new Map<number, RuleColumns>();
  for (const index of rules) {
    const rule = set.loan_rules[index];
    if (rule) known.set(index, ruleColumns(rule, index, context, columns));
  }
  const preparedRule = (index: number) => {
    const rule = set.loan_rules[index];
    const names = known.get(index);
    if (!rule || !names) throw new Error(`rule ${index} was not prepared`);
    return { rule, names };
  };
  return {
    columns,
    explain(row, index, missing) {
      const { rule, names } = preparedRule(index);
      return failureOf(rule, set, names, row, missing);
    },
    shown(index, missing) {
      const { rule, names } = preparedRule(index);
      const [only] = names.leaves;
      if (only && isLeaf(rule.rule) && only.right === null) {
        // Most rules compare a field with a value: of these all but the field is the same for every loan.
        const { expected } = shownFailure(describeLeaf(names, 0, false, set, () => null));
        return (row) => ({ actual: showValue(typed(row(only.left), only.operand)), expected });
      }
      return (row) => shownFailure(failureOf(rule, set, names, row, missing));
    },
  };
}

export const shownFailure = ({ field, operator, expected, actual }: DecidingLeaf): ShownFailure => ({
  actual: showValue(actual),
  expected: `${field} ${operator}${expected === null ? '' : ` ${showValue(expected)}`}`,
});

/** Column names of the comparisons of one rule, left to right. */
interface RuleColumns {
  leaves: { leaf: Leaf; truth: string | null; left: string; right: string | null; operand: Operand }[];
}

function ruleColumns(rule: LoanRule, index: number, context: Compiling, columns: Map<string, ExplainedColumn>): RuleColumns {
  const leaves = leavesOf(rule.rule);
  const truths = isLeaf(rule.rule) ? [] : compileTruths(rule.rule, context);
  return {
    leaves: leaves.map((leaf, position) => {
      const suffix = `${index}_${position}`;
      const operand = leftOperand(leaf, context);
      const right = leaf.value_field === undefined ? null : rightOperand(leaf, context);
      for (const { fields } of right ? [operand, right] : [operand]) for (const name of fields) context.used.add(name);
      columns.set(`left_${suffix}`, { sql: operand.shown, rule: index });
      if (right) columns.set(`right_${suffix}`, { sql: right.shown, rule: index });
      if (truths[position] !== undefined) columns.set(`truth_${suffix}`, { sql: truths[position], rule: index });
      return {
        leaf,
        operand,
        truth: truths[position] === undefined ? null : `truth_${suffix}`,
        left: `left_${suffix}`,
        right: right ? `right_${suffix}` : null,
      };
    }),
  };
}

function failureOf(rule: LoanRule, set: CriteriaSet, names: RuleColumns, row: ExplainedRow, missing: boolean): RuleFailure {
  const truths = names.leaves.map(({ truth }) => (truth === null ? (missing ? null : false) : truthOf(row(truth))));
  const decided = deciding(rule.rule, truths, { next: 0 }, false).leaves;
  const leaves = decided.map(({ position, negated }) => describeLeaf(names, position, negated, set, row));
  const [only] = leaves;
  const explanation = leaves.length === 1 && only ? only : joined(leaves);
  return {
    rule_id: rule.id,
    name: rule.description ?? rule.id,
    ...explanation,
    reason: missing ? 'MISSING' : 'BREACH',
    severity: rule.severity ?? 'fail',
    ...(leaves.length > 1 ? { leaves } : {}),
  };
}

function truthOf(value: unknown): Truth {
  return value === null || value === undefined ? null : value === true || value === 'true';
}

function joined(leaves: readonly DecidingLeaf[]): DecidingLeaf {
  const each = (pick: (leaf: DecidingLeaf) => unknown) => leaves.map((leaf) => showValue(pick(leaf))).join('; ');
  return {
    field: each((leaf) => leaf.field),
    operator: each((leaf) => leaf.operator),
    expected: each((leaf) => leaf.expected),
    actual: each((leaf) => leaf.actual),
  };
}

/** A value in running text: lists in brackets, nothing for a missing one. */
function showValue(value: unknown): string {
  if (value === null || value === undefined) return '(missing)';
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}

interface Deciding {
  value: Truth;
  leaves: { position: number; negated: boolean }[];
}

/** The comparisons that decided a condition: those of the children that forced its value. */
function deciding(condition: Condition, truths: readonly Truth[], cursor: { next: number }, negated: boolean): Deciding {
  if (isLeaf(condition)) {
    const position = cursor.next;
    cursor.next += 1;
    return { value: truths[position] ?? null, leaves: [{ position, negated }] };
  }
  if ('not' in condition) {
    const inner = deciding(condition.not, truths, cursor, !negated);
    return { value: inner.value === null ? null : !inner.value, leaves: inner.leaves };
  }
  const parts = childrenOf(condition).map((child) => deciding(child, truths, cursor, negated));
  if ('when' in condition) {
    const [when, then] = parts as [Deciding, Deciding];
    return when.value === true ? then : { value: true, leaves: when.leaves };
  }
  const value = 'all' in condition ? kleene(parts, false) : kleene(parts, true);
  return { value, leaves: parts.filter((part) => part.value === value).flatMap((part) => part.leaves) };
}

/** Three-valued AND (forced by `false`) or OR (forced by `true`). */
function kleene(parts: readonly Deciding[], forcing: boolean): Truth {
  if (parts.some((part) => part.value === forcing)) return forcing;
  return parts.some((part) => part.value === null) ? null : !forcing;
}

function describeLeaf(names: RuleColumns, position: number, negated: boolean, set: CriteriaSet, row: ExplainedRow): DecidingLeaf {
  const { leaf, operand, left, right } = names.leaves[position];
  return {
    field: fieldName(leaf),
    operator: negated ? `not ${leaf.op}` : leaf.op,
    expected: right === null ? expectedOf(leaf, set) : typed(row(right), operand),
    actual: typed(row(left), operand),
  };
}

function fieldName({ field, expr }: Leaf): string {
  if (!expr) return field ?? '';
  return `${expr.num} / ${expr.den}${expr.scale === undefined || expr.scale === 1 ? '' : ` × ${expr.scale}`}`;
}

const LISTED_MAX = 20;

function expectedOf(leaf: Leaf, set: CriteriaSet): Scalar | Scalar[] | null {
  if (leaf.op === 'is_null' || leaf.op === 'not_null') return null;
  if (leaf.op !== 'in' && leaf.op !== 'not_in') return leaf.value ?? null;
  const values = valuesOf(leaf, set.value_sets);
  return values.length <= LISTED_MAX ? values : `${leaf.value_set ?? 'list'} (${values.length} values)`;
}

function typed(text: unknown, operand: Operand): Scalar | null {
  if (text === null || text === undefined) return null;
  if (operand.kind === 'boolean') return text === 'true';
  return operand.kind === 'number' || operand.kind === 'micro' ? Number(text) : String(text);
}
