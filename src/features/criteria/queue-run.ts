import { criteriaFields, fieldTable } from '../../loans/criteria/fields.ts';
import type { CriteriaSet } from '../../loans/criteria/language.ts';
import { sizeProblem } from '../../loans/criteria/size.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { type Deal, findDeal, lockDeal } from '../deals/queries.ts';
import { findCurrentTape, type Tape } from '../tapes/queries.ts';
import { type CriteriaVersion, findCriteria } from './queries.ts';
import { insertRun } from './run-queries.ts';
import { checkSet } from './save-criteria.ts';

const RUNNABLE = ['QC_COMPLETED', 'APPROVED'];

export type RunRequest = { dealId: Id<'deal'>; criteria_id: Id<'crt'>; version?: number };

/** Criteria that are not stored: as they stand while somebody writes them, perhaps as the next version of a set. */
export type DraftCriteria = Pick<CriteriaVersion, 'loan_type' | 'definition'> & { criteria_id: Id<'crt'> | null; version: null };

export type Basis<Criteria = CriteriaVersion | DraftCriteria> = { deal: Deal; tape: Tape; criteria: Criteria };

/** Loads the deal, tape and criteria of a run; refuses a run that they do not allow. */
export async function findBasis(tx: Tx, organization: Id<'org'>, request: RunRequest): Promise<Basis<CriteriaVersion>> {
  const found = await findCriteria(tx, organization, request.criteria_id, request.version ?? null);
  return basisOf(tx, organization, request.dealId, () => orNotFound(found, 'criteria set'));
}

/** As `findBasis`, of a set that is not stored; the waivers are those of the set that it may become a version of. */
export async function findDraftBasis(
  tx: Tx,
  organization: Id<'org'>,
  { dealId, criteria_id, set }: { dealId: Id<'deal'>; criteria_id: Id<'crt'> | null; set: CriteriaSet },
): Promise<Basis<DraftCriteria>> {
  const found = criteria_id && (await findCriteria(tx, organization, criteria_id, null));
  return basisOf(tx, organization, dealId, () => {
    if (criteria_id) orNotFound(found, 'criteria set');
    checkSet(set, 'criteria.');
    return { criteria_id, version: null, loan_type: set.loan_type, definition: set };
  });
}

async function basisOf<Criteria extends CriteriaVersion | DraftCriteria>(
  tx: Tx,
  organization: Id<'org'>,
  dealId: Id<'deal'>,
  criteriaOf: () => Criteria,
): Promise<Basis<Criteria>> {
  const deal = orNotFound(await findDeal(tx, organization, dealId), 'deal');
  const criteria = criteriaOf();
  const tape = await findCurrentTape(tx, organization, deal.deal_id);
  if (!RUNNABLE.includes(deal.status) || !tape) {
    throw new ApiError('INVALID_TRANSITION', `Criteria run on deals that passed quality control; this one is ${deal.status}.`, {
      extra: { current_status: deal.status, allowed: RUNNABLE },
    });
  }
  if (tape.state === 'RUNNING') throw new ApiError('CONFLICT', 'The checks of the tape are still running.');
  if (tape.state === 'FAILED') throw new ApiError('CONFLICT', 'The checks of the tape failed: start them again (recheck).');
  if (!tape.loans_key)
    throw new ApiError(
      'CONFLICT',
      `Version ${tape.version} of the tape waits for a mapping of its amounts, and has no loans to check.`,
    );
  if (criteria.loan_type !== deal.loan_type)
    throw new ApiError('LOAN_TYPE_MISMATCH', `The criteria are for ${criteria.loan_type}, the deal is ${deal.loan_type}.`);
  const tooLarge = sizeProblem(criteria.definition);
  if (tooLarge !== null) throw new ApiError('RULE_TOO_LARGE', tooLarge);
  refuseSealed(criteria, tape);
  return { deal, tape, criteria };
}

/** A rule may test no column that is sealed: its values are not in the loan table. */
function refuseSealed({ definition }: Pick<CriteriaVersion, 'definition'>, { mapping }: Tape): void {
  const declared = [...fieldTable(definition, criteriaFields(definition)).values()].filter(({ header }) => header !== null);
  const sealed = new Set(mapping?.columns.flatMap(({ normalized, sealed: reason }) => (reason ? [normalized] : [])));
  const errors = declared
    .filter(({ header }) => header !== null && sealed.has(header))
    .map(({ name }) => ({
      field: `custom_fields.${name}`,
      code: 'SEALED_FIELD',
      message: `${name} is a column of personal data, which is sealed; obligor_id has a token to group by. If the column is not personal, unseal it in the mapping`,
    }));
  if (errors[0]) throw new ApiError('SEALED_FIELD', errors[0].message, { errors });
}

/** Queues a run; the database allows one live run per deal and criteria version. */
export async function queueRun(
  tx: Tx,
  { organization_id }: Actor,
  request: RunRequest,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<{ sc_job_id: Id<'scj'>; status: 'PENDING' }> {
  // Under the deal's lock its mapping cannot change before the run is queued.
  await lockDeal(tx, organization_id, request.dealId);
  const { deal, tape, criteria } = await findBasis(tx, organization_id, request);
  const sc_job_id = tx.newId('scj');
  await insertRun(tx, {
    sc_job_id,
    organization_id,
    deal_id: deal.deal_id,
    criteria_id: criteria.criteria_id,
    criteria_version: criteria.version,
    tape_version: tape.version,
  });
  await jobs.enqueue(tx, 'run-criteria', { organization_id, sc_job_id }, { id: sc_job_id });
  return { sc_job_id, status: 'PENDING' };
}
