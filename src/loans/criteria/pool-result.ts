import { noBits } from './bits.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import type { Verdict } from './pool-verdict.ts';

/** A group of a concentration or Herfindahl test. */
export interface GroupFigure {
  group: string;
  balance: string;
  loans: number;
  actual: string;
  limit: number | null;
  passed: boolean;
}

/** Result of one pool test. */
export interface PoolTestResult extends Verdict {
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
}

export const MISSING_GROUP = '(missing)';

/** Weight of a test: its own, else the set's, else the current balance. Only share, concentration, hhi and weighted averages have one. */
export function weightOf(test: PoolTest, set: CriteriaSet): string | undefined {
  if (!['share', 'concentration', 'hhi', 'weighted_average'].includes(test.type)) return undefined;
  return test.weight ?? set.weight_field ?? 'current_balance';
}

export function valueColumn(name: string): string {
  return `value ${name}`;
}

/** The result of a test from what was measured; `limit` where a group has its own. */
export function describe(
  test: PoolTest,
  group: string | null,
  verdict: Verdict,
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
  };
}

/** SQL: the loan is in the population of the test. */
export function population(test: PoolTest, set: CriteriaSet, index: number, withWhere: boolean): string {
  const parts = [test.population === 'all' ? 'true' : noBits('fail', set.loan_rules.length)];
  if (withWhere && test.where) parts.push(`where_${index}`);
  return parts.join(' AND ');
}
