import { PARTITION } from './table.ts';

/** True, false, or null where a file's partition alone does not tell. */
type Verdict = boolean | null;
type Node = { op?: unknown; children?: unknown; name?: unknown; value?: unknown };

type Comparison = (left: number, right: number) => boolean;

const COMPARISONS: ReadonlyMap<unknown, Comparison> = new Map<unknown, Comparison>([
  ['equal', (left, right) => left === right],
  ['lessThan', (left, right) => left < right],
  ['lessThanOrEqual', (left, right) => left <= right],
  ['greaterThan', (left, right) => left > right],
  ['greaterThanOrEqual', (left, right) => left >= right],
]);

const SQL: Record<string, Comparison> = {
  '=': (left, right) => left === right,
  '<>': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

const DEEPEST = 50;

export type Hints = { jsonPredicateHints?: unknown; predicateHints?: unknown };

/**
 * Whether the file of a period can have rows that a client asks for. What a hint says of other columns, or in a way that is not understood,
 * leaves no file out: clients filter the rows themselves.
 */
export function mayHold(hints: Hints, period: number): boolean {
  const statements = Array.isArray(hints.predicateHints) ? hints.predicateHints : [];
  return (
    verdictOf(readJson(hints.jsonPredicateHints), period, 0) !== false &&
    statements.every((sql) => sqlVerdict(sql, period) !== false)
  );
}

function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function verdictOf(given: unknown, period: number, depth: number): Verdict {
  if (typeof given !== 'object' || given === null || depth > DEEPEST) return null;
  const node: Node = given;
  const children = Array.isArray(node.children) ? (node.children as unknown[]) : [];
  const verdicts = (): Verdict[] => children.map((child) => verdictOf(child, period, depth + 1));
  switch (node.op) {
    case 'and':
      return all(verdicts());
    case 'or':
      return negated(all(verdicts().map(negated)));
    case 'not':
      return negated(verdicts()[0] ?? null);
    case 'isNull':
      return isPartition(children[0]) ? false : null;
    default: {
      const compare = COMPARISONS.get(node.op);
      const [left, right] = children.map((child) => numberOf(child, period));
      return compare && left != null && right != null ? compare(left, right) : null;
    }
  }
}

const negated = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict);
const all = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(false) ? false : verdicts.includes(null) || verdicts.length === 0 ? null : true;

const isPartition = (given: unknown): boolean =>
  typeof given === 'object' &&
  given !== null &&
  'name' in given &&
  typeof given.name === 'string' &&
  given.name.toLowerCase() === PARTITION;

function numberOf(given: unknown, period: number): number | null {
  if (isPartition(given)) return period;
  if (typeof given !== 'object' || given === null || !('value' in given)) return null;
  const { value } = given;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return /^-?\d{1,15}$/.test(String(value)) ? Number(value) : null;
}

function sqlVerdict(sql: unknown, period: number): Verdict {
  if (typeof sql !== 'string') return null;
  const [, name = '', operator = '', number] = /^\s*`?(\w+)`?\s*(=|<>|<=|>=|<|>)\s*(\d{1,15})\s*$/.exec(sql) ?? [];
  const compare = SQL[operator];
  return compare && number !== undefined && name.toLowerCase() === PARTITION ? compare(period, Number(number)) : null;
}
