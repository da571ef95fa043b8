import type { LoanType } from '../../types.ts';
import type { CriteriaSet, LoanRule, PoolTest } from '../language.ts';

/** A criterion of a real deal or lender, in the rule language, ready for use in a criteria set. */
export interface Template {
  id: string;
  loan_type: LoanType | 'Any';
  /** `loan`: loan rules, `pool`: pool tests. */
  level: 'loan' | 'pool';
  /** The criterion in words, paraphrased. */
  text: string;
  /** The source of the criterion, with the amounts printed there. */
  source: string;
  loan_rules: LoanRule[];
  pool_tests: PoolTest[];
  /** Columns outside the dictionary that the tape must have. */
  custom_fields?: CriteriaSet['custom_fields'];
  /** Lists to fill in; the values shown are examples. */
  value_sets?: CriteriaSet['value_sets'];
  /** The set needs its cut-off date. */
  needs_as_of?: true;
  /** The figures describe a pool or stand for ones that were not published; they are no limit of a deal. */
  illustrative?: true;
}

type More = Pick<Template, 'custom_fields' | 'value_sets' | 'needs_as_of' | 'illustrative'>;

/** Templates of one loan type. A rule without an id takes the template's. */
export function templatesFor(loanType: Template['loan_type']) {
  return {
    loan: (id: string, text: string, source: string, rule: LoanRule['rule'], more: More = {}): Template => ({
      id,
      loan_type: loanType,
      level: 'loan',
      text,
      source,
      loan_rules: [{ id, description: text, rule }],
      pool_tests: [],
      ...more,
    }),
    pool: (id: string, text: string, source: string, tests: Omit<PoolTest, 'id'>[], more: More = {}): Template => ({
      id,
      loan_type: loanType,
      level: 'pool',
      text,
      source,
      loan_rules: [],
      pool_tests: tests.map((test, index) => ({ id: tests.length === 1 ? id : `${id}-${index + 1}`, ...test })),
      ...more,
    }),
  };
}
