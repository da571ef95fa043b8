import { divideHalfEven, toMicro } from '../decimal.ts';
import type { CriteriaSet, PoolTest } from '../language.ts';
import { naiveRule } from './naive.ts';
import type { LoanValues } from './small-tape.ts';

export interface NaiveVerdict {
  /** Eight decimals; null when there is nothing to measure. */
  actual: string | null;
  passed: boolean | null;
}

type Fraction = { n: bigint; d: bigint };

/** A pool test measured loan by loan in plain code with exact fractions. */
export function naivePoolTest(test: PoolTest, tape: readonly LoanValues[], set: CriteriaSet): NaiveVerdict {
  const loans = test.population === 'all' ? tape : tape.filter((loan) => isEligible(loan, set));
  const { where } = test;
  const undecidedIsOut: CriteriaSet = { ...set, missing_policy: 'fail' };
  const inside = where === undefined ? loans : loans.filter((loan) => naiveRule(where, loan, undecidedIsOut) === true);
  if (test.exceptions || test.rank_limits) return ownLimits(test, loans, inside, set);
  const figure = figureOf(test, loans, inside, set);
  return figure === null || figure.d <= 0n
    ? { actual: null, passed: null }
    : { actual: eightPlaces(figure), passed: meets(figure, test.op, test.value) };
}

export function isEligible(loan: LoanValues, set: CriteriaSet): boolean {
  return set.loan_rules.every(({ rule, severity }) => severity === 'warn' || naiveRule(rule, loan, set) === true);
}

function figureOf(
  test: PoolTest,
  loans: readonly LoanValues[],
  inside: readonly LoanValues[],
  set: CriteriaSet,
): Fraction | null {
  const weight = (loan: LoanValues) => numberOf(loan, test.weight ?? set.weight_field ?? 'current_balance') ?? 0n;
  const values = inside.flatMap((loan) => {
    const value = numberOf(loan, test.field ?? '') ?? (test.missing_as === undefined ? null : toMicro(test.missing_as));
    return value === null ? [] : [{ value, weight: weight(loan) }];
  });
  const plain = values.map(({ value }) => value);
  const one = toMicro(1);
  switch (test.type) {
    case 'share':
      return { n: sum(inside.map(weight)), d: sum(loans.map(weight)) };
    case 'concentration':
      return { n: sum(groupsOf(test, inside, weight).slice(0, test.top ?? 1)), d: sum(loans.map(weight)) };
    case 'hhi': {
      const groups = groupsOf(test, inside, weight);
      return { n: sum(groups.map((each) => each * each)), d: sum(groups) ** 2n };
    }
    case 'weighted_average':
      return { n: sum(values.map((each) => each.value * each.weight)), d: sum(values.map((each) => each.weight)) * one };
    case 'average':
      return { n: sum(plain), d: BigInt(plain.length) * one };
    case 'sum':
      return { n: sum(plain), d: one };
    case 'count':
      return { n: BigInt(inside.length), d: 1n };
    default:
      return plain.length === 0 ? null : { n: plain.reduce((a, b) => ((test.type === 'max') === b > a ? b : a)), d: one };
  }
}

/** Every group against its own limit; no figure of one group stands for them all. */
function ownLimits(test: PoolTest, loans: readonly LoanValues[], inside: readonly LoanValues[], set: CriteriaSet): NaiveVerdict {
  const weight = (loan: LoanValues) => numberOf(loan, test.weight ?? set.weight_field ?? 'current_balance') ?? 0n;
  const d = sum(loans.map(weight));
  if (d <= 0n) return { actual: null, passed: null };
  const passed = namedGroups(test, inside, weight).every(([key, n], rank) => {
    const own = Object.entries(test.exceptions ?? {}).find(([name]) => name.toLowerCase() === key)?.[1];
    return meets({ n, d }, test.op, test.rank_limits?.[rank] ?? own ?? test.value);
  });
  return { actual: null, passed };
}

function groupsOf(test: PoolTest, inside: readonly LoanValues[], weight: (loan: LoanValues) => bigint): bigint[] {
  return namedGroups(test, inside, weight).map(([, each]) => each);
}

/** Weights of groups by their keys, the largest first. */
function namedGroups(test: PoolTest, inside: readonly LoanValues[], weight: (loan: LoanValues) => bigint): [string, bigint][] {
  const groups = new Map<string, bigint>();
  for (const loan of inside) {
    const key = (test.group_by ?? []).map((name) => keyOf(loan[name])).join(' | ');
    groups.set(key, (groups.get(key) ?? 0n) + weight(loan));
  }
  return [...groups].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
}

function keyOf(value: LoanValues[string] | undefined): string {
  const text = value === null || value === undefined ? '' : String(value).trim().toLowerCase();
  return text === '' ? '(missing)' : text;
}

function numberOf(loan: LoanValues, name: string): bigint | null {
  const value = loan[name];
  return typeof value === 'number' ? toMicro(value) : null;
}

function meets({ n, d }: Fraction, op: PoolTest['op'], value: PoolTest['value']): boolean {
  const one = toMicro(1);
  if (Array.isArray(value)) return meets({ n, d }, 'gte', value[0]) && meets({ n, d }, 'lte', value[1]);
  const [figure, limit] = [n * one, toMicro(value) * d];
  if (op === 'lte') return figure <= limit;
  if (op === 'lt') return figure < limit;
  return op === 'gte' ? figure >= limit : figure > limit;
}

function eightPlaces({ n, d }: Fraction): string {
  const units = divideHalfEven(n * 10n ** 8n, d);
  const digits = (units < 0n ? -units : units).toString().padStart(9, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, each) => total + each, 0n);
}
