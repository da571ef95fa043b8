import { refuseInvalidRules } from './criteria-error.ts';
import Type from 'typebox';
import { compileRule, compiling } from '../../loans/criteria/compile.ts';
import type { CriteriaSet, LoanRule } from '../../loans/criteria/language.ts';
import { criteriaFields } from '../../loans/criteria/fields.ts';
import type { LoanType } from '../../loans/types.ts';

export const LoanRuleSchema = Type.Unsafe<LoanRule>({
  title: 'PoolFilter',
  type: 'object',
  required: ['rule'],
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 64 },
    description: { type: 'string', maxLength: 500 },
    rule: { type: 'object', description: 'A condition of the rule language of selection criteria.' },
  },
});

/** Reads `compileFilter` where the fields do not matter. */
export const filterCondition = (rules: readonly LoanRule[], loanType: LoanType, asOf: string): string =>
  compileFilter(rules, loanType, asOf).condition;

/**
 * SQL condition over the loan table that holds for the loans that meet all rules. A loan for which a rule cannot be decided does not meet
 * it; `warn` rules exclude no loan. Also the fields that the rules read. 422 with the path of each fault.
 */
export function compileFilter(
  rules: readonly LoanRule[],
  loanType: LoanType,
  asOf: string,
): { condition: string; fields: string[] } {
  const named = rules.map((rule, index) => ({ ...rule, id: rule.id ?? `rule_${index + 1}` }));
  const set: CriteriaSet = { loan_type: loanType, as_of: asOf, loan_rules: named };
  refuseInvalidRules(set, 'The filter', (path) => path.replace(/^loan_rules/, 'filter'));
  const context = { ...compiling(set, criteriaFields(set)), derived: null };
  const conditions = named
    .filter((rule) => rule.severity !== 'warn')
    .map((rule) => `coalesce(${compileRule(rule.rule, context)}, false)`);
  return { condition: conditions.join(' AND ') || 'true', fields: [...context.used] };
}
