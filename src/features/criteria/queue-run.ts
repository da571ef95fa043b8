import { criteriaFields, fieldTable } from '../../loans/criteria/fields.ts';
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

const RUNNABLE = ['QC_COMPLETED', 'APPROVED'];

export type RunRequest = { dealId: Id<'deal'>; criteria_id: Id<'crt'>; version?: number };

export type Basis = { deal: Deal; tape: Tape; criteria: CriteriaVersion };

/** Loads the deal, tape and criteria of a run; refuses a run that they do not allow. */
export async function findBasis(tx: Tx, organization: Id<'org'>, request: RunRequest): Promise<Basis> {
  const [foundDeal, foundCriteria] = await Promise.all([
    findDeal(tx, organization, request.dealId),
    findCriteria(tx, organization, request.criteria_id, request.version ?? null),
  ]);
  const deal = orNotFound(foundDeal, 'deal');
  const criteria = orNotFound(foundCriteria, 'criteria set');
  const tape = await findCurrentTape(tx, organization, deal.deal_id);
  if (!RUNNABLE.includes(deal.status) || !tape?.loans_key) {
    throw new ApiError('INVALID_TRANSITION', `Criteria run on deals that passed quality control; this one is ${deal.status}.`, {
      extra: { current_status: deal.status, allowed: RUNNABLE },
    });
  }
  if (tape.state === 'RUNNING') throw new ApiError('CONFLICT', 'The checks of the tape are still running.');
  if (tape.state === 'FAILED') throw new ApiError('CONFLICT', 'The checks of the tape failed: start them again (recheck).');
  if (criteria.loan_type !== deal.loan_type)
    throw new ApiError('LOAN_TYPE_MISMATCH', `The criteria are for ${criteria.loan_type}, the deal is ${deal.loan_type}.`);
  const tooLarge = sizeProblem(criteria.definition);
  if (tooLarge !== null) throw new ApiError('RULE_TOO_LARGE', tooLarge);
  refuseSealed(criteria, tape);
  return { deal, tape, criteria };
}

/** A rule may test no column that is sealed: its values are not in the loan table. */
function refuseSealed({ definition }: CriteriaVersion, { mapping }: Tape): void {
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
