import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { type CriteriaRun, listCriteriaRuns, listPoolableDeals, type PoolableDeal } from './forming-queries.ts';

export type ApprovedDeal = PoolableDeal & { tape_version: number; loans_key: string };
export type CompletedRun = CriteriaRun & { outcomes_key: string };

/** The approved deals and completed runs that the loans of a pool are selected from. */
export type PoolSources = { loan_type: LoanType; deals: ApprovedDeal[]; runs: CompletedRun[] };

type SourceIds = { deal_ids: readonly Id<'deal'>[]; sc_job_ids: readonly Id<'scj'>[] };

/** Loads and checks the sources of a pool. `lock` keeps the deals as they are until the transaction ends. */
export async function loadSources(
  tx: Tx,
  { organization_id }: Actor,
  { deal_ids, sc_job_ids }: SourceIds,
  lock = false,
): Promise<PoolSources> {
  const deals = await listPoolableDeals(tx, organization_id, deal_ids, lock);
  const absentDeal = deal_ids.find((dealId) => !deals.some((deal) => deal.deal_id === dealId));
  if (absentDeal !== undefined) throw notFound(`deal ${absentDeal}`);
  const runs = sc_job_ids.length > 0 ? await listCriteriaRuns(tx, organization_id, sc_job_ids) : [];
  const absentRun = sc_job_ids.find((runId) => !runs.some((run) => run.sc_job_id === runId));
  if (absentRun !== undefined) throw notFound(`selection criteria run ${absentRun}`);
  const approved = deals.map(approvedDeal);
  const loanType = commonLoanType(approved);
  return { loan_type: loanType, deals: approved, runs: runs.map((run) => completedRun(run, approved, sc_job_ids)) };
}

/** Locks the deals and checks that the loans selected from `sources` are still theirs. */
export async function confirmSources(tx: Tx, actor: Actor, ids: SourceIds, sources: PoolSources): Promise<void> {
  const current = await loadSources(tx, actor, ids, true);
  const same = current.deals.every((deal, index) => deal.loans_key === sources.deals[index]?.loans_key);
  if (!same) throw changedMeanwhile();
}

export const changedMeanwhile = () =>
  new ApiError('CONFLICT', 'The pool or one of its deals was changed in the meantime: read it and try again.');

function approvedDeal(deal: PoolableDeal): ApprovedDeal {
  const { deal_id, status, tape_version, loans_key } = deal;
  if (status === 'APPROVED' && tape_version !== null && loans_key !== null) return { ...deal, tape_version, loans_key };
  const why =
    status === 'APPROVED'
      ? 'has a tape that waits for a mapping, and no loans'
      : `is ${status}; only APPROVED deals can be pooled`;
  throw new ApiError('CONFLICT', `The deal ${deal_id} ${why}.`, {
    extra: { deal_id, current_status: status },
  });
}

function commonLoanType(deals: readonly ApprovedDeal[]): LoanType {
  const [first] = deals;
  if (!first) throw notFound('deal');
  const other = deals.findIndex((deal) => deal.loan_type !== first.loan_type);
  if (other === -1) return first.loan_type;
  const message = `is of type ${deals[other]?.loan_type}, expected ${first.loan_type} as ${first.deal_id}`;
  throw new ApiError('LOAN_TYPE_MISMATCH', 'A pool holds loans of one type.', {
    errors: [{ field: `deal_ids[${other}]`, code: 'LOAN_TYPE_MISMATCH', message }],
  });
}

/** The run, when it was completed over the loans that its deal has now. */
function completedRun(run: CriteriaRun, deals: readonly ApprovedDeal[], runIds: readonly Id<'scj'>[]): CompletedRun {
  const deal = deals.find((each) => each.deal_id === run.deal_id);
  if (!deal) {
    const message = `is a run on deal ${run.deal_id}, which is not in deal_ids`;
    throw new ApiError('UNPROCESSABLE', 'A selection criteria run is of another deal.', {
      errors: [{ field: `sc_job_ids[${runIds.indexOf(run.sc_job_id)}]`, code: 'OTHER_DEAL', message }],
    });
  }
  const { sc_job_id, status, outcomes_key } = run;
  if (status !== 'COMPLETED' || outcomes_key === null) {
    throw new ApiError('CONFLICT', `The run ${sc_job_id} is ${status}; only a COMPLETED run has loans that passed.`);
  }
  if (run.tape_version !== deal.tape_version) {
    const versions = `version ${run.tape_version} of the tape, but the deal has version ${deal.tape_version} now`;
    throw new ApiError('CONFLICT', `The run ${sc_job_id} is of ${versions}: run the criteria again.`);
  }
  if (run.loans_key !== null && run.loans_key !== deal.loans_key) {
    throw new ApiError('CONFLICT', `The mapping of the tape was changed after the run ${sc_job_id}: run the criteria again.`);
  }
  return { ...run, outcomes_key };
}
