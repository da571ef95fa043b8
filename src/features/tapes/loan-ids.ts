import type { Tape } from './queries.ts';

/** Whether a column of the tape gives its loans their ids; row numbers stand for them where none does, and say nothing about another version. */
export function hasLoanIds({ mapping }: Pick<Tape, 'mapping'>): boolean {
  return mapping?.mappings.some(({ target }) => target === 'loan_id' || target === 'account_id') ?? false;
}

/** How the loans of two versions are paired: by their ids, or by their content where one version has none. */
export function comparedBy(versions: readonly Pick<Tape, 'mapping'>[]): 'LOAN_ID' | 'CONTENT' {
  return versions.every(hasLoanIds) ? 'LOAN_ID' : 'CONTENT';
}
