import type { LoanType } from '../types.ts';

/** The fields in which the loan types say how a loan stands; each type has one of them at most. */
export const STATUS_FIELDS = ['loan_status', 'status', 'account_status'] as const;

/** Words of a rate or amortization type that mean a rate which floats. */
export const FLOATING_KINDS = ['VARIABLE', 'FLOATING', 'ADJUSTABLE', 'ARM'];

/** SQL that is true for a loan of a type whose obligor does not yet, or for a while, repay. */
export const isDeferred = (type: LoanType): string =>
  type === 'Student' ? `coalesce(status IN ('IN_SCHOOL', 'GRACE', 'DEFERMENT', 'FORBEARANCE'), false)` : 'false';
