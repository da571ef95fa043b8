import { isDeepStrictEqual } from 'node:util';
import { emit } from '../../events/emit.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { RemittanceFinding } from '../../finance/structure/tie-remittance.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { setCoupons } from '../coupons/coupon.ts';
import { bookRestatement, loadFactors } from '../payments/payment.ts';
import { listHolders } from '../securitizations/queries.ts';
import { alertBreaches, auditFigures, paidReport } from './apply-remittances.ts';
import { correctTrades } from './correct-trades.ts';
import { derive, deriveAgain, reportedBalances, verify } from './derive.ts';
import { tellDepartures } from './tell-departures.ts';
import { differencesOf, tellDiffers, tellLaterDiffers } from './differences.ts';
import {
  findLastApplied,
  findRemittance,
  findRemittanceBefore,
  listRemittancesAfter,
  type RemittanceWithState,
  restateStored,
  setTrancheBalances,
  updateDerived,
} from './queries.ts';
import {
  amountsOf,
  laterUntied,
  loadOpening,
  lockServicedPool,
  type ServicedPool,
  untied,
  withFixings,
} from './serviced-pool.ts';

export type Restatement = { pool_id: Id<'pool'>; remittance_id: Id<'rem'>; report: Remittance };

/**
 * Replaces the figures of an applied report, which must tie like those of a new one; the version before is kept. The differences are booked to
 * the holders of record of its period, and balances, factors, performance and triggers follow, those of later periods too. 409 where a later
 * report would no longer tie.
 */
export async function restateRemittance(
  tx: Tx,
  actor: Actor,
  { pool_id, remittance_id, report }: Restatement,
): Promise<RemittanceWithState> {
  const pool = await withFixings(tx, await lockServicedPool(tx, actor.organization_id, pool_id));
  const row = orNotFound(await findRemittance(tx, actor.organization_id, pool_id, remittance_id), 'report');
  refuseUnapplied(row);
  const opening = await loadOpening(tx, pool, row.period);
  const { findings, derived } = derive(pool, opening, report);
  const all = [...otherDates(row, report), ...(findings ?? [])];
  if (!derived || all.length > 0) throw untied(all, verify(pool, opening.state, report));
  // The stored report has gone through JSON, as this one will.
  if (isDeepStrictEqual(row.report, JSON.parse(JSON.stringify(report)))) {
    throw new ApiError(
      'CONFLICT',
      `These are the figures of period ${row.period} that are in force: there is nothing to restate.`,
    );
  }
  const later = deriveAgain(pool, derived, await listRemittancesAfter(tx, pool, row.period));
  if (later.untied) throw laterUntied(later.untied.row, later.untied.findings);
  await restateStored(tx, row, { report, ...derived });
  await updateDerived(
    tx,
    pool,
    later.rows.map((each) => ({ period: each.row.period, ...each.derived })),
  );
  const restated = orNotFound(await findRemittance(tx, actor.organization_id, pool_id, remittance_id), 'report');
  // Holders are other organizations than the owner, whose scope this is.
  const differences = differencesOf(restated.verification);
  await asPlatform(tx, async () => {
    await follow(tx, pool, row, restated, actor.actor_id);
    if (differences.length > 0) await tellDiffers(tx, pool, report, { differences, isApplied: true });
    await tellLaterDiffers(tx, pool, later.rows);
  });
  return restated;
}

function refuseUnapplied({ status, period }: RemittanceWithState): void {
  if (status === 'APPLIED') return;
  throw new ApiError(
    'CONFLICT',
    `The report of period ${period} is ${status}: send the report of the period again, and it is replaced.`,
    {
      extra: { current_status: status },
    },
  );
}

/** The period and the date on which holders were paid do not change. */
function otherDates({ period, payment_date }: RemittanceWithState, report: Remittance): RemittanceFinding[] {
  const code = 'PERIOD_OUT_OF_ORDER';
  const findings: RemittanceFinding[] = [];
  if (report.period !== period) {
    const message = `is ${report.period}, expected ${period}, the period that is restated`;
    findings.push({ code, path: 'period', message, expected: period, actual: report.period });
  }
  if (report.payment_date !== payment_date) {
    const message = `is ${report.payment_date}, expected ${payment_date}: the holders of record of that payment stay`;
    findings.push({ code, path: 'payment_date', message });
  }
  return findings;
}

async function follow(
  tx: Tx,
  pool: ServicedPool,
  former: RemittanceWithState,
  restated: RemittanceWithState,
  actor: string,
): Promise<void> {
  const before = await loadFactors(tx, pool.deal_id);
  const last = await findLastApplied(tx, pool.organization_id, pool.pool_id);
  if (last) await setTrancheBalances(tx, pool, reportedBalances(pool, last.report, last.state));
  await setCoupons(tx, pool);
  const ofRecord = await bookRestatement(tx, paidReport(pool, restated), before, amountsOf(pool.structure, former.report));
  const uncorrected = await correctTrades(tx, pool, restated, 'restatement');
  const { version } = restated;
  auditFigures(tx, pool, restated, { actor, action: 'remittance.restated', after: { version }, uncorrected });
  const wasOn = new Set(former.triggers.filter((each) => each.on).map((each) => each.trigger));
  await alertBreaches(
    tx,
    pool,
    restated.triggers.filter((each) => each.on && !wasOn.has(each.trigger)),
  );
  await tellRestated(tx, pool, restated, ofRecord);
  // How far an earlier period was off says nothing of today: the reports since have told, or not.
  if (last?.period !== restated.period) return;
  const previous = await findRemittanceBefore(tx, pool, restated.period);
  await tellDepartures(tx, pool, restated, [former, ...(previous ? [previous] : [])]);
}

async function tellRestated(
  tx: Tx,
  pool: ServicedPool,
  { remittance_id, period, payment_date, version }: RemittanceWithState,
  ofRecord: ReadonlySet<Id<'org'>>,
): Promise<void> {
  const { pool_id, deal_id, name, organization_id } = pool;
  const holders = await listHolders(tx, deal_id);
  const told = new Set([organization_id, ...ofRecord, ...holders.map((each) => each.organization_id)]);
  await emit(
    tx,
    [...told].map((recipient) => ({
      organization_id: recipient,
      event: 'remittance.restated',
      data: { remittance_id, pool_id, deal_id, period, payment_date, version },
      alert: {
        category: 'pool',
        priority: 'HIGH',
        title: `${name}: the report of period ${period} was restated`,
        message: `The figures of the payment of ${payment_date} were replaced. Differences are booked to whoever held face at its record date; balances and factors follow.`,
        entity_type: 'deal',
        entity_id: deal_id,
      },
    })),
  );
}
