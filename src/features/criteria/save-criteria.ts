import type { CriteriaSet } from '../../loans/criteria/language.ts';
import { criteriaFields } from '../../loans/criteria/fields.ts';
import { validateCriteria } from '../../loans/criteria/validate.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { errorOfIssue } from '../tapes/criteria-error.ts';
import { type CriteriaVersion, findCriteria, insertCriteria, insertVersion, nextVersion } from './queries.ts';

export async function createCriteria(tx: Tx, { organization_id }: Actor, set: CriteriaSet): Promise<CriteriaVersion> {
  checkSet(set);
  const criteria_id = tx.newId('crt');
  await insertCriteria(tx, {
    criteria_id,
    organization_id,
    name: set.name ?? `${set.loan_type} criteria`,
    loan_type: set.loan_type,
    definition: set,
  });
  return orNotFound(await findCriteria(tx, organization_id, criteria_id, 1), 'criteria set');
}

/** Adds a version; the ones before it never change. */
export async function addVersion(
  tx: Tx,
  { organization_id }: Actor,
  { criteriaId, set }: { criteriaId: Id<'crt'>; set: CriteriaSet },
): Promise<CriteriaVersion> {
  const before = orNotFound(await findCriteria(tx, organization_id, criteriaId, null), 'criteria set');
  if (before.loan_type !== set.loan_type)
    throw new ApiError('LOAN_TYPE_MISMATCH', `The set is for ${before.loan_type}: a version cannot change that.`);
  checkSet(set);
  const version = orNotFound(await nextVersion(tx, organization_id, criteriaId), 'criteria set');
  await insertVersion(tx, { criteria_id: criteriaId, organization_id, version, definition: set });
  return orNotFound(await findCriteria(tx, organization_id, criteriaId, version), 'criteria set');
}

/** The faults of a set, the most serious first. */
const BY_WEIGHT = ['NOT_A_NUMBER', 'RULE_TOO_LARGE', 'PROHIBITED_FIELD', 'UNKNOWN_FIELD'] as const;

/**
 * 400 where something else stands in the place of a number, else 422: with the path of every problem, behind where the set stands in a
 * request. The error code is that of the most serious one.
 */
export function checkSet(set: CriteriaSet, at = ''): void {
  const judged = validateCriteria(set, criteriaFields(set));
  if (judged.ok) return;
  const worst = BY_WEIGHT.find((each) => judged.issues.some(({ code }) => code === each)) ?? 'INVALID_RULE';
  throw new ApiError(errorOfIssue(worst), judged.issues[0]?.message, {
    errors: judged.issues.map(({ path, ...issue }) => ({ field: `${at}${path}`, ...issue })),
  });
}
