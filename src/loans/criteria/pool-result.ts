import { noBits } from './bits.ts';
import { columnKey } from './derived.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import type { PoolVerdict } from './pool-verdict.ts';

/** A group of a concentration or Herfindahl test. */
export interface GroupFigure {
  group: string;
  balance: string;
  loans: number;
  actual: string;
  limit: number | null;
  passed: boolean;
}

/** A group over its limit; `limit`, excess and headroom are null where groups break one limit together. */
export interface Offender {
  group: string;
  limit: PoolTestResult['limit'] | null;
  actual: string;
  excess_balance: string | null;
  headroom: string | null;
}

/** Result of one pool test. */
export interface PoolTestResult extends PoolVerdict {
  rule_id: string;
  name: string;
  type: PoolTest['type'];
  severity: 'fail' | 'warn';
  population: 'eligible' | 'all';
  op: PoolTest['op'];
  /** Group that decides a test of groups: the one nearest to its limit or furthest beyond it. */
  group: string | null;
  limit: number | [number, number];
  /** Largest groups first, those that break their limit before the others; at most 25. */
  groups?: GroupFigure[];
  /** Every group over its limit, the worst first; none for a test that passes, and for one without groups. */
  offenders: Offender[];
  /** There are more offenders than are listed. */
  more_offenders: boolean;
}

export const MISSING_GROUP = '(missing)';

/** Weight of a test: its own, else the set's, else the current balance. Only share, concentration, hhi and weighted averages have one. */
export function weightOf(test: PoolTest, set: CriteriaSet): string | undefined {
  if (!['share', 'concentration', 'hhi', 'weighted_average'].includes(test.type)) return undefined;
  return test.weight ?? set.weight_field ?? 'current_balance';
}

export function valueColumn(name: string): string {
  return `value ${columnKey(name)}`;
}

/** Column of the group that a loan belongs to; tests by the same fields share it. */
export function groupColumn(test: Pick<PoolTest, 'group_by'>): string {
  return `group ${(test.group_by ?? []).map(columnKey).join(' ')}`;
}

/** The result of a test from its verdict; `limit` if a group has its own. */
export function describeResult(
  test: PoolTest,
  group: string | null,
  verdict: PoolVerdict,
  limit: PoolTestResult['limit'] = test.value,
): PoolTestResult {
  return {
    rule_id: test.id,
    name: test.description ?? test.id,
    type: test.type,
    severity: test.severity ?? 'fail',
    population: test.population ?? 'eligible',
    op: test.op,
    group,
    limit,
    ...verdict,
    offenders: [],
    more_offenders: false,
  };
}

/** Whether a test of the set measures loans that are not eligible. */
export function measuresAll(set: CriteriaSet): boolean {
  return (set.pool_tests ?? []).some(({ population }) => population === 'all');
}

/** SQL: a loan of the pool is in the population of the test; null when every loan is. A pool of no other tests has eligible loans only. */
export function population(test: PoolTest, set: CriteriaSet, index: number, withWhere: boolean): string | null {
  const parts = test.population === 'all' || !measuresAll(set) ? [] : [noBits('fail', set.loan_rules.length)];
  if (withWhere && test.where) parts.push(`where_${index}`);
  return parts.length === 0 ? null : parts.join(' AND ');
}
