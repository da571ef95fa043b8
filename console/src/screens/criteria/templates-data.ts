import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, type Records, sent } from '../../app/api.ts';
import type { PoolTest, Rule, SetBody } from './language.ts';

type Template = Records['CriteriaTemplate'];

export const useTemplates = (type: Records['LoanType'] | undefined): UseQueryResult<Template[]> =>
  useQuery({
    queryKey: ['criteria', 'templates', type ?? null],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await sent(api.GET('/v1/api/originator/sc/templates', { params: { query: type ? { type } : {} } }))).data,
  });

/** The parts of a template that the API describes as of the rule language. */
export const partsOf = (template: Template) =>
  template as Template & {
    loan_rules: Rule[];
    pool_tests: PoolTest[];
    custom_fields?: SetBody['custom_fields'];
    value_sets?: SetBody['value_sets'];
  };

/** A set of all of these templates. */
export function setOfTemplates(loanType: Records['LoanType'], templates: readonly Template[]): SetBody {
  const parts = templates.map(partsOf);
  return {
    loan_type: loanType,
    value_sets: Object.fromEntries(parts.flatMap(({ value_sets = {} }) => Object.entries(value_sets))),
    custom_fields: Object.fromEntries(parts.flatMap(({ custom_fields = {} }) => Object.entries(custom_fields))),
    loan_rules: parts.flatMap(({ loan_rules }) => loan_rules),
    pool_tests: parts.flatMap(({ pool_tests }) => pool_tests),
  };
}
