import type { CriteriaIssueCode } from '../../loans/criteria/checking.ts';
import { criteriaFields } from '../../loans/criteria/fields.ts';
import type { CriteriaSet } from '../../loans/criteria/language.ts';
import { validateCriteria } from '../../loans/criteria/validate.ts';
import { ApiError, type ErrorCode } from '../../platform/http/errors.ts';

/** The error that tells a fault of a rule: something else in the place of a number is refused before the meaning of the rule is judged. */
export const errorOfIssue = (code: CriteriaIssueCode): ErrorCode => (code === 'NOT_A_NUMBER' ? 'VALIDATION_FAILED' : code);

/** 422 with the field of each fault in rules that stand elsewhere than in criteria, where no columns of a tape are declared; `what` is not valid then. */
export function refuseInvalidRules(set: CriteriaSet, what: string, fieldOf: (path: string) => string): void {
  const { issues } = validateCriteria(set, criteriaFields(set), { takesColumns: false });
  const [first] = issues;
  if (!first) return;
  const errors = issues.map(({ path, ...issue }) => ({ field: fieldOf(path), ...issue }));
  throw new ApiError(errorOfIssue(first.code), `${what} is not valid: ${errors[0]?.field}: ${first.message}.`, { errors });
}
