import type { Tx } from '../../platform/db/database.ts';
import type { Pool } from '../pools/queries.ts';

/** Whose pool it is; for acts of the operator, who may see every pool. */
export async function findPoolOwner(tx: Tx, poolId: string): Promise<string | null> {
  const row = await tx.one<{ organization_id: string }>('select organization_id from pools where pool_id = $1', [poolId]);
  return row?.organization_id ?? null;
}

export async function requestIssue(tx: Tx, pool: Pool): Promise<void> {
  await tx.exec(
    'update pools set issue_requested_at = coalesce(issue_requested_at, $3), updated_at = $3 where organization_id = $1 and pool_id = $2',
    [pool.organization_id, pool.pool_id, tx.now],
  );
}

export type NewTranche = {
  tranche_id: string;
  tranche: string;
  class: string;
  offered: boolean;
  balance: number;
  coupon_type: string;
  coupon: number | null;
  day_count: string;
  rating: string | null;
  seniority: number;
  denomination: number;
  increment: number;
  erisa_eligible: boolean;
  offered_yield: number | null;
  dated_date: string;
  final_maturity: string | null;
};

/** The securitization deal of a pool with its tranches, open to the market; the pool becomes ISSUED. */
export async function insertIssue(
  tx: Tx,
  pool: Pool,
  dealId: string,
  dealSize: number,
  tranches: readonly NewTranche[],
): Promise<void> {
  await tx.exec(
    `insert into securitization_deals (deal_id, organization_id, pool_id, name, asset_type, offering, market_status, deal_size, closing_date, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'MARKETING', $7, $8, $9, $9)`,
    [dealId, pool.organization_id, pool.pool_id, pool.name, pool.loan_type, pool.offering, dealSize, pool.closing_date, tx.now],
  );
  await tx.exec(
    `insert into tranches (tranche_id, deal_id, organization_id, tranche, class, offered, original_balance, current_balance, coupon_type, coupon,
       day_count, rating, seniority, denomination, increment, erisa_eligible, offered_yield, dated_date, accrued_from, final_maturity)
     select tranche_id, $1, $2, tranche, class, offered, balance, balance, coupon_type, coupon, day_count, rating, seniority, denomination, increment,
       erisa_eligible, offered_yield, dated_date, dated_date, final_maturity
     from json_to_recordset($3) as t (tranche_id text, tranche text, class text, offered boolean, balance numeric, coupon_type text, coupon numeric,
       day_count text, rating text, seniority integer, denomination numeric, increment numeric, erisa_eligible boolean, offered_yield numeric,
       dated_date date, final_maturity date)`,
    [dealId, pool.organization_id, JSON.stringify(tranches)],
  );
  await tx.exec(`update pools set status = 'ISSUED', deal_id = $3, updated_at = $4 where organization_id = $1 and pool_id = $2`, [
    pool.organization_id,
    pool.pool_id,
    dealId,
    tx.now,
  ]);
}
