import { emit, raiseAlert } from '../../events/emit.ts';
import { openRemittances, type Remittance } from '../../finance/structure/remittance.ts';
import { rollForward } from '../../finance/structure/roll-forward.ts';
import { buildPeriods } from '../../finance/structure/periods.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../../finance/schedule.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import { type RemittanceFinding, tieRemittance } from '../../finance/structure/tie-remittance.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { reportedPerformance } from './performance.ts';
import { lockPool, type Pool } from '../pools/queries.ts';
import { listHolders } from '../securitizations/queries.ts';
import { findLastRemittance, insertRemittance, setTrancheBalances, type StoredRemittance } from './queries.ts';
import { describeTrigger, type TriggerStatus, triggerStatuses } from './trigger-status.ts';

/**
 * Accepts a servicer report that ties to itself and to the previous one (422 with every finding). The balances of the tranches follow it,
 * and so do factors and positions; a trigger that goes on raises an alert.
 */
export async function reportRemittance(tx: Tx, actor: Actor, poolId: Id<'pool'>, report: Remittance): Promise<StoredRemittance> {
  const pool = serviced(orNotFound(await lockPool(tx, actor.organization_id, poolId), 'pool'));
  const { structure } = pool;
  const last = await findLastRemittance(tx, actor.organization_id, poolId);
  if (last && report.period <= last.period) {
    throw new ApiError('CONFLICT', `Period ${report.period} has been reported; the next one is ${last.period + 1}.`);
  }
  const before = last?.state ?? openRemittances(structure, Number(pool.balance));
  refuseUntied(tieRemittance(before, report, structure));
  const rolled = rollForward(before, report, structure);
  const triggers = triggerStatuses(rolled.triggers, last?.triggers ?? []);
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
  await setTrancheBalances(tx, pool, reportedBalances(pool, report, rolled.state.tranches));
  await alertBreaches(tx, pool, triggers);
  // Holders are other organizations than the owner, whose scope this is.
  await asPlatform(tx, () => tellApplied(tx, pool, stored));
  return stored;
}

type ServicedPool = Pool & { structure: Structure; deal_id: Id<'deal'> };

function serviced(pool: Pool): ServicedPool {
  const { structure, deal_id, status } = pool;
  if (structure && deal_id && (status === 'ISSUED' || status === 'CLOSED')) return { ...pool, structure, deal_id };
  throw new ApiError('CONFLICT', `The pool is ${status}; servicer reports begin with its issue.`, {
    extra: { current_status: status },
  });
}

function refuseUntied(findings: readonly RemittanceFinding[]): void {
  const [first] = findings;
  if (!first) return;
  const errors = findings.map(({ path, code, message, expected, actual }) => ({
    field: path,
    code,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  }));
  throw new ApiError('REMITTANCE_DOES_NOT_TIE', `The report does not tie: ${first.path} ${first.message}.`, { errors });
}

/** Interest of 30/360 classes accrues from the date of the schedule, of the others from the date of payment. */
function reportedBalances(pool: ServicedPool, report: Remittance, tranches: Record<string, { balance: number }>) {
  const scheduled = scheduledDate(pool, report);
  return pool.structure.tranches.map(({ tranche, day_count = '30/360' }) => ({
    tranche,
    balance: tranches[tranche]?.balance ?? 0,
    accrued_from: day_count.startsWith('30') ? scheduled : report.payment_date,
  }));
}

/** Most days between a payment date and its date of the schedule: weekends and holidays move it. */
const ADJUSTMENT_DAYS = 7;

function scheduledDate({ structure, cut_off_date, closing_date }: ServicedPool, { period, payment_date }: Remittance): string {
  const months = period * MONTHS_BETWEEN_PAYMENTS[structure.payment?.frequency ?? 'MONTHLY'];
  const { dates } = buildPeriods(structure, { cutOff: cut_off_date, closing: closing_date }, months);
  const date = dates[period - 1];
  if (!date) return payment_date;
  const gapDays = Math.abs(Date.parse(date.unadjusted) - Date.parse(payment_date)) / 86_400_000;
  return gapDays <= ADJUSTMENT_DAYS ? date.unadjusted : payment_date;
}

async function alertBreaches(tx: Tx, pool: Pool, triggers: readonly TriggerStatus[]): Promise<void> {
  for (const trigger of triggers.filter((each) => each.newly_on)) {
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
