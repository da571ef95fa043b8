import type { LoanType } from '../types.ts';
import type { CriteriaSet } from './language.ts';
import { AUTO_TEMPLATES } from './templates/auto.ts';
import { BUSINESS_TEMPLATES } from './templates/business.ts';
import { CARD_TEMPLATES, PERSONAL_TEMPLATES, STUDENT_TEMPLATES } from './templates/consumer.ts';
import { ANY_TEMPLATES, MORTGAGE_TEMPLATES } from './templates/mortgage.ts';
import type { Template } from './templates/template.ts';

/** Criteria of real deals and lenders, with their sources. */
export const TEMPLATES: readonly Template[] = [
  ...AUTO_TEMPLATES,
  ...BUSINESS_TEMPLATES,
  ...PERSONAL_TEMPLATES,
  ...STUDENT_TEMPLATES,
  ...CARD_TEMPLATES,
  ...MORTGAGE_TEMPLATES,
  ...ANY_TEMPLATES,
];

/** Terms of the same deals that select no loan from a tape, and why they are no templates. */
export const NOT_SELECTION_CRITERIA: readonly { id: string; text: string; reason: string }[] = [
  {
    id: 'C060',
    text: 'Three-month average excess spread not below 0',
    reason: 'an amortization event over three months of the deal, a trigger of the structure',
  },
  { id: 'C061', text: 'Transferor interest at least the minimum', reason: 'a balance of the trust, not of its loans' },
  { id: 'C062', text: 'Discount percentage of at most 4 %', reason: 'a term of the sale, not a figure of the loans' },
  {
    id: 'C063',
    text: 'Three-month average payment rate of at least 3 %',
    reason: 'an amortization event over three months of collections, a trigger of the structure',
  },
  {
    id: 'C075',
    text: 'Concentration broken in three consecutive months',
    reason: 'a trigger over the history of a test, not a test of one tape',
  },
  {
    id: 'C076',
    text: 'Over-collateralisation target of 5 %, stepping up',
    reason: 'pool against notes, a trigger and target of the structure',
  },
];

/** A criteria set of one template, for a loan type where the template fits any. */
export function templateSet(template: Template, loanType: LoanType, asOf?: string): CriteriaSet {
  const { loan_rules, pool_tests, custom_fields, value_sets } = template;
  return {
    loan_type: template.loan_type === 'Any' ? loanType : template.loan_type,
    name: template.text,
    ...(asOf === undefined ? {} : { as_of: asOf }),
    ...(custom_fields ? { custom_fields } : {}),
    ...(value_sets ? { value_sets } : {}),
    loan_rules,
    pool_tests,
  };
}
