import assert from 'node:assert/strict';
import { criteriaFields } from '../fields.ts';
import type { Condition, CriteriaSet, PoolTest } from '../language.ts';
import { validateCriteria } from '../validate.ts';

/** The path of a rule that `judgeRule` checks. */
export const RULE = 'loan_rules[0].rule';

/** Faults of a set of auto loans, or of the type that it names. */
export function issuesOf(set: Partial<CriteriaSet>) {
  const whole: CriteriaSet = { loan_type: 'Auto', loan_rules: [], ...set };
  const { ok, issues } = validateCriteria(whole, criteriaFields(whole));
  assert.equal(ok, issues.length === 0);
  return issues;
}

/** Faults of a set as `CODE path`. */
export function judge(set: Partial<CriteriaSet>): string[] {
  return issuesOf(set).map(({ code, path }) => `${code} ${path}`);
}

/** Faults of a set of one rule, which may have any shape. */
export function judgeRule(rule: unknown, more: Partial<CriteriaSet> = {}): string[] {
  return judge({ loan_rules: [{ id: 'R', rule: rule as Condition }], ...more });
}

/** Faults of a set of one pool test, which may have any shape. */
export function judgeTest(poolTest: object): string[] {
  return judge({ pool_tests: [{ id: 'P', op: 'lte', value: 0.5, ...poolTest } as PoolTest] });
}
