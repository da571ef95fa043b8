import { LOAN_TYPES } from '../../loans/types.ts';
import { oneOf } from '../../platform/http/schemas.ts';

/** A loan type in requests and responses. */
export const LoanTypeSchema = oneOf(LOAN_TYPES, 'Loan type of the tape.');
