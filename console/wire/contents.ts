import type * as api from './api.ts';

/*
 * Records with a part that the OpenAPI document leaves open, with the type of that part as the console reads it.
 */

export type CriteriaSet = Omit<api.CriteriaSet, 'loan_rules' | 'pool_tests'> & Rules;

export type CriteriaTemplate = api.CriteriaTemplate &
  Rules &
  Pick<api.NewCriteriaSet, 'custom_fields' | 'value_sets'> & { needs_as_of?: true };

type Rules = { loan_rules: api.LoanRule[]; pool_tests: api.PoolTest[] };

export type Deal = Omit<api.Deal, 'qc'> & {
  qc: Omit<api.QualityControl, 'findings'> & { findings?: { decisions?: string[] } | null };
};

export type Pool = Omit<api.Pool, 'structure'> & { structure: api.Structure | null };

export type StructureTranche = api.Structure['tranches'][number];
