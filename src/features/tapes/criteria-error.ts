import type { CriteriaIssueCode } from '../../loans/criteria/checking.ts';
import type { ErrorCode } from '../../platform/http/errors.ts';

/** The error that tells a fault of a rule: something else in the place of a number is refused before the meaning of the rule is judged. */
export const errorOfIssue = (code: CriteriaIssueCode): ErrorCode => (code === 'NOT_A_NUMBER' ? 'VALIDATION_FAILED' : code);
