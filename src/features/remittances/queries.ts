import type { Remittance, RemittanceState } from '../../finance/structure/remittance.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type PageRequest, selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Page } from '../../platform/http/route.ts';
import type { PeriodPerformance } from './performance.ts';
import type { Pool } from '../pools/queries.ts';
import type { TriggerStatus } from './trigger-status.ts';
import type { Id } from '../../platform/ids.ts';

export type StoredRemittance = {
  remittance_id: Id<'rem'>;
  pool_id: Id<'pool'>;
  deal_id: Id<'deal'>;
  period: number;
  payment_date: string;
  report: Remittance;
  performance: PeriodPerformance;
  triggers: TriggerStatus[];
  created_at: Date;
};

const REMITTANCE = `r.remittance_id, r.pool_id, r.deal_id, r.period, r.payment_date::text as payment_date, r.report, r.performance, r.triggers, r.created_at`;

export function listRemittances(
  tx: Tx,
  organizationId: Id<'org'>,
  poolId: Id<'pool'>,
  page: PageRequest & Between,
): Promise<Page<StoredRemittance>> {
  const filters = [
    ['r.organization_id = ?', organizationId],
    ['r.pool_id = ?', poolId],
    ...between('r.created_at', page),
  ] as const;
  return selectPage<StoredRemittance>(
    tx,
    { select: REMITTANCE, from: 'remittances r', filters, order: [{ by: 'r.period', as: 'integer', desc: true }] },
    page,
  );
}

export type LastRemittance = StoredRemittance & { state: RemittanceState };

/** The latest report of a pool with the state that the next one starts from; null before the first. */
export function findLastRemittance(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<LastRemittance | null> {
  return tx.one<LastRemittance>(
    `select ${REMITTANCE}, r.state from remittances r where r.organization_id = $1 and r.pool_id = $2 order by r.period desc limit 1`,
    [organizationId, poolId],
  );
}

export async function insertRemittance(tx: Tx, pool: Pool, remittance: StoredRemittance, state: RemittanceState): Promise<void> {
  await tx.exec(
    `insert into remittances (pool_id, period, organization_id, remittance_id, deal_id, payment_date, report, performance, triggers, state, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      pool.pool_id,
      remittance.period,
      pool.organization_id,
      remittance.remittance_id,
      remittance.deal_id,
      remittance.payment_date,
      JSON.stringify(remittance.report),
      JSON.stringify(remittance.performance),
      JSON.stringify(remittance.triggers),
      JSON.stringify(state),
      tx.now,
    ],
  );
}

/** Sets the balances of the deal's tranches to the reported ones; interest accrues from `accrued_from` on. */
export async function setTrancheBalances(
  tx: Tx,
  pool: Pool,
  balances: readonly { tranche: string; balance: number; accrued_from: string }[],
): Promise<void> {
  await tx.exec(
    `update tranches t set current_balance = b.balance, accrued_from = b.accrued_from
     from json_to_recordset($3) as b (tranche text, balance numeric, accrued_from date)
     where t.deal_id = $1 and t.organization_id = $2 and t.tranche = b.tranche`,
    [pool.deal_id, pool.organization_id, JSON.stringify(balances)],
  );
}
