import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { SYNTHETIC_IDS } from '../tapes/queries.ts';
import type { LoanType } from '../../loans/types.ts';

/** A loan deal from which a pool may be formed. */
export type PoolableDeal = {
  deal_id: Id<'deal'>;
  deal_number: number;
  loan_type: LoanType;
  status: string;
  tape_version: number | null;
  loans_key: string | null;
  /** Kind of the tape's balances: CURRENT, ORIGINAL or LIMIT. */
  balance_basis: string | null;
  /** No column of the tape gives ids, so row numbers serve. */
  synthetic_ids: boolean;
};

/** Deals with their present loan table, in the order of the ids. `lock` keeps them as they are until the transaction ends. */
export async function listPoolableDeals(
  tx: Tx,
  organizationId: Id<'org'>,
  dealIds: readonly Id<'deal'>[],
  lock = false,
): Promise<PoolableDeal[]> {
  // A statement that waits for a lock looks again at the locked rows alone: the tapes are read by one that begins after it.
  const locked = lock
    ? tx.exec(`select from deals where organization_id = $1 and deal_id = any($2) order by deal_id for share`, [
        organizationId,
        dealIds,
      ])
    : null;
  const found = tx.rows<PoolableDeal>(
    `select d.deal_id, d.deal_number, d.loan_type, d.status, d.tape_version, t.loans_key, t.balance_basis,
       ${SYNTHETIC_IDS} as synthetic_ids
     from deals d left join tapes t on t.deal_id = d.deal_id and t.version = d.tape_version
     where d.organization_id = $1 and d.deal_id = any($2) order by array_position($2, d.deal_id)`,
    [organizationId, dealIds],
  );
  const [deals] = await Promise.all([found, locked]);
  return deals;
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

/** Live pools whose loans have not been written down as its claims: those from before claims were kept by loan. */
export async function hasUnencumberedPools(tx: Tx, organizationId: Id<'org'>): Promise<boolean> {
  const pool = await tx.one(
    `select 1 from pools where organization_id = $1 and encumbered_at is null and loans_key is not null and status <> 'CANCELLED' limit 1`,
    [organizationId],
  );
  return pool !== null;
}
