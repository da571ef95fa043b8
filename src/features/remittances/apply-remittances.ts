import { emit, raiseAlert } from '../../events/emit.ts';
import { localDate } from '../../finance/business-date.ts';
import { audit } from '../../platform/audit.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { Failures } from '../../platform/failures.ts';
import type { Id } from '../../platform/ids.ts';
import { setCoupons } from '../coupons/coupon.ts';
import { bookPayments, loadFactors } from '../payments/payment.ts';
import { findPool } from '../pools/queries.ts';
import { listHolders } from '../securitizations/queries.ts';
import { correctTrades } from './correct-trades.ts';
import { reportedBalances } from './derive.ts';
import {
  findFirstUnapplied,
  findRemittanceBefore,
  listDuePools,
  type RemittanceWithState,
  setTrancheBalances,
  type StoredRemittance,
} from './queries.ts';
import { REMITTANCE_MOVES } from './remittance.ts';
import { isServiced } from '../pools/pool.ts';
import { amountsOf, lockServicedPool, type ServicedPool } from './serviced-pool.ts';
import { tellDepartures } from './tell-departures.ts';
import { describeTrigger, type TriggerStatus } from './trigger-status.ts';

const BATCH = 100;

/**
 * Applies every report whose payment date has come, a pool in a transaction. Any number of processes may do so at once: each report is applied
 * once, in the order of periods, however late. Returns how many were applied. A pool that fails does not stop the others.
 */
export async function applyDueRemittances(db: Database): Promise<number> {
  const failures = new Failures();
  let applied = 0;
  let after = '';
  for (;;) {
    const pools = await db.tx({ platform: true }, (tx) => listDuePools(tx, localDate(tx.now, tx.zone), after, BATCH));
    for (const { organization_id, pool_id } of pools) {
      const work = db.tx({ platform: true }, async (tx) => {
        // The deal may have been withdrawn since the pools were listed.
        const found = await findPool(tx, organization_id, pool_id);
        return found && isServiced(found) ? applyDue(tx, await lockServicedPool(tx, organization_id, pool_id)) : 0;
      });
      applied += (await failures.keep(work)) ?? 0;
    }
    const last = pools.at(-1);
    if (!last || pools.length < BATCH) break;
    after = last.pool_id;
  }
  failures.throwAny();
  return applied;
}

/** Applies the reports of a locked pool whose payment date has come, in the order of their periods. In the platform's scope. */
export async function applyDue(tx: Tx, pool: ServicedPool): Promise<number> {
  const today = localDate(tx.now, tx.zone);
  for (let applied = 0; ; applied += 1) {
    const next = await findFirstUnapplied(tx, pool);
    // One that is HELD keeps the later ones waiting too.
    if (next?.status !== 'SCHEDULED' || next.payment_date > today) return applied;
    if (next.verification.status === 'DIFFERS' && next.accepted_at === null) {
      await hold(tx, pool, next);
      return applied;
    }
    await applyRemittance(tx, pool, next);
  }
}

/** Keeps a report that differs from its structure until the operator has signed it off. */
async function hold(tx: Tx, pool: ServicedPool, row: RemittanceWithState): Promise<void> {
  await REMITTANCE_MOVES.move(tx, row, 'HELD');
  audit(tx, {
    organization_id: pool.organization_id,
    actor: 'payment date',
    action: 'remittance.held',
    entity_type: 'remittance',
    entity_id: row.remittance_id,
    before: { status: row.status },
    after: { status: 'HELD', pool_id: pool.pool_id, deal_id: pool.deal_id, period: row.period, payment_date: row.payment_date },
  });
}

type Figures = { actor: string; action: string; before?: object; after: object; uncorrected: readonly Id<'trd'>[] };

/** The entry of the audit log for a report whose figures are in force now; it names the trades that these could not correct. */
export function auditFigures(
  tx: Tx,
  { organization_id, pool_id, deal_id }: ServicedPool,
  { remittance_id, period, payment_date }: StoredRemittance,
  { after, uncorrected, ...act }: Figures,
): void {
  audit(tx, {
    organization_id,
    ...act,
    entity_type: 'remittance',
    entity_id: remittance_id,
    after: {
      ...after,
      pool_id,
      deal_id,
      period,
      payment_date,
      ...(uncorrected.length > 0 ? { uncorrected_trades: uncorrected } : {}),
    },
  });
}

/** Balances, factors and positions follow a report, holders are paid, trades that settled before it came are corrected, and triggers that go on raise alerts. */
export async function applyRemittance(tx: Tx, pool: ServicedPool, row: RemittanceWithState): Promise<void> {
  await REMITTANCE_MOVES.move(tx, row, 'APPLIED', { applied_at: tx.now });
  const before = await loadFactors(tx, pool.deal_id);
  await setTrancheBalances(tx, pool, reportedBalances(pool, row.report, row.state));
  await setCoupons(tx, pool);
  await bookPayments(tx, paidReport(pool, row), before);
  const uncorrected = await correctTrades(tx, pool, row, 'payment date');
  const status = { before: { status: row.status }, after: { status: 'APPLIED' } };
  auditFigures(tx, pool, row, { actor: 'payment date', action: 'remittance.applied', ...status, uncorrected });
  await alertBreaches(
    tx,
    pool,
    row.triggers.filter((each) => each.newly_on),
  );
  await tellApplied(tx, pool, row);
  const previous = await findRemittanceBefore(tx, pool, row.period);
  await tellDepartures(tx, pool, row, previous ? [previous] : []);
}

/** A report as the payments are booked by it. */
export function paidReport(pool: ServicedPool, { remittance_id, version, report }: StoredRemittance) {
  const { deal_id, name, organization_id } = pool;
  const { period, payment_date } = report;
  return {
    deal_id,
    deal_name: name,
    owner: organization_id,
    remittance_id,
    version,
    period,
    payment_date,
    amounts: amountsOf(pool.structure, report),
  };
}

export async function alertBreaches(tx: Tx, pool: ServicedPool, triggers: readonly TriggerStatus[]): Promise<void> {
  for (const trigger of triggers) {
    await raiseAlert(tx, pool.organization_id, 'trigger.breached', {
      category: 'pool',
      priority: 'HIGH',
      title: `${pool.name}: trigger ${trigger.trigger} is breached`,
      message: describeTrigger(trigger),
      entity_type: 'pool',
      entity_id: pool.pool_id,
    });
  }
}

async function tellApplied(tx: Tx, pool: ServicedPool, { period, payment_date }: StoredRemittance): Promise<void> {
  const { pool_id, deal_id, name, organization_id } = pool;
  const holders = await listHolders(tx, deal_id);
  const told = new Set([organization_id, ...holders.map((each) => each.organization_id)]);
  await emit(
    tx,
    [...told].map((recipient) => ({
      organization_id: recipient,
      event: 'remittance.applied',
      data: { pool_id, deal_id, period, payment_date },
      alert: {
        category: 'pool',
        priority: 'MEDIUM',
        title: `${name}: the report of period ${period} was applied`,
        message: `Balances and factors of its tranches follow the payment of ${payment_date}.`,
        entity_type: 'deal',
        entity_id: deal_id,
      },
    })),
  );
}
