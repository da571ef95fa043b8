import type { LoanType } from '../../loans/types.ts';

/** A short criteria set as an auto shelf has it; other loan types get rules on fields that every type has. */
export function criteriaFor(type: LoanType): Record<string, unknown> {
  const common = [
    { id: 'DPD', description: 'not more than 30 days past due', rule: { field: 'days_past_due', op: 'lte', value: 30 } },
    { id: 'BALANCE', description: 'balance above 250', rule: { field: 'current_balance', op: 'gt', value: 250 } },
  ];
  const auto = [
    { id: 'SCORE', description: 'credit score of at least 560', rule: { field: 'credit_score', op: 'gte', value: 560 } },
    {
      id: 'TERM',
      description: 'remaining term of 3 to 84 months',
      rule: { field: 'remaining_term_months', op: 'between', value: [3, 84] },
    },
  ];
  return {
    name: `${type} eligibility`,
    loan_type: type,
    missing_policy: 'fail',
    loan_rules: type === 'Auto' ? [...common, ...auto] : common,
    pool_tests: [
      {
        id: 'STATE',
        description: 'no state above 40 % of the pool',
        type: 'concentration',
        group_by: ['state'],
        top: 1,
        op: 'lte',
        value: 0.4,
      },
    ],
  };
}
