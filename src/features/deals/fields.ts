import { LOAN_TYPES } from '../../loans/types.ts';
import { namedOneOf } from '../../platform/http/named.ts';

/** A loan type in requests and responses. */
export const LoanTypeSchema = namedOneOf('LoanType', LOAN_TYPES, 'Loan type of the tape.');
