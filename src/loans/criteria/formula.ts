import type { LoanType, Ratio } from '../types.ts';
import type { CriteriaIssue, CriteriaIssueCode } from './checking.ts';
import type { KnownField } from './fields.ts';
import { checkRatio } from './validate-condition.ts';

/**
 * The faults of a formula of a mapping: a ratio of the rule language over columns of the tape, which are taken as numbers. Whether the
 * tape has them is not asked here.
 */
export function formulaFaults(formula: Ratio, loanType: LoanType): CriteriaIssue[] {
  const fields = new Map<string, KnownField>();
  for (const name of [formula.num, formula.den]) {
    fields.set(name, { name, kind: 'number', header: name });
  }
  const issues: CriteriaIssue[] = [];
  const add = (code: CriteriaIssueCode, path: string, message: string) => issues.push({ code, path, message });
  checkRatio(formula, 'formula', {
    set: { loan_type: loanType, loan_rules: [] },
    fields,
    dictionary: [],
    takesColumns: false,
    add,
    isFull: () => false,
  });
  return issues;
}
