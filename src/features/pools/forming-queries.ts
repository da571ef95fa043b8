import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { LoanType } from '../../loans/types.ts';

/** A loan deal from which a pool may be formed; `deal_number` is the high part of the numbers under which its loans are claimed. */
export type PoolableDeal = {
  deal_id: Id<'deal'>;
  deal_number: number;
  loan_type: LoanType;
  status: string;
  tape_version: number | null;
  loans_key: string | null;
  /** Kind of the tape's balances: CURRENT, ORIGINAL or LIMIT. */
  balance_basis: string | null;
};

/** Deals with their present loan table, in the order of the ids. `lock` keeps them as they are until the transaction ends. */
export function listPoolableDeals(
  tx: Tx,
  organizationId: Id<'org'>,
  dealIds: readonly Id<'deal'>[],
  lock = false,
): Promise<PoolableDeal[]> {
  return tx.rows<PoolableDeal>(
    `select d.deal_id, d.deal_number, d.loan_type, d.status, d.tape_version, t.loans_key, t.balance_basis
     from deals d left join tapes t on t.deal_id = d.deal_id and t.version = d.tape_version
     where d.organization_id = $1 and d.deal_id = any($2) order by array_position($2, d.deal_id) ${lock ? 'for share of d' : ''}`,
    [organizationId, dealIds],
  );
}

/** A run of selection criteria that a pool may be limited to. */
export type CriteriaRun = {
  sc_job_id: Id<'scj'>;
  deal_id: Id<'deal'>;
  tape_version: number;
  loans_key: string | null;
  status: string;
  outcomes_key: string | null;
};

export function listCriteriaRuns(tx: Tx, organizationId: Id<'org'>, scJobIds: readonly Id<'scj'>[]): Promise<CriteriaRun[]> {
  return tx.rows<CriteriaRun>(
    'select sc_job_id, deal_id, tape_version, loans_key, status, outcomes_key from sc_jobs where organization_id = $1 and sc_job_id = any($2)',
    [organizationId, scJobIds],
  );
}

export type PoolOverlap = { pool_id: Id<'pool'>; name: string };

/** Other live pools of the organization that hold one of the loans. */
export function listOverlaps(
  tx: Tx,
  organizationId: Id<'org'>,
  claims: string,
  exceptPoolId: Id<'pool'>,
): Promise<PoolOverlap[]> {
  return tx.rows<PoolOverlap>(
    `select p.pool_id, p.name from pool_claims c join pools p using (pool_id)
     where c.organization_id = $1 and c.live and c.loans && $2::int8multirange and c.pool_id <> $3 order by p.pool_id limit 20`,
    [organizationId, claims, exceptPoolId],
  );
}
