import { oneOf } from '../platform/http/schemas.ts';
import { LOAN_TYPES } from './types.ts';

/** A loan type in requests and responses. */
export const LoanTypeSchema = oneOf(LOAN_TYPES, 'Loan type of the tape.');
