import { raiseAlert } from '../../events/emit.ts';
import { openRemittances, type Remittance } from '../../finance/structure/remittance.ts';
import { rollForward } from '../../finance/structure/roll-forward.ts';
import { buildPeriods } from '../../finance/structure/periods.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../../finance/schedule.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import { tieRemittance } from '../../finance/structure/tie-remittance.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { type Id } from '../../platform/ids.ts';
import { reportedPerformance } from './performance.ts';
import { lockPool, type Pool } from '../pools/queries.ts';
import { findLastRemittance, insertRemittance, setTrancheBalances, type StoredRemittance } from './queries.ts';
import { sayTrigger, tellTriggers, type TriggerTold } from './trigger-status.ts';

/**
 * Takes a servicer report in: it must tie to itself and to the one before (422 with every finding); then the balances of the tranches,
 * and with them factors and positions, follow, and a trigger that goes on raises an alert.
 */
export async function reportRemittance(
  tx: Tx,
  organizationId: Id<'org'>,
  poolId: Id<'pool'>,
  report: Remittance,
): Promise<StoredRemittance> {
  const pool = await lockPool(tx, organizationId, poolId);
  if (!pool) throw notFound('pool');
  const structure = pool.structure as Structure;
  if (!pool.deal_id || (pool.status !== 'ISSUED' && pool.status !== 'CLOSED')) {
    throw new ApiError('CONFLICT', `The pool is ${pool.status}; servicer reports begin with its issue.`, {
      extra: { current_status: pool.status },
    });
  }
  const last = await findLastRemittance(tx, organizationId, poolId);
  if (last && report.period <= last.period) {
    throw new ApiError('CONFLICT', `Period ${report.period} has been reported; the next one is ${last.period + 1}.`);
  }
  const before = last?.state ?? openRemittances(structure, Number(pool.balance));
  refuseUntied(tieRemittance(before, report, structure));
  const rolled = rollForward(before, report, structure);
  const triggers = tellTriggers(rolled.triggers, last?.triggers ?? []);
  const stored: StoredRemittance = {
    remittance_id: tx.newId('rem'),
    pool_id: poolId,
    deal_id: pool.deal_id,
    period: report.period,
    payment_date: report.payment_date,
    report,
    performance: reportedPerformance(structure, report, rolled),
    triggers,
    created_at: tx.now,
  };
  await insertRemittance(tx, pool, stored, rolled.state);
  await setTrancheBalances(tx, pool, balancesAfter(pool, structure, report, rolled.state.tranches));
  await alertBreaches(tx, pool, triggers);
  return stored;
}

function refuseUntied(findings: ReturnType<typeof tieRemittance>): void {
  if (findings.length === 0) return;
  const errors = findings.map(({ path, code, message, expected, actual }) => ({
    field: path,
    code,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  }));
  const first = findings[0];
  throw new ApiError('REMITTANCE_DOES_NOT_TIE', `The report does not tie: ${first?.path} ${first?.message}.`, { errors });
}

/** Interest of 30/360 classes accrues on from the date on the schedule, of others from the date of payment. */
function balancesAfter(pool: Pool, structure: Structure, report: Remittance, tranches: Record<string, { balance: number }>) {
  const scheduled = scheduledDate(pool, structure, report);
  return structure.tranches.map(({ tranche, day_count = '30/360' }) => ({
    tranche,
    balance: tranches[tranche]?.balance ?? 0,
    accrued_from: day_count.startsWith('30') ? scheduled : report.payment_date,
  }));
}

/** Days within which a payment date is that of the schedule, moved by a weekend or a holiday. */
const ADJUSTMENT_DAYS = 7;

function scheduledDate(pool: Pool, structure: Structure, { period, payment_date }: Remittance): string {
  const months = period * MONTHS_BETWEEN_PAYMENTS[structure.payment?.frequency ?? 'MONTHLY'];
  const dates = buildPeriods(structure, { cutOff: pool.cut_off_date, closing: pool.closing_date }, months).dates;
  const date = dates[period - 1];
  if (!date) return payment_date;
  const gapDays = Math.abs(Date.parse(date.unadjusted) - Date.parse(payment_date)) / 86_400_000;
  return gapDays <= ADJUSTMENT_DAYS ? date.unadjusted : payment_date;
}

async function alertBreaches(tx: Tx, pool: Pool, triggers: readonly TriggerTold[]): Promise<void> {
  for (const trigger of triggers.filter((each) => each.newly_on)) {
    await raiseAlert(tx, pool.organization_id, 'trigger.breached', {
      category: 'pool',
      priority: 'HIGH',
      title: `${pool.name}: trigger ${trigger.trigger} is breached`,
      message: `${sayTrigger(trigger)}.`,
      entity_type: 'pool',
      entity_id: pool.pool_id,
    });
  }
}
