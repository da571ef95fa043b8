import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id, money, nullable } from '../../platform/http/schemas.ts';

const Cure = {
  ...named('Cure', {
    rule_id: Type.String(),
    feasible: Type.Boolean(),
    reason: nullable(Type.String({ description: 'Why there is no removal; null when there is one.' })),
    loans: Type.Integer({ description: 'Loans to remove.' }),
    removed_balance: money('Their balance.'),
    optimal: Type.Boolean({ description: 'No smaller removal exists.' }),
    pool_loans: Type.Integer({ description: 'Loans left.' }),
    pool_balance: money('Balance left.'),
  }),
  additionalProperties: true,
};

export const CuresSchema = Type.Unsafe<Record<string, unknown>>({
  title: 'Cures',
  type: 'object',
  additionalProperties: true,
  description: '`min_removal`: one cure for each failed pool test, in `cures`. `max_pool`: one removal, in the fields of a cure.',
  required: ['sc_job_id', 'objective'],
  properties: {
    sc_job_id: id('scj'),
    objective: namedOneOf('Objective', ['min_removal', 'max_pool']),
    cures: { type: 'array', items: Cure },
  },
});

const change = { loans: Type.Integer(), balance: money('Balance of the loans.') };
const LoanChange = named('LoanChange', change);
const ListedChange = named('ListedLoanChange', {
  ...change,
  loan_ids: Type.Array(Type.String(), { description: 'The first 1,000.' }),
});

export const ComparisonSchema = Type.Unsafe<Record<string, unknown>>(
  named('RunComparison', {
    first: id('scj'),
    second: id('scj'),
    newly_failing: ListedChange,
    newly_passing: ListedChange,
    only_in_first: LoanChange,
    only_in_second: LoanChange,
    unchanged: LoanChange,
    rules: Type.Array(
      named('RuleChange', {
        rule_id: Type.String(),
        newly_failing: nullable(LoanChange),
        newly_passing: nullable(LoanChange),
      }),
    ),
  }),
);
