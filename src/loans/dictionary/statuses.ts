import type { LoanType } from '../types.ts';
import { findField } from './dictionary.ts';

/** The fields in which the loan types say how a loan stands; each type has one of them at most. */
export const STATUS_FIELDS = ['loan_status', 'status', 'account_status'] as const;

/** The fields in which the loan types have the principal charged off. */
export const CHARGED_FIELDS = ['charged_off_amount', 'charge_off_amount', 'defaulted_amount'];

/** The fields of a loan type that can say of a loan that it was charged off. */
export const chargeOffFields = (type: LoanType): string[] => [
  ...[...CHARGED_FIELDS, 'zero_balance_code'].filter((name) => findField(type, name)),
  ...STATUS_FIELDS.filter((name) => findField(type, name)?.enum?.includes('CHARGED_OFF')),
];

/** Words of a rate or amortization type that mean a rate which floats. */
export const FLOATING_KINDS = ['VARIABLE', 'FLOATING', 'ADJUSTABLE', 'ARM'];

/** SQL that is true for a loan of a type whose obligor does not yet, or for a while, repay. */
export const isDeferred = (type: LoanType): string =>
  type === 'Student' ? `coalesce(status IN ('IN_SCHOOL', 'GRACE', 'DEFERMENT', 'FORBEARANCE'), false)` : 'false';
